package plan

import (
	"slices"

	"gowarp/halideir/access"
)

// HandedOn reports whether an update loads at a tap what an iteration before, of a loop that it runs through in order, has stored: in its column, so that a register or a cache
// has it. What stands there is not what was there before the kernel.
func (pr *Problem) HandedOn(n *Nest, t *Tap) bool {
	if n.Stage == 0 || t.Func != n.Func {
		return false
	}
	st := pr.Access.Stage(n.Func, n.Stage)
	if st == nil || len(st.Store) != len(t.Index) {
		return false
	}
	loops, before := pr.P.Funcs[n.Func].Stages[n.Stage].Loops, false
	for d := range t.Index {
		s, x := &st.Store[d], &t.Index[d]
		if s.Kind != access.Affine || x.Kind != access.Affine || x.Loop != s.Loop || x.Num != s.Num || x.Den != s.Den || x.Clamped || s.Clamped || x.Estimated != s.Estimated {
			return false
		}
		by := x.Offset - s.Offset
		if by == 0 {
			continue
		}
		if before || s.Loop < 0 || loops[s.Loop].Kind.Parallel() || (by > 0) == (s.Num > 0) || !slices.ContainsFunc(n.Serial, func(u Use) bool { return u.Loop == s.Loop }) {
			return false
		}
		before = true
	}
	return before
}

// ReadsOwnPlace reports whether an update loads of its own Func more than what its iterations hand on: what was there before it.
func (pr *Problem) ReadsOwnPlace(n *Nest) bool {
	loads := pr.ExpandOf(n).Loads
	return slices.ContainsFunc(loads, func(t Tap) bool { return t.Func == n.Func && !pr.HandedOn(n, &t) })
}
