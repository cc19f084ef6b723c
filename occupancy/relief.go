package occupancy

import "sort"

// A Relief is a change of one resource that makes more warps resident, all
// else the same.
type Relief struct {
	// Change names what changes. LimitWarps means fewer threads a block,
	// LimitBlocks more threads a block.
	Change Limiter `json:"change"`
	Usage  Usage   `json:"usage"`  // with the change made
	Result Result  `json:"result"` // of it
}

// Reliefs returns the next useful steps: for every resource the smallest
// change that makes more warps resident. Resources where no change helps are
// left out, so a kernel at full occupancy gets none. One that several
// resources limit alike may get none either: then they must change together.
func (d *Device) Reliefs(u Usage) ([]Relief, error) {
	now, err := d.Occupancy(u)
	if err != nil {
		return nil, err
	}
	var reliefs []Relief
	try := func(change Limiter, with Usage) bool {
		r, err := d.Occupancy(with)
		if err != nil || r.ActiveWarps <= now.ActiveWarps {
			return false
		}
		reliefs = append(reliefs, Relief{change, with, r})
		return true
	}

	// Warps are not monotonic in threads (3 blocks of 10 warps, 2 of 15), so
	// walk; there are at most 32 steps.
	whole := roundUp(u.Threads, d.WarpSize)
	for t := whole - d.WarpSize; t > 0; t -= d.WarpSize {
		if try(LimitWarps, Usage{t, u.Registers, u.SharedBytes}) {
			break
		}
	}
	for t := whole + d.WarpSize; t <= d.MaxThreadsPerBlock; t += d.WarpSize {
		if try(LimitBlocks, Usage{t, u.Registers, u.SharedBytes}) {
			break
		}
	}
	if n, ok := d.MaxRegisters(u.Threads, now.ActiveBlocks+1); ok && n < u.Registers {
		try(LimitRegisters, Usage{u.Threads, n, u.SharedBytes})
	}
	if n, ok := d.MaxShared(now.ActiveBlocks + 1); ok && n < u.SharedBytes {
		try(LimitShared, Usage{u.Threads, u.Registers, n})
	}
	return reliefs, nil
}

// MaxRegisters returns the most registers a thread may use so that the
// register file holds that many blocks of that many threads. It is false where
// not even 1 will do.
func (d *Device) MaxRegisters(threads, blocks int) (registers int, ok bool) {
	if threads <= 0 || blocks <= 0 {
		return 0, false
	}
	warps := (threads + d.WarpSize - 1) / d.WarpSize
	tooMany := sort.Search(d.MaxRegistersPerThread, func(i int) bool {
		return d.blocksByRegisters(warps, i+1) < blocks
	})
	return tooMany, tooMany > 0
}

// MaxShared returns the most shared bytes a block may use so that the shared
// memory of an SM holds that many blocks. It is false where not even 0 will do.
func (d *Device) MaxShared(blocks int) (bytes int, ok bool) {
	if blocks <= 0 {
		return 0, false
	}
	tooMany := sort.Search(d.SharedPerBlock+1, func(i int) bool {
		return d.blocksByShared(i) < blocks
	})
	return tooMany - 1, tooMany > 0
}
