package bounds

import (
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// TestAbsorbs: a clamp against the edges of an input absorbs what is computed beyond, at any size; a plain read does not, nor
// does a clamp against a number, which lies beyond the input of a smaller output.
func TestAbsorbs(t *testing.T) {
	for _, c := range []struct {
		name string
		at   func(in *irtest.Input, x irtest.Expr) irtest.Expr
		want bool
		both bool // first is an output too
	}{
		{"clamped at the edge", func(in *irtest.Input, x irtest.Expr) irtest.Expr {
			return x.Clamp(in.Bound(0, "min"), in.Bound(0, "max"))
		}, true, false},
		{"not clamped", func(_ *irtest.Input, x irtest.Expr) irtest.Expr { return x }, false, false},
		{"clamped at a number", func(_ *irtest.Input, x irtest.Expr) irtest.Expr { return x.Clamp(0, 639) }, false, false},
		{"clamped further out", func(_ *irtest.Input, x irtest.Expr) irtest.Expr { return x.Clamp(0, 719) }, false, false},
		{"reads an output", func(in *irtest.Input, x irtest.Expr) irtest.Expr {
			return x.Clamp(in.Bound(0, "min"), in.Bound(0, "max"))
		}, false, true},
	} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 640)
		first := b.Func("first", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return in.At(c.at(in, v[0].Add(1))).Mul(2.0)
		})
		out := b.Func("out", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return first.At(v[0].Add(-1)).Add(first.At(v[0].Add(1)))
		})
		if c.both {
			b.Output(first, 642)
		}
		b.Output(out, 640)
		p := b.Build()
		r, err := Analyze(p)
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

// TestAbsorbsAtAllSizes: what needs most of an input at the estimates may need the least at another size (seed 6250 of the random pipelines).
func TestAbsorbsAtAllSizes(t *testing.T) {
	for _, c := range []struct {
		name  string
		step  int // of the output's reads, and the first of them
		begin int
		want  bool
	}{
		{"the output asks for more, of any size", 1, 80, true},
		{"the output asks for more at the estimates", 4, 2, false},
		{"the table asks for more at the estimates", 1, 2, false},
	} {
		b := irtest.New()
		in := b.Input("in", irtest.I32, 100)
		table := b.Func("table", []string{"x"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0]).Mul(3) })
		out := b.Func("out", []string{"x"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
			return table.At(0).Add(table.At(65)).Add(in.At(v[0].Mul(c.step).Add(c.begin)))
		})
		b.Output(out, 19)
		p := b.Build()
		r, err := Analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Absorbs(p, table.ID, 8); got != c.want {
			t.Errorf("%s: 8 points more are absorbed: %v", c.name, got)
		}
	}
}

// TestAbsorbsByItself: what Absorbs remembers of other Funcs changes no answer.
func TestAbsorbsByItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPipeline(t)
		r, err := Analyze(p)
		if err != nil {
			t.Skip(err)
		}
		more := rapid.Int64Range(1, 9).Draw(t, "more")
		for _, id := range rapid.Permutation(indices(len(p.Funcs))).Draw(t, "order") {
			if got, want := r.absorbsAtEstimates(p, id, more), absorbs(p, r, id, more); got != want {
				t.Fatalf("%d points more of %s are absorbed: %v, not %v", more, p.Funcs[id].Label, got, want)
			}
		}
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// absorbs asks every Func below for what more points of one ask of it, and remembers nothing.
func absorbs(p *halideir.Pipeline, r *Regions, fn int, more int64) bool {
	boxes := map[int]Box{fn: append(Box(nil), r.Funcs[fn]...)}
	for k := range boxes[fn] {
		boxes[fn][k].Hi += more
	}
	inside := func(whole, part Box) bool {
		for k := range part {
			if !whole[k].Contains(part[k]) {
				return false
			}
		}
		return true
	}
	for id := fn; id >= 0; id-- {
		at, asked := boxes[id]
		if !asked {
			continue
		}
		f := &p.Funcs[id]
		if f.Extern != nil || len(f.Bounds) > 0 {
			return false
		}
		for s, st := range f.Stages {
			loops, err := r.Loops(p, id, s)
			if err != nil {
				return false
			}
			var env halideir.Env
			for l, iv := range loops {
				if a := st.Loops[l].Arg; a >= 0 {
					iv = iv.Union(at[a])
				}
				env.Lo, env.Hi = append(env.Lo, iv.Lo), append(env.Hi, iv.Hi)
			}
			for _, e := range r.Edges(id, s) {
				box, ok := EvalBox(p, e, env)
				switch {
				case e.Func == id:
				case !ok, e.Func < 0 && !inside(r.Inputs[e.Input], box):
					return false
				case e.Func < 0 || inside(r.Funcs[e.Func], box):
				case p.Funcs[e.Func].Output:
					return false
				default:
					if boxes[e.Func] == nil {
						boxes[e.Func] = append(Box(nil), r.Funcs[e.Func]...)
					}
					for k := range box {
						boxes[e.Func][k] = boxes[e.Func][k].Union(box[k])
					}
				}
			}
		}
	}
	return true
}
