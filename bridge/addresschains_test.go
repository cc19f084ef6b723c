//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestPolynomial: polynomials have the values of the expressions that they are of, and say the same sum in one way.
func TestPolynomial(t *testing.T) {
	for seed := range 4 {
		if same, others := oracle(t, "polynomial", seed, `same (\d+) opaque (\d+)`); same < 500 || others == 0 {
			t.Errorf("seed %d: %d said differently, %d not only of variables", seed, same, others)
		}
	}
}

// TestAddressChains: the lowering pass changes how addresses are computed, and nothing else. The results are those of the CPU, with nothing found, for chains of
// any length, at sizes that divide nothing; the kernels issue as many floating-point instructions and write as often as without, and compute fewer integers.
// Loads are about as many: at the edges, point by point under conditions, the compiler keeps a little less from one to the next.
func TestAddressChains(t *testing.T) {
	volumes := [][3]int{{64, 32, 5}, {61, 19, 3}, {7, 3, 1}, {130, 70, 6}}
	tile := map[string]string{"tiling": "warp-registers", "warp_tile": "2x4x2"} // whose definitions are registers
	for name, test := range map[string]struct {
		g      harness.Generator
		params map[string]string
		sizes  [][3]int // the last of those that are counted
		dims   int      // of the output
		of     string   // in the names of kernels whose integer operations are counted
		most   float64  // integer operations, over those without chains
	}{
		"points": {
			harness.Generator{Source: "bridge/testdata/strided.cc", Name: "strided"}, map[string]string{"write_out": "0", "cache_write": "0", "parallelism": "4000"}, // an update's chains too, and a third as many points a thread, which Halide compiles in a third of the time
			[][3]int{{64, 32, 3}, {61, 19, 3}, {7, 3, 3}, {130, 70, 3}}, 3, "", 1,
		},
		"tiles that exchange": {harness.Generator{Source: "bridge/testdata/tiles.cc", Name: "tiles"}, tile, volumes, 3, "", 1},
		"tiles":               {harness.Generator{Source: "bridge/testdata/tiles.cc", Name: "tiles", Params: map[string]string{"reach": "0"}}, tile, volumes, 3, "", 1},
		"names within expressions": {
			harness.Generator{Source: "bridge/testdata/squares.cc", Name: "squares"}, map[string]string{"separate": "0", "tiling": "block-window"},
			[][3]int{{64, 32, 3}, {61, 19, 3}, {7, 3, 1}, {130, 70, 3}}, 3, "_out_", .7,
		},
		"layers that data choose": {harness.Generator{Source: "bridge/testdata/lookups.cc", Name: "lookups"}, tile, [][3]int{{64, 32, 4}, {61, 19, 4}, {7, 4, 4}, {130, 70, 4}}, 2, "_out_", .8},
	} {
		t.Run(name, func(t *testing.T) {
			g, params := test.g, test.params
			saved := lacking(t, g, params, "vector_access")
			short := filepath.Join(t.TempDir(), "short.json")
			n := regexp.MustCompile(`("do": ?"chain_addresses"[^{}]*"n": ?)\d+`)
			if err := os.WriteFile(short, []byte(n.ReplaceAllString(text(t, saved), "${1}2")), 0o666); err != nil {
				t.Fatal(err)
			}
			if text(t, short) == text(t, saved) {
				t.Fatal("no length of chains in the schedule")
			}
			emitted := map[string]*harness.Emission{}
			last := len(test.sizes) - 1
			for what, file := range map[string]string{"chains": saved, "short chains": short, "without": lacking(t, g, params, "chain_addresses", "vector_access")} {
				e, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(map[string]string{"schedule": file}))
				emitted[what] = e
				_, cpu := built(t, g, "host", harness.Root())
				rng := rand.New(rand.NewPCG(5, 3))
				for _, size := range test.sizes[:last] {
					in := harness.Args{"input": noise(rng, size[0], size[1], size[2])}
					shapes := map[string][]int{"out": size[:test.dims]}
					want := onCPU(t, cpu, in, shapes)
					simulated(t, p, in, shapes, want, harness.Tolerance{}, fmt.Sprintf("%s at %v", what, size))
				}
			}
			size := test.sizes[last]
			in := harness.Args{"input": noise(rand.New(rand.NewPCG(2, 9)), size[0], size[1], size[2])}
			shapes := map[string][]int{"out": size[:test.dims]}
			var integer, float, stores, loads [2]int64
			for i, what := range []string{"chains", "without"} {
				for _, k := range fullRun(t, emitted[what], in, shapes) {
					if strings.Contains(k.Kernel, test.of) {
						integer[i] += int64(k.Count.Integer)
					}
					float[i] += int64(k.Count.Float)
					loads[i] += int64(k.Count.GlobalLoads)
					stores[i] += int64(k.Count.GlobalStores)
				}
			}
			if float[0] != float[1] || stores[0] != stores[1] || loads[0] > loads[1]+loads[1]/16 || float64(integer[0]) >= test.most*float64(integer[1]) {
				t.Errorf("with chains of addresses and without: %v integer, %v floating-point instructions, %v loads, %v stores", integer, float, loads, stores)
			}
		})
	}
}

// TestAddressesHeld: a lane with rows and layers of a volume goes on from the address that it had last, and holds few. With chains of addresses it spills
// no more than with every address computed anew, which holds none.
func TestAddressesHeld(t *testing.T) {
	g := harness.Generator{Source: "benchmarks/programs/heat/heat.cc", Name: "heat"}
	params := map[string]string{"mode": "gowarp", "gpu": "rtx2080ti"} // tiles of a warp of six rows and four layers
	var bytes [2]int                                                  // with chains, without
	const target = "host-cuda-cuda_capability_75"
	for i, kinds := range [][]string{{"vector_access"}, {"chain_addresses", "vector_access"}} {
		file := lackingFor(t, g, "target="+target, params, kinds...)
		e, err := tree(t).Emit(g, harness.EmitOptions{Target: target, Outputs: []string{"device_code"}, Scheduler: harness.Gowarp(map[string]string{"schedule": file})})
		if err != nil {
			t.Fatal(err)
		}
		bytes[i] = spilled(t, e, 75)
	}
	// Loads that LLVM sees to be of what is only read may begin early, and take registers.
	const most = 1.5
	if float64(bytes[0]) > most*float64(bytes[1]) {
		t.Errorf("%d bytes are spilled with chains of addresses, %d without", bytes[0], bytes[1])
	}
}

// TestScansKeepWhatTheyWrote: a scan reads what it has written from memory once for the steps that stand in the code, not at each of them, whichever way it goes.
func TestScansKeepWhatTheyWrote(t *testing.T) {
	g := harness.Generator{Source: "benchmarks/programs/iir_blur/iir_blur.cc", Name: "iir_blur"}
	e, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(map[string]string{"gpu": "rtx2080ti"}))
	_, cpu := built(t, g, "host", harness.Root())
	args := func(width, height, planes int) (in harness.Args, out map[string][]int) {
		return harness.Args{"input": filled(harness.F32, rand.New(rand.NewPCG(3, 1)).Float64, width, height, planes), "weight": .3}, map[string][]int{"output": {width, height, planes}}
	}
	for _, size := range [][3]int{{64, 64, 3}, {50, 33, 3}, {129, 70, 3}} {
		in, shapes := args(size[0], size[1], size[2])
		simulated(t, p, in, shapes, onCPU(t, cpu, in, shapes), harness.Default, fmt.Sprint(size))
	}
	const width, height, planes = 256, 257, 3
	in, shapes := args(width, height, planes)
	scans := 0
	for _, k := range fullRun(t, e, in, shapes) {
		if !strings.Contains(k.Kernel, "_columns_s1_") && !strings.Contains(k.Kernel, "_columns_s2_") {
			continue
		}
		scans++
		if steps := int64(width / 32 * (height - 1) * planes); k.Count.GlobalLoads > steps*5/4 {
			t.Errorf("%s loads %d times in %d steps of a warp", k.Kernel, k.Count.GlobalLoads, steps)
		}
	}
	if scans != 2 {
		t.Errorf("%d kernels of scans", scans)
	}
}

// Whether a thread's points are a whole group of their own is the same for all colours, so that what colours share is loaded before the first of them: of output(x, y, c) = total(x, y, c) /
// total(x, y, 3) with 4x4 points by vectors four rows of each colour and four of the last.
func TestGroupsAreTestedBeforeLoops(t *testing.T) {
	g := harness.Generator{Source: "benchmarks/programs/nl_means/nl_means.cc", Name: "nl_means"}
	e, _ := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(map[string]string{"gpu": "rtx2080ti"}))
	const width, height, colours, rows = 256, 64, 3, 4
	in := harness.Args{"input": filled(harness.F32, rand.New(rand.NewPCG(5, 1)).Float64, width, height, colours), "sigma": .12}
	outputs := 0
	for _, k := range fullRun(t, e, in, map[string][]int{"output": {width, height, colours}}) {
		if !strings.Contains(k.Kernel, "_output_s0_") {
			continue
		}
		outputs++
		if loads := int64(width / 128 * height / rows * (colours + 1) * rows); k.Count.GlobalLoads != loads {
			t.Errorf("%s loads %d times, not %d", k.Kernel, k.Count.GlobalLoads, loads)
		}
	}
	if outputs != 1 {
		t.Errorf("%d kernels of the output", outputs)
	}
}
