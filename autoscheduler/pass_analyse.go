package autoscheduler

import (
	"fmt"
	"slices"

	"gowarp/autoscheduler/profile"
	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// analyse computes what every later pass reads: accesses, required regions, and the
// affine form of every edge.
func analyse(s *state) error {
	r, a, err := s.analysed()
	if err != nil {
		return err
	}
	pr := plan.NewProblem(s.p)
	pr.Access = a
	pr.SetRegions(r)
	pr.Device = &s.device
	pr.Limits = s.limits()
	for _, fn := range s.tried.apart {
		pr.Apart[fn] = true
	}
	for fn := range pr.Unproven {
		pr.Unproven[fn] = s.params.Check == "0" // what nobody checks is not said
	}
	for _, fn := range s.tried.unproven {
		pr.Unproven[fn] = true
	}
	pr.Dims = make([]plan.Dims, pr.NumStages())
	pr.WholeGroups = s.params.AnySize == "0"
	pr.Vectors = s.params.Mode == "gowarp" && s.p.Target.API == "cuda"
	pr.RowsLast = s.params.Mode == "gowarp"
	pr.LongTurns = s.params.Mode == "gowarp"
	pr.LaneScans = s.laneScans()
	pr.InOrder = s.params.Reassociate == "0"
	s.unclamped = unclamped(s.p)
	s.problem = pr
	if s.params.Registers != "" {
		return s.readProfile()
	}
	return nil
}

// analysis is of a pipeline what is required of each Func, and what its stages read.
type analysis struct {
	p       *halideir.Pipeline
	regions *bounds.Regions
	access  *access.Analysis
}

// analysed is the analysis of the pipeline as it is now: the pass factor looks at it before analyse does.
func (s *state) analysed() (*bounds.Regions, *access.Analysis, error) {
	if s.analysis.p != s.p {
		r, err := bounds.Analyze(s.p)
		if err != nil {
			return nil, nil, err
		}
		s.analysis = analysis{s.p, r, access.Analyze(s.p)}
	}
	return s.analysis.regions, s.analysis.access, nil
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

// laneScans reports whether the lanes of a warp may run through scans together.
func (s *state) laneScans() bool { return s.params.Mode == "gowarp" && s.scansLowered() }

// exchanging is the capability of CUDA from which on all lanes of a warp that there are exchange values at once.
const exchanging = 70

// exchanges reports whether lanes of the target exchange values in the code that Halide makes for it.
func (s *state) exchanges() bool {
	return s.p.Target.API == "cuda" && s.p.Target.CUDACapability >= exchanging
}

// scansLowered reports whether the lowering pass that has lanes run through scans works for the target: it exchanges what they have by instructions of capability 7.0, and knows places of 32 bits.
func (s *state) scansLowered() bool {
	return s.exchanges() && !slices.Contains(s.p.Target.Features, "large_buffers")
}
