package bounds_test

import (
	"testing"

	"gowarp/halideir/bounds"
	"gowarp/internal/irtest"
)

// TestAbsorbs: a clamp against the edges of an input absorbs what is computed beyond, a plain read does not, and
// neither does a clamp that lies further out than what the pipeline needs.
func TestAbsorbs(t *testing.T) {
	for _, c := range []struct {
		name   string
		last   int // index at which reads are clamped; 0: they are not
		want   bool
		extent int64
		both   bool // first is an output too
	}{
		{"clamped at the edge", 639, true, 640, false},
		{"not clamped", 0, false, 720, false},
		{"clamped further out", 719, false, 720, false},
		{"reads an output", 639, false, 640, true},
	} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, c.extent)
		first := b.Func("first", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			if c.last == 0 {
				return in.At(v[0].Add(1)).Mul(2.0)
			}
			return in.At(v[0].Add(1).Clamp(0, c.last)).Mul(2.0)
		})
		out := b.Func("out", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return first.At(v[0].Add(-1)).Add(first.At(v[0].Add(1)))
		})
		if c.both {
			b.Output(first, 642)
		}
		b.Output(out, 640)
		p := b.Build()
		r, err := bounds.Analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		for id := range p.Funcs {
			if got := r.Absorbs(p, id, 8); got != c.want && !(c.both && id == first.ID) {
				t.Errorf("%s: 8 points more of %s are absorbed: %v", c.name, p.Funcs[id].Label, got)
			}
		}
	}
}
