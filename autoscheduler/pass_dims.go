package autoscheduler

import (
	"slices"

	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/halideir/rfactor"
	"gowarp/internal/plan"
)

// minTiledExtent is the extent from which a loop is worth tiling (Sioutas et al.
// 2020, section 4.2: "less than 64 iterations").
const minTiledExtent = 64

// maxTiled is the number of loops that can be threads.
const maxTiled = 3

// Atomic operations pay where a stage has hardly a parallel iteration and many that would
// have to wait for each other.
const (
	fewParallel = 256  // iterations of parallel loops: less than one block
	manySerial  = 1024 // iterations for each of them
)

// chooseDims picks, for every stage, the loops that become blocks and threads:
// the parallel loops of at least minTiledExtent iterations, innermost first, or
// else the longest one; and the loop along which memory is contiguous, however short, so
// that neighbouring threads have neighbouring points, but for reductions that load far less along another loop (lanes.go). An update that hardly has any, and whose operation the hardware can make atomic,
// has all its loops parallel. Where outer loops carry all dependences of an update, those are the host's (carrying.go).
func chooseDims(s *state) error {
	pr := s.problem
	for id := range s.p.Funcs {
		f := &s.p.Funcs[id]
		for st := range f.Stages {
			box, err := pr.Regions.Loops(s.p, id, st)
			if err != nil {
				return err
			}
			d := plan.Dims{Extent: make([]int64, len(box))}
			parallel, serial := 1.0, 1.0
			for l, iv := range box {
				d.Extent[l] = iv.Extent()
				if f.Stages[st].Loops[l].Kind.Parallel() {
					parallel *= float64(iv.Extent())
				} else {
					serial *= float64(iv.Extent())
				}
			}
			scatter := rfactor.Scatters(s.p, f)
			d.Atomic = (parallel < fewParallel && serial >= manySerial || scatter && st > 0) && !slices.Contains(s.tried.inOrder, id) && s.atomic(pr, f, &f.Stages[st])
			whole := predicated(s.p, &f.Stages[st])
			if loops, tiled := s.carrying(id, st, pr.Access, box); len(loops.Carrying) > 0 && !d.Atomic {
				d.Carrying, d.Within, d.Tiled = loops.Carrying, loops.Parallel, tiled
				pr.Dims[pr.StageIndex(id, st)] = d
				continue
			}
			across := s.acrossLoops(id, st, d.Extent)
			d.Held = s.heldLoops(id, st, d.Extent)
			apart := func(l int) bool { return !slices.Contains(d.Held, l) }
			if len(across) > 1 && slices.ContainsFunc(across, apart) {
				d.Held = nil // too many for a thread: a block has them
			}
			for _, l := range across {
				if !d.Atomic && !whole[l] && apart(l) && len(d.Tiled) < maxTiled {
					d.Tiled, d.Across = append(d.Tiled, l), append(d.Across, l)
				}
			}
			longest := -1
			for l := range box {
				if slices.Contains(d.Held, l) {
					continue
				}
				if !d.Atomic && !f.Stages[st].Loops[l].Kind.Parallel() || whole[l] {
					continue
				}
				if longest < 0 || d.Extent[l] > d.Extent[longest] {
					longest = l
				}
				if d.Extent[l] >= minTiledExtent && len(d.Tiled) < maxTiled {
					d.Tiled = append(d.Tiled, l)
				}
			}
			partial := f.Partial && !(scatter && (st == 0 || d.Atomic)) // all places of a scatter are cleared like an image
			if partial {
				d.Tiled = tiledPartial(f, st, d.Extent)
			}
			if len(d.Tiled) == 0 && longest >= 0 {
				d.Tiled = []int{longest}
			}
			if l := contiguous(&f.Stages[st]); !partial && !slices.Contains(d.Held, l) && l >= 0 && !whole[l] && d.Extent[l] > strategy.MaxSerialExtent && len(d.Tiled) < maxTiled && !slices.Contains(d.Tiled, l) {
				d.Tiled = slices.Insert(d.Tiled, 0, l)
			}
			if !d.Atomic && len(d.Held) == 0 {
				if l := s.laneOf(id, st, d.Extent, whole); l >= 0 {
					d.Tiled = append([]int{l}, slices.DeleteFunc(d.Tiled, func(t int) bool { return t == l })...)
					d.Tiled = d.Tiled[:min(len(d.Tiled), maxTiled)]
				}
			}
			pr.Dims[pr.StageIndex(id, st)] = d
		}
	}
	if held := s.heldCells(); len(held) > 0 {
		pr.Kept = plan.NewKept() // what was worked out without
		pr.SetCellsLater(held)
	}
	return nil
}

// tiledPartial are the loops over partial results that become blocks and threads: first that along which they load
// neighbours, then the other long ones.
func tiledPartial(f *halideir.Func, stage int, extent []int64) []int {
	var tiled []int
	loops := f.Stages[stage].Loops
	for l := range loops {
		if f.Lane >= 0 && loops[l].Arg == f.Lane {
			tiled = append(tiled, l)
		}
	}
	for l := range loops {
		if loops[l].Arg >= 0 && loops[l].Arg != f.Lane && extent[l] > strategy.MaxSerialExtent && len(tiled) < maxTiled {
			tiled = append(tiled, l)
		}
	}
	return tiled
}

// predicated says which loops a predicate depends on that loads something. They are never
// split: Halide 21 evaluates the predicate beside the guard of a tail, not under it, and then asks for
// more of what is loaded than there is.
func predicated(p *halideir.Pipeline, st *halideir.Stage) []bool {
	out := make([]bool, len(st.Loops))
	loads := false
	p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
		switch {
		case n.ReadsBuffer():
			loads = true
		case n.Op == halideir.OpVar:
			for l, loop := range st.Loops {
				if n.Kind == halideir.VarDim && loop.Arg == n.Index || n.Kind == halideir.VarRVar && loop.RVar == n.Index {
					out[l] = true
				}
			}
		}
	}, st.Predicate)
	if !loads {
		clear(out)
	}
	return out
}

// contiguous is the parallel loop over the Func's first argument, along which it is stored; -1
// if there is none.
func contiguous(st *halideir.Stage) int {
	return slices.IndexFunc(st.Loops, func(l halideir.Loop) bool { return l.Arg == 0 && l.Kind.Parallel() })
}
