package bench

import (
	"gowarp/benchmarks/harness"
	"gowarp/occupancy"
)

// Emit has a program scheduled and compiled for a target of Halide by one of the schedulers,
// for a device. What the scheduler does wrong, or a limit stops, is an outcome with its
// reason and no emission; an error is the benchmark's own.
func Emit(tree *harness.Tree, p Program, s Scheduler, d occupancy.Device, target string, l Limits) (e *harness.Emission, outcome, reason string, err error) {
	with, params := s.harness(d)
	e, err = tree.Emit(p.Generator(params), harness.EmitOptions{Target: target, Scheduler: with, CPUSeconds: l.CPUSeconds})
	if err == nil {
		sites, err := e.LaunchSites()
		if err == nil && sites == 0 {
			return nil, FailsToSchedule, "nothing runs on the GPU", nil
		}
		return e, OK, "", err
	}
	outcome, reason = failure(err, l, FailsToLower)
	return nil, outcome, reason, nil
}
