//go:build halide

package bridge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
	"gowarp/halideir"
)

// inits is the generator of one kind of update, and its own parameters.
func inits(kind string) (g harness.Generator, own []string) {
	return harness.Generator{Source: "bridge/testdata/inits.cc", Name: "inits", Params: map[string]string{"kind": kind}}, []string{"kind=" + kind}
}

// TestFuseInit: updates that change each point of their domain once take over the pure definition, and others do not; results are a CPU's either way, of any size. The definition is computed at the
// points that are left, and at no other.
func TestFuseInit(t *testing.T) {
	fused := map[string]string{"integral": "f", "zero": "sums", "middle": "f", "grid": "f", "backwards": "f", "pointwise": "f", "pair": "both_sums", "several": "out"}
	for _, kind := range suite.Sampled([]string{"integral", "zero", "middle", "grid", "backwards", "pointwise", "pair", "several", "ahead", "turned", "taps", "twice", "where", "by_data", "strided"}) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g, _ := inits(kind)
			const target = "host-cuda-cuda_capability_75"
			e, by := built(t, g, target, harness.Gowarp(nil))
			p := pipelineOf(t, e)
			expected := fused[kind]
			for i := range p.Funcs {
				f := &p.Funcs[i]
				if want := f.Label == expected; f.FusedInit != want {
					t.Errorf("%s has its definition in its update: %v, not %v", f.Label, f.FusedInit, want)
				} else if want && f.Stages[0].Predicate == halideir.NoNode {
					t.Errorf("%s is computed everywhere", f.Label)
				}
			}

			_, cpu := built(t, g, "host", harness.Root())
			whole, plain := built(t, g, target, harness.Gowarp(map[string]string{"fuse_init": "0"}))
			rng := rand.New(rand.NewPCG(5, uint64(len(kind))))
			for _, size := range [][2]int{{512, 384}, {1, 1}, {1, 9}, {33, 2}, {100, 70}, {131, 37}} {
				in := harness.Args{"input": filled(harness.F32, func() float64 { return math.Floor(16 * rng.Float64()) }, size[:]...), "first": min(20, size[1]/2), "rows": min(30, size[1]/3)}
				shapes := map[string][]int{"out": size[:]}
				want := onCPU(t, cpu, in, shapes)
				tolerance := harness.Tolerance{Rel: 1e-4, Abs: 1e-3 + 1e-5*largest(want)}
				simulated(t, by, in, shapes, want, tolerance, fmt.Sprint(size, " fused"))
				simulated(t, plain, in, shapes, want, tolerance, fmt.Sprint(size, " not fused"))
			}
			if expected == "" || kind == "middle" || kind == "pair" { // of which half is left, and which is in its reader's kernel
				return
			}
			in := harness.Args{"input": filled(harness.F32, rng.Float64, 100, 70), "first": 5, "rows": 30}
			stored := func(e *harness.Emission) (sectors float64) {
				for _, k := range fullRun(t, e, in, map[string][]int{"out": {100, 70}}) {
					if strings.Contains(k.Kernel, "_"+expected+"_s0_") {
						sectors += float64(k.Count.GlobalStoreSectors)
					}
				}
				return sectors
			}
			if left, all := stored(e), stored(whole); left == 0 || 4*left > all {
				t.Errorf("the definition of %s stores %v sectors of %v", expected, left, all)
			}
		})
	}
}

// TestFuseInitReplayed: a saved schedule says itself whether updates had taken over pure definitions in the pipeline that it is for, and who asks for the other is told.
func TestFuseInitReplayed(t *testing.T) {
	g, own := inits("integral")
	replayedAsMade(t, g, own, "fuse_init", "the first update of f", "give the fuse_init that it was made with")
}
