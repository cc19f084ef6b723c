//go:build halide

package bridge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// cached is the generator of one kind of reduction, and its own parameters.
func cached(kind string) (g harness.Generator, own []string) {
	return harness.Generator{Source: "bridge/testdata/cached.cc", Name: "cached", Params: map[string]string{"kind": kind}}, []string{"kind=" + kind}
}

// TestCacheWrite: reductions that are outputs, that several Funcs read or one does elsewhere than point by point are held by Funcs of their own, and others are not; results are a CPU's either
// way, of any size and for domains without an iteration.
func TestCacheWrite(t *testing.T) {
	held := map[string][]string{
		"product": {"out_local"}, "shared": {"f_local"}, "around": {"f_local"}, "channels": {"f_local"}, "pair": {"best_local"}, "three": {"out_local"}, "where": {"out_local"},
		"twice": {"f_local", "out_local"}, "narrow": {"f_local"}, "given": {"f_local"}, "crossed": {"f_local"}, "nested": {"f_local", "g_local"},
	}
	for _, kind := range suite.Sampled([]string{"product", "shared", "around", "channels", "pair", "three", "where", "relu", "twice", "only", "narrow", "small", "scan", "given", "crossed", "nested", "wrapped"}) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g, _ := cached(kind)
			const target = "host-cuda-cuda_capability_75"
			e, by := built(t, g, target, harness.Gowarp(nil))
			p := pipelineOf(t, e)
			var local []string
			for i := range p.Funcs {
				if p.Funcs[i].Local {
					local = append(local, p.Funcs[i].Label)
				}
			}
			slices.Sort(local)
			if !slices.Equal(local, held[kind]) {
				t.Errorf("%v hold reductions, not %v", local, held[kind])
			}

			_, cpu := built(t, g, "host", harness.Root())
			_, plain := built(t, g, target, harness.Gowarp(map[string]string{"cache_write": "0"}))
			rng := rand.New(rand.NewPCG(7, uint64(len(kind))))
			for _, c := range [][3]int{{512, 384, 8}, {1, 1, 3}, {1, 9, 0}, {33, 2, 1}, {100, 70, 5}, {131, 37, 17}} {
				size, n := c[:2], c[2]
				in := harness.Args{"input": filled(harness.F32, func() float64 { return math.Floor(8 * rng.Float64()) }, size...), "n": n}
				if kind == "scan" { // whose domain lies in the output
					in["n"] = min(n, size[1]-1)
				}
				shapes := map[string][]int{"out": size}
				want := onCPU(t, cpu, in, shapes)
				tolerance := harness.Tolerance{Rel: 1e-5, Abs: 1e-5}
				simulated(t, by, in, shapes, want, tolerance, fmt.Sprint(size, n, " held"))
				simulated(t, plain, in, shapes, want, tolerance, fmt.Sprint(size, n, " not held"))
			}
		})
	}
}

// TestCacheWriteKeeps: what holds a reduction keeps it in registers: a kernel stores its output once, and loads nothing of it, however many iterations there are.
func TestCacheWriteKeeps(t *testing.T) {
	for _, kind := range []string{"product", "three", "where"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g, _ := cached(kind)
			const width, height = 256, 192
			rng := rand.New(rand.NewPCG(3, 4))
			in := harness.Args{"input": filled(harness.F32, func() float64 { return 8 * rng.Float64() }, width, height), "n": 40}
			run := func(params map[string]string) (stored, launches float64) {
				e, _ := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(params))
				for _, k := range fullRun(t, e, in, map[string][]int{"out": {width, height}}) {
					stored += float64(k.Count.GlobalStoreSectors)
					launches++
				}
				return stored, launches
			}
			once := float64(width * height * 4 / 32)
			if stored, launches := run(nil); stored != once || launches != 1 {
				t.Errorf("%v sectors are stored in %v launches, not %v in one", stored, launches, once)
			}
			if stored, _ := run(map[string]string{"cache_write": "0"}); stored < 2*once {
				t.Errorf("%v sectors are stored without it, which shows nothing", stored)
			}
		})
	}
}

// TestCacheWriteReplayed: a saved schedule says itself whether Funcs hold reductions in the pipeline that it is for, and who asks for the other is told.
func TestCacheWriteReplayed(t *testing.T) {
	g, own := cached("product")
	replayedAsMade(t, g, own, "cache_write", "the Funcs that hold a reduction", "give the cache_write that it was made with")
}
