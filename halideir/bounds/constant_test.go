package bounds

import (
	"testing"

	"gowarp/internal/irtest"
)

// TestConstant: numbers hold what is needed of a Func in every run where they hold what each reader needs; one that reads at its argument is enough for them not to.
// What Constant says covers what is needed at the estimates, and at other sizes.
func TestConstant(t *testing.T) {
	type expr = irtest.Expr
	for name, c := range map[string]struct {
		places []func(x expr) expr
		want   Interval
		ok     bool
	}{
		"remainder":          {[]func(x expr) expr{func(x expr) expr { return x.Mod(64) }}, Interval{0, 63}, true},
		"clamp":              {[]func(x expr) expr{func(x expr) expr { return x.Clamp(-3, 20) }}, Interval{-3, 20}, true},
		"both":               {[]func(x expr) expr{func(x expr) expr { return x.Mod(64) }, func(x expr) expr { return x.Clamp(-3, 20) }}, Interval{-3, 63}, true},
		"a number":           {[]func(x expr) expr{func(x expr) expr { return x.Mul(0) }}, Interval{0, 0}, true},
		"the argument":       {[]func(x expr) expr{func(x expr) expr { return x.Mod(64) }, func(x expr) expr { return x }}, Interval{}, false},
		"half the argument":  {[]func(x expr) expr{func(x expr) expr { return x.Div(2) }}, Interval{}, false},
		"clamp by an extent": {[]func(x expr) expr{func(x expr) expr { return x.Clamp(0, 99).Add(x.Div(50)) }}, Interval{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := irtest.New()
			f := b.Func("f", []string{"i"}, irtest.I32, func(v []expr) expr { return v[0].Mul(3) })
			// Through another Func, which is read at places of its own.
			g := b.Func("g", []string{"i"}, irtest.I32, func(v []expr) expr { return f.At(v[0]) })
			out := b.Func("out", []string{"x"}, irtest.I32, func(v []expr) expr {
				sum := g.At(c.places[0](v[0]))
				for _, p := range c.places[1:] {
					sum = sum.Add(f.At(p(v[0])))
				}
				return sum
			})
			b.Output(out, 200)
			p := b.Build()
			r, err := Analyze(p)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := r.Constant(p, f.ID, 0)
			if ok != c.ok || ok && got != c.want {
				t.Fatalf("%v %v, want %v %v", got, ok, c.want, c.ok)
			}
			if !ok {
				return
			}
			if need := r.Funcs[f.ID][0]; !got.Contains(need) {
				t.Errorf("%v at the estimates, said to be %v", need, got)
			}
			for _, o := range otherSizes(p) {
				if need := o.regions.Funcs[f.ID][0]; !got.Contains(need) {
					t.Errorf("%v at another size, said to be %v", need, got)
				}
			}
		})
	}
}

// TestConstantDomain: what a domain asks for is constant where numbers alone make its ends, as a quotient of two does, and not where what a run says does, whatever its estimate is.
func TestConstantDomain(t *testing.T) {
	type expr = irtest.Expr
	for name, c := range map[string]struct {
		extent func(b *irtest.Builder, in *irtest.Input) expr
		want   Interval
		ok     bool
	}{
		"a number":               {func(b *irtest.Builder, _ *irtest.Input) expr { return b.Int(8) }, Interval{0, 7}, true},
		"a quotient":             {func(b *irtest.Builder, _ *irtest.Input) expr { return b.Int(256).Div(32) }, Interval{0, 7}, true},
		"a scalar":               {func(b *irtest.Builder, _ *irtest.Input) expr { return b.Scalar("n", irtest.I32, 8) }, Interval{}, false},
		"a quotient of a scalar": {func(b *irtest.Builder, _ *irtest.Input) expr { return b.Scalar("n", irtest.I32, 256).Div(32) }, Interval{}, false},
		"an input's extent":      {func(_ *irtest.Builder, in *irtest.Input) expr { return in.Bound(0, "extent") }, Interval{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := irtest.New()
			in := b.Input("in", irtest.I32, 8)
			extent := c.extent(b, in)
			f := b.Func("f", []string{"i"}, irtest.I32, func(v []expr) expr { return v[0].Mul(3) })
			sum := b.Func("sum", []string{"x"}, irtest.I32, func(v []expr) expr { return in.At(v[0].Clamp(0, 7)) })
			sum.Update([]irtest.RVar{{Name: "r$x", Extent: 8}}, func(v, r []expr) ([]expr, expr) { return v, sum.At(v[0]).Add(f.At(r[0])) })
			b.Output(sum, 200)
			p := b.Build()
			p.Funcs[sum.ID].Stages[1].RVars[0].Extent = extent.ID()
			r, err := Analyze(p)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := r.Constant(p, f.ID, 0); ok != c.ok || ok && got != c.want {
				t.Errorf("%v %v, want %v %v", got, ok, c.want, c.ok)
			}
		})
	}
}
