//go:build halide

package bridge

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestClipped: a histogram is counted in the shared memory of blocks also where what reads its bins is a sum that is factored, whose loops are then as long as quotients of numbers.
func TestClipped(t *testing.T) {
	g := harness.Generator{Source: "bridge/testdata/clipped.cc", Name: "clipped"}
	_, cpu := built(t, g, "host", harness.Root())
	e, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(map[string]string{"gpu": "rtx2080ti"}))
	code, err := e.PTX()
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(atom|red)\.shared`).MatchString(code) {
		t.Error("nothing is counted in shared memory")
	}
	rng := rand.New(rand.NewPCG(11, 4))
	for _, size := range [][2]int{{512, 256}, {131, 77}, {8, 8}, {3, 1}} {
		in := harness.Args{"in": noise(rng, size[0], size[1]), "limit": 1 + size[0]/100}
		shapes := map[string][]int{"out": {8, 8}}
		simulated(t, p, in, shapes, onCPU(t, cpu, in, shapes), harness.Tolerance{}, size)
	}
}
