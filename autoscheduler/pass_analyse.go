package autoscheduler

import (
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// analyse computes what every later pass reads: accesses, required regions, and the
// affine form of every edge.
func analyse(s *state) error {
	r, err := bounds.Analyze(s.p)
	if err != nil {
		return err
	}
	pr := plan.NewProblem(s.p)
	pr.Access = access.Analyze(s.p)
	pr.SetRegions(r)
	pr.Fits = bounds.NewFits(s.p, r)
	pr.Device = &s.device
	pr.Limits = s.limits()
	for _, fn := range s.tried.apart {
		pr.Apart[fn] = true
	}
	pr.Expand = make([]plan.Expand, pr.NumStages())
	pr.Dims = make([]plan.Dims, pr.NumStages())
	s.problem = pr
	return nil
}
