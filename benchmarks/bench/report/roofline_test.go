package report

import (
	"math"
	"testing"

	"gowarp/benchmarks/bench"
	"gowarp/gpusim/count"
)

// TestRoof: each unit in turn is the busiest, at the rate of a device that is easy to reckon
// with: 2 SMs of 64 lanes at 1 Hz, 100 bytes/s.
func TestRoof(t *testing.T) {
	r := roof{clock: 1, sms: 2, lanes: 64, dram: 100}
	if r.floats() != 128 || r.issues() != 8 {
		t.Errorf("%v floats, %v issues a second", r.floats(), r.issues())
	}
	for _, c := range []struct {
		k    count.Kernel
		want float64
	}{
		{count.Kernel{WarpInstructions: 80}, 10},
		{count.Kernel{WarpInstructions: 80, Float: 80}, 20}, // 80 x 32 / 128
		{count.Kernel{WarpInstructions: 80, GlobalLoads: 30, SharedWavefronts: 20, Shuffles: 10}, 30},
		{count.Kernel{WarpInstructions: 80, GlobalLoadSectors: 100, GlobalStoreSectors: 60}, 40},
		{count.Kernel{WarpInstructions: 80, ColdBytes: 5000}, 50},
	} {
		if got := r.seconds(&bench.Kernel{Count: &c.k}); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %v s, want %v", c.k, got, c.want)
		}
	}
}

// TestPoints: a kernel lies under its roof, and what has no float operation or was only
// sampled has no point.
func TestPoints(t *testing.T) {
	r := roof{clock: 1e9, sms: 68, lanes: 64, dram: 616e9}
	counted := count.Kernel{WarpInstructions: 1e6, Float: 2e5, GlobalLoads: 1e5, GlobalLoadSectors: 4e5, ColdBytes: 1e7}
	integers := counted
	integers.Float = 0
	rec := &bench.Record{Counted: &bench.Simulated{}, Kernels: []bench.Kernel{{Count: &counted}, {Count: &integers}, {}}}
	for i, want := range []int{1, 2} {
		points := models[i].points(rec, r)
		if len(points) != want {
			t.Errorf("%s: %d points, want %d", models[i].file, len(points), want)
		}
		for _, p := range points {
			if roof := min(models[i].flat(r), p.intensity*r.dram); p.performance > roof*(1+1e-9) || p.performance <= 0 {
				t.Errorf("%s: %+v is above its roof %v", models[i].file, p, roof)
			}
		}
	}
	rec.Counted.Blocks = 256
	if p := models[0].points(rec, r); p != nil {
		t.Errorf("points of sampled blocks: %v", p)
	}
}
