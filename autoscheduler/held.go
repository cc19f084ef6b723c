package autoscheduler

import (
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// maxHeld is how many points a thread has at most of dimensions that it has whole: their values, of one Func, are a quarter of a thread's registers.
const maxHeld = 16

// heldPart is what part of the threads that the device runs at a time there have to be when they do.
const heldPart = 16

// heldReach is how many Funcs before one are looked at: what its kernel may compute, and not all of a long pipeline for each Func.
const heldReach = 64

// heldLoops are the loops of an output that a thread runs through whole, since what it reads is read across them: networks that sort, butterflies, small matrices. Split, each part would compute
// most of all that comes before. How many points there are has to be known.
func (s *state) heldLoops(id, stage int, extent []int64) (held []int) {
	f, fits := &s.p.Funcs[id], s.problem.Fits
	if s.params.Mode != "gowarp" || len(f.Stages) > 1 {
		return nil
	}
	points, all := int64(1), int64(1)
	for l, loop := range f.Stages[stage].Loops {
		if loop.Kind.Parallel() {
			all *= extent[l]
		}
	}
	enough := func(points int64) bool {
		return all/points*heldPart >= s.threads()
	}
	near := func(fn int) bool { return id-fn < heldReach }
	grow := func(whole func(dim int) bool) map[int][]bounds.Growth {
		return fits.Grow(id, stage, whole, near, s.problem.Stored).Funcs
	}
	var apart map[int][]bounds.Growth // the same for all loops
	for l, loop := range f.Stages[stage].Loops {
		if loop.Arg < 0 || extent[l] < 2 || points*extent[l] > maxHeld || !enough(points*extent[l]) {
			continue
		}
		if _, ok := fits.Whole(id, loop.Arg); !ok {
			continue
		}
		if apart == nil {
			apart = grow(nil)
		}
		own := func(dim int) bool { return dim == loop.Arg }
		whole := grow(own)
		for fn, gs := range apart {
			if fn != id && s.readAcross(fn, gs, whole[fn], own, extent[l], f.Output) {
				held, points = append(held, l), points*extent[l]
				break
			}
		}
	}
	return held
}

// readAcross reports whether a point along a dimension of so many needs at least half of them of a Func, or places of it that only whoever knows the point can tell; for an output whatever has no size by itself, since such dimensions are whole in a tile anyway (plan.Grow).
func (s *state) readAcross(fn int, apart, whole []bounds.Growth, own func(dim int) bool, extent int64, output bool) bool {
	for k, w := range whole {
		if w.Dim >= 0 || !w.Provable() || !w.Fixed {
			continue
		}
		switch a := apart[k]; {
		case !a.Known:
			if output || s.toldApart(fn, k) {
				return true
			}
		case own(a.Dim):
			if n := a.Extent(1); n > 1 && 2*n >= extent {
				return true
			}
		}
	}
	return false
}

// toldApart reports whether something reads a Func, along a dimension, at a place that is no constant number of points away, nor a constant, and that data do not tell.
func (s *state) toldApart(fn, dim int) bool {
	for _, at := range s.problem.Access.Consumers(fn) {
		for _, load := range s.problem.Access.Stage(at.Func, at.Stage).LoadsOf(fn) {
			if x := &load.Index[dim]; !x.Exact() && !x.DataDependent {
				return true
			}
		}
	}
	return false
}

// heldCells are what Funcs that are not inlined compute in a thread that has all points along short dimensions: each point knows where it is then, which decides what is chosen by it, and where it reads.
func (s *state) heldCells() (out []plan.CellsOf) {
	for id := range s.p.Funcs {
		if s.problem.Inlined[id] {
			continue
		}
		if of, ok := s.heldCell(id); ok {
			out = append(out, of)
		}
	}
	return out
}

func (s *state) heldCell(id int) (of plan.CellsOf, ok bool) {
	f := &s.p.Funcs[id]
	if s.params.Mode != "gowarp" || f.Extern != nil {
		return of, false
	}
	args, points := len(f.Args), int64(1)
	of = plan.CellsOf{Func: id, Moduli: slices.Repeat([]int64{1}, args), From: make([]int64, args), Beside: make([]int64, args), Held: make([]bool, args)}
	for k := range f.Args {
		at, constant := s.problem.Regions.Constant(s.p, id, k)
		if n := at.Extent(); constant && n > 1 && points*n <= maxHeld && s.tellsApart(id, k) {
			points *= n
			of.Moduli[k], of.From[k], of.Held[k], ok = n, at.Lo, true, true
		}
	}
	return of, ok
}

// sharedInThread reports whether a thread would share a Func's points along short dimensions in its registers: what reads it does so at places that tell them apart. In place of its readers Halide writes what it computes once for each,
// with the operands of sums and of minima in one order or the other, so that the compiler finds half of what is the same (a network that sorts 8 values: 370 instructions a point, 179 with each stage kept).
func (s *state) sharedInThread(id int) bool {
	of, ok := s.heldCell(id)
	if !ok {
		return false
	}
	across := false
	for _, c := range s.problem.Affected(id) {
		if s.problem.Inlined[c] {
			continue
		}
		for st := range s.p.Funcs[c].Stages {
			for _, t := range s.problem.Expand[s.problem.StageIndex(c, st)].Loads {
				if t.Func != id {
					continue
				}
				if access.FromData(t.Index) {
					return false
				}
				for k, held := range of.Held {
					across = across || held && !t.Index[k].Exact()
				}
			}
		}
	}
	return across
}

// tellsApart reports whether a Func chooses by where a point is along a dimension, or reads at places that are no constant number of points away.
func (s *state) tellsApart(id, dim int) bool {
	for st := range s.p.Funcs[id].Stages {
		l := slices.IndexFunc(s.p.Funcs[id].Stages[st].Loops, func(l halideir.Loop) bool { return l.Arg == dim })
		if l < 0 {
			continue
		}
		stage := s.problem.Access.Stage(id, st)
		chooses := slices.ContainsFunc(stage.Moving, func(m access.Moving) bool {
			return m.Loops == access.LoopBit(l) && m.Ops.Class(access.Compare) > 0
		})
		elsewhere := func(x access.Index) bool { return x.DependsOn(l) && !x.Exact() }
		if chooses || slices.ContainsFunc(stage.Loads, func(load access.Load) bool { return slices.ContainsFunc(load.Index, elsewhere) }) {
			return true
		}
	}
	return false
}
