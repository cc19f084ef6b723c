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
	if outcome, reason = failure(err, l); outcome == "" {
		outcome, reason = FailsToLower, firstLine(err.Error())
	}
	return nil, outcome, reason, nil
}

// Does reports whether the scheduler has something to say to a program.
func (s Scheduler) Does(p Program) bool { return s.does(p) }

// With are the parameters that the scheduler is called with for a device.
func (s Scheduler) With(d occupancy.Device) map[string]string { return s.resolved(d) }

// Versions are those of what a figure may depend on.
func Versions(tree *harness.Tree) map[string]string { return versions(tree) }

// Commit is what git calls the source, "" outside a repository.
func Commit(tree *harness.Tree) string { return commit(tree) }

// LimitMemory holds this process, and those that it starts, to so many bytes of address
// space each.
func LimitMemory(bytes int64) error { return limitMemory(bytes) }
