package plan

import "cmp"

// Allocation is one member's shared memory with the steps of the kernel
// between which it must live. A step is one stage's loops; Halide puts a barrier
// between two steps.
type Allocation struct {
	Bytes       int64
	ElemBytes   int64 // of the widest tuple component: offsets are in its units
	First, Last int
}

// SharedBytes is the shared memory that Halide 21 allocates for a kernel with
// these allocations. Slots are reused by liveness: an allocation takes the free
// slot nearest to its own size, most recently freed first, and the
// slot becomes as large as its largest tenant. Allocations are ordered by First,
// then Last; one is freed at the step after its last use, and never once
// a later one has been (Halide's allocator moves on past it).
func SharedBytes(allocs []Allocation, steps int) int64 {
	type slot struct{ size, width int64 }
	var slots []slot
	var free []int // indices of slots, oldest first
	tenant := make([]int, len(allocs))
	start := 0
	for step := 0; step <= steps; step++ {
		for i := start; i < len(allocs); i++ {
			a := allocs[i]
			if a.First > step {
				break
			}
			if a.First == step {
				best, diff := -1, int64(0)
				for j := len(free) - 1; j >= 0; j-- {
					d := slots[free[j]].size - a.Bytes
					if d = max(d, -d); best < 0 || d < diff {
						best, diff = j, d
					}
				}
				if best < 0 {
					tenant[i] = len(slots)
					slots = append(slots, slot{size: a.Bytes, width: a.ElemBytes})
					continue
				}
				s := free[best]
				free = append(free[:best], free[best+1:]...)
				slots[s].size = max(slots[s].size, a.Bytes)
				slots[s].width = max(slots[s].width, a.ElemBytes)
				tenant[i] = s
			} else if a.Last == step-1 {
				free = append(free, tenant[i])
				start = i + 1
			}
		}
	}
	total, widest := int64(0), int64(1)
	for _, s := range slots {
		total += s.size
		widest = max(widest, s.width)
	}
	return (total + widest - 1) / widest * widest
}

// CompareAllocations orders allocations as Halide's allocator does.
func CompareAllocations(a, b Allocation) int {
	return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last))
}

// PadElements rounds a number of elements up so that the allocation is a whole
// number of 8-byte words. Halide 21 divides sizes by the ratio of element widths
// rounding down when tenants of different types share a slot, so that a size
// that is not a multiple of the widest type would come out too small.
func PadElements(innermost, elemBytes int64) int64 {
	const word = 8
	if elemBytes >= word {
		return innermost
	}
	per := word / elemBytes
	return (innermost + per - 1) / per * per
}
