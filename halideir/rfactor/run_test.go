package rfactor_test

import (
	"math"
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

// domain says which part of its domain a reduction takes in, and where to.
type domain struct {
	places, read bool // conditions of places, of what is read
	scatter      bool // into places that are computed
}

// by is x and y combined by an operator.
func by(op string, x, y irtest.Expr) irtest.Expr {
	switch op {
	case "mul":
		return x.Mul(y)
	case "min":
		return x.Min(y)
	case "max":
		return x.Max(y)
	case "and":
		return x.And(y)
	case "or":
		return x.Or(y)
	case "add":
		return x.Add(y)
	}
	return x.Bits(op, y)
}

// nothing is what changes nothing by an operator.
func nothing(b *irtest.Builder, op string, t halideir.Type) irtest.Expr {
	least, most, all := int64(0), int64(1)<<t.Bits-1, int64(1)<<t.Bits-1
	if t.Code == halideir.Int {
		least, most, all = math.MinInt64>>(64-t.Bits), math.MaxInt64>>(64-t.Bits), -1
	}
	v := map[string]int64{"mul": 1, "and": 1, "min": most, "max": least, "bitwise_and": all}[op]
	if t == irtest.Bool {
		return b.Int(0).LT(v)
	}
	return b.Const(t, v)
}

// several is a reduction of values of those types by those operators at once, restated where one of them is in another form or a condition of the domain reads something, over an image of bytes,
// into a point for each of three c.
func several(width, height int64, ops []string, types []halideir.Type, d domain) *halideir.Pipeline {
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
	predicate := halideir.NoNode
	other := d.read
	f.UpdateTuple([]irtest.RVar{{Name: "r$x", Min: 4, Extent: width}, {Name: "r$y", Extent: height}}, func(v, r []irtest.Expr) (lhs, values []irtest.Expr) {
		at, c := v[0], v[0]
		if d.scatter {
			c = r[0].Mod(2)
			at = in.At(r[0], r[1], 2).Cast(irtest.I32).Mod(3)
		}
		place, read := r[0].LT(r[1].Mul(3).Add(9)), in.At(r[0], r[1], c).Cast(irtest.I32).Mod(5).NE(2)
		switch {
		case d.places && d.read:
			predicate = place.And(read).And(r[1].LE(7)).ID()
		case d.places:
			predicate = place.ID()
		case d.read:
			predicate = read.ID()
		}
		for i, op := range ops {
			old := f.AtOut(i, at)
			x := in.At(r[0], r[1].Add(1), c)
			y := x.Cast(types[i])
			if types[i] == irtest.Bool {
				y = b.Int(int64(40 * i)).LT(x.Cast(irtest.I32))
			}
			none, some := nothing(b, "add", types[i]), b.Int(int64(90*i)).LT(x.Cast(irtest.I32))
			again := true
			value := old
			switch op {
			case "difference":
				op, value, y = "add", old.Sub(y), none.Sub(y)
			case "choice":
				op, value, y = "add", some.Select(old.Add(y), old), some.Select(y, none)
			case "chain":
				op, value, y = "add", y.Add(old).Add(y), y.Add(y)
			case "let":
				again = false
				more := y.Add(b.Const(types[i], 1))
				op, value, y = "add", more.Let("t0", func(v irtest.Expr) irtest.Expr { return old.Add(v.Mul(v)) }), more.Mul(more)
			case "kept":
				again = false
			default:
				again = strings.HasPrefix(op, "bitwise")
				if op == "mul" {
					y = y.Add(y).Add(b.Const(types[i], 1))
				}
				value = by(op, old, y)
				if i%2 == 1 {
					value = by(op, y, old)
				}
			}
			values, other = append(values, value), other || again
			if d.read && op != "kept" {
				value = by(op, old, read.Select(y, nothing(b, op, types[i])))
			} else if again {
				value = by(op, old, y)
			}
			restated = append(restated, value.ID())
		}
		return []irtest.Expr{at}, values
	})
	out := b.Tuple("out", []string{"c"}, types, func(v []irtest.Expr) (all []irtest.Expr) {
		for i := range types {
			all = append(all, f.AtOut(i, v[0]))
		}
		return all
	})
	b.Output(out, 3)
	p := b.Build()
	p.Funcs[0].Stages[1].Predicate = predicate
	if other {
		p.Funcs[0].Stages[1].Restated = restated
	}
	return p
}

// TestApplyRuns: whatever the values of a Tuple are, whatever part of the domain they are of, wherever they go to, and whatever is kept, a factored reduction computes what the one in order does; and so does
// the reduction of its partial results once that is factored.
func TestApplyRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.Int64Range(1, 17).Draw(t, "width"), rapid.Int64Range(1, 9).Draw(t, "height")
		var ops []string
		var types []halideir.Type
		bits, changes := false, false
		d := domain{rapid.Bool().Draw(t, "places"), rapid.Bool().Draw(t, "read"), rapid.Bool().Draw(t, "scatter")}
		for range rapid.IntRange(1, 4).Draw(t, "values") {
			op := rapid.SampledFrom([]string{
				"add", "let", "mul", "min", "max", "and", "or", "difference", "choice", "chain", "kept", "bitwise_and", "bitwise_or", "bitwise_xor",
			}).Draw(t, "op")
			if d.scatter && op == "kept" {
				op = "add"
			}
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
		p := several(width, height, ops, types, d)
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
