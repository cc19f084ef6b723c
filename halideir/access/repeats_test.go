package access_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "gowarp/internal/fixedseed"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/internal/irtest"
)

// written is an expression of floats as it stands at a point: those of two points that are written alike are one.
func written(p *halideir.Pipeline, id halideir.NodeID, x, y int64, found map[string]bool, inSum bool) string {
	n := &p.Nodes[id]
	switch n.Op {
	case halideir.OpFloat:
		return fmt.Sprint(n.Float)
	case halideir.OpCall:
		at := make([]int64, len(n.Args))
		for i, a := range n.Args {
			at[i], _ = p.EvalInt(a, halideir.Env{Dim: []int64{x, y}})
		}
		return fmt.Sprint(n.Input, at)
	}
	sum := n.Op == halideir.OpAdd || n.Op == halideir.OpSub
	s := fmt.Sprintf("(%s %v %s)", written(p, n.Args[0], x, y, found, sum), n.Op, written(p, n.Args[1], x, y, found, sum))
	if n.Op != halideir.OpMul || !inSum { // that product is one instruction with the sum
		found[s] = true
	}
	return s
}

// TestRepeats: how many operations points side by side have together, against writing all of them out.
func TestRepeats(t *testing.T) {
	shared := 0
	rapid.Check(t, func(t *rapid.T) {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 200, 200)
		// What stands at several places is drawn once.
		var value func(deep int) func(x, y int64) expr
		var at func(x, y int64) expr
		value = func(deep int) func(x, y int64) expr {
			kind := rapid.IntRange(0, 5).Draw(t, "kind")
			if deep == 0 || kind == 0 && deep < 3 {
				return func(x, y int64) expr { return at(x, y) }
			}
			left := value(deep - 1)
			right, weight := left, rapid.SampledFrom([]float64{2, 3}).Draw(t, "weight")
			if rapid.Bool().Draw(t, "others") {
				right = value(deep - 1)
			}
			dx, dy := rapid.Int64Range(0, 2).Draw(t, "dx"), rapid.Int64Range(0, 2).Draw(t, "dy")
			return func(x, y int64) expr {
				l, r := left(x, y), right(x+dx, y+dy)
				switch kind {
				case 1:
					return l.Sub(r)
				case 2:
					return l.Max(r)
				case 3:
					return l.Add(r.Mul(weight))
				case 4:
					return l.Mul(r).Add(weight)
				}
				return l.Add(r)
			}
		}
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []expr) expr {
			at = func(x, y int64) expr { return in.At(v[0].Add(x), v[1].Add(y)) }
			return value(3)(0, 0)
		})
		b.Output(out, 100, 100)
		p := b.Build()
		s := access.Analyze(p).Stage(out.ID, 0)
		root := p.Funcs[out.ID].Stages[0].Values[0]
		one, all := map[string]bool{}, map[string]bool{}
		written(p, root, 0, 0, one, false)
		columns, rows := rapid.Int64Range(1, 3).Draw(t, "columns"), rapid.Int64Range(1, 4).Draw(t, "rows")
		for x := range columns {
			for y := range rows {
				written(p, root, x, y, all, false)
			}
		}
		alone, got := len(one), 0
		for _, r := range s.Repeats {
			alone -= len(r.At)
			places := map[string]bool{}
			for x := range columns {
				for y := range rows {
					for _, at := range r.At {
						moved := slices.Clone(at)
						for i, l := range r.Loops {
							moved[i] += []int64{x, y}[l]
						}
						places[fmt.Sprint(moved)] = true
					}
				}
			}
			got += len(places)
		}
		got += alone * int(columns*rows)
		if got != len(all) {
			t.Fatalf("%dx%d points of %s have %d operations, want %d", columns, rows, written(p, root, 0, 0, map[string]bool{}, false), got, len(all))
		}
		if len(all) < len(one)*int(columns*rows) {
			shared++
		}
	})
	if shared < 20 {
		t.Errorf("points share operations in %d expressions only; the test shows little", shared)
	}
}

// TestRepeatsOfReductions: of a sum over channels the weights, which are read at the sum of a point and an iteration, or made of the iteration alone, are one for all channels, and what is made of the iteration alone for all points.
func TestRepeatsOfReductions(t *testing.T) {
	b := irtest.New()
	z, in := b.Input("z", irtest.F32, 200), b.Input("in", irtest.F32, 200, 3)
	s := b.Func("s", []string{"x", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
	s.Update([]irtest.RVar{{Name: "r$x", Extent: 7}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		at := v[0].Add(r[0])
		weight := b.Const(irtest.F32, 1).Div(z.At(at).Mul(z.At(at))).Add(r[0].Mul(r[0]).Cast(irtest.F32).Call("sqrt_f32"))
		return v, s.At(v[0], v[1]).Add(weight.Mul(in.At(at, v[1])))
	})
	b.Output(s, 150, 3)
	p := b.Build()
	loops := p.Funcs[s.ID].Stages[1].Loops
	moves := map[string]int{} // operations by what they move with
	for _, r := range access.Analyze(p).Stage(s.ID, 1).Repeats {
		with := ""
		for _, l := range r.Loops {
			if loops[l].Arg >= 0 {
				with += p.Funcs[s.ID].Args[loops[l].Arg]
			} else {
				with += "r"
			}
		}
		moves[with] += r.Ops.Total() * len(r.At)
	}
	point := "xr"
	if moves[point] == 0 {
		point = "rx"
	}
	// A product, a quotient and a sum, and a root.
	if moves[point] != 3 || moves["r"] != 1 || len(moves) != 2 {
		t.Errorf("operations by what they move with: %v, want 3 with a point and the iteration, 1 with the iteration", moves)
	}
}
