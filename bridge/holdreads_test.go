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
	"gowarp/halideir"
)

// heldReads is the generator of one kind of reduction, and its own parameters.
func heldReads(kind string) (g harness.Generator, own []string) {
	return harness.Generator{Source: "bridge/testdata/held.cc", Name: "held", Params: map[string]string{"kind": kind}}, []string{"kind=" + kind}
}

// heldInputs are inputs that are exactly as large as is needed for an output of a size: of products, n terms each, or of windows.
func heldInputs(kind string, size []int, n int) harness.Args {
	width, height := size[0], size[1]
	a, b, c := []int{width, n}, []int{n, height}, []int{width, n}
	switch kind {
	case "products", "bias", "where", "wide", "border":
		// f has n columns, as the second product has terms.
		a = []int{n, n}
		if kind == "bias" {
			c[0] = max(width, n)
		}
	case "few":
		a = []int{max(width, height), n}
	case "attention":
		a = []int{n, n}
	case "shifted":
		a, b = []int{width + 2, n}, []int{n, height + 1}
	case "valid":
		a, c = []int{width + 4, height + 4}, []int{3, 3}
	case "window":
		a, c = []int{width + 3, height + 3}, []int{3, 3}
	case "scattered":
		a, c = []int{7, n}, []int{width, height}
	}
	rng := rand.New(rand.NewPCG(11, uint64(len(kind))))
	array := func(shape []int) *harness.Array {
		return filled(harness.F32, func() float64 { return math.Floor(4*rng.Float64()) / 4 }, shape...)
	}
	return harness.Args{"a": array(a), "b": array(b), "c": array(c)}
}

// TestHoldReads: reductions of inputs that have no border, and whose points are not only an output's, read within what is needed of them, and others do not; results are a CPU's either way, of any
// size, from inputs that are not larger than is needed.
func TestHoldReads(t *testing.T) {
	held := []string{"products", "shifted", "attention", "valid", "bias", "where", "wide", "scattered", "few"}
	for _, kind := range suite.Sampled(append(slices.Clone(held), "border", "output", "window")) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g, _ := heldReads(kind)
			const target = "host-cuda-cuda_capability_75"
			e, by := built(t, g, target, harness.Gowarp(nil))
			p := pipelineOf(t, e)
			for i := range p.Funcs {
				if f := &p.Funcs[i]; f.HeldReads != (f.Label == "f" && slices.Contains(held, kind)) {
					t.Errorf("the reads of %s are held: %v", f.Label, f.HeldReads)
				}
			}
			if sized := slices.ContainsFunc(p.Nodes, func(n halideir.Node) bool { return n.Kind == halideir.VarOutput }); sized != slices.Contains(held, kind) {
				t.Errorf("a size of the output is named: %v", sized)
			}
			_, cpu := built(t, g, "host", harness.Root())
			_, plain := built(t, g, target, harness.Gowarp(map[string]string{"hold_reads": "0"}))
			for _, s := range [][3]int{{256, 96, 40}, {1, 1, 1}, {3, 9, 5}, {33, 2, 1}, {70, 61, 17}} {
				size, n := s[:2], s[2]
				if kind == "attention" {
					n = max(n, 1)
				}
				in, shapes := heldInputs(kind, size, n), map[string][]int{"out": size}
				want := onCPU(t, cpu, in, shapes)
				tolerance := harness.Tolerance{Rel: 1e-4, Abs: 1e-5}
				simulated(t, by, in, shapes, want, tolerance, fmt.Sprint(size, n, " held"))
				simulated(t, plain, in, shapes, want, tolerance, fmt.Sprint(size, n, " not held"))
			}
		})
	}
}

// TestHoldReadsPays: threads compute several points of what reads within what is needed of it, whatever its inputs have.
func TestHoldReadsPays(t *testing.T) {
	for kind, most := range map[string]float64{"products": .8, "attention": .9, "few": .7} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g, _ := heldReads(kind)
			size, n := []int{256, 256}, 256
			if kind == "few" {
				size, n = []int{48, 48}, 5000
			}
			run := func(params map[string]string) float64 {
				e, _ := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(params))
				return float64(issued(t, e, heldInputs(kind, size, n), map[string][]int{"out": size}))
			}
			if part := run(nil) / run(map[string]string{"hold_reads": "0"}); part > most {
				t.Errorf("%.2f of the warp instructions without it, not at most %v", part, most)
			} else {
				t.Logf("%.2f of the warp instructions without it", part)
			}
		})
	}
}

// TestHoldReadsReplayed: a saved schedule says itself whether reads are held in the pipeline that it is for, and who asks for the other is told.
func TestHoldReadsReplayed(t *testing.T) {
	g, own := heldReads("products")
	replayedAsMade(t, g, own, "hold_reads", "the places that f reads are", "give the hold_reads that it was made with")
}
