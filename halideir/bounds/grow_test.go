package bounds

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	_ "gowarp/internal/fixedseed"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

func every(int) bool { return true }

// origins are tiles' first points: all residues at the start, and the far end, where a clamp or
// a fixed place is far away.
var origins = []int64{0, 1, 2, 3, 4, 5, 6, 7, 20, outSide - 9, outSide - 10}

const outSide = 48 // extent of the random pipelines' outputs

// randomPipeline draws a DAG of 2 to 7 Funcs over x and y: stencils, up- and
// downsampling, reads that are clamped or transposed or at a constant place.
// The last Func is the output.
func randomPipeline(t *rapid.T) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 4*outSide, 4*outSide)
	type source interface{ At(...any) irtest.Expr }
	sources := []source{in}
	n := rapid.IntRange(2, 7).Draw(t, "funcs")
	for i := range n {
		f := b.Func(fmt.Sprintf("f%d", i), []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			var sum irtest.Expr
			taps := rapid.IntRange(1, 4).Draw(t, "taps")
			for k := range taps {
				// The last Func is always read, so that all form one pipeline.
				src := sources[len(sources)-1]
				if k > 0 {
					src = sources[rapid.IntRange(0, len(sources)-1).Draw(t, "source")]
				}
				e := src.At(index(t, v[0]), index(t, v[1]))
				if rapid.IntRange(0, 9).Draw(t, "transposed") == 0 {
					e = src.At(index(t, v[1]), index(t, v[0]))
				}
				if k == 0 {
					sum = e
				} else {
					sum = sum.Add(e)
				}
			}
			return sum
		})
		sources = append(sources, f)
		if i == n-1 {
			b.Output(f, outSide, outSide)
		}
	}
	return b.Build()
}

func index(t *rapid.T, v irtest.Expr) irtest.Expr {
	off := rapid.IntRange(-3, 3).Draw(t, "offset")
	switch rapid.IntRange(0, 11).Draw(t, "kind") {
	case 0:
		return v.Div(2).Add(off)
	case 1:
		return v.Mul(2).Add(off)
	case 2:
		return v.Add(off).Clamp(0, outSide-1)
	case 3:
		return v.Add(off).Div(3)
	case 4:
		return v.Mul(-1).Add(outSide + off)
	case 5:
		return v.Sub(v.Mod(3)).Add(off)
	case 6:
		return v.Mul(0).Add(5 + off)
	default:
		return v.Add(off)
	}
}

// needed walks a tile point by point and returns the box of each Func that it
// reads: the definition of what Grow computes in closed form.
func needed(t *rapid.T, p *halideir.Pipeline, out int, tile Box) map[int]Box {
	type pt struct{ f, x, y int64 }
	seen := map[pt]bool{}
	boxes := map[int]Box{}
	var visit func(q pt)
	visit = func(q pt) {
		if seen[q] {
			return
		}
		seen[q] = true
		b := boxes[int(q.f)]
		if b == nil {
			b = emptyBox(2)
			boxes[int(q.f)] = b
		}
		b[0], b[1] = b[0].Union(Interval{q.x, q.x}), b[1].Union(Interval{q.y, q.y})
		var walk func(id halideir.NodeID)
		walk = func(id halideir.NodeID) {
			n := &p.Nodes[id]
			for _, a := range n.Args {
				walk(a)
			}
			if n.Op == halideir.OpCall && n.Call == halideir.CallHalide {
				env := halideir.Env{Dim: []int64{q.x, q.y}}
				x, ok1 := p.EvalInt(n.Args[0], env)
				y, ok2 := p.EvalInt(n.Args[1], env)
				if !ok1 || !ok2 {
					t.Fatalf("index of %s has no value", p.Funcs[n.Func].Label)
				}
				visit(pt{int64(n.Func), x, y})
			}
		}
		walk(p.Funcs[q.f].Stages[0].Values[0])
	}
	for x := tile[0].Lo; x <= tile[0].Hi; x++ {
		for y := tile[1].Lo; y <= tile[1].Hi; y++ {
			visit(pt{int64(out), x, y})
		}
	}
	return boxes
}

// TestGrowHoldsEveryTile compares the closed form with a walk over all points: no
// tile at any origin needs more of a Func than Grow says, but for what it marks as loose,
// which few tiles may exceed.
func TestGrowHoldsEveryTile(t *testing.T) {
	exact, beyond, total, all := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := randomPipeline(t)
		r, err := Analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		out := p.Outputs[0]
		grow := NewFits(p, r).Grow(out, 0, nil, every, every)
		tile := []int64{rapid.Int64Range(1, 9).Draw(t, "tx"), rapid.Int64Range(1, 9).Draw(t, "ty")}
		worst := map[int][2]int64{}
		for _, x := range origins {
			for _, y := range origins {
				boxes := needed(t, p, out, Box{{x, x + tile[0] - 1}, {y, y + tile[1] - 1}})
				for f, b := range boxes {
					w := worst[f]
					worst[f] = [2]int64{max(w[0], b[0].Extent()), max(w[1], b[1].Extent())}
				}
			}
		}
		for f, w := range worst {
			for k, g := range grow.Funcs[f] {
				all++
				if !g.Known {
					continue
				}
				size := int64(1)
				if g.Dim >= 0 {
					size = tile[g.Dim]
				}
				got := g.Extent(size)
				if got < w[k] && g.Loose {
					beyond++
				} else if got < w[k] {
					t.Fatalf("%s dimension %d: Grow says %d points for a tile of %v, a tile needs %d (%+v)", p.Funcs[f].Label, k, got, tile, w[k], g)
				}
				total++
				if got == w[k] {
					exact++
				}
			}
		}
	})
	if beyond*20 > total {
		t.Errorf("%d of %d extents are too small beyond a clamp's range", beyond, total)
	}
	if exact*10 < total*7 || total*2 < all {
		t.Errorf("of %d extents %d are known and %d exact; the closed form has become too loose", all, total, exact)
	}
}

// TestRegionsHoldEveryPoint checks the whole-pipeline regions against the same walk.
func TestRegionsHoldEveryPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPipeline(t)
		r, err := Analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		out := p.Outputs[0]
		corner := Box{{outSide - 8, outSide - 1}, {0, 7}}
		for f, b := range needed(t, p, out, corner) {
			for k := range b {
				if !r.Funcs[f][k].Contains(b[k]) {
					t.Fatalf("%s dimension %d: a point reads %v, the region is %v", p.Funcs[f].Label, k, b[k], r.Funcs[f][k])
				}
			}
		}
	})
}

// TestUnionWithAConstantPlace: a Func read at x and at a fixed place has no
// constant footprint, however its box looks at the first tile.
func TestUnionWithAConstantPlace(t *testing.T) {
	for _, at := range []int{0, 24, 47} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, outSide, outSide)
		g := b.Func("g", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0) })
		h := b.Func("h", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return g.At(v[0], v[1]).Add(g.At(at, v[1]))
		})
		b.Output(h, outSide, outSide)
		p := b.Build()
		r, err := Analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		grow := NewFits(p, r).Grow(h.ID, 0, nil, every, every)
		if d := grow.Funcs[g.ID][0]; d.Known {
			t.Errorf("read at x and at %d: growth %+v, want none known", at, d)
		}
		if d := grow.Funcs[g.ID][1]; !d.Known || d.Extent(8) != 8 {
			t.Errorf("dimension y: %+v", d)
		}
	}
}

// TestBoundedMember: what the user fixed with Func::bound is computed whole by every tile.
func TestBoundedMember(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 64, 64, 3)
	g := b.Func("g", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1], v[2]).Mul(2.0) })
	g.Bound("c", 0, 8)
	h := b.Func("h", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return g.At(v[0], v[1], 0).Add(g.At(v[0].Add(1), v[1], 0))
	})
	b.Output(h, 63, 64)
	p := b.Build()
	r, err := Analyze(p)
	if err != nil {
		t.Fatal(err)
	}
	inlined := func(int) bool { return false }
	for _, c := range []struct {
		stored func(int) bool
		want   int64
	}{{every, 8}, {inlined, 1}} {
		d := NewFits(p, r).Grow(h.ID, 0, nil, every, c.stored).Funcs[g.ID][2]
		if !d.Known || d.Extent(8) != c.want {
			t.Errorf("dimension c: %+v, want %d points", d, c.want)
		}
	}
}

// TestWholeDimension: a Func that is read at the point and at a constant moves with no tile; where the reader's dimension is
// fixed and no tile divides it, every tile needs the same part.
func TestWholeDimension(t *testing.T) {
	for _, c := range []struct {
		name        string
		lo, channel int
		bounded     bool
		want        int64 // points; 0: not known
	}{
		{"bounded", 0, 3, true, 4},
		{"between", 0, 1, true, 3},
		{"below", 2, 0, true, 5},
		{"not bounded", 0, 3, false, 0},
	} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 64, 64, 8)
		g := b.Func("g", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1], v[2]).Mul(2.0) })
		h := b.Func("h", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return g.At(v[0], v[1], v[2]).Add(g.At(v[0].Add(1), v[1], c.channel))
		})
		b.Output(h, 63, 64, 3)
		if c.bounded {
			h.Bound("c", int64(c.lo), 3)
		}
		p := b.Build()
		r, err := Analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		fits := NewFits(p, r)
		channels := func(dim int) bool { return dim == 2 }
		if d := fits.Grow(h.ID, 0, nil, every, every).Funcs[g.ID][2]; d.Known {
			t.Errorf("%s: of a tile of channels %+v is needed, want unknown", c.name, d)
		}
		d := fits.Grow(h.ID, 0, channels, every, every).Funcs[g.ID][2]
		if d.Known != (c.want > 0) || d.Known && (d.Dim >= 0 || !d.Provable() || !d.Fixed || d.Extent(1) != c.want) {
			t.Errorf("%s: of all channels %+v is needed, want %d points", c.name, d, c.want)
		}
		if x := fits.Grow(h.ID, 0, channels, every, every).Funcs[g.ID][0]; !x.Known || x.Dim != 0 || x.Extent(8) != 9 {
			t.Errorf("%s: of a tile of 8 columns %+v is needed, want 9", c.name, x)
		}
	}
}

// TestOverflow: divisions one after the other multiply; beyond what int64 holds there is no form.
func TestOverflow(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 640)
	type source interface{ At(...any) irtest.Expr }
	var last source = in
	var out *irtest.Func
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		src := last
		out = b.Func(name, []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return src.At(v[0].Div(65536)) })
		last = out
	}
	b.Output(out, 640)
	p := b.Build()
	r, err := Analyze(p)
	if err != nil {
		t.Fatal(err)
	}
	for id, gs := range NewFits(p, r).Grow(out.ID, 0, nil, every, every).Funcs {
		for _, g := range gs {
			if g.Known && (g.Den <= 0 || g.Extent(8) < 1) {
				t.Errorf("Func %d: %+v", id, g)
			}
		}
	}
}

// TestTrust: what Halide will not come to by itself is marked, however plain the exported box is.
func TestTrust(t *testing.T) {
	for name, c := range map[string]struct {
		index    func(v irtest.Expr) irtest.Expr
		provable bool
	}{
		"shift":     {func(v irtest.Expr) irtest.Expr { return v.Add(1) }, true},
		"double":    {func(v irtest.Expr) irtest.Expr { return v.Mul(2).Sub(1) }, true},
		"half":      {func(v irtest.Expr) irtest.Expr { return v.Div(2) }, false},
		"remainder": {func(v irtest.Expr) irtest.Expr { return v.Add(v.Mod(2)) }, false},
		"clamp":     {func(v irtest.Expr) irtest.Expr { return v.Add(1).Clamp(0, 47) }, false},
	} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 200)
		g := b.Func("g", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0]).Mul(2.0) })
		h := b.Func("h", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return g.At(c.index(v[0])) })
		b.Output(h, 48)
		p := b.Build()
		r, err := Analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		if d := NewFits(p, r).Grow(h.ID, 0, nil, every, every).Funcs[g.ID][0]; !d.Known || d.Provable() != c.provable {
			t.Errorf("%s: %+v, provable %v", name, d, d.Provable())
		}
	}
}

// TestWhole: of a dimension that is computed whole, Halide comes to what is needed of others through any clamp and remainder, if no data say where; it is what brute force finds.
func TestWhole(t *testing.T) {
	for name, c := range map[string]struct {
		index    func(in *irtest.Input, v []irtest.Expr) irtest.Expr
		at       func(x int64) int64
		provable bool
	}{
		"neighbours": {func(_ *irtest.Input, v []irtest.Expr) irtest.Expr {
			return v[0].Mod(2).EQ(0).Select(v[0].Add(1), v[0].Sub(1)).Clamp(0, 7)
		}, func(x int64) int64 { return min(max(x+1-2*(x%2), 0), 7) }, true},
		"turned":    {func(_ *irtest.Input, v []irtest.Expr) irtest.Expr { return v[0].Add(3).Mod(8) }, func(x int64) int64 { return (x + 3) % 8 }, true},
		"looked up": {func(in *irtest.Input, v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Clamp(0, 7) }, nil, false},
	} {
		b := irtest.New()
		in := b.Input("in", irtest.I32, 8, 64)
		g := b.Func("g", []string{"c", "x"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2) })
		h := b.Func("h", []string{"c", "x"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return g.At(c.index(in, v), v[1]) })
		b.Output(h, 8, 64)
		h.Bound("c", 0, 8)
		p := b.Build()
		r, err := Analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		d := NewFits(p, r).Grow(h.ID, 0, func(dim int) bool { return dim == 0 }, every, every).Funcs[g.ID][0]
		if !d.Known || d.Dim >= 0 || d.Provable() != c.provable {
			t.Errorf("%s: %+v, provable %v", name, d, d.Provable())
		}
		for x := int64(0); c.at != nil && x < 8; x++ {
			if at := c.at(x); at < d.Lo || at > d.Hi {
				t.Errorf("%s: %d is read, and [%d, %d] is said to be needed", name, at, d.Lo, d.Hi)
			}
		}
		if at, ok := r.Constant(p, h.ID, 0); !ok || at != (Interval{0, 7}) {
			t.Errorf("%s: an output whose author says where it is is %v %v in every run", name, at, ok)
		}
	}
}

// TestNowhere: what is read under a condition that never holds (r < 0 for r from 0 on) has no points, and room for one.
func TestNowhere(t *testing.T) {
	if n := (Growth{Dim: -1, Num: 1, Den: 1, Lo: 0, Hi: -1, Known: true}).Extent(8); n != 1 {
		t.Errorf("room for %d points", n)
	}
}
