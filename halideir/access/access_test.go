package access_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "gowarp/internal/fixedseed"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/internal/irtest"
)

type expr = irtest.Expr

// one analyses out(x, y) = def, with a Func g and an input in of two
// dimensions to read.
func one(def func(b *irtest.Builder, g *irtest.Func, in *irtest.Input, x, y expr) expr) (*access.Stage, *halideir.Pipeline, *access.Analysis) {
	b := irtest.New()
	in := b.Input("in", irtest.U8, 100, 100)
	g := b.Func("g", []string{"x", "y"}, irtest.I32, func(v []expr) expr { return in.At(v[0], v[1]).Cast(irtest.I32) })
	out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []expr) expr { return def(b, g, in, v[0], v[1]) })
	b.Output(out, 100, 100)
	p := b.Build()
	a := access.Analyze(p)
	return a.Stage(1, 0), p, a
}

func TestIndex(t *testing.T) {
	affine := func(loop int, num, den, offset int64) access.Index {
		return access.Index{Kind: access.Affine, Loop: loop, Num: num, Den: den, Offset: offset, Loops: 1 << loop}
	}
	clamped := func(x access.Index) access.Index { x.Clamped = true; return x }
	likely := func(x access.Index) access.Index { x.Clamped, x.Likely = true, true; return x }
	unknown := func(loops uint64) access.Index { return access.Index{Loop: -1, Den: 1, Loops: loops} }
	sum := func(offset int64, terms ...access.Term) access.Index {
		x := unknown(3)
		x.Offset = offset
		copy(x.Sum[:], terms)
		return x
	}
	for name, c := range map[string]struct {
		index func(in *irtest.Input, x, y expr) expr
		want  access.Index
	}{
		"x":            {func(_ *irtest.Input, x, _ expr) expr { return x }, affine(0, 1, 1, 0)},
		"y-2":          {func(_ *irtest.Input, _, y expr) expr { return y.Sub(2) }, affine(1, 1, 1, -2)},
		"2x+3":         {func(_ *irtest.Input, x, _ expr) expr { return x.Mul(2).Add(3) }, affine(0, 2, 1, 3)},
		"x+x+1":        {func(_ *irtest.Input, x, _ expr) expr { return x.Add(x.Add(1)) }, affine(0, 2, 1, 1)},
		"(x+1)/2":      {func(_ *irtest.Input, x, _ expr) expr { return x.Add(1).Div(2) }, affine(0, 1, 2, 1)},
		"x/2/3":        {func(_ *irtest.Input, x, _ expr) expr { return x.Div(2).Div(3) }, affine(0, 1, 6, 0)},
		"x/2-1":        {func(_ *irtest.Input, x, _ expr) expr { return x.Div(2).Sub(1) }, affine(0, 1, 2, -2)},
		"(4x+3)/2":     {func(_ *irtest.Input, x, _ expr) expr { return x.Mul(4).Add(3).Div(2) }, affine(0, 2, 1, 1)},
		"99-x":         {func(_ *irtest.Input, x, _ expr) expr { return x.Mul(-1).Add(99) }, affine(0, -1, 1, 99)},
		"-(x/2)":       {func(_ *irtest.Input, x, _ expr) expr { return x.Div(2).Mul(0).Sub(x.Div(2)) }, unknown(1)},
		"x-x":          {func(_ *irtest.Input, x, _ expr) expr { return x.Sub(x) }, access.Index{Kind: access.Constant, Loop: -1, Den: 1, Loops: 1}},
		"7":            {func(_ *irtest.Input, x, _ expr) expr { return x.Mul(0).Add(7) }, access.Index{Kind: access.Constant, Loop: -1, Den: 1, Offset: 7, Loops: 1}},
		"x+y":          {func(_ *irtest.Input, x, y expr) expr { return x.Add(y) }, sum(0, access.Term{Loop: 0, Num: 1}, access.Term{Loop: 1, Num: 1})},
		"3-2(y+4)+x":   {func(_ *irtest.Input, x, y expr) expr { return y.Add(4).Mul(-2).Add(3).Add(x) }, sum(-5, access.Term{Loop: 0, Num: 1}, access.Term{Loop: 1, Num: -2})},
		"(x+y)/2":      {func(_ *irtest.Input, x, y expr) expr { return x.Add(y).Div(2) }, unknown(3)},
		"x+y-x":        {func(_ *irtest.Input, x, y expr) expr { return x.Add(y).Sub(x) }, unknown(3)},
		"clamped sum":  {func(_ *irtest.Input, x, y expr) expr { return x.Add(y).Clamp(0, 99) }, clamped(sum(0, access.Term{Loop: 0, Num: 1}, access.Term{Loop: 1, Num: 1}))},
		"x%4":          {func(_ *irtest.Input, x, _ expr) expr { return x.Mod(4) }, unknown(1)},
		"x*x":          {func(_ *irtest.Input, x, _ expr) expr { return x.Mul(x) }, unknown(1)},
		"(x/2)*2":      {func(_ *irtest.Input, x, _ expr) expr { return x.Div(2).Mul(2) }, unknown(1)},
		"clamp":        {func(_ *irtest.Input, x, _ expr) expr { return x.Sub(1).Likely().Clamp(0, 99) }, likely(affine(0, 1, 1, -1))},
		"uint8":        {func(_ *irtest.Input, x, _ expr) expr { return x.Cast(irtest.U8).Cast(irtest.I32) }, unknown(1)},
		"int64":        {func(_ *irtest.Input, x, _ expr) expr { return x.Cast(irtest.I64).Add(1).Cast(irtest.I32) }, unknown(1)},
		"let":          {func(_ *irtest.Input, x, _ expr) expr { return x.Add(1).Let("t", func(v expr) expr { return v.Mul(2) }) }, affine(0, 2, 1, 2)},
		"mirror":       {func(_ *irtest.Input, x, _ expr) expr { return x.LT(0).Select(x.Mul(-1), x.Likely().Clamp(0, 99)) }, likely(affine(0, 1, 1, 0))},
		"either":       {func(_ *irtest.Input, x, y expr) expr { return y.LT(3).Select(x, x.Add(1)) }, unknown(3)},
		"huge":         {func(_ *irtest.Input, x, _ expr) expr { return x.Mul(1 << 29).Mul(8) }, unknown(1)},
		"input extent": {func(in *irtest.Input, x, _ expr) expr { return in.Bound(0, "extent").Sub(1).Sub(x) }, access.Index{Kind: access.Affine, Loop: 0, Num: -1, Den: 1, Offset: 99, Loops: 1, Estimated: true}},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := one(func(_ *irtest.Builder, g *irtest.Func, in *irtest.Input, x, y expr) expr {
				return g.At(c.index(in, x, y), 0).Cast(irtest.F32)
			})
			if len(s.Loads) != 1 || s.Loads[0].Index[0] != c.want {
				t.Errorf("%+v\nwant %+v", s.Loads, c.want)
			}
		})
	}
}

// TestIndexValues: what Analyze says of a random index is what the index is.
func TestIndexValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 8), 1, 8).Draw(t, "steps")
		consts := rapid.SliceOfN(rapid.IntRange(-5, 5), len(steps), len(steps)).Draw(t, "constants")
		var id halideir.NodeID
		s, p, _ := one(func(_ *irtest.Builder, g *irtest.Func, _ *irtest.Input, x, y expr) expr {
			e := x
			for i, k := range steps {
				c := consts[i]
				switch k {
				case 0:
					e = e.Add(c)
				case 1:
					e = e.Mul(c)
				case 2:
					e = e.Div(c)
				case 3:
					e = e.Sub(x)
				case 4:
					e = x.Add(c).Sub(e)
				case 5:
					e = e.Mul(-1)
				case 7:
					e = e.Add(y.Mul(c))
				case 8:
					e = y.Sub(e)
				case 6:
					e = e.Let("t"+string(rune('a'+i)), func(v expr) expr { return v.Add(v) })
				}
			}
			id = e.ID()
			return g.At(e, y).Cast(irtest.F32)
		})
		form := s.Loads[0].Index[0]
		for at := range int64(19 * 19) {
			dims := []int64{at%19 - 9, at/19 - 9}
			want, ok := p.EvalInt(id, halideir.Env{Dim: dims})
			got := form.Offset
			switch {
			case form.IsSum():
				for _, term := range form.Sum {
					got += term.Num * dims[term.Loop]
				}
			case form.Kind == access.Unknown:
				return
			case form.Kind == access.Affine:
				got, _ = halideir.DivEuclid(form.Num*dims[form.Loop]+form.Offset, form.Den)
			}
			if !ok || got != want {
				t.Fatalf("at %v: %d, want %d (%v): %+v", dims, got, want, ok, form)
			}
		}
	})
}

func TestOps(t *testing.T) {
	s, _, _ := one(func(b *irtest.Builder, g *irtest.Func, in *irtest.Input, x, y expr) expr {
		a := g.At(x.Add(1), y)                  // one address operation
		f := a.Mul(a).Cast(irtest.F32)          // int32 mul, cast; a is loaded once
		lookup := g.At(in.At(x, y), y)          // a cast in the address, and a load there
		h := f.Call("exp_f32").Add(f.Max(0.))   // special, max, add
		return lookup.GT(3).Select(h, h.Sub(f)) // compare of int32, select, sub
	})
	count := func(o access.Ops, want map[access.Class]map[access.Kind]int) {
		t.Helper()
		total := 0
		for c := range access.NumClasses {
			for k := range access.NumKinds {
				total += want[c][k]
				if o.Count[c][k] != want[c][k] {
					t.Errorf("%s of %s: %d, want %d", c, k, o.Count[c][k], want[c][k])
				}
			}
		}
		if o.Total() != total {
			t.Errorf("total %d, want %d", o.Total(), total)
		}
	}
	f32 := func(n int) map[access.Kind]int { return map[access.Kind]int{access.Float32: n} }
	i32 := map[access.Kind]int{access.Int32: 1}
	count(s.Value, map[access.Class]map[access.Kind]int{
		access.AddSub: f32(2), access.Mul: i32, access.Cast: f32(1), access.MinMax: f32(1),
		access.Special: f32(1), access.Compare: i32, access.Select: f32(1),
	})
	count(s.Address, map[access.Class]map[access.Kind]int{access.AddSub: i32, access.Cast: i32})
	if s.Value.Special["exp"] != 1 {
		t.Errorf("special functions: %v", s.Value.Special)
	}
	if len(s.Loads) != 3 || s.Bytes != 4 || s.Copy {
		t.Errorf("loads %+v, %d bytes, copy %v", s.Loads, s.Bytes, s.Copy)
	}
	for _, l := range s.Loads {
		if l.InAddress != (l.Input == 0) {
			t.Errorf("load %+v", l)
		}
	}
}

// TestHarris: the stencils of a real shape, and who reads whom.
func TestHarris(t *testing.T) {
	p := irtest.Harris(1536, 2560)
	a := access.Analyze(p)
	id := map[string]int{}
	for i := range p.Funcs {
		id[p.Funcs[i].Label] = i
	}
	ix := a.Stage(id["Ix"], 0)
	if len(ix.Loads) != 6 || ix.Pointwise(id["gray"]) || !ix.Reads(id["gray"]) {
		t.Errorf("Ix: %d loads of gray, want 6, not pointwise", len(ix.Loads))
	}
	if s := a.Stage(id["Ixy"], 0); !s.Pointwise(id["Ix"]) || !s.Pointwise(id["Iy"]) || s.Pointwise(id["gray"]) || s.Value.Total() != 1 {
		t.Errorf("Ixy: %+v", s)
	}
	if s := a.Stage(id["gray"], 0); len(s.Loads) != 3 || s.PointwiseInput(0) {
		t.Errorf("gray: %+v", s)
	}
	// 8 additions of 9 distinct points.
	if s := a.Stage(id["Sxx"], 0); s.Value.Class(access.AddSub) != 8 || len(s.LoadsOf(id["Ixx"])) != 9 {
		t.Errorf("Sxx: %+v", s.Value)
	}
	refs := func(names ...string) (out []access.StageRef) {
		for _, n := range names {
			out = append(out, access.StageRef{Func: id[n]})
		}
		return out
	}
	if got := a.Consumers(id["Ix"]); !slices.Equal(got, refs("Ixx", "Ixy")) {
		t.Errorf("consumers of Ix: %v", got)
	}
	if got := a.Producers(id["harris"]); !slices.Equal(got, []int{id["Sxx"], id["Syy"], id["Sxy"]}) {
		t.Errorf("producers of harris: %v", got)
	}
	if got := a.ConsumersOfInput(0); !slices.Equal(got, refs("gray")) {
		t.Errorf("consumers of the input: %v", got)
	}
}

func TestCopy(t *testing.T) {
	for name, c := range map[string]struct {
		def  func(b *irtest.Builder, g *irtest.Func, in *irtest.Input, x, y expr) expr
		want bool
	}{
		"transpose": {func(_ *irtest.Builder, g *irtest.Func, _ *irtest.Input, x, y expr) expr { return g.At(y, x) }, true},
		"constant edge": {func(b *irtest.Builder, g *irtest.Func, _ *irtest.Input, x, y expr) expr {
			return x.LT(0).Select(b.Int(0), g.At(x.Clamp(0, 9), y))
		}, true},
		"likely": {func(_ *irtest.Builder, g *irtest.Func, _ *irtest.Input, x, y expr) expr { return g.At(x, y).Likely() }, true},
		"data decides": {func(b *irtest.Builder, g *irtest.Func, _ *irtest.Input, x, y expr) expr {
			return g.At(x, y).LT(0).Select(b.Int(0), g.At(x, y))
		}, false},
		"sum":      {func(_ *irtest.Builder, g *irtest.Func, _ *irtest.Input, x, y expr) expr { return g.At(x, y).Add(1) }, false},
		"constant": {func(b *irtest.Builder, _ *irtest.Func, _ *irtest.Input, _, _ expr) expr { return b.Int(3) }, false},
	} {
		b := irtest.New()
		in := b.Input("in", irtest.I32, 100, 100)
		g := b.Func("g", []string{"x", "y"}, irtest.I32, func(v []expr) expr { return in.At(v[0], v[1]) })
		out := b.Func("out", []string{"x", "y"}, irtest.I32, func(v []expr) expr { return c.def(b, g, in, v[0], v[1]) })
		b.Output(out, 100, 100)
		a := access.Analyze(b.Build())
		if got := a.Stage(1, 0).Copy; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if !a.Stage(0, 0).Copy || !a.Stage(0, 0).PointwiseInput(0) {
			t.Errorf("%s: g is not a pointwise copy", name)
		}
	}
}

func TestExtern(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 100)
	f := b.Func("f", []string{"x"}, irtest.F32, func(v []expr) expr { return in.At(v[0]) })
	e := b.Extern("e", []string{"x"}, irtest.F32, f, in)
	b.Output(e, 100)
	a := access.Analyze(b.Build())
	if a.Stage(1, 0) != nil {
		t.Error("an extern Func has a stage")
	}
	if got := a.Consumers(0); !slices.Equal(got, []access.StageRef{{Func: 1}}) {
		t.Errorf("consumers %v", got)
	}
	if got := a.ConsumersOfInput(0); len(got) != 2 {
		t.Errorf("consumers of the input %v", got)
	}
}

// TestDeep: a stage of 20,000 levels and 2^60 paths.
func TestDeep(t *testing.T) {
	s, _, _ := one(func(_ *irtest.Builder, g *irtest.Func, _ *irtest.Input, x, y expr) expr {
		e := g.At(x, y).Cast(irtest.F32)
		for range 20_000 {
			e = e.Mul(e)
		}
		return e
	})
	if got := s.Value.Class(access.Mul); got != 20_000 {
		t.Errorf("%d multiplications", got)
	}
}

// Names of lets are unique in a definition, not in a pipeline.
func TestLetsOfOneName(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 100)
	twice := func(v expr) expr { return v.Mul(2) }
	f := b.Func("f", []string{"x"}, irtest.F32, func(v []expr) expr { return in.At(v[0].Add(1).Let("t", twice)) })
	g := b.Func("g", []string{"x"}, irtest.F32, func(v []expr) expr { return f.At(v[0].Sub(3).Let("t", twice)) })
	b.Output(g, 40)
	p := b.Build()
	a := access.Analyze(p)
	for fn, want := range []int64{2, -6} {
		if x := a.Stage(fn, 0).Loads[0].Index[0]; x.Kind != access.Affine || x.Num != 2 || x.Offset != want {
			t.Errorf("Func %d reads at %+v, not at 2x%+d", fn, x, want)
		}
	}
	// A variable that is in both lets is neither's.
	first := slices.IndexFunc(p.Nodes, func(n halideir.Node) bool { return n.Kind == halideir.VarLet && n.Op == halideir.OpVar })
	for i := range p.Nodes {
		for j, arg := range p.Nodes[i].Args {
			if n := &p.Nodes[arg]; n.Op == halideir.OpVar && n.Kind == halideir.VarLet {
				p.Nodes[i].Args[j] = halideir.NodeID(first)
			}
		}
	}
	for fn := range 2 {
		if x := access.Analyze(p).Stage(fn, 0).Loads[0].Index[0]; x.Kind != access.Unknown {
			t.Errorf("one variable: Func %d reads at %+v", fn, x)
		}
	}
}

// TestPlaces: what says where something is accessed does so however far behind, and not what is only a value.
func TestPlaces(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.U8, 100, 100)
	args := []string{"x", "y"}
	whole := func(v []expr) expr { return in.At(v[0], v[1]).Cast(irtest.I32) }
	far := b.Func("far", args, irtest.I32, whole)
	near := b.Func("near", args, irtest.I32, func(v []expr) expr { return far.At(v[0], v[1]).Add(1) })
	value := b.Func("value", args, irtest.I32, whole)
	table := b.Func("table", args, irtest.I32, whole)
	out := b.Func("out", args, irtest.I32, func(v []expr) expr {
		return table.At(near.At(v[0], v[1]), v[1]).Add(value.At(v[0], v[1]))
	})
	b.Output(out, 100, 100)
	if got, want := access.Places(b.Build()), []bool{true, true, false, false, false}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLetsOfOneVariable: a variable that several lets of one value bind is that value; one that lets of several values bind is nothing known, in whichever order they stand.
func TestLetsOfOneVariable(t *testing.T) {
	for others, want := range map[string]access.IndexKind{"": access.Affine, "same": access.Affine, "same same": access.Affine, "other": access.Unknown, "same other": access.Unknown, "other same": access.Unknown} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 64)
		f := b.Func("f", []string{"x"}, irtest.F32, func(v []expr) expr {
			return in.At(v[0].Add(1).Let("t", func(of expr) expr { return of.Mul(2) }))
		})
		b.Output(f, 16)
		p := b.Build()
		let := slices.IndexFunc(p.Nodes, func(n halideir.Node) bool { return n.Op == halideir.OpLet })
		for _, of := range strings.Fields(others) {
			n := p.Nodes[let]
			if n.Args = slices.Clone(n.Args); of == "other" {
				n.Args[0] = p.Nodes[n.Args[0]].Args[0]
			}
			p.Nodes = append(p.Nodes, n)
		}
		if got := access.Analyze(p).Stage(f.ID, 0).Loads[0].Index[0]; got.Kind != want {
			t.Errorf("with %q: %+v", others, got)
		}
	}
}
