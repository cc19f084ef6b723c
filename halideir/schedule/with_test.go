package schedule

import (
	"strings"
	"testing"

	"gowarp/internal/irtest"
)

// TestComputeWith: two Funcs run in one kernel's blocks where neither needs the other and the loops are alike; each form that Halide 21 gets wrong or refuses is
// an error that says why.
func TestComputeWith(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1024, 1024)
	args := []string{"x", "y"}
	k := b.Func("k", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(3.0) })
	f := b.Func("f", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0).Add(k.At(v[0], v[1])) })
	g := b.Func("g", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0].Add(1), v[1]).Mul(2.0) })
	after := b.Func("after", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return f.At(v[0], v[1]).Mul(0.5) })
	late := b.Func("late", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return g.At(v[0], v[1]).Mul(0.5) })
	early := b.Func("early", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return after.At(v[0], v[1]).Mul(0.5) })
	out := b.Func("out", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return early.At(v[0], v[1]).Add(late.At(v[0], v[1])).Add(f.At(v[0].Add(1), v[1]))
	})
	b.Output(out, 1000, 1000)
	p := b.Build()
	do := func(fn int, do Do, n int64, vars ...string) Directive {
		return Directive{Do: do, Func: fn, Name: p.Funcs[fn].Label, Vars: vars, N: n}
	}
	tiled := func(fn int, tile int64, more ...Directive) []Directive {
		return append([]Directive{do(fn, ComputeRoot, 0), do(fn, Split, tile, "x", "xo", "xi"), do(fn, Split, 4, "y", "yo", "yi"), do(fn, Reorder, 0, "xi", "yi", "xo", "yo"), do(fn, GPUBlocks, 0, "xo", "yo")}, more...)
	}
	with := func(fn, of int, loop string) Directive {
		return Directive{Do: ComputeWith, Func: fn, Name: p.Funcs[fn].Label, At: &Level{Func: of, Name: p.Funcs[of].Label, Var: loop}}
	}
	at := func(fn, of int, loop string) Directive {
		return Directive{Do: ComputeAt, Func: fn, Name: p.Funcs[fn].Label, At: &Level{Func: of, Name: p.Funcs[of].Label, Var: loop}}
	}
	join := func(parts ...[]Directive) (all []Directive) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	roots := join(tiled(f.ID, 32), tiled(g.ID, 32), tiled(after.ID, 32), tiled(late.ID, 32), tiled(early.ID, 32))
	for _, c := range []struct {
		name string
		list []Directive
		want string // empty: it is right
	}{
		{"side by side", join(roots, []Directive{with(g.ID, f.ID, "xo")}), ""},
		{"tiles that differ are guarded apart", join(tiled(f.ID, 32), tiled(g.ID, 16), []Directive{with(g.ID, f.ID, "xo")}), ""},
		{"several", join(roots, []Directive{with(g.ID, f.ID, "xo"), with(late.ID, after.ID, "xo")}), ""},
		{"a reader", join(roots, []Directive{with(after.ID, f.ID, "xo")}), "needs what comes of it"},
		{"what is read", join(roots, []Directive{with(f.ID, after.ID, "xo")}), "needs what comes of it"},
		{"a reader of what reads it", join(roots, []Directive{with(early.ID, f.ID, "xo")}), "needs what comes of it"},
		{"in a circle of two", join(roots, []Directive{with(late.ID, f.ID, "xo"), with(g.ID, after.ID, "xo")}), "needs what comes of it"},
		{"over threads", join(roots, []Directive{with(g.ID, f.ID, "xi")}), "not the same loops over blocks"},
		{"no loop of it", join(roots, []Directive{with(g.ID, f.ID, "z")}), `both need a loop "z"`},
		{"itself", join(roots, []Directive{with(g.ID, g.ID, "xo")}), "not its own neighbour"},
		{"in a chain", join(roots, []Directive{with(g.ID, f.ID, "xo"), with(early.ID, g.ID, "xo")}), "itself; name those"},
		{"twice", join(roots, []Directive{with(g.ID, f.ID, "xo"), with(g.ID, f.ID, "xo")}), "already"},
		{"inlined", []Directive{with(g.ID, f.ID, "xo")}, "is not computed at root"},
		{"with a member", join(roots, []Directive{at(k.ID, f.ID, "xo"), with(g.ID, f.ID, "xo")}), "does not tell apart"},
		{"other loops", join(tiled(f.ID, 32), []Directive{do(g.ID, ComputeRoot, 0), do(g.ID, GPUBlocks, 0, "x", "y")}, []Directive{with(g.ID, f.ID, "xo")}), `both need a loop "xo"`},
		{"a Func that is not there", join(roots, []Directive{{Do: ComputeWith, Func: g.ID, Name: "g", At: &Level{Func: 99, Name: "f", Var: "xo"}}}), "no such stage"},
		{"another's name", join(roots, []Directive{{Do: ComputeWith, Func: g.ID, Name: "g", At: &Level{Func: f.ID, Name: "k", Var: "xo"}}}), "is f in this pipeline"},
	} {
		s := &Schedule{Directives: c.list}
		err := s.Check(p)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if c.want != "" {
			continue
		}
		again, err := Decode(s.JSON())
		if err != nil || again.CPlusPlus(p) != s.CPlusPlus(p) {
			t.Errorf("%s: read back from JSON it is another schedule (%v)", c.name, err)
		}
		if text := s.CPlusPlus(p); !strings.Contains(text, ".compute_with(") {
			t.Errorf("%s: no compute_with in\n%s", c.name, text)
		}
	}
}

// TestComputeWithShown: the tree and the table say whose launch a kernel runs in.
func TestComputeWithShown(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1024, 1024)
	args := []string{"x", "y"}
	one := b.Func("one", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0) })
	two := b.Func("two", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0].Add(1), v[1]).Mul(3.0) })
	out := b.Func("out", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return one.At(v[0], v[1]).Add(two.At(v[0], v[1])) })
	b.Output(out, 1000, 1000)
	p := b.Build()
	s := &Schedule{}
	for _, f := range []int{one.ID, two.ID} {
		name := p.Funcs[f].Label
		s.Directives = append(s.Directives, Directive{Do: ComputeRoot, Func: f, Name: name}, Directive{Do: GPUBlocks, Func: f, Name: name, Vars: []string{"x", "y"}})
		s.Kernels = append(s.Kernels, Kernel{Func: f, Name: name, Strategy: "root"})
	}
	s.Directives = append(s.Directives, Directive{Do: ComputeWith, Func: two.ID, Name: "two", At: &Level{Func: one.ID, Name: "one", Var: "x"}})
	var tree, table strings.Builder
	if err := s.Tree(&tree, p); err != nil {
		t.Fatal(err)
	}
	if err := s.Table(&table); err != nil {
		t.Fatal(err)
	}
	if got := tree.String(); !strings.Contains(got, "kernel two  root") || strings.Count(got, "in the launch of one") != 1 {
		t.Errorf("the tree does not say so once:\n%s", got)
	}
	if got := table.String(); !strings.Contains(got, "root with one") {
		t.Errorf("the table does not say so:\n%s", got)
	}
}
