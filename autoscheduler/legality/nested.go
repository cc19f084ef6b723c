package legality

import (
	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// maxNestedClamps is how many members of a kernel may follow each other of which each is read at a place that is clamped. What is needed of the first is
// then a minimum and a maximum around those of all that follow, and lowering takes Halide 21 half again as long for each
// one more (RATIONALE.md, What scheduling costs).
const maxNestedClamps = 8

// nestedClamps: Halide comes to an end with the bounds of members.
func nestedClamps(pr *plan.Problem, k *plan.Kernel) error {
	if len(k.Members) <= maxNestedClamps {
		return nil
	}
	depth := make(map[int]int, len(k.Members)) // by member, producers first: how many clamped reads there are up to it
	for i := range k.Members {
		depth[k.Members[i].Func] = 0
	}
	upTo := func(fn int) int {
		n := 0
		for s := range pr.P.Funcs[fn].Stages {
			for _, t := range pr.Expand[pr.StageIndex(fn, s)].Loads {
				d, is := depth[t.Func]
				if !is || t.Func == fn {
					continue
				}
				if clamped(t.Index) {
					d++
				}
				n = max(n, d)
			}
		}
		return n
	}
	for i := range k.Members {
		depth[k.Members[i].Func] = upTo(k.Members[i].Func)
	}
	if n := upTo(k.Out.Func); n > maxNestedClamps {
		return violationf("%d members follow each other of which each is read at a clamped place; %d may", n, maxNestedClamps)
	}
	return nil
}

func clamped(at []access.Index) bool {
	for i := range at {
		if at[i].Clamped {
			return true
		}
	}
	return false
}
