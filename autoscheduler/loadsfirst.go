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
	if !several || n.Stage == 0 || n.Together() || s.params.Mode != "gowarp" || s.p.Target.API != "cuda" {
		return
	}
	if !s.storesApart(n) {
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
	at := s.problem.Access.Stage(n.Func, n.Stage).Store
	among := inCode(n)
	moves := func(x *access.Index) bool {
		return slices.ContainsFunc(among, func(u plan.Use) bool { return x.DependsOn(u.Loop) })
	}
	own := false
	for _, t := range s.problem.ExpandOf(n).Loads {
		if t.Func != n.Func {
			continue
		}
		own = true
		apart := false
		for d := range min(len(t.Index), len(at)) {
			distance, ok := t.Index[d].Apart(&at[d])
			apart = apart || ok && distance != 0 && !moves(&t.Index[d]) && !moves(&at[d])
		}
		if !apart {
			return false
		}
	}
	return own
}

// storesApart reports whether no two iterations of an update that stand in the code together store the same place: each loop among those is one dimension's.
func (s *state) storesApart(n *plan.Nest) bool {
	st := s.problem.Access.Stage(n.Func, n.Stage)
	if st == nil {
		return false
	}
	return !slices.ContainsFunc(inCode(n), func(u plan.Use) bool {
		return !slices.ContainsFunc(st.Store, func(x access.Index) bool {
			return x.Kind == access.Affine && x.Loop == u.Loop && x.Den == 1 && !x.Clamped && !x.Scaled && !x.DataDependent
		})
	})
}

// inCode are the loops of a nest of which several iterations stand one after the other in the code.
func inCode(n *plan.Nest) (uses []plan.Use) {
	for _, u := range n.Unrolled {
		if u.Extent > 1 {
			uses = append(uses, u)
		}
	}
	for _, u := range n.Serial {
		if u.Steps > 1 || u.Unroll && u.Extent > 1 {
			uses = append(uses, u)
		}
	}
	return uses
}
