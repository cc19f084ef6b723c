//go:build halide

package main

import (
	"testing"

	"gowarp/benchmarks/harness"
)

// TestEstimate: for 7.5 the estimate is near what ptxas says, for most kernels of most programs,
// and it is not blind: kernels that want more than others are estimated higher.
func TestEstimate(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	const wantNear, wantMean = 0.7, 6.0
	bad := 0
	var all []kernel
	for _, name := range programs {
		ks, err := measure(tree, name, way{75, "mode=autogpu"})
		if err != nil {
			t.Fatal(err)
		}
		mean, near := offBy(ks)
		t.Logf("%s: %d kernels, %.1f registers off on average, %.0f %% within %d", name, len(ks), mean, 100*near, tolerance)
		if near < wantNear {
			bad++
		}
		all = append(all, ks...)
	}
	if bad > len(programs)/4 {
		t.Errorf("%d of %d programs have fewer than %.0f %% of their kernels estimated within %d registers", bad, len(programs), 100*wantNear, tolerance)
	}
	mean, near := offBy(all)
	if mean > wantMean || near < wantNear {
		t.Errorf("all kernels: %.1f registers off on average, %.0f %% within %d; at most %.1f and at least %.0f %% are wanted", mean, 100*near, tolerance, wantMean, 100*wantNear)
	}
	var few, many, nFew, nMany float64
	for i := range all {
		if all[i].Ptxas <= 16 {
			few, nFew = few+float64(all[i].Estimate), nFew+1
		} else if all[i].Ptxas > 40 {
			many, nMany = many+float64(all[i].Estimate), nMany+1
		}
	}
	if nFew == 0 || nMany == 0 || many/nMany < 1.5*few/nFew {
		t.Errorf("kernels of more than 40 registers are estimated at %.0f on average, those of at most 16 at %.0f", many/nMany, few/nFew)
	}
}

// TestLog: kernels are found in what the plugin prints.
func TestLog(t *testing.T) {
	got, err := estimated("gowarp: x\nkernel total.update(1)  root  blocks 4x4x1  threads 8x8x1  shared 0 B  registers 22  occupancy 1.00 (warps)\n" +
		"kernel out$1  block-tile  blocks 4x4x1  threads 8x8x1  shared 0 B  registers 40  occupancy 1.00 (warps)\n")
	if err != nil || len(got) != 2 || got["kernel_total_s2_"] != 22 || got["kernel_out_1_s0_"] != 40 {
		t.Errorf("%v, %v", got, err)
	}
	if p := longest(map[string]int{"kernel_a_s1_": 1, "kernel_b_a_s1_": 2}, "_kernel_b_a_s1_y_block_id_y"); p != "kernel_b_a_s1_" {
		t.Errorf("%q", p)
	}
}
