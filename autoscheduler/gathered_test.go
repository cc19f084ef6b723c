package autoscheduler

import (
	"testing"

	"gowarp/internal/irtest"
)

// TestGathered: what works out places that data tell is code of each point, as what is done with the values is. Of 48 values that are looked up a thread has few points, of 48 neighbours many.
func TestGathered(t *testing.T) {
	points := func(looked bool) int64 {
		b := irtest.New()
		in := b.Input("in", irtest.I32, 2048, 1024)
		b.Output(b.Func("out", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
			sum := b.Int(0)
			for i := range int64(48) {
				x := v[0].Add(i % 4)
				if looked {
					x = x.Add(in.At(v[0].Add(i/12), v[1])).Clamp(0, 2047)
				}
				sum = sum.Add(in.At(x, v[1].Add(i/4)))
			}
			return sum
		}), 2040, 1000)
		r, err := Run(b.Build(), DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		return r.Found[0].Layout.Kernels[0].Out.PointsPerThread()
	}
	looked, neighbours := points(true), points(false)
	t.Logf("%d points of looked up values, %d of neighbours", looked, neighbours)
	if looked > 4 || neighbours < 8 {
		t.Errorf("%d points of 48 looked up values, %d of neighbours", looked, neighbours)
	}
}
