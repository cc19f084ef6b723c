package plan

import "slices"

// LaneSlots is the number of registers that a lane has of a member that a warp computes, one component of a tuple.
func (m *Member) LaneSlots() int64 {
	n := int64(1)
	for _, e := range m.Padded {
		n *= e
	}
	return n / WarpLanes
}

// ScratchBytes is what a member's demoted registers take of the scratch of a warp, a row of lanes each.
func (pr *Problem) ScratchBytes(m *Member) int64 { return m.Demoted * WarpLanes * pr.Bytes(m.Func) }

// deadBefore reports whether nothing reads member a any more when member b is computed, in whatever order Halide computes
// what does not depend on each other: all that read a are needed for b.
func deadBefore(pr *Problem, k *Kernel, a, b int) bool {
	if pr.Reads(k.Out.Func, k.Members[a].Func) {
		return false
	}
	before := make([]bool, len(k.Members)) // what is needed for b
	work := []int{b}
	for len(work) > 0 {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		for i := range k.Members {
			if !before[i] && i != c && pr.Reads(k.Members[c].Func, k.Members[i].Func) {
				before[i] = true
				work = append(work, i)
			}
		}
	}
	for i := range k.Members {
		if i != a && !before[i] && pr.Reads(k.Members[i].Func, k.Members[a].Func) {
			return false
		}
	}
	return before[a]
}

// PlaceScratch gives the demoted registers of the members their places in the warp's scratch: the first where only what is
// dead, or comes when they are dead, lies. It returns the bytes of the scratch.
func PlaceScratch(pr *Problem, k *Kernel) int64 {
	whole := int64(0)
	for i := range k.Members {
		m := &k.Members[i]
		n := pr.ScratchBytes(m)
		m.ScratchAt = 0
		if n == 0 {
			continue
		}
		var taken [][2]int64 // by the others, in order
		for j := range i {
			o := &k.Members[j]
			if o.Demoted > 0 && !deadBefore(pr, k, j, i) && !deadBefore(pr, k, i, j) {
				taken = append(taken, [2]int64{o.ScratchAt, o.ScratchAt + pr.ScratchBytes(o)})
			}
		}
		slices.SortFunc(taken, func(a, b [2]int64) int { return int(a[0] - b[0]) })
		for _, t := range taken {
			if t[0] < m.ScratchAt+n && m.ScratchAt < t[1] {
				m.ScratchAt = t[1]
			}
		}
		whole = max(whole, m.ScratchAt+n)
	}
	return whole
}

// ScratchClash is two members that have the same place in the scratch at the same time, or -1s.
func ScratchClash(pr *Problem, k *Kernel) (int, int) {
	for i := range k.Members {
		for j := range i {
			a, b := &k.Members[i], &k.Members[j]
			apart := a.Demoted == 0 || b.Demoted == 0 || a.ScratchAt+pr.ScratchBytes(a) <= b.ScratchAt || b.ScratchAt+pr.ScratchBytes(b) <= a.ScratchAt
			if !apart && !deadBefore(pr, k, i, j) && !deadBefore(pr, k, j, i) {
				return j, i
			}
		}
	}
	return -1, -1
}
