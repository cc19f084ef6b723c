package suite

import (
	"errors"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/gpusim/check"
	"gowarp/gpusim/libcuda/simulator"
)

func TestOutcome(t *testing.T) {
	array := func(v byte) map[string]*harness.Array {
		return map[string]*harness.Array{"output": {Type: harness.U8, Shape: []int{1}, Data: []byte{v}}}
	}
	report := func(kinds ...check.Kind) *simulator.Report {
		r := &simulator.Report{Kernels: []*simulator.Kernel{{}}}
		for _, k := range kinds {
			r.Findings = append(r.Findings, check.Finding{Kind: k})
		}
		return r
	}
	refused := report()
	refused.Errors = []string{"a launch that no GPU accepts: kernel k: 64x32x1 threads a block; 1024 in all and 64 in z are the most (CUDA error 1)"}
	failure := errors.New("exit status 1")
	for _, c := range []struct {
		s    harness.Simulation
		want string
	}{
		{harness.Simulation{Results: array(1), Report: report()}, "ok"},
		{harness.Simulation{Results: array(1), Report: report(check.SameValueRace)}, "ok"},
		{harness.Simulation{Results: array(1), Report: report(check.SharedRace, check.OutOfBounds, check.SharedRace)}, "out-of-bounds, shared-race"},
		{harness.Simulation{Results: array(2), Report: report()}, "wrong result"},
		{harness.Simulation{Results: array(2), Report: report(check.Uninitialised)}, "uninitialised, wrong result"},
		{harness.Simulation{Failure: failure, Report: refused}, "cannot launch"},
		{harness.Simulation{Failure: failure, Report: report(check.OutOfBounds)}, "out-of-bounds"},
		{harness.Simulation{Failure: failure, Report: report()}, "fails"},
		{harness.Simulation{Failure: failure}, "fails"},
		{harness.Simulation{Results: array(1)}, "launches nothing"},
		{harness.Simulation{Results: array(1), Report: &simulator.Report{}}, "launches nothing"},
	} {
		if got := outcome(&c.s, array(1), harness.Tolerance{}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
