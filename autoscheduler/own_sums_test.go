package autoscheduler

import (
	"testing"

	"gowarp/internal/irtest"
)

// TestOwnSums: partial results of several channels share nothing once they are made, so that no thread adds up those of all channels. Each step is one kernel: a thread for each channel's.
func TestOwnSums(t *testing.T) {
	b := irtest.New()
	in, mask := b.Input("in", irtest.F32, 1536, 1024, 3), b.Input("mask", irtest.F32, 1536, 1024)
	sum := b.Func("sum", []string{"c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 1) })
	sum.Update([]irtest.RVar{{Name: "r$x", Extent: 1536}, {Name: "r$y", Extent: 1024}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return v, sum.At(v[0]).Add(mask.At(r[0], r[1]).Mul(in.At(r[0], r[1], v[0].Clamp(in.Bound(2, "min"), in.Bound(2, "max")))))
	})
	b.Output(b.Func("out", []string{"c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return sum.At(v[0]).Mul(2.0) }), 3)
	r, err := Run(b.Build(), DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Schedule.Kernels {
		t.Log(r.Schedule.Kernels[i].Name)
	}
	if n := len(r.Schedule.Kernels); n > 4 {
		t.Errorf("%d kernels: partial results in three steps, and the output, are 4", n)
	}
}
