package occupancy

import (
	"errors"
	"fmt"
	"math"
)

// Usage is what one block of a kernel asks of an SM.
type Usage struct {
	Threads     int `json:"threads"`      // of the block
	Registers   int `json:"registers"`    // of each thread, 32 bits wide
	SharedBytes int `json:"shared_bytes"` // of the block, static and dynamic
}

// Result is what an SM makes of it.
type Result struct {
	ActiveBlocks  int `json:"active_blocks"`  // resident at once; 0: the block cannot launch
	ActiveWarps   int `json:"active_warps"`   // of those blocks
	ActiveThreads int `json:"active_threads"` // of those blocks, without the idle lanes of a partial warp
	// Occupancy is ActiveWarps over the most the SM can hold, from 0 to 1.
	Occupancy float64 `json:"occupancy"`
	// Limiters are the resources that keep ActiveBlocks from being larger: all
	// whose own limit equals it.
	Limiters LimiterSet `json:"limiters"`
}

// ErrUsage is what the error of [Device.Occupancy] wraps.
var ErrUsage = errors.New("occupancy: impossible block")

// unlimited is the number of blocks allowed by a resource that is not used.
const unlimited = math.MaxInt32

// Occupancy computes how many blocks of the given usage one SM holds at once.
//
// A usage that makes no sense is an error: no threads or more than a block may
// have, negative amounts, or more registers a thread than the register file
// has for a warp. A block that makes sense and asks for too much is not: its
// ActiveBlocks are 0 and its Limiters say why.
//
// Shared memory counts against SharedPerBlock, the limit without opting in,
// and against SharedPerSM, so the SM is taken to be configured for as much
// shared memory as it can have, as the driver does when a kernel needs it.
//
// The rules are those of NVIDIA's occupancy calculator: registers go to warps
// in units, each warp's within one partition of the register file; shared
// memory goes to blocks in units, on top of the driver's reservation.
// Occupancy does not allocate.
func (d *Device) Occupancy(u Usage) (Result, error) {
	if d.WarpSize <= 0 || u.Threads <= 0 || u.Threads > d.MaxThreadsPerBlock ||
		u.Registers < 0 || u.SharedBytes < 0 || u.Registers > d.registersOfFile() {
		return Result{}, d.explain(u)
	}
	warps := (u.Threads + d.WarpSize - 1) / d.WarpSize

	byWarps := d.MaxThreadsPerSM / d.WarpSize / warps
	byBlocks := d.MaxBlocksPerSM
	byRegisters := d.blocksByRegisters(warps, u.Registers)
	byShared := d.blocksByShared(u.SharedBytes)
	active := min(byWarps, byBlocks, byRegisters, byShared)

	var set LimiterSet
	if byWarps == active {
		set |= limitWarps
	}
	if byBlocks == active {
		set |= limitBlocks
	}
	if byRegisters == active {
		set |= limitRegisters
	}
	if byShared == active {
		set |= limitShared
	}
	return Result{
		ActiveBlocks:  active,
		ActiveWarps:   active * warps,
		ActiveThreads: active * u.Threads,
		Occupancy:     float64(active*warps) / float64(d.MaxWarpsPerSM()),
		Limiters:      set,
	}, nil
}

// blocksByRegisters is the number of blocks of so many warps that the register
// file holds.
func (d *Device) blocksByRegisters(warps, registers int) int {
	if registers > d.MaxRegistersPerThread {
		return 0
	}
	if registers == 0 {
		return unlimited
	}
	perWarp := roundUp(registers*d.WarpSize, d.RegisterAllocUnit)
	if perWarp*roundUp(warps, d.launchGranularity()) > d.RegistersPerBlock {
		return 0
	}
	partition := d.RegistersPerSM / d.WarpAllocGranularity
	return partition / perWarp * d.WarpAllocGranularity / warps
}

// launchGranularity is the number of warps to which the launch check rounds a
// block up, as if it took registers from every partition at once.
func (d *Device) launchGranularity() int {
	// The P100 has two partitions, the rest of Pascal four. The driver holds
	// it to the rest's check, so that what runs on one Pascal GPU runs on all.
	if d.Capability == 60 {
		return 4
	}
	return d.WarpAllocGranularity
}

// blocksByShared is the number of blocks whose shared memory an SM holds.
func (d *Device) blocksByShared(bytes int) int {
	if bytes > d.SharedPerBlock {
		return 0
	}
	perBlock := roundUp(bytes+d.ReservedSharedPerBlock, d.SharedAllocUnit)
	if perBlock == 0 {
		return unlimited
	}
	if d.SharedAllocPow2 {
		perBlock = powerOfTwo(perBlock)
	}
	if perBlock > d.SharedPerBlock+d.ReservedSharedPerBlock {
		return 0
	}
	return d.SharedPerSM / perBlock
}

// registersOfFile is what each lane of a warp would have if the warp had the
// whole register file: more is no kernel's estimate but a mistake.
func (d *Device) registersOfFile() int { return d.RegistersPerSM / d.WarpSize }

// explain says what is wrong with a usage that Occupancy refuses. It is apart
// from the checks to keep their path free of allocations.
func (d *Device) explain(u Usage) error {
	switch {
	case d.WarpSize <= 0:
		return fmt.Errorf("%w: the device has no figures; take one from Lookup, ForCapability or Devices", ErrUsage)
	case u.Threads <= 0:
		return fmt.Errorf("%w: %d threads; a block has at least 1", ErrUsage, u.Threads)
	case u.Threads > d.MaxThreadsPerBlock:
		return fmt.Errorf("%w: %d threads, but %s launches at most %d a block; use a smaller tile or give each thread more points",
			ErrUsage, u.Threads, d.Name, d.MaxThreadsPerBlock)
	case u.Registers < 0:
		return fmt.Errorf("%w: %d registers a thread; give 0 if they are unknown", ErrUsage, u.Registers)
	case u.Registers > d.registersOfFile():
		return fmt.Errorf("%w: %d registers a thread, but the whole register file of %s has %d for each lane of a warp; registers are counted per thread, not per block",
			ErrUsage, u.Registers, d.Name, d.registersOfFile())
	default:
		return fmt.Errorf("%w: %d shared bytes; give 0 for none", ErrUsage, u.SharedBytes)
	}
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

func powerOfTwo(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}
