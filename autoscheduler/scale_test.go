package autoscheduler

import (
	"fmt"
	"testing"

	"gowarp/internal/irtest"
)

// BenchmarkScale is the cost against the number of stages. benchmarks/scaling draws it.
func BenchmarkScale(b *testing.B) {
	for _, shape := range []string{"chain", "ladder"} {
		for _, n := range []int{10, 30, 100, 300, 1000, 3000} {
			p := irtest.Synthetic[shape](n)
			b.Run(fmt.Sprintf("%s/%d", shape, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Schedule(p, DefaultParams()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestCandidatesOfChain: of a chain that is all computed in one kernel, four times as many stages take about as many candidates, as long as the
// kernel is the same: which of its stages are tried in kernels of their own is bounded.
func TestCandidatesOfChain(t *testing.T) {
	for _, taps := range []int{1, 2} {
		var priced [2]int
		for i, n := range []int{100, 400} {
			r, err := Run(irtest.PointwiseChain(n, taps), DefaultParams())
			if err != nil {
				t.Fatal(err)
			}
			priced[i] = r.Evaluated
		}
		t.Logf("%d taps: %v candidates", taps, priced)
		if priced[1] > priced[0]*3/2 {
			t.Errorf("%d places of the last stage are read: %d candidates of 100 stages, %d of 400", taps, priced[0], priced[1])
		}
	}
}
