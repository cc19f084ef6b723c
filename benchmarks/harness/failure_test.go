//go:build halide

package harness

import (
	"errors"
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
		tooSlow bool
		text    string
	}{
		// It needs several times that for any program.
		{"slow", Peer("Anderson2021", nil), true, "stopped after 1 s of processor time"},
		{"wrong", Gowarp(map[string]string{"fusion": "cold"}), false, "cold"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for range 2 {
				_, err := tree.Emit(harris, EmitOptions{Target: "host-cuda-cuda_capability_75", Scheduler: c.s, CPUSeconds: 1})
				var failure *GeneratorFailure
				if !errors.As(err, &failure) || failure.TooSlow != c.tooSlow || !strings.Contains(failure.Text, c.text) {
					t.Errorf("%v", err)
				}
			}
		})
	}
}
