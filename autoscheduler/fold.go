package autoscheduler

import (
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
)

// maxFolded is how many iterations of a reduction stand in the code so that the compiler knows what a table holds.
const maxFolded = 64

// fold inlines tables, Funcs whose values hang on their arguments alone, where the compiler knows those arguments once a short reduction is unrolled: their values are
// constants then, and cost nothing (the half heights of a disc, column by column). What stands between such a reduction and a table, and hands an argument on, is inlined
// with it if that costs no more than to keep it.
func (s *state) fold() {
	if s.params.Mode != "gowarp" {
		return
	}
	for id := range s.p.Funcs {
		if !s.problem.Access.Table(id) || s.problem.Inlined[id] || s.notInlinable(id) != "" {
			continue
		}
		if between, ok := s.foldable(id); ok {
			s.foldOne(id, between)
		}
	}
}

// foldable reports whether a table is read only at constants and at iterations of short reductions, and through which Funcs that hand them on.
func (s *state) foldable(id int) (between []int, ok bool) {
	for _, c := range s.problem.Access.Consumers(id) {
		for _, l := range s.problem.Access.Stage(c.Func, c.Stage).Loads {
			if l.Func != id {
				continue
			}
			loops := uint64(0)
			for _, x := range l.Index {
				if x.FromData {
					return nil, false
				}
				loops |= x.Loops
			}
			via, ok := s.constants(c, loops)
			if !ok {
				return nil, false
			}
			between = append(between, via...)
		}
	}
	slices.Sort(between)
	return slices.Compact(between), true
}

// constants reports whether loops of a stage are constants once a short reduction is unrolled: of that reduction itself, or arguments at which all readers read the Func so.
func (s *state) constants(at access.StageRef, loops uint64) (between []int, ok bool) {
	f := &s.p.Funcs[at.Func]
	st := &f.Stages[at.Stage]
	turns, args := int64(1), []int(nil)
	for l := range st.Loops {
		if loops&access.LoopBit(l) == 0 {
			continue
		}
		switch v := st.Loops[l].RVar; {
		case v >= 0 && s.p.Nodes[st.RVars[v].Min].Op == halideir.OpInt && s.p.Nodes[st.RVars[v].Extent].Op == halideir.OpInt:
			turns *= s.p.Nodes[st.RVars[v].Extent].Int
		case v < 0:
			args = append(args, st.Loops[l].Arg)
		default:
			return nil, false
		}
	}
	switch {
	case turns > maxFolded || st.Predicate != halideir.NoNode:
		return nil, false
	case len(args) == 0:
		return nil, true
	case turns > 1 || s.problem.Inlined[at.Func] || s.notInlinable(at.Func) != "":
		return nil, false
	}
	between = []int{at.Func}
	for _, c := range s.problem.Access.Consumers(at.Func) {
		for _, l := range s.problem.Access.Stage(c.Func, c.Stage).Loads {
			if l.Func != at.Func {
				continue
			}
			handed := uint64(0)
			for _, a := range args {
				if l.Index[a].FromData {
					return nil, false
				}
				handed |= l.Index[a].Loops
			}
			via, ok := s.constants(c, handed)
			if !ok {
				return nil, false
			}
			between = append(between, via...)
		}
	}
	return between, true
}

// foldOne inlines a table with what stands between, or nothing.
func (s *state) foldOne(id int, between []int) {
	kept := make([]float64, len(between))
	for i, b := range between {
		r := s.worthInlining(b)
		// Kept, it computes at each point what its indices make of the argument.
		kept[i] = min(r.Global, r.Shared) + r.Points*float64(s.problem.Access.Stage(b, 0).Address.Total())
	}
	was := slices.Clone(s.problem.Inlined)
	s.problem.Folded[id] = true
	why := s.tryInline(id)
	for i := len(between) - 1; i >= 0 && why == ""; i-- { // readers first
		b := between[i]
		if s.problem.Inlined[b] {
			continue
		}
		if r := s.worthInlining(b); !r.Inlined && r.Again > kept[i] {
			why = "what hands its argument on is kept"
			break
		}
		why = s.tryInline(b)
	}
	if why != "" {
		s.problem.Folded[id] = false
		for f := range was {
			if s.problem.Inlined[f] && !was[f] {
				s.setInlined(f, false)
			}
		}
		return
	}
	s.inlines[id] = InlineReason{Inlined: true, Why: "where the reduction that it is read in is unrolled its values are constants"}
	s.note("inline", id, "%s", s.inlines[id].Why)
	for _, b := range between {
		if !was[b] {
			s.inlines[b] = InlineReason{Inlined: true, Why: "what it looks up is constant where the reduction that reads it is unrolled: " + s.p.Funcs[id].Label}
			s.note("inline", b, "%s", s.inlines[b].Why)
		}
	}
}
