package autoscheduler

import (
	"testing"

	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// mapsOf is a layer of a network: so many maps of 3x3x32 products, of square images so wide.
func mapsOf(width, maps int64) *halideir.Pipeline {
	b := irtest.New()
	in, weights := b.Input("in", irtest.F32, width+2, width+2, 32), b.Input("weights", irtest.F32, 3, 3, 32, maps)
	sum := b.Func("sum", []string{"x", "y", "m"}, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
	sum.Update([]irtest.RVar{{Name: "r$x", Extent: 3}, {Name: "r$y", Extent: 3}, {Name: "r$z", Extent: 32}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return []irtest.Expr{v[0], v[1], v[2]}, sum.At(v[0], v[1], v[2]).Add(weights.At(r[0], r[1], r[2], v[2]).Mul(in.At(v[0].Add(r[0]), v[1].Add(r[1]), r[2])))
	})
	out := b.Func("out", []string{"x", "y", "m"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return sum.At(v[0], v[1], v[2]).Mul(2) })
	b.Output(out, width, width, maps)
	p := b.Build()
	forCUDA(p, 75)
	return p
}

// TestShortRows: of images of any width, however few threads a row has, at least three lanes of four have a point to compute.
func TestShortRows(t *testing.T) {
	for _, c := range [][2]int64{{100, 64}, {56, 64}, {28, 128}, {14, 256}, {7, 512}, {13, 96}, {50, 64}} {
		width, maps := c[0], c[1]
		r, err := Run(mapsOf(width, maps), given(t, "gpu", "rtx2080ti"))
		if err != nil {
			t.Fatal(err)
		}
		needed, lanes := float64(width*width*maps), 0.0
		for _, f := range r.Found {
			k := f.Layout.Kernels[len(f.Layout.Kernels)-1]
			warps := k.Warps()
			lanes = float64(k.Tiles() * warps * plan.WarpLanes * k.Out.PointsPerThread())
		}
		if busy := needed / lanes; busy < 0.75 {
			k := r.Found[len(r.Found)-1].Layout.Kernels[0]
			t.Errorf("%d columns, %d maps: %.2f of the lanes' points are needed: blocks %v of %v threads with %d points", width, maps, busy, k.Grid, k.Block, k.Out.PointsPerThread())
		}
	}
}
