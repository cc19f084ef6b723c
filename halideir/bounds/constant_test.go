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
