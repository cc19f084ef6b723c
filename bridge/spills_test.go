//go:build halide

package bridge

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/internal/ptxas"
)

// uses is what ptxas says of an emission's kernels for a compute capability, under the cap of Halide's runtime.
func uses(t *testing.T, e *harness.Emission, capability int) []ptxas.Use {
	t.Helper()
	code, err := e.PTX()
	if err != nil {
		t.Fatal(err)
	}
	all, err := tree(t).Ptxas(code, capability, ptxas.MaxRegisters)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// spilled is how many bytes those kernels spill together, of a thread each.
func spilled(t *testing.T, e *harness.Emission, capability int) (bytes int) {
	t.Helper()
	for _, u := range uses(t, e, capability) {
		bytes += u.SpillBytes()
	}
	return bytes
}
