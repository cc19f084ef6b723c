package autoscheduler

import (
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// TestTupleSums: a weighted mean keeps the sums of weights and of what they weigh as a tuple. In shared memory the first is stored before the second is worked out, from what is in shared memory, too: the weight would be computed
// twice, and the values loaded twice. A thread keeps them itself.
func TestTupleSums(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1544, 1032)
	n := b.Func("n", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return in.At(v[0].Add(4), v[1].Add(4)).Call("sqrt_f32").Add(in.At(v[0].Add(4), v[1].Add(4)).Mul(.1))
	})
	weight := func(v, r []irtest.Expr) irtest.Expr {
		d := n.At(v[0].Add(r[0].Mul(2)), v[1].Add(r[1].Mul(2))).Sub(n.At(v[0], v[1]))
		return d.Mul(d).Mul(-40.0).Call("exp_f32")
	}
	s := b.Tuple("s", []string{"x", "y"}, []halideir.Type{irtest.F32, irtest.F32}, func(v []irtest.Expr) []irtest.Expr {
		return []irtest.Expr{b.Const(irtest.F32, 0), b.Const(irtest.F32, 0)}
	})
	s.UpdateTuple([]irtest.RVar{{Name: "r$x", Min: -2, Extent: 5}, {Name: "r$y", Min: -2, Extent: 5}}, func(v, r []irtest.Expr) (lhs, values []irtest.Expr) {
		w := weight(v, r)
		return v, []irtest.Expr{s.AtOut(0, v[0], v[1]).Add(w.Mul(n.At(v[0].Add(r[0].Mul(2)), v[1].Add(r[1].Mul(2))))), s.AtOut(1, v[0], v[1]).Add(w)}
	})
	b.Output(b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return s.AtOut(0, v[0], v[1]).Div(s.AtOut(1, v[0], v[1]))
	}), 1536, 1024)
	p := b.Build()
	st := access.Analyze(p).Stage(s.ID, 1)
	// A difference, its square times a number, and exp; two values of n.
	if st.Again.Total() != 4 || st.LoadedAgain != 2 {
		t.Errorf("the sums have %d operations and %d loads in common, want 4 and 2", st.Again.Total(), st.LoadedAgain)
	}
	r, err := Run(p, DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if where, in := k.PlaceOf(s.ID); in && where == plan.AtBlock {
				t.Error("the sums are in shared memory")
			}
		}
	}
}
