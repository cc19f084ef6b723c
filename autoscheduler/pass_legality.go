package autoscheduler

import (
	"fmt"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"gowarp/autoscheduler/legality"
	"gowarp/internal/plan"
)

// checkLegality is the last gate. Every candidate passed it already; a kernel that
// fails here is a bug of a pass between, and is said rather than emitted.
func checkLegality(s *state) error {
	for _, f := range s.found {
		for _, k := range f.Layout.Kernels {
			if err := legality.Check(s.problem, k); err != nil {
				return err
			}
		}
	}
	return checkLaunchOrder(s.problem, s.groups)
}

// checkLaunchOrder: every Func is computed in one group, and the groups can be
// launched one after another, each after those that it reads.
func checkLaunchOrder(pr *plan.Problem, groups []*plan.Group) error {
	of := map[int]int{}
	for i, g := range groups {
		for _, fn := range append([]int{g.Out}, g.Members...) {
			if _, twice := of[fn]; twice {
				return fmt.Errorf("legality: %s is computed in two groups", pr.P.Funcs[fn].Label)
			}
			of[fn] = i
		}
	}
	graph := simple.NewDirectedGraph()
	for i := range groups {
		graph.AddNode(simple.Node(i))
	}
	for fn := range pr.P.Funcs {
		i, ok := of[fn]
		if !ok {
			continue
		}
		for st := range pr.P.Funcs[fn].Stages {
			for _, t := range pr.Expand[pr.StageIndex(fn, st)].Loads {
				if t.Func < 0 {
					continue
				}
				j, ok := of[t.Func]
				switch {
				case !ok:
					return fmt.Errorf("legality: %s reads %s, which no kernel computes", pr.P.Funcs[fn].Label, pr.P.Funcs[t.Func].Label)
				case j != i:
					graph.SetEdge(simple.Edge{F: simple.Node(j), T: simple.Node(i)})
				}
			}
		}
	}
	if _, err := topo.Sort(graph); err != nil {
		return fmt.Errorf("legality: the groups read each other in a circle: %w", err)
	}
	return nil
}
