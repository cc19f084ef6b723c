package strategy

import (
	"fmt"
	"strings"

	"gowarp/internal/plan"
)

// Root runs each stage of one Func as a kernel of its own: tiled loops over
// blocks and threads, impure reduction loops inside the thread. A stage
// without a parallel loop runs in one thread.
type Root struct{}

// Name implements Strategy.
func (Root) Name() string { return "root" }

// Prepare implements Strategy.
func (Root) Prepare(pr *plan.Problem, g *plan.Group, _ Options) (Prepared, error) {
	if len(g.Members) > 0 {
		return nil, fmt.Errorf("root: a group of several Funcs")
	}
	return rootKernels{pr, g}, nil
}

type rootKernels struct {
	pr *plan.Problem
	g  *plan.Group
}

// Kernel implements Prepared.
func (r rootKernels) Kernel(stage int, c plan.Choice) (*plan.Kernel, error) {
	n, err := outNest(r.pr, r.g, stage, c)
	if err != nil {
		return nil, err
	}
	k := &plan.Kernel{Strategy: Root{}.Name(), Choice: c, Out: n}
	switch {
	case r.pr.Dims[r.pr.StageIndex(r.g.Out, stage)].Atomic:
		k.Why = "its iterations combine into the same points: atomic operations"
	case len(n.Host) > 0:
		k.Why = fmt.Sprintf("%s of %s carries all dependences: %d launches one after the other, parallel within", loopList(r.pr, n.Host, r.g.Out, stage), r.pr.P.Funcs[r.g.Out].Label, k.Launches())
	case len(n.Threads) == 0 && len(n.Blocks) == 0:
		k.Why = "no loop of the stage is parallel: one thread"
	}
	return k, finish(r.pr, k)
}

// Block implements Sizer.
func (r rootKernels) Block(_ int, c plan.Choice) [3]int64 { return block(c) }

// loopList is the names of loops.
func loopList(pr *plan.Problem, uses []plan.Use, fn, stage int) string {
	var names []string
	for _, u := range uses {
		names = append(names, pr.P.Funcs[fn].Stages[stage].Loops[u.Loop].Label)
	}
	return strings.Join(names, " and ")
}
