//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestTables: tables whose arguments a short reduction makes constant are inlined there, with what hands an argument on, and no kernel computes them; others are
// not. The results are the CPU's, with nothing found.
func TestTables(t *testing.T) {
	tr := tree(t)
	g := harness.Generator{Source: "bridge/testdata/tables.cc", Name: "tables"}
	exe, err := tr.Compile(g)
	if err != nil {
		t.Fatal(err)
	}
	dump := filepath.Join(t.TempDir(), "pipeline.json")
	ok(t, nil, exe, scheduled(t, g.Name, cudaTarget, "autoscheduler.dump="+dump)...)
	explained := ok(t, nil, tr.Build("gowarp"), "explain", dump)
	for reason, funcs := range map[string]string{
		"where the reduction that it is read in is unrolled its values are constants":      "half, weight",
		"what it looks up is constant where the reduction that reads it is unrolled: half": "segment",
	} {
		if !regexp.MustCompile(regexp.QuoteMeta(reason) + `\n\s+` + funcs + `\n`).MatchString(explained) {
			t.Errorf("not %s because %s:\n%s", funcs, reason, explained)
		}
	}

	e, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
	ptx, err := e.PTX()
	if err != nil {
		t.Fatal(err)
	}
	_, cpu := built(t, g, "host", harness.Root())
	// The only exp is in the kernel of what the data look up, recognised by the half of the logarithm of 2.
	for _, kernel := range strings.Split(ptx, ".visible .entry")[1:] {
		if in := strings.Contains(kernel, "0fBF317200"); in == strings.Contains(kernel, "_kernel_out_") {
			t.Errorf("an exponential: %v, in\n%s", in, kernel)
		}
	}
	rng := rand.New(rand.NewPCG(3, 8))
	for _, size := range [][2]int{{96, 40}, {61, 19}, {7, 3}} {
		a := filled(harness.F32, func() float64 { return 16 * rng.Float64() }, size[:]...)
		in, shapes := harness.Args{"input": a}, map[string][]int{"out": size[:]}
		want := onCPU(t, cpu, in, shapes)
		simulated(t, p, in, shapes, want, harness.Tolerance{Rel: 1e-4, Abs: 1e-4}, fmt.Sprint(size))
	}
}
