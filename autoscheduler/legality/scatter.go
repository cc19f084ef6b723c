package legality

import (
	"gowarp/halideir/rfactor"
	"gowarp/internal/plan"
)

// scatterPlaces: an update that computes its places may hit any of them, so that a block that runs it has all there are: in global memory as many as a run has it, in shared memory a number
// that holds in every run, since of no other can it be taken before anything is known.
func scatterPlaces(pr *plan.Problem, k *plan.Kernel) error {
	for i := range k.Members {
		m := &k.Members[i]
		f := &pr.P.Funcs[m.Func]
		for s := range m.Nests {
			for d, a := range f.Stages[s].Args {
				if s == 0 || rfactor.OwnPlace(pr.P, a, d) {
					continue
				}
				if (m.Where == plan.AtBlockGlobal || m.OrGlobal) && !m.Bounded[d] {
					continue // as many as a run has it
				}
				iv, ok := pr.Regions.Constant(pr.P, m.Func, d)
				if !ok || m.Where != plan.AtBlock || !m.Bounded[d] || m.Padded[d] < iv.Extent() {
					return violationf("%s.update(%d) writes to computed places, and a block does not have all of them", f.Label, s-1)
				}
			}
		}
	}
	return nil
}
