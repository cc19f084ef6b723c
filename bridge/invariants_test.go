//go:build halide

package bridge

import (
	"testing"

	"gowarp/benchmarks/harness"
)

// TestInvariants: what each turn of a loop over colours finds the same the compiler holds for all of a thread's points: values (colours.cc), and how far apart the rows of buffers
// are (distances.cc), and places that data say (warped.cc); and so it does of a loop over a domain (closest.cc). A thread has as many points as leave room for that: ptxas spills nothing.
func TestInvariants(t *testing.T) {
	tr := tree(t)
	for _, name := range []string{"colours", "distances", "warped", "closest"} {
		t.Run(name, func(t *testing.T) {
			e, err := tr.Emit(harness.Generator{Source: "bridge/testdata/" + name + ".cc", Name: name}, harness.EmitOptions{Target: "host-cuda-cuda_capability_75", Scheduler: harness.Gowarp(nil)})
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range uses(t, e, 75) {
				if u.SpillBytes() > 0 {
					t.Errorf("%s spills %d B", u.Kernel, u.SpillBytes())
				}
			}
		})
	}
}
