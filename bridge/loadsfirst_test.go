//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"gowarp/benchmarks/harness"
)

var (
	loadsFirst   = regexp.MustCompile(`"do": ?"loads_first"`)
	kernelOfA    = regexp.MustCompile(`(?s)\.entry \w*_a_s1_.*?\n\}`)
	loadOrStored = regexp.MustCompile(`\b(ld|st)\.global|\bbra\b`)
)

// TestLoadsFirst: updates whose iterations load before any of them stores give what the CPU gives, of any size, with and without the pass; and where an iteration does not need what those before
// it in the code have stored, so many loads stand beside each other as there are iterations. Iterations that may store one place load in their order.
func TestLoadsFirst(t *testing.T) {
	for _, test := range []struct {
		kind   string
		beside int // loads, at least, without a store or a branch between them; 0 where the update is in the kernel of its reader, -1 where none may load first
	}{
		{"down", 8}, {"up", 8}, {"two_before", 0}, {"both_sides", 0}, {"other", 0}, {"looked_up", 0}, {"levels", 16}, {"planes", 2}, {"bins", -1}, {"halves", -1},
	} {
		t.Run(test.kind, func(t *testing.T) {
			g := harness.Generator{Source: "bridge/testdata/downwards.cc", Name: "downwards", Params: map[string]string{"kind": test.kind}}
			params := map[string]string{"gpu": "rtx2080ti", "reassociate": "0"} // one thread runs through a column
			exe, err := tree(t).Compile(g)
			if err != nil {
				t.Fatal(err)
			}
			const target = "host-cuda-cuda_capability_75"
			if saved := text(t, savedAs(t, exe, g.Name, "target="+target, params, "kind="+test.kind)); loadsFirst.MatchString(saved) != (test.beside >= 0) {
				t.Fatalf("iterations load first, or none do:\n%s", saved)
			}
			e, first := built(t, g, target, harness.Gowarp(params))
			plain := first
			if test.beside >= 0 {
				_, plain = built(t, g, target, harness.Gowarp(map[string]string{"schedule": lackingFor(t, g, "target="+target, params, "loads_first")}))
			}
			_, cpu := built(t, g, "host", harness.Root())

			ptx, err := e.PTX()
			if err != nil {
				t.Fatal(err)
			}
			most, n := 0, 0
			for _, m := range loadOrStored.FindAllStringSubmatch(kernelOfA.FindString(ptx), -1) {
				if n++; m[1] != "ld" {
					n = 0
				}
				most = max(most, n)
			}
			if most < test.beside {
				t.Errorf("%d loads beside each other, not %d:\n%s", most, test.beside, kernelOfA.FindString(ptx))
			}

			rng := rand.New(rand.NewPCG(11, 26))
			for _, size := range [][]int{{1, 3, 2}, {3, 4, 2}, {33, 9, 3}, {40, 8, 2}, {7, 41, 3}, {65, 17, 2}} {
				in := harness.Args{"input": filled(harness.F32, func() float64 { return 10 * rng.Float64() }, size...), "weight": .3}
				shapes := map[string][]int{"out": size}
				want := onCPU(t, cpu, in, shapes)
				simulated(t, first, in, shapes, want, harness.Tolerance{Rel: 1e-5, Abs: 1e-5}, fmt.Sprint(size))
				simulated(t, plain, in, shapes, want, harness.Tolerance{Rel: 1e-5, Abs: 1e-5}, fmt.Sprint(size, " without the pass"))
			}
		})
	}
}
