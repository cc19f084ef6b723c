package strategy

import (
	"fmt"

	"gowarp/internal/plan"
)

// Root runs each stage of one Func as a kernel of its own: tiled loops over
// blocks and threads, impure reduction loops inside the thread. A stage
// without a parallel loop runs in one thread.
type Root struct{}

// Name implements Strategy.
func (Root) Name() string { return "root" }

// Offers implements Strategy.
func (Root) Offers(pr *plan.Problem, g *plan.Group, _ Options) error {
	if len(g.Members) > 0 {
		return fmt.Errorf("root: a group of several Funcs")
	}
	return nil
}

// Kernel implements Strategy.
func (s Root) Kernel(pr *plan.Problem, g *plan.Group, stage int, c plan.Choice, _ Options) (*plan.Kernel, error) {
	n, err := outNest(pr, g, stage, c)
	if err != nil {
		return nil, err
	}
	k := &plan.Kernel{Strategy: s.Name(), Choice: c, Out: n}
	switch {
	case pr.Dims[pr.StageIndex(g.Out, stage)].Atomic:
		k.Why = "its iterations combine into the same points: atomic operations"
	case len(n.Threads) == 0 && len(n.Blocks) == 0:
		k.Why = "no loop of the stage is parallel: one thread"
	}
	return k, finish(pr, k)
}
