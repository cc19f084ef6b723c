package bounds

import (
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir"
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
			if got, want := r.Absorbs(p, id, more), absorbs(p, r, id, more); got != want {
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
