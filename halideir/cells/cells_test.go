package cells

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/internal/irtest"
)

// TestSameValues: at points of which that is known a Func is what it was, by evaluation of both, whatever its expression.
func TestSameValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := irtest.New()
		var expr func(v []irtest.Expr, depth int) irtest.Expr
		var condition func(v []irtest.Expr, depth int) irtest.Expr
		expr = func(v []irtest.Expr, depth int) irtest.Expr {
			if depth == 0 {
				return rapid.SampledFrom([]irtest.Expr{v[0], v[1], b.Int(rapid.Int64Range(-3, 9).Draw(t, "number"))}).Draw(t, "leaf")
			}
			x := expr(v, depth-1)
			switch rapid.IntRange(0, 8).Draw(t, "operation") {
			case 0:
				return x.Add(expr(v, depth-1))
			case 1:
				return x.Sub(expr(v, depth-1))
			case 2:
				return x.Mul(expr(v, depth-1))
			case 3:
				return x.Div(rapid.Int64Range(1, 6).Draw(t, "by"))
			case 4, 5:
				return x.Mod(rapid.Int64Range(1, 6).Draw(t, "by"))
			case 6:
				return x.Min(expr(v, depth-1))
			case 7:
				return x.Let("let", func(l irtest.Expr) irtest.Expr { return l.Mod(int64(2)).Add(l) })
			}
			return condition(v, depth-1).Select(x, expr(v, depth-1))
		}
		condition = func(v []irtest.Expr, depth int) irtest.Expr {
			x, y := expr(v, depth), expr(v, max(0, depth-1))
			switch rapid.IntRange(0, 4).Draw(t, "condition") {
			case 0:
				return x.EQ(y).And(y.LT(int64(3)))
			case 1:
				return x.LE(y).Or(x.EQ(int64(1)))
			case 2:
				return x.NE(y).Not()
			}
			return x.Mod(int64(2)).EQ(int64(0))
		}
		f := b.Func("f", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
			return expr(v, rapid.IntRange(1, 4).Draw(t, "depth"))
		})
		b.Output(f, 8, 8)
		p := b.Build()
		known := make([]Known, 2)
		for i := range known {
			m := rapid.SampledFrom([]int64{0, 1, 2, 3, 4, 6, 8}).Draw(t, "modulus")
			known[i] = Known{m, 0}
			if m > 1 {
				known[i].Remainder = rapid.Int64Range(0, m-1).Draw(t, "remainder")
			} else if m == 0 {
				known[i].Remainder = rapid.Int64Range(-9, 9).Draw(t, "value")
			}
		}
		d := New(p, make([]bool, len(p.Funcs)))
		id := d.Func(f.ID, known)
		if nodes := len(p.Nodes); len(d.P.Nodes) < nodes || len(p.Funcs) != 1 {
			t.Fatal("the pipeline has changed")
		}
		before := access.Analyze(p)
		sameAnalysis(t, before.Extend(d.P), d.P)
		d.Func(f.ID, []Known{known[1], known[0]})
		sameAnalysis(t, before.Extend(d.P), d.P)
		sameAnalysis(t, before.Extend(p).Extend(d.P), d.P)
		for range 20 {
			at := make([]int64, 2)
			for i, k := range known {
				if at[i] = k.Remainder; k.Modulus > 0 {
					at[i] += k.Modulus * rapid.Int64Range(-20, 20).Draw(t, "cell")
				}
			}
			env := halideir.Env{Dim: at}
			want, ok := p.EvalInt(p.Funcs[f.ID].Stages[0].Values[0], env)
			got, gotOK := d.P.EvalInt(d.P.Funcs[id].Stages[0].Values[0], env)
			if ok && (!gotOK || got != want) {
				t.Fatalf("at %v, of which %v is known: %d %v, not %d", at, known, got, gotOK, want)
			}
		}
	})
}

// sameAnalysis: Funcs behind the first one are analysed as if all had been at once.
func sameAnalysis(t rapid.TB, got *access.Analysis, p *halideir.Pipeline) {
	t.Helper()
	want := access.Analyze(p)
	for id := range p.Nodes {
		if g, w := got.Canonical(halideir.NodeID(id)), want.Canonical(halideir.NodeID(id)); g != w {
			t.Fatalf("node %d is as %d, not as %d", id, g, w)
		}
	}
	for id := range p.Funcs {
		if got.Table(id) != want.Table(id) {
			t.Fatalf("%s is a table or not", p.Funcs[id].Label)
		}
		for st := range p.Funcs[id].Stages {
			if id > 0 && !reflect.DeepEqual(got.Stage(id, st), want.Stage(id, st)) {
				t.Fatalf("stage %d of Func %d is another", st, id)
			}
		}
	}
}

// TestKinds: of a Func that is made twice as large, each of the four kinds of points reads one place along each dimension, through what is inlined, and those that read the same read one Func.
func TestKinds(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.I32, 64, 64)
	coarse := b.Func("coarse", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(int64(3)) })
	along := func(x irtest.Expr) irtest.Expr {
		return x.Div(int64(2)).Sub(int64(1)).Add(x.Mod(int64(2)).Mul(int64(2)))
	}
	across := b.Func("across", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return coarse.At(along(v[0]), v[1]) })
	fine := b.Func("fine", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
		return v[1].Mod(int64(2)).EQ(int64(0)).Select(across.At(v[0], v[1].Div(int64(2)).Sub(int64(1))), across.At(v[0], v[1].Div(int64(2)).Add(int64(1))))
	})
	b.Output(fine, 32, 32)
	p := b.Build()
	d := New(p, []bool{false, true, false})
	seen := map[int]bool{}
	for kind := range int64(4) {
		id := d.Func(fine.ID, []Known{{2, kind % 2}, {2, kind / 2}})
		an := access.Analyze(d.P)
		loads := an.Stage(id, 0).Loads
		if len(loads) != 1 {
			t.Fatalf("kind %d reads at %d places", kind, len(loads))
		}
		read := loads[0].Func
		if d.Of[read] != across.ID {
			t.Fatalf("kind %d reads %s", kind, p.Funcs[d.Of[read]].Label)
		}
		seen[read] = true
		if got, want := fmt.Sprint(loads[0].Index[1].Num, loads[0].Index[1].Den, loads[0].Index[1].Offset), fmt.Sprint(1, 2, -2+4*(kind/2)); got != want {
			t.Errorf("kind %d reads rows %s, not %s", kind, got, want)
		}
		index := an.Stage(read, 0).Loads[0].Index[0]
		if got, want := fmt.Sprint(index.Kind, index.Num, index.Den, index.Offset), fmt.Sprint(access.Affine, 1, 2, -2+4*(kind%2)); got != want {
			t.Errorf("kind %d reads columns %s, not %s", kind, got, want)
		}
	}
	if len(seen) != 2 {
		t.Errorf("%d Funcs for two kinds of columns", len(seen))
	}
	if got := d.Func(coarse.ID, []Known{{1, 0}, {1, 0}}); got != coarse.ID {
		t.Error("a Func of which nothing is known is another")
	}
}

// TestPlacesFromData: what a kind's points look up at a place that a name stands for is at a place that data tell, as it is in the Func itself.
func TestPlacesFromData(t *testing.T) {
	b := irtest.New()
	in, table := b.Input("in", irtest.I32, 64, 64), b.Input("table", irtest.I32, 64)
	level := b.Func("level", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
		return in.At(v[0].Div(int64(2)).Add(v[0].Mod(int64(2))), v[1])
	})
	stored := b.Func("stored", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(int64(3)) })
	// One whose name is for something else at points of one kind, and one where all that changes is what is done with it.
	kept := b.Func("kept", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
		return stored.At(v[0], v[1]).Clamp(b.Int(0), b.Int(62)).Let("place", func(at irtest.Expr) irtest.Expr {
			return table.At(at).Add(v[0].Mod(int64(2)).EQ(int64(0)).Select(table.At(at.Add(int64(2))), table.At(at.Add(int64(1)))))
		})
	})
	f := b.Func("f", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
		return level.At(v[0], v[1]).Add(kept.At(v[0], v[1])).Clamp(b.Int(0), b.Int(62)).Let("place", func(at irtest.Expr) irtest.Expr { return table.At(at).Add(table.At(at.Add(int64(1)))) })
	})
	b.Output(f, 32, 32)
	p := b.Build()
	d := New(p, []bool{true, false, true, false})
	known := []Known{{2, 1}, {1, 0}}
	kind, other := d.Func(f.ID, known), d.Func(kept.ID, known)
	an := access.Analyze(d.P)
	for fn, places := range map[int]int{f.ID: 2, kind: 2, kept.ID: 3, other: 2} {
		looked := 0
		for _, l := range an.Stage(fn, 0).Loads {
			if l.Input >= 0 && p.Inputs[l.Input].Name == "table" && l.Index[0].DataDependent {
				looked++
			}
		}
		if looked != places {
			t.Errorf("Func %d looks up %d places that data tell, of %d", fn, looked, places)
		}
	}
}
