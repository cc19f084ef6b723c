package rfactor_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir"
	"gowarp/halideir/rfactor"
	"gowarp/internal/irrun"
	"gowarp/internal/irtest"
)

// run is what the output has at each of its points.
func run(t interface{ Fatal(...any) }, p *halideir.Pipeline, input func([]int64) int64) map[string][]int64 {
	out, err := irrun.Run(p, input)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// several is a reduction of values of those types by those operators at once, restated where one of them is in another form, over an image of bytes, into a point for each of three c.
func several(width, height int64, ops []string, types []halideir.Type) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.U8, width+4, height+1, 3)
	f := b.Tuple("f", []string{"c"}, types, func([]irtest.Expr) []irtest.Expr {
		var init []irtest.Expr
		for i, t := range types {
			v := b.Int(int64(3 * i)).Cast(t)
			if t == irtest.Bool {
				v = b.Int(int64(i % 2)).LT(1)
			}
			init = append(init, v)
		}
		return init
	})
	var restated []halideir.NodeID
	other := false
	f.UpdateTuple([]irtest.RVar{{Name: "r$x", Min: 4, Extent: width}, {Name: "r$y", Extent: height}}, func(v, r []irtest.Expr) (lhs, values []irtest.Expr) {
		for i, op := range ops {
			old := f.AtOut(i, v[0])
			x := in.At(r[0], r[1].Add(1), v[0])
			y := x.Cast(types[i])
			if types[i] == irtest.Bool {
				y = b.Int(int64(40 * i)).LT(x.Cast(irtest.I32))
			}
			none, some := b.Const(types[i], 0), b.Int(int64(90*i)).LT(x.Cast(irtest.I32))
			again := map[string]func() irtest.Expr{
				"difference": func() irtest.Expr { return old.Add(none.Sub(y)) },
				"choice":     func() irtest.Expr { return old.Add(some.Select(y, none)) },
				"chain":      func() irtest.Expr { return old.Add(y.Add(y)) },
			}[op]
			values = append(values, map[string]func() irtest.Expr{
				"difference":  func() irtest.Expr { return old.Sub(y) },
				"choice":      func() irtest.Expr { return some.Select(old.Add(y), old) },
				"chain":       func() irtest.Expr { return y.Add(old).Add(y) },
				"kept":        func() irtest.Expr { return old },
				"bitwise_and": func() irtest.Expr { return old.Bits(op, y) },
				"bitwise_or":  func() irtest.Expr { return y.Bits(op, old) },
				"bitwise_xor": func() irtest.Expr { return old.Bits(op, y) },
				"add":         func() irtest.Expr { return old.Add(y) },
				"swapped":     func() irtest.Expr { return y.Add(old) },
				"let": func() irtest.Expr {
					return y.Add(b.Const(types[i], 1)).Let("t0", func(v irtest.Expr) irtest.Expr { return old.Add(v.Mul(v)) })
				},
				"mul": func() irtest.Expr { return old.Mul(y.Add(y).Add(b.Const(types[i], 1))) },
				"min": func() irtest.Expr { return old.Min(y) },
				"max": func() irtest.Expr { return y.Max(old) },
				"and": func() irtest.Expr { return old.And(y) },
				"or":  func() irtest.Expr { return y.Or(old) },
			}[op]())
			restated = append(restated, values[i].ID())
			if again != nil {
				restated[i] = again().ID()
			}
			other = other || again != nil || strings.HasPrefix(op, "bitwise")
		}
		return v, values
	})
	out := b.Tuple("out", []string{"c"}, types, func(v []irtest.Expr) (all []irtest.Expr) {
		for i := range types {
			all = append(all, f.AtOut(i, v[0]))
		}
		return all
	})
	b.Output(out, 3)
	p := b.Build()
	if other {
		p.Funcs[0].Stages[1].Restated = restated
	}
	return p
}

// TestApplyRuns: whatever the values of a Tuple are, and whatever is kept, a factored reduction computes what the one in order does; and so does
// the reduction of its partial results once that is factored.
func TestApplyRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.Int64Range(1, 17).Draw(t, "width"), rapid.Int64Range(1, 9).Draw(t, "height")
		var ops []string
		var types []halideir.Type
		bits, changes := false, false
		for range rapid.IntRange(1, 4).Draw(t, "values") {
			op := rapid.SampledFrom([]string{
				"add", "swapped", "let", "mul", "min", "max", "and", "or", "difference", "choice", "chain", "kept", "bitwise_and", "bitwise_or", "bitwise_xor",
			}).Draw(t, "op")
			bits, changes = bits || strings.HasPrefix(op, "bitwise"), changes || op != "kept"
			of := []halideir.Type{irtest.U8, irtest.U16, irtest.U32, irtest.I8, irtest.I16, irtest.I32, irtest.I64}
			if op == "and" || op == "or" {
				of = []halideir.Type{irtest.Bool}
			}
			ops, types = append(ops, op), append(types, rapid.SampledFrom(of).Draw(t, "type"))
		}
		if !changes {
			t.Skip("nothing is reduced")
		}
		p := several(width, height, ops, types)
		st := &p.Funcs[0].Stages[1]
		proven := !bits && (st.Restated == nil || rapid.Bool().Draw(t, "proven"))
		st.Associative, st.Commutative = proven, proven // also of what irtest does not know
		seed := rapid.Int64().Draw(t, "seed")
		input := func(at []int64) int64 {
			v := seed
			for _, x := range at {
				v = (v ^ x) * 0x5851F42D4C957F2D
				v ^= int64(uint64(v) >> 29)
			}
			return v & 255
		}
		want := run(t, p, input)
		q := p
		for level := range rapid.IntRange(1, 2).Draw(t, "levels") {
			s := rapid.SampledFrom([]rfactor.Kept{{RVar: 0}, {RVar: 0, Factor: 1}, {RVar: 0, Factor: 4}, {RVar: 0, Factor: 7}}).Draw(t, "kept")
			var err error
			q, err = rfactor.Apply(q, rfactor.Step{Func: level * rfactor.Made, Stage: 1, Kept: []rfactor.Kept{s}, Lane: -1})
			if err == nil {
				err = q.Verify()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		got := run(t, q, input)
		for at, values := range want {
			if !slices.Equal(got[at], values) {
				t.Fatalf("%v of %v: %v at %s, want %v", ops, types, got[at], at, values)
			}
		}
		if len(got) != len(want) || len(got) != 3 {
			t.Fatalf("%d points, want %d", len(got), len(want))
		}
	})
}
