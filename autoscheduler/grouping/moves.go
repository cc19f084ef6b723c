package grouping

import (
	"maps"
	"slices"
)

// moveBudget is how many moves are tried at most.
const moveBudget = 20000

// improve makes moves as long as one gains, the first that does: a Func that has a kernel loses it, so that it is computed where it is read
// (a merge); or one that has none gets one (a split); or both of two of which one reads the other, so that the boundary between two
// groups moves by a Func; or all kernels that only one group reads are merged into it, where each by itself would not gain. What several read
// is computed once where all of those are in one group; that all of them compute it again is what duplicate tries.
func (v *intervals) improve(p *partition) {
	to := make([]int, len(p.of))
	for gained := true; gained; {
		gained = false
		for id := len(p.of) - 1; id >= 0; id-- {
			if v.of[id] < 0 {
				continue
			}
			for _, turned := range v.movesAt(p, id) {
				if v.moved++; v.moved > moveBudget {
					v.spent = true
					return
				}
				v.assign(to, func(f int) bool { return (p.of[f] == f) != slices.Contains(turned, f) })
				if gain := v.gain(p.of, to); gain > p.cost*1e-12 {
					copy(p.of, to)
					p.cost -= gain
					gained = true
				}
			}
		}
	}
}

// movesAt are those at a Func: which Funcs get a kernel that have none, and lose the one that they have.
func (v *intervals) movesAt(p *partition, id int) [][]int {
	kernel := func(f int) bool { return p.of[f] == f }
	moves := [][]int{{id}}
	for _, other := range v.beside(id) {
		if kernel(other) != kernel(id) {
			moves = append(moves, []int{id, other})
		}
	}
	if !kernel(id) {
		return moves
	}
	var into []int // kernels that only this one's group reads
	for f, out := range p.of {
		if out == f && f != id && v.into(p.of, f) == id {
			into = append(into, f)
		}
	}
	if len(into) > 1 {
		moves = append(moves, into, append(slices.Clone(into), id))
	}
	return moves
}

// gain is by how much one way to group the Funcs is cheaper than another. Only the groups that differ are looked at.
func (v *intervals) gain(from, to []int) float64 {
	differ := map[int]bool{}
	for id := range from {
		if from[id] != to[id] {
			differ[from[id]], differ[to[id]] = true, true
		}
	}
	gain := 0.0
	for _, out := range slices.Sorted(maps.Keys(differ)) {
		gain += v.costOf(from, out) - v.costOf(to, out)
	}
	return gain
}

// costOf is the cost of the group of an output, nothing if it has none.
func (v *intervals) costOf(of []int, out int) float64 {
	if of[out] != out {
		return 0
	}
	var members []int
	for id := range out { // what is read has smaller numbers
		if of[id] == out {
			members = append(members, id)
		}
	}
	return v.cost(out, members)
}

// beside are the Funcs that read a Func or are read by it.
func (v *intervals) beside(id int) []int {
	out := slices.Concat(v.reads[id], v.readers[id])
	slices.Sort(out)
	return slices.Compact(out)
}
