//go:build halide

package harness

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// TestGeneratorFailure: a generator that fails under a limit fails in the same way when it
// is asked for again, and running out of time is told from other failures.
func TestGeneratorFailure(t *testing.T) {
	tree, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	harris := Generator{Source: "benchmarks/programs/harris/harris.cc", Name: "harris"}
	for _, c := range []struct {
		name    string
		s       Scheduler
		seconds int
		tooSlow bool
		text    string
	}{
		// It needs several times that for any program.
		{"slow", Peer("Anderson2021", nil), 1, true, "stopped after 1 s of processor time"},
		{"wrong", Gowarp(map[string]string{"fusion": "cold"}), 60, false, "cold"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for range 2 {
				_, err := tree.Emit(harris, EmitOptions{Target: "host-cuda-cuda_capability_75", Scheduler: c.s, CPUSeconds: c.seconds})
				var failure *GeneratorFailure
				if !errors.As(err, &failure) || failure.TooSlow != c.tooSlow || !strings.Contains(failure.Text, c.text) {
					t.Errorf("%v", err)
				}
			}
		})
	}
}

// TestByItself: a process that the user or the kernel ended says nothing of what it ran.
func TestByItself(t *testing.T) {
	for script, want := range map[string]bool{"exit 3": true, "kill -SEGV $$": true, "kill -XCPU $$": true, "kill -INT $$": false, "kill -TERM $$": false, "kill -KILL $$": false} {
		err := exec.Command("sh", "-c", script).Run()
		if got := ByItself(err); got != want {
			t.Errorf("%s: %v (%v)", script, got, err)
		}
		if _, got := generatorFailure(err, 1); got != want {
			t.Errorf("%s as a generator: %v", script, got)
		}
	}
	if err := exec.Command("/nonexistent").Run(); ByItself(err) {
		t.Errorf("what was never started failed by itself: %v", err)
	}
}
