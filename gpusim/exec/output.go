package exec

import (
	"fmt"
	"math"
	"math/bits"

	"gowarp/gpusim/count"
)

// filled is what kernels have stored to an allocation that the host has not read since.
type filled struct {
	fresh []uint32 // the bytes of each sector
	total int      // sectors, before the host read
	// kernels are the sectors that each kernel's launches stored, each launch's anew.
	kernels map[string]float64
	width   int     // of the narrowest store, bytes
	share   float64 // of the blocks that ran
	read    bool
}

// fill notes what a launch stored to an allocation, and how many bytes wide its narrowest
// store was. Only a share of its blocks may have run.
func (a *alloc) fill(kernel string, stored []uint64, width int, share float64) {
	f := &a.filled
	if f.fresh == nil || f.read {
		*f = filled{fresh: make([]uint32, 64*len(stored)), kernels: map[string]float64{}, share: 1}
	}
	n := 0
	for i, b := range stored {
		n += bits.OnesCount64(b)
		for ; b != 0; b &= b - 1 {
			s := &f.fresh[64*i+bits.TrailingZeros64(b)]
			if *s == 0 {
				f.total++
			}
			*s = math.MaxUint32
		}
	}
	f.kernels[kernel] += float64(n)
	if f.width == 0 || width < f.width {
		f.width = width
	}
	f.share = min(f.share, share)
}

// Output is what the host has read of the results of kernels.
type Output struct {
	Elements int64
	Width    int // of an element, bytes
}

// Outputs says how many elements that kernels stored lie in n bytes at an address which
// the host reads. An element is as wide as the narrowest store to the buffer. What several
// launches of the same kernel stored to the same place counts that often, as the results
// of a pipeline that ran several times. What the host has read once does not count again.
func (m *Memory) Outputs(addr uint64, n int) (Output, error) {
	a, err := m.lookup(addr, n)
	if err != nil {
		return Output{}, fmt.Errorf("%w: %w", ErrBadAddress, err)
	}
	f := &a.filled
	if f.width == 0 || f.total == 0 || n == 0 {
		return Output{}, nil
	}
	first := int(addr - a.base)
	end := first + n
	bytes := 0
	for s := first / count.SectorBytes; s*count.SectorBytes < end; s++ {
		from, to := max(first-s*count.SectorBytes, 0), min(end-s*count.SectorBytes, count.SectorBytes)
		mask := uint32(1<<to - 1<<from)
		bytes += bits.OnesCount32(f.fresh[s] & mask)
		f.fresh[s] &^= mask
	}
	f.read = true
	var most float64
	for _, k := range f.kernels {
		most = max(most, k)
	}
	runs := max(math.Round(most/float64(f.total)), 1)
	stored := min(float64(bytes)/f.share, float64(n))
	return Output{int64(math.Round(stored*runs)) / int64(f.width), f.width}, nil
}
