package autoscheduler

import (
	"fmt"

	"gowarp/autoscheduler/profile"
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
	pr.WholeGroups = s.params.AnySize == "0"
	s.problem = pr
	if s.params.Registers != "" {
		return s.readProfile()
	}
	return nil
}

// readProfile takes what Algorithm 2 wants to know of each stage from a file instead of estimating it.
func (s *state) readProfile() error {
	p, err := profile.Read(s.params.Registers)
	if err == nil {
		s.problem.Profile, err = p.For(s.problem)
	}
	if err != nil {
		return fmt.Errorf("autoscheduler: registers=%s: %w", s.params.Registers, err)
	}
	s.note("analyse", -1, "registers and times of the stages by themselves: %s", s.params.Registers)
	return nil
}
