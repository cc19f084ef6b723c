//go:build halide

package bridge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestWholeCells: the kernel of an output whose points alternate stands twice. Where the output begins and ends at whole cells fewer instructions compute it than the kernel that knows of none; where
// it does not, as many as before and more than there. Results are a CPU's, wherever it begins.
func TestWholeCells(t *testing.T) {
	for kind, share := range map[string]float64{"output": .85, "enlarged": .98, "tuple": .9} { // of the instructions that are left, at most
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g := harness.Generator{Source: "bridge/testdata/alternating.cc", Name: "alternating", Params: map[string]string{"kind": kind}}
			const target = "host-cuda-cuda_capability_75"
			e, by := built(t, g, target, harness.Gowarp(nil))
			if said := "whole cells of points that alternate, where each point is of one kind: out\n"; !strings.Contains(text(t, e.File("schedule.h")), said) {
				t.Errorf("the schedule does not say %q", said)
			}
			_, cpu := built(t, g, "host", harness.Root())
			_, plain := built(t, g, target, harness.Gowarp(map[string]string{"align": "0"}))
			rng := rand.New(rand.NewPCG(12, uint64(len(kind))))
			issued := map[string]float64{}
			for _, at := range []struct{ w, h, x, y int }{
				{512, 384, 0, 0}, {512, 384, 1, 0}, {512, 384, -3, 5}, {256, 128, -6, 2}, {1, 1, 0, 0}, {2, 4, 2, 2}, {33, 2, 0, 0}, {100, 70, 4, 0}, {101, 70, 0, 0}, {130, 37, 0, 2}, {66, 130, 2, -8},
			} {
				in, shapes := harness.Args{"input": filled(harness.I32, func() float64 { return math.Floor(200 * rng.Float64()) }, at.w, at.h)}, map[string][]int{"out": {at.w, at.h}}
				mins := map[string][]int{"out": {at.x, at.y}}
				for _, p := range []*harness.Program{by, cpu, plain} {
					p.Mins = mins
				}
				simulated(t, by, in, shapes, onCPU(t, cpu, in, shapes), harness.Tolerance{}, fmt.Sprint(at))
				for name, p := range map[string]*harness.Program{"cells": by, "plain": plain} {
					s, err := p.Simulate(in, shapes, 75)
					if err != nil {
						t.Fatal(err)
					}
					for _, k := range s.Report.Kernels {
						issued[fmt.Sprint(name, at)] += float64(k.Count.WarpInstructions)
					}
				}
			}
			even, odd := issued["cells{512 384 0 0}"], issued["cells{512 384 1 0}"]
			if before := issued["plain{512 384 0 0}"]; even == 0 || even > share*before {
				t.Errorf("%v warp instructions, %v without cells: more than %v of them", even, before, share)
			}
			if odd <= even {
				t.Errorf("%v warp instructions where it begins at an odd place, %v at an even one", odd, even)
			}
		})
	}
}
