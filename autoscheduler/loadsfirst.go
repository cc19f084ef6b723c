package autoscheduler

import (
	"slices"

	"gowarp/halideir/access"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
)

// loadsFirst has the iterations of an update that stand one after the other in the code load before any of them stores (schedule.LoadsFirst).
func (s *state) loadsFirst(n *plan.Nest) {
	several := slices.ContainsFunc(n.Serial, func(u plan.Use) bool { return u.Steps > 1 })
	if !several || n.Stage == 0 || n.Scan || s.params.Mode != "gowarp" || s.p.Target.API != "cuda" {
		return
	}
	number := int64(1)
	if s.readsApart(n) {
		number = 2
	}
	s.add(schedule.Directive{Do: schedule.LoadsFirst, Func: n.Func, Name: s.p.Funcs[n.Func].Label, Stage: n.Stage, N: number})
}

// readsApart reports whether no iteration of an update that stands in the code with others loads what one of them stores: in one dimension they are at different places, by a loop that is not among those.
func (s *state) readsApart(n *plan.Nest) bool {
	st := s.problem.Access.Stage(n.Func, n.Stage)
	if st == nil || st.Store == nil {
		return false
	}
	inCode := uint64(0)
	for _, u := range n.Unrolled {
		inCode |= access.LoopBit(u.Loop)
	}
	for _, u := range n.Serial {
		if u.Steps > 1 || u.Unroll {
			inCode |= access.LoopBit(u.Loop)
		}
	}
	exact := func(x *access.Index) bool {
		return (x.Kind == access.Affine || x.Kind == access.Constant) && !x.Clamped && !x.Estimated && !x.DataDependent && x.Loops&inCode == 0 && (x.Kind == access.Constant || x.Den == 1)
	}
	own := false
	for _, t := range s.problem.ExpandOf(n).Loads {
		if t.Func != n.Func {
			continue
		}
		own = true
		if len(t.Index) != len(st.Store) {
			return false
		}
		apart := false
		for d := range t.Index {
			a, b := &t.Index[d], &st.Store[d]
			apart = apart || exact(a) && exact(b) && a.Kind == b.Kind && a.Loop == b.Loop && a.Num == b.Num && a.Offset != b.Offset
		}
		if !apart {
			return false
		}
	}
	return own
}
