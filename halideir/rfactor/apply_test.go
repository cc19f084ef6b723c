package rfactor_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir"
	"gowarp/halideir/bounds"
	"gowarp/halideir/rfactor"
	_ "gowarp/internal/fixedseed"
	"gowarp/internal/irtest"
)

// total is a reduction over x and y of an image, into a point for each c.
func total(width, height int64, op func(a, b irtest.Expr) irtest.Expr) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, width+7, height+9, 4)
	f := b.Func("f", []string{"c"}, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Int(0).Cast(irtest.F32) })
	f.Update([]irtest.RVar{{Name: "r$x", Min: 3, Extent: width}, {Name: "r$y", Extent: height}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return v, op(f.At(v[0]), in.At(r[0].Add(2), r[1].Add(5), v[0]))
	})
	out := b.Func("out", []string{"c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return f.At(v[0]).Mul(0.5) })
	b.Output(out, 4)
	return b.Build()
}

func add(a, b irtest.Expr) irtest.Expr { return a.Add(b) }

// TestApply: whatever is kept, the new pipeline is one, needs the same points of its input, computes as many partial results as
// there are to be, and the old one is as it was.
func TestApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.Int64Range(1, 200).Draw(t, "width"), rapid.Int64Range(1, 50).Draw(t, "height")
		p := total(width, height, add)
		was := fmt.Sprint(*p)
		factor := func(extent int64) int64 { return rapid.Int64Range(0, extent).Draw(t, "factor") }
		var kept []rfactor.Kept
		points, left := int64(4), int64(1)
		for rv, extent := range []int64{width, height} {
			if len(kept) == 0 && rv == 1 || rapid.Bool().Draw(t, "kept") {
				k := rfactor.Kept{RVar: rv, Factor: factor(extent)}
				kept = append(kept, k)
				if k.Factor == 0 {
					k.Factor = extent
				}
				points *= k.Factor
				left *= k.Factor
			}
		}
		q, err := rfactor.Apply(p, rfactor.Step{Func: 0, Stage: 1, Kept: kept, Lane: -1})
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(*p) != was {
			t.Fatal("the pipeline that was given is another")
		}
		if err := q.Verify(); err != nil {
			t.Fatal(err)
		}
		before, err := bounds.Analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		after, err := bounds.Analyze(q)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range before.Inputs[0] {
			if got := after.Inputs[0][k]; got != want {
				t.Errorf("%v: dimension %d of the input: %v is needed, %v before", kept, k, got, want)
			}
		}
		for fn := range rfactor.Made {
			if got := after.Funcs[fn].Points(); got != points {
				t.Errorf("%v: %d points of %s, want %d", kept, got, q.Funcs[fn].Label, points)
			}
		}
		box, err := after.Loops(q, rfactor.Made, 1)
		if err != nil || box.Points() != 4*left {
			t.Errorf("%v: %d iterations are left, want %d: %v", kept, box.Points(), 4*left, err)
		}
	})
}

// TestOf: what is no reduction, or one of which the rest of the pipeline's text tells that it cannot be factored, is none.
func TestOf(t *testing.T) {
	for name, c := range map[string]struct {
		op     func(a, b irtest.Expr) irtest.Expr
		change func(st *halideir.Stage)
		want   bool
	}{
		"sum":     {op: add, want: true},
		"swapped": {op: func(a, b irtest.Expr) irtest.Expr { return b.Mul(a) }, want: true},
		"least":   {op: func(a, b irtest.Expr) irtest.Expr { return a.Min(b) }, want: true},
		"a let": {op: func(a, b irtest.Expr) irtest.Expr {
			return b.Let("t0", func(v irtest.Expr) irtest.Expr { return a.Add(v.Mul(v)) })
		}, want: true},
		"difference":    {op: func(a, b irtest.Expr) irtest.Expr { return a.Sub(b) }},
		"recurrence":    {op: func(a, b irtest.Expr) irtest.Expr { return a.Add(a.Mul(b)) }},
		"not proven":    {op: add, change: func(st *halideir.Stage) { st.Associative = false }},
		"order matters": {op: add, change: func(st *halideir.Stage) { st.Commutative = false }},
		"restated difference": {op: func(a, b irtest.Expr) irtest.Expr { return a.Sub(b) }, change: func(st *halideir.Stage) {
			st.Associative, st.Restated = false, st.Values
		}}, // in no other form
		"restated":                        {op: add, change: func(st *halideir.Stage) { st.Associative, st.Restated = false, st.Values }, want: true},
		"predicate that reads the result": {op: add, change: func(st *halideir.Stage) { st.Predicate = st.Values[0] }},
	} {
		p := total(100, 50, c.op)
		st := &p.Funcs[0].Stages[1]
		if name == "difference" || name == "recurrence" || name == "a let" {
			st.Associative, st.Commutative = true, true // whatever Halide thinks
		}
		if c.change != nil {
			c.change(st)
		}
		if _, ok := rfactor.Of(p, 0, 1); ok != c.want {
			t.Errorf("%s: %v, want %v", name, ok, c.want)
		}
		if _, err := rfactor.Apply(p, rfactor.Step{Func: 0, Stage: 1, Kept: []rfactor.Kept{{RVar: 0}}}); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestScatterInOrder: where each iteration of a scatter over a variable that is its place goes to another one, those of the reduction of the partial results do not.
func TestScatterInOrder(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 40, 100)
	f := b.Func("f", []string{"c"}, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
	f.Update([]irtest.RVar{{Name: "r$x", Extent: 40, Parallel: true}, {Name: "r$y", Extent: 100}}, func(_, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return []irtest.Expr{r[0]}, f.At(r[0]).Add(in.At(r[0], r[1]))
	})
	b.Output(f, 40)
	for _, kept := range [][]rfactor.Kept{{{RVar: 0}}, {{RVar: 0, Factor: 8}}, {{RVar: 1, Factor: 10}}, {{RVar: 0, Factor: 8}, {RVar: 1}}} {
		p, err := rfactor.Apply(b.Build(), rfactor.Step{Func: f.ID, Stage: 1, Kept: kept, Lane: -1})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range p.Funcs[rfactor.Made].Stages[1].Loops {
			if l.RVar >= 0 && l.Kind.Parallel() {
				t.Errorf("%v: the iterations of %s are parallel, and all go to the same places", kept, l.Label)
			}
		}
	}
}

// TestOfTuple: a Tuple is a reduction where each value is combined with its own last one by an operator of its own; none where one value hangs on another,
// or keeps nothing of its last one, or where one is left as it is at places that are computed.
func TestOfTuple(t *testing.T) {
	type exprs = []irtest.Expr
	for name, c := range map[string]struct {
		change func(a, b, x irtest.Expr, r exprs) exprs
		at     func(r exprs) irtest.Expr
		want   bool
	}{
		"sums":          {change: func(a, b, x irtest.Expr, _ exprs) exprs { return exprs{a.Add(x), b.Add(x.Mul(x))} }, want: true},
		"two operators": {change: func(a, b, x irtest.Expr, _ exprs) exprs { return exprs{a.Min(x), x.Mul(b)} }, want: true},
		"crossed":       {change: func(a, b, x irtest.Expr, _ exprs) exprs { return exprs{b.Add(x), a.Add(x)} }},
		"both":          {change: func(a, b, x irtest.Expr, _ exprs) exprs { return exprs{a.Add(x), a.Add(b)} }},
		"a place":       {change: func(a, b, x irtest.Expr, r exprs) exprs { return exprs{a.Min(x), a.LT(x).Select(b, r[0])} }},
		"complex": {change: func(a, b, x irtest.Expr, r exprs) exprs {
			return exprs{a.Mul(x).Sub(b.Mul(r[0])), b.Mul(x).Add(a.Mul(r[0]))}
		}},
		"the last":         {change: func(a, b, x irtest.Expr, _ exprs) exprs { return exprs{a.Add(x), x} }},
		"unchanged":        {change: func(a, b, x irtest.Expr, _ exprs) exprs { return exprs{a.Add(x), b} }, want: true},
		"all kept":         {change: func(a, b, _ irtest.Expr, _ exprs) exprs { return exprs{a, b} }},
		"scatter":          {change: func(a, b, x irtest.Expr, _ exprs) exprs { return exprs{a.Add(x), b.Add(x)} }, at: func(r exprs) irtest.Expr { return r[0] }, want: true},
		"one of a scatter": {change: func(a, b, x irtest.Expr, _ exprs) exprs { return exprs{a.Add(x), b} }, at: func(r exprs) irtest.Expr { return r[0] }},
	} {
		b := irtest.New()
		in := b.Input("in", irtest.I32, 100, 100)
		f := b.Tuple("f", []string{"c"}, []halideir.Type{irtest.I32, irtest.I32}, func(exprs) exprs { return exprs{b.Int(0), b.Int(1)} })
		f.UpdateTuple([]irtest.RVar{{Name: "r$x", Extent: 100}}, func(v, r []irtest.Expr) (lhs, values []irtest.Expr) {
			at := v[0]
			if c.at != nil {
				at = c.at(r)
			}
			return exprs{at}, c.change(f.AtOut(0, at), f.AtOut(1, at), in.At(r[0], v[0]), r)
		})
		b.Output(f, 100)
		p := b.Build()
		p.Funcs[0].Stages[1].Associative, p.Funcs[0].Stages[1].Commutative = true, true // whatever Halide thinks
		r, ok := rfactor.Of(p, 0, 1)
		if ok != c.want || ok && len(r.Values) != 2 {
			t.Errorf("%s: %v of %d values, want %v", name, ok, len(r.Values), c.want)
		}
	}
}

// TestAnyOrder: integers, minima and maxima give the same in any order, sums and products of floats do not.
func TestAnyOrder(t *testing.T) {
	for _, c := range []struct {
		ops   []halideir.Op
		types []halideir.Type
		want  bool
	}{
		{[]halideir.Op{halideir.OpAdd, halideir.OpMul}, []halideir.Type{irtest.I32, irtest.U8}, true},
		{[]halideir.Op{halideir.OpAdd, halideir.OpMin}, []halideir.Type{irtest.I32, irtest.F32}, true},
		{[]halideir.Op{halideir.OpMax, halideir.OpMul}, []halideir.Type{irtest.I32, irtest.F32}, false},
		{[]halideir.Op{halideir.OpAdd, halideir.OpMax}, []halideir.Type{irtest.F16, irtest.F32}, false},
	} {
		var r rfactor.Reduction
		for _, op := range c.ops {
			r.Values = append(r.Values, rfactor.Operation{Op: op})
		}
		if r.AnyOrder(c.types) != c.want {
			t.Errorf("%v of %v: %v, want %v", c.ops, c.types, !c.want, c.want)
		}
	}
}
