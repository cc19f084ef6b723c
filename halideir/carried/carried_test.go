package carried_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/carried"
	_ "gowarp/internal/fixedseed" // how many of the random updates reduce hangs on the seed
	"gowarp/internal/irtest"
)

// index is one index of an access: as an expression, and what it is at an iteration.
type index struct {
	loop, num, div, offset int64
	clamped                bool
}

func (x index) expr(b *irtest.Builder, r []irtest.Expr) irtest.Expr {
	if x.loop < 0 {
		return b.Int(x.offset)
	}
	e := r[x.loop].Mul(x.num).Div(x.div).Add(x.offset)
	if x.clamped {
		e = e.Clamp(0, most)
	}
	return e
}

func (x index) at(r []int64) int64 {
	if x.loop < 0 {
		return x.offset
	}
	q, _ := halideir.DivEuclid(r[x.loop]*x.num, x.div)
	v := q + x.offset
	if x.clamped {
		v = max(0, min(most, v))
	}
	return v
}

const (
	iterations = 4 // of each loop, from 1 on
	most       = 3 // to which indices are clamped
)

// TestRandomUpdates: of two iterations at one place of the loops that are said to carry the dependences of a random update, which differ in those that are said to be parallel, neither stores what the other
// stores or reads; and those loops are the outermost ones.
func TestRandomUpdates(t *testing.T) {
	found, reduced := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		loops := rapid.IntRange(2, 3).Draw(t, "loops")
		draw := func(name string) []index {
			out := make([]index, loops)
			for d := range out {
				x := index{loop: int64(d), num: 1, div: 1, offset: int64(rapid.IntRange(-1, 1).Draw(t, name+" offset"))}
				switch rapid.IntRange(0, 9).Draw(t, name+" form") {
				case 0:
					x.loop = int64(rapid.IntRange(-1, loops-1).Draw(t, name+" loop"))
				case 1:
					x.num = int64(rapid.SampledFrom([]int{-1, 2}).Draw(t, name+" times"))
				case 2:
					x.div = 2
				case 3:
					x.clamped = true
				case 4, 5:
					x.loop = min(int64(d)+1, int64(loops)-1)
				}
				out[d] = x
			}
			return out
		}
		store, reads := draw("store"), [][]index{}
		for range rapid.IntRange(1, 2).Draw(t, "reads") {
			r := draw("read")
			if rapid.Bool().Draw(t, "like the store") {
				r = slices.Clone(store)
				d := rapid.IntRange(0, loops-1).Draw(t, "but")
				r[d].offset--
			}
			reads = append(reads, r)
		}
		b := irtest.New()
		args, rvars := []string{"x", "y", "z"}[:loops], []irtest.RVar{}
		for _, n := range []string{"r$x", "r$y", "r$z"}[:loops] {
			rvars = append(rvars, irtest.RVar{Name: n, Min: 1, Extent: iterations})
		}
		f := b.Func("f", args, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 1) })
		exprs := func(x []index, r []irtest.Expr) (out []any) {
			for _, i := range x {
				out = append(out, i.expr(b, r))
			}
			return out
		}
		f.Update(rvars, func(_, r []irtest.Expr) (lhs []irtest.Expr, value irtest.Expr) {
			for _, x := range exprs(store, r) {
				lhs = append(lhs, x.(irtest.Expr))
			}
			value = b.Const(irtest.F32, 1)
			for _, x := range reads {
				value = value.Add(f.At(exprs(x, r)...))
			}
			return lhs, value
		})
		b.Output(f, []int64{8, 8, 8}[:loops]...)
		p := b.Build()
		of := carried.Of(p, access.Analyze(p), 0, 1)
		held, free := of.Carrying, of.Parallel
		if len(held) == 0 {
			return
		}
		found++
		if len(free) < loops-len(held) {
			reduced++
		}
		for i, l := range slices.Concat(free, held) {
			if l != loops-len(held)-len(free)+i || len(free) == 0 {
				t.Fatalf("loops %v inside %v are not the outermost of %d", free, held, loops)
			}
		}
		var all [][]int64
		for i := range int64(iterations * iterations * iterations) {
			at := []int64{1 + i%iterations, 1 + i/iterations%iterations, 1 + i/iterations/iterations}
			if at = at[:loops]; loops == 3 || i < iterations*iterations {
				all = append(all, at)
			}
		}
		place := func(x []index, r []int64) (out [3]int64) {
			for d := range x {
				out[d] = x[d].at(r)
			}
			return out
		}
		for _, one := range all {
			for _, other := range all {
				if !slices.Equal(one[held[0]:], other[held[0]:]) || slices.Equal(one[free[0]:held[0]], other[free[0]:held[0]]) {
					continue
				}
				if place(store, one) == place(store, other) {
					t.Fatalf("%v: iterations %v and %v store one place", held, one, other)
				}
				for _, r := range reads {
					if place(r, one) == place(store, other) {
						t.Fatalf("%v: iteration %v reads what %v stores", held, one, other)
					}
				}
			}
		}
	})
	if found < 5 || reduced < 1 {
		t.Errorf("%d updates whose outer loops carry all dependences, of %d of which inner ones reduce", found, reduced)
	}
}

// TestPatterns: which loops carry the dependences of a dynamic program, of a solver's steps, of a sweep in place, and of what is all parallel or all in order.
func TestPatterns(t *testing.T) {
	type at = []irtest.Expr
	for _, c := range []struct {
		name  string
		reads func(r at) [][]any
		want  carried.Loops
	}{
		{"dynamic program", func(r at) [][]any {
			return [][]any{{r[0].Sub(1).Clamp(0, 9), r[1].Sub(1), r[2]}, {r[0], r[1].Sub(1), r[2]}}
		}, carried.Loops{Carrying: []int{1, 2}, Parallel: []int{0}}},
		{"solver", func(r at) [][]any {
			return [][]any{{r[0].Sub(1), r[1], r[2].Sub(1)}, {r[0], r[1].Add(1), r[2].Sub(1)}, {r[0], r[1], r[2]}}
		}, carried.Loops{Carrying: []int{2}, Parallel: []int{0, 1}}},
		{"sweep in place", func(r at) [][]any { return [][]any{{r[0].Sub(1), r[1], r[2]}} }, carried.Loops{}},
		{"its own places", func(r at) [][]any { return [][]any{{r[0], r[1], r[2]}} }, carried.Loops{Carrying: []int{2}, Parallel: []int{0, 1}}},
		{"a place of all", func(r at) [][]any { return [][]any{{0, 0, 0}} }, carried.Loops{}},
	} {
		b := irtest.New()
		f := b.Func("f", []string{"x", "y", "z"}, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 1) })
		f.Update([]irtest.RVar{{Name: "r$x", Min: 1, Extent: 8}, {Name: "r$y", Min: 1, Extent: 8}, {Name: "r$z", Min: 1, Extent: 8}}, func(_, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
			value := b.Const(irtest.F32, 0)
			for _, x := range c.reads(r) {
				value = value.Add(f.At(x...))
			}
			return r, value
		})
		b.Output(f, 9, 9, 9)
		p := b.Build()
		if got := carried.Of(p, access.Analyze(p), 0, 1); !cmp.Equal(got, c.want) {
			t.Errorf("%s: loops %v, want %v", c.name, got, c.want)
		}
	}
}
