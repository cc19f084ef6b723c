//go:build halide

package bridge

import (
	"regexp"
	"strconv"
	"testing"

	"gowarp/benchmarks/harness"
)

var scanChunks = regexp.MustCompile(`"do": ?"scan_chunks".*"n": ?(\d+)`)

// vertical is the generator of one kind of scan along columns, which lie beside each other.
func vertical(kind, of string) (g harness.Generator, own []string) {
	g = scans(kind, of)
	g.Params["vertical"] = "true"
	return g, []string{"kind=" + kind, "of=" + of, "vertical=true"}
}

// TestScanChunks: scans along columns that several threads run through together give what the CPU gives, of any size, with and without the pass, and with coefficients whose powers overflow.
// Each element of a column is loaded once, and what the first iteration takes by each thread of it.
func TestScanChunks(t *testing.T) {
	// Chunks are of 12, and blocks have 32 columns.
	sizes := [][3]int{{1, 1, 1}, {3, 2, 1}, {33, 9, 2}, {32, 65, 1}, {40, 130, 3}, {70, 300, 2}}
	for _, test := range scanKinds {
		t.Run(test.kind+" "+test.of, func(t *testing.T) {
			g, own := vertical(test.kind, test.of)
			params := map[string]string{"gpu": "h100"}
			const target = "target=host-cuda-cuda_capability_75"
			exe, err := tree(t).Compile(g)
			if err != nil {
				t.Fatal(err)
			}
			found := scanChunks.FindStringSubmatch(text(t, savedAs(t, exe, g.Name, target, params, own...)))
			if found == nil {
				t.Fatal("one thread runs through it")
			}
			threads, _ := strconv.Atoi(found[1])
			s := scansAgree(t, g, params, "scan_chunks", test, sizes)
			if test.kind == "recurrence" {
				in := harness.Args{"input": filled(harness.F32, func() float64 { return 0 }, 40, 300, 1), "weight": -1e9}
				shapes := map[string][]int{"out": {40, 300, 1}}
				simulated(t, s.together, in, shapes, onCPU(t, s.cpu, in, shapes), harness.Tolerance{}, "powers that overflow")
			}

			const width, height, planes = 100, 700, 2
			in := harness.Args{"input": filled(harness.F32, s.rng.Float64, width, height, planes), "weight": .3}
			checked := false
			for _, k := range fullRun(t, s.emission, in, map[string][]int{"out": {width, height, planes}}) {
				if !regexp.MustCompile(`_kernel_a_s1_`).MatchString(k.Kernel) {
					continue
				}
				checked = true
				if loads := int64((width + 31) / 32 * planes * (height - 1 + threads)); k.Count.GlobalLoads != loads {
					t.Errorf("%s loads %d times, not %d", k.Kernel, k.Count.GlobalLoads, loads)
				}
			}
			if !checked {
				t.Error("no kernel is the scan's")
			}
		})
	}
}
