package autoscheduler

import (
	"slices"
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
)

// TestNeverPartition: loops are one piece of code in the kernels that compute the same everywhere, but for special
// cases, and in no kernel that computes, itself or by what is inlined or a member, what is simpler inside. The papers' modes have none.
func TestNeverPartition(t *testing.T) {
	pipeline := func(edge bool) *halideir.Pipeline {
		b := irtest.New()
		in := b.Input("in", irtest.U8, 1540, 1540)
		first := b.Func("first", []string{"x", "y"}, irtest.U8, func(v []irtest.Expr) irtest.Expr {
			x := v[0]
			if edge {
				x = x.Likely().Clamp(in.Bound(0, "min"), in.Bound(0, "max"))
			}
			return in.At(x, v[1])
		})
		sum := b.Func("sum", []string{"x"}, irtest.I32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.I32, 0) })
		sum.Update([]irtest.RVar{{Name: "r$x", Extent: 1536}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
			return []irtest.Expr{v[0]}, sum.At(v[0]).Add(first.At(v[0], r[0]).Cast(irtest.I32))
		})
		out := b.Func("out", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return sum.At(v[0]).Mul(v[1]) })
		b.Output(out, 1536, 1536)
		p := b.Build()
		p.Target.API, p.Target.CUDACapability, p.Target.String = "cuda", 75, "host-cuda-cuda_capability_75"
		return p
	}
	for _, edge := range []bool{false, true} {
		p := pipeline(edge)
		s, err := Schedule(p, given(t, "gpu", "rtx2080ti"))
		if err != nil {
			t.Fatal(err)
		}
		of := func(name string, stage int) bool {
			return slices.ContainsFunc(s.Directives, func(d schedule.Directive) bool {
				return d.Do == schedule.NeverPartition && d.Name == name && d.Stage == stage
			})
		}
		if of("out", 0) {
			t.Errorf("edge %v: out has a special case for whole groups of points, and its loops are one piece:\n%v", edge, s.Directives)
		}
		// Partial sums are a member of the kernel of their copy, with first in place.
		if of("sum_parts", 0) == edge {
			t.Errorf("edge %v: the loops of the sums are one piece: %v\n%v", edge, !edge, s.Directives)
		}
		for _, mode := range []string{"autogpu", "polymage"} {
			s, err := Schedule(p, given(t, "gpu", "rtx2080ti", "mode", mode))
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(s.Directives, func(d schedule.Directive) bool { return d.Do == schedule.NeverPartition }) {
				t.Errorf("mode=%s keeps loops whole", mode)
			}
		}
	}
}
