package autoscheduler

import (
	"maps"
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
)

// maxFolded is how many iterations of a reduction stand in the code so that the compiler knows what a table holds.
const maxFolded = 64

// maxBetween is how many Funcs may stand between a table and such reductions.
const maxBetween = 8

// fold inlines tables, Funcs whose values hang on their arguments alone, where the compiler knows those arguments once a short reduction is unrolled: their values are
// constants then, and cost nothing (the half heights of a disc, column by column). What stands between such a reduction and a table, and hands an argument on, is inlined
// with it if that costs no more than to keep it.
func (s *state) fold() {
	if s.params.Mode != "gowarp" {
		return
	}
	c := constants{s, map[constantsAt]*handed{}}
	for id := range s.p.Funcs {
		if !s.problem.Access.Table(id) || s.problem.Inlined[id] || s.notInlinable(id) != "" || s.callsStored(id) {
			continue
		}
		if h := c.readers(id, nil); h != nil {
			s.foldOne(id, h.between)
		}
	}
}

// callsStored reports whether a Func calls one that is not inlined: in its readers, which take it for a constant, that would be read as well.
func (s *state) callsStored(id int) bool {
	return slices.ContainsFunc(s.problem.Access.Stage(id, 0).Loads, func(l access.Load) bool { return l.Func >= 0 && !s.problem.Inlined[l.Func] })
}

// constants finds out where loops are constants once short reductions are unrolled.
type constants struct {
	s     *state
	known map[constantsAt]*handed
}

// constantsAt are loops of a stage, as access.Index.Loops has them.
type constantsAt struct {
	stage access.StageRef
	loops uint64
}

// handed says that arguments are constants: through which Funcs, ascending, the reductions hand them on.
type handed struct{ between []int }

// readers is how those arguments of a Func (nil: all) are constants at all its readers; nil if they are not.
func (c *constants) readers(fn int, args []int) *handed {
	out := &handed{}
	for _, at := range c.s.problem.Access.Consumers(fn) {
		for _, l := range c.s.problem.Access.Stage(at.Func, at.Stage).Loads {
			if l.Func != fn {
				continue
			}
			loops := uint64(0)
			for k, x := range l.Index {
				if args != nil && !slices.Contains(args, k) {
					continue
				}
				if x.FromData {
					return nil
				}
				loops |= x.Loops
			}
			h := c.of(constantsAt{at, loops})
			if h == nil {
				return nil
			}
			out.between = append(out.between, h.between...)
			slices.Sort(out.between)
			out.between = slices.Compact(out.between)
			if len(out.between) > maxBetween {
				return nil
			}
		}
	}
	return out
}

// of is how loops of a stage are constants, of its own short reduction or arguments that are; nil if they are not.
func (c *constants) of(at constantsAt) *handed {
	if h, ok := c.known[at]; ok {
		return h
	}
	h := c.work(at)
	c.known[at] = h
	return h
}

func (c *constants) work(at constantsAt) *handed {
	f := &c.s.p.Funcs[at.stage.Func]
	st := &f.Stages[at.stage.Stage]
	turns, args := int64(1), []int(nil)
	for l := range st.Loops {
		if at.loops&access.LoopBit(l) == 0 {
			continue
		}
		v := st.Loops[l].RVar
		if v < 0 {
			args = append(args, st.Loops[l].Arg)
			continue
		}
		least, extent := &c.s.p.Nodes[st.RVars[v].Min], &c.s.p.Nodes[st.RVars[v].Extent]
		if least.Op != halideir.OpInt || extent.Op != halideir.OpInt || extent.Int > maxFolded || st.Predicate != halideir.NoNode {
			return nil
		}
		turns *= max(extent.Int, 1)
	}
	switch {
	case turns > maxFolded:
		return nil
	case len(args) == 0:
		return &handed{}
	case turns > 1 || c.s.problem.Inlined[at.stage.Func] || c.s.notInlinable(at.stage.Func) != "":
		return nil
	}
	h := c.readers(at.stage.Func, args)
	if h == nil || len(h.between) >= maxBetween {
		return nil
	}
	return &handed{append([]int{at.stage.Func}, h.between...)}
}

// foldOne inlines a table with what stands between, or nothing.
func (s *state) foldOne(id int, between []int) {
	kept := make([]float64, len(between))
	for i, b := range between {
		r := s.worthInlining(b)
		// Kept, it computes at each point what its indices make of the argument.
		kept[i] = min(r.Global, r.Shared) + r.Points*float64(s.problem.Access.Stage(b, 0).Address.Total())
	}
	was, reasons := slices.Clone(s.problem.Inlined), maps.Clone(s.inlines)
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
		s.inlines = reasons
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
