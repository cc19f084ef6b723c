package irtest

import (
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/access"
)

// TestEdges checks the boxes of a stencil against points of it: every load of
// every point lies inside, and the box is no larger.
func TestEdges(t *testing.T) {
	b := New()
	in := b.Input("in", U8, 100, 100)
	g := b.Func("g", []string{"x", "y"}, F32, func(v []Expr) Expr {
		x, y := v[0], v[1]
		sum := in.At(x.Sub(1), y).Cast(F32).Add(in.At(x.Add(2), y.Div(2)).Cast(F32))
		return sum.Add(in.At(x.Mul(2).Clamp(0, 99), 5).Cast(F32))
	})
	h := b.Func("h", []string{"x", "y"}, F32, func(v []Expr) Expr {
		return g.At(v[0].Sub(v[1]), v[1]).Add(g.At(v[0].Mod(4), v[1].Add(3)))
	})
	b.Output(h, 50, 50)
	p := b.Build()
	if len(p.Edges) != 2 {
		t.Fatalf("%d edges, want 2", len(p.Edges))
	}
	check := func(e halideir.Edge, env halideir.Env, want ...[2]int64) {
		t.Helper()
		for k, r := range e.Box {
			lo, ok1 := p.EvalInt(r.Lo, env)
			hi, ok2 := p.EvalInt(r.Hi, env)
			if !ok1 || !ok2 || lo != want[k][0] || hi != want[k][1] {
				t.Errorf("edge to Func %d input %d dimension %d: [%d, %d], %v %v, want %v", e.Func, e.Input, k, lo, hi, ok1, ok2, want[k])
			}
		}
	}
	env := halideir.Env{Lo: []int64{8, 10}, Hi: []int64{15, 20}}
	check(p.Edges[0], env, [2]int64{7, 30}, [2]int64{5, 20})
	check(p.Edges[1], env, [2]int64{min(8-20, 0), max(15-10, 3)}, [2]int64{10, 23})
}

func TestReduction(t *testing.T) {
	b := New()
	in := b.Input("in", U8, 640, 480)
	hist := b.Func("hist", []string{"i"}, U32, func([]Expr) Expr { return b.Const(U32, 0) })
	hist.Update([]RVar{{Name: "r$x", Extent: 640}, {Name: "r$y", Extent: 480}}, func(v, r []Expr) ([]Expr, Expr) {
		bin := in.At(r[0], r[1]).Cast(I32)
		return []Expr{bin}, hist.At(bin).Add(1)
	})
	b.Output(hist, 256)
	p := b.Build()
	s := p.Funcs[0].Stages[1]
	if !s.Associative || len(s.Loops) != 2 || s.Loops[0].Label != "r.x" {
		t.Errorf("update: %+v", s)
	}
	a := access.Analyze(p)
	st := a.Stage(0, 1)
	if len(st.Loads) != 2 || st.Loads[0].Input != 0 || !st.Loads[0].InAddress || st.Store[0].Kind != access.Unknown || !st.Store[0].DataDependent || st.Store[0].Loops != 3 {
		t.Errorf("loads %+v\nstore %+v", st.Loads, st.Store)
	}
}
