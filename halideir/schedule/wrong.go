package schedule

import (
	"fmt"

	"gowarp/halideir"
)

// A form is wrong if Halide 21 compiles it, without a word, to something else than it says, or
// refuses it only when the code is made. Each was tried.
type wrongForm struct {
	name string
	find func(g *program) error
}

// wrongForms are all of them, in the order in which they are looked for.
var wrongForms = []wrongForm{
	{"thread-dimensions", threadDimensions},
	{"lanes-width", lanesWidth},
	{"shared-in-thread", sharedInThread},
	{"register-over-threads", registerOverThreads},
	{"shared-over-lanes", sharedOverLanes},
	{"one-lane", oneLane},
	{"wide-in-lanes", wideInLanes},
	{"read-output", readOutput},
	{"demoted", demoted},
	{"demand-order", demandOrder},
}

// CheckForms is Check, and then reports the first form of the schedule that Halide 21 gets wrong.
func (s *Schedule) CheckForms(p *halideir.Pipeline) error {
	g, err := s.carryOut(p)
	if err != nil {
		return err
	}
	for _, w := range wrongForms {
		if err := w.find(g); err != nil {
			return fmt.Errorf("schedule: %s: %w", w.name, err)
		}
	}
	return nil
}

// each calls f for every nest until one fails.
func (g *program) each(f func(n *nest, label string) error) error {
	for fn := range g.nests {
		for st, n := range g.nests[fn] {
			for _, n := range g.cases(n.fn, n.stage) {
				if err := f(n, StageLabel(g.p.Funcs[fn].Label, st)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (n *nest) count(kind loopKind) int {
	c := 0
	for _, l := range n.loops {
		if l.kind == kind {
			c++
		}
	}
	return c
}

// threadDimensions: lanes are one of the three dimensions of threads.
func threadDimensions(g *program) error {
	return g.each(func(n *nest, label string) error {
		if t := n.count(threadLoop) + n.count(laneLoop); t > 3 {
			return fmt.Errorf("%s has %d loops over threads and lanes; a kernel has 3 dimensions", label, t)
		}
		return nil
	})
}

// lanesWidth: a warp has 32 lanes. The extent is known here where a split made the loop.
func lanesWidth(g *program) error {
	return g.each(func(n *nest, label string) error {
		for i, l := range n.loops {
			if l.kind != laneLoop {
				continue
			}
			for _, st := range n.steps {
				if !st.fuse && st.vars[2] == n.ids[i] && st.n > 32 {
					return fmt.Errorf("%s runs %s over %d lanes; a warp has 32", label, l.label, st.n)
				}
			}
		}
		return nil
	})
}

// loopsAround calls f for the loop that a Func is computed at and all that are around it in the
// nests of its consumers, with the nest of each, until f says no.
func (g *program) loopsAround(fn int, f func(n *nest, at int) bool) {
	for budget := len(g.p.Funcs); fn >= 0 && budget > 0; budget-- {
		level := g.compute[fn].at
		if level == nil {
			return
		}
		n := g.main(level.Func, level.Stage)
		for i := max(n.find(level.Var), 0); i < len(n.loops); i++ {
			if !f(n, i) {
				return
			}
		}
		fn = level.Func
	}
}

// sharedInThread: what is computed at a thread's loop, or a warp's, belongs to it alone. Shared memory there,
// with several warps a block, makes a kernel that does nothing.
func sharedInThread(g *program) error {
	for fn := range g.p.Funcs {
		if g.memory[fn] != MemoryGPUShared {
			continue
		}
		var err error
		g.loopsAround(fn, func(n *nest, at int) bool {
			if k := n.loops[at].kind; k == threadLoop || k == laneLoop {
				err = fmt.Errorf("%s is in shared memory and computed at %s, inside the %s loop %s of %s; compute it at a loop over blocks",
					g.p.Funcs[fn].Label, g.compute[fn].at, k, n.loops[at].label, g.p.Funcs[n.fn].Label)
			}
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// registerOverThreads: registers are a thread's own. A Func in registers that runs over threads itself reads what
// other threads have computed; only lanes can exchange it.
func registerOverThreads(g *program) error {
	return g.each(func(n *nest, label string) error {
		if g.memory[n.fn] == MemoryRegister && n.count(threadLoop) > 0 {
			return fmt.Errorf("%s is in registers and runs over threads; run it over lanes, or store it in shared memory", label)
		}
		return nil
	})
}

// sharedOverLanes: in a block of one warp made of lanes alone Halide sets no barrier, and shared memory that is
// written and read inside a serial loop is reordered.
func sharedOverLanes(g *program) error {
	for fn := range g.p.Funcs {
		level := g.compute[fn].at
		if g.memory[fn] != MemoryGPUShared || level == nil {
			continue
		}
		n := g.main(level.Func, level.Stage)
		at := n.find(level.Var)
		if at >= 0 && n.loops[at].kind == serialLoop && n.count(laneLoop) > 0 && n.count(threadLoop) == 0 {
			return fmt.Errorf("%s is in shared memory inside the serial loop %s of %s, whose block has lanes and no threads: no barrier would order it",
				g.p.Funcs[fn].Label, level.Var, g.p.Funcs[n.fn].Label)
		}
	}
	return nil
}

// oneLane: along a loop of one lane Halide 21 takes the lane for a constant and leaves out the shuffles that
// would fetch the other lanes' values. The extent is known here where a split made the loop.
func oneLane(g *program) error {
	return g.each(func(n *nest, label string) error {
		for i, l := range n.loops {
			if l.kind != laneLoop {
				continue
			}
			for _, st := range n.steps {
				if !st.fuse && st.vars[2] == n.ids[i] && st.n == 1 {
					return fmt.Errorf("%s runs %s over one lane: it would read no other lane's values", label, l.label)
				}
			}
		}
		return nil
	})
}

// wideInLanes: shuffles move 32 bits; Halide 21 refuses wider values only when the code is made.
func wideInLanes(g *program) error {
	for fn := range g.p.Funcs {
		if g.memory[fn] != MemoryRegister || len(g.nests[fn]) == 0 || g.nests[fn][0].count(laneLoop) == 0 {
			continue
		}
		for _, t := range g.p.Funcs[fn].Types {
			if t.Bits == 64 {
				return fmt.Errorf("%s has values of 64 bits in lanes", g.p.Funcs[fn].Label)
			}
		}
	}
	return nil
}

// readOutput: of an output that another Func of the pipeline reads Halide 21 computes as much as both ask for. Where the inner part of a
// guarded split is split once more, it then drops the guard, and writes behind the end of the caller's buffer
// (on the CPU too: s(x, y) with y split by 4 and the rest by 2, beside an output that reads s(x, y / 2)). A split of the outer part keeps it.
func readOutput(g *program) error {
	read := make([]bool, len(g.p.Funcs))
	for i := range g.p.Edges {
		if e := &g.p.Edges[i]; e.Func >= 0 && e.Func != e.Consumer {
			read[e.Func] = true
		}
	}
	return g.each(func(n *nest, label string) error {
		if !read[n.fn] || !g.p.Funcs[n.fn].Output {
			return nil
		}
		for _, tile := range n.steps {
			for _, again := range n.steps {
				if !tile.fuse && !again.fuse && tile.tail == TailGuardWithIf && again.vars[0] == tile.vars[2] {
					return fmt.Errorf("%s is an output that another Func reads, and the inner part of a split of it is split again: it would be written behind its end", label)
				}
			}
		}
		return nil
	})
}

// demoted: only what lanes hold in registers can be demoted; what else is stored stays where it is, without a word.
func demoted(g *program) error {
	for fn, d := range g.demoted {
		if d == nil {
			continue
		}
		if g.memory[fn] != MemoryRegister || g.compute[fn].at == nil || len(g.nests[fn]) != 1 || g.nests[fn][0].count(laneLoop) == 0 {
			return fmt.Errorf("%s is demoted and not in the registers of lanes", g.p.Funcs[fn].Label)
		}
	}
	return nil
}

// demandOrder: only the lanes of a kernel that has nothing in a scratch can take another order; others keep theirs, with a message at best.
func demandOrder(g *program) error {
	for fn, yes := range g.demanded {
		if !yes {
			continue
		}
		label := g.p.Funcs[fn].Label
		if len(g.nests[fn]) != 1 || g.nests[fn][0].count(laneLoop) == 0 {
			return fmt.Errorf("%s is computed in the order of demand and not by lanes", label)
		}
		for of, d := range g.demoted {
			if at := g.compute[of].at; d != nil && at != nil && at.Func == fn {
				return fmt.Errorf("%s is computed in the order of demand, and %s, which it needs, is demoted: lanes wait for each other there", label, g.p.Funcs[of].Label)
			}
		}
	}
	return nil
}
