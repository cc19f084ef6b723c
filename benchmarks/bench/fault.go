package bench

import (
	"fmt"

	"gowarp/benchmarks/harness"
)

// Plain has a program compiled for the CPU with every Func at root: what its results are compared with. A scheduler that computes
// every Func at root is harness.Root or one like it; outputs are those of harness.EmitOptions.
func Plain(tree *harness.Tree, p Program, target string, root harness.Scheduler, l Limits, outputs ...string) (*harness.Emission, error) {
	e, err := tree.Emit(p.Generator(nil), harness.EmitOptions{Target: target, Scheduler: root, Outputs: outputs, CPUSeconds: l.CPUSeconds})
	if err != nil {
		return nil, fmt.Errorf("every Func at root on the CPU: %w", err)
	}
	return e, nil
}

// Fault names what an error says of a program, whoever schedules it: it fails by itself, or a limit stops it. It is
// false where the error is the benchmark's own.
func Fault(err error, l Limits) (outcome, reason string, ok bool) {
	if err == nil || !harness.ByItself(err) {
		return "", "", false
	}
	outcome, reason = failure(err, l, ProgramFails)
	return outcome, reason, true
}

// ownFault is an error of the program, whoever schedules it.
type ownFault struct{ error }

func (f *ownFault) Unwrap() error { return f.error }

// own marks an error that is the program's if it is not the benchmark's.
func own(err error) error {
	if err == nil || !harness.ByItself(err) {
		return err
	}
	return &ownFault{err}
}

// blame asks, where a scheduler failed, whether the program fails by itself as well: for the CPU with every Func at root, or
// since nobody knows how large its outputs are. It returns that error, or closes the record with the scheduler's outcome.
func (m *measurement) blame(outcome, reason string) error {
	if outcome == FailsToSchedule || outcome == FailsToLower {
		root, err := m.plain()
		if err == nil {
			_, err = m.tree.Describe(root, 0, 0)
		}
		if err != nil {
			return own(err)
		}
	}
	return m.ends(outcome, reason)
}

// plain is the program that results are compared with.
func (m *measurement) plain() (*harness.Emission, error) {
	return Plain(m.tree, m.job.Program, "host", harness.Root(), m.job.Limits)
}
