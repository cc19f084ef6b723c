package plan

import (
	"slices"
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/internal/irtest"
)

// allBut marks every Func as inlined but some.
func allBut(p *halideir.Pipeline, stored ...int) []bool {
	inlined := make([]bool, len(p.Funcs))
	for i := range inlined {
		inlined[i] = !slices.Contains(stored, i)
	}
	return inlined
}

// TestExpandShares: products of derivatives summed over a window load each derivative
// once a tap, and count each product once, however many sums use it.
func TestExpandShares(t *testing.T) {
	b := irtest.New()
	ix := b.Func("ix", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return v[0].Cast(irtest.F32) })
	iy := b.Func("iy", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return v[1].Cast(irtest.F32) })
	xy := []string{"x", "y"}
	product := func(name string, f, g *irtest.Func) *irtest.Func {
		return b.Func(name, xy, irtest.F32, func(v []irtest.Expr) irtest.Expr { return f.At(v[0], v[1]).Mul(g.At(v[0], v[1])) })
	}
	window := func(name string, f *irtest.Func) *irtest.Func {
		return b.Func(name, xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			sum := f.At(v[0].Sub(1), v[1].Sub(1))
			for i := 1; i < 9; i++ {
				sum = sum.Add(f.At(v[0].Add(i%3-1), v[1].Add(i/3-1)))
			}
			return sum
		})
	}
	sxx, sxy := window("sxx", product("ixx", ix, ix)), window("sxy", product("ixy", ix, iy))
	out := b.Func("out", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return sxx.At(v[0], v[1]).Sub(sxy.At(v[0], v[1])).Mul(sxx.At(v[0], v[1]))
	})
	b.Output(out, 100, 100)
	p := b.Build()
	inlined := allBut(p, ix.ID, iy.ID, out.ID)
	e := ExpandStage(p, access.Analyze(p), inlined, nil, out.ID, 0)
	loads := map[int]int{}
	for _, l := range e.Loads {
		loads[l.Func]++
	}
	if loads[ix.ID] != 9 || loads[iy.ID] != 9 || len(loads) != 2 {
		t.Errorf("loads %v, want 9 of each derivative", loads)
	}
	// 2 windows and 9 products each; out 2, windows 8 each, products 1 each.
	if e.Instances != 20 || e.Ops != 2+2*8+18 || e.Saturated {
		t.Errorf("%d instances, %d operations, saturated %v; want 20, 36", e.Instances, e.Ops, e.Saturated)
	}
	// As a tree: a window is 8 additions of 9 products of 2 loads and their address
	// arithmetic; sxx occurs once in out, which loads it at one place, sxy once.
	if e.Tree < e.Ops+18+18 {
		t.Errorf("the tree has %d operations and loads, fewer than what is shared", e.Tree)
	}
	if want := []int{sxx.ID, sxy.ID}; len(e.Inlined) != 4 || !slices.Contains(e.Inlined, want[0]) || !slices.Contains(e.Inlined, want[1]) {
		t.Errorf("inlined %v", e.Inlined)
	}
}

// TestExpandSaturates: a chain in which every Func reads the one before at many places is
// cut off instead of growing without end.
func TestExpandSaturates(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 4096)
	type source interface{ At(...any) irtest.Expr }
	var last source = in
	var out *irtest.Func
	for i, name := range []string{"a", "b", "c", "d", "e", "f"} {
		src, step := last, 1<<(2*i)
		out = b.Func(name, []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			sum := src.At(v[0])
			for k := 1; k < 4; k++ {
				sum = sum.Add(src.At(v[0].Add(k * step)))
			}
			return sum
		})
		last = out
	}
	b.Output(out, 256)
	p := b.Build()
	inlined := allBut(p, out.ID)
	if e := ExpandStage(p, access.Analyze(p), inlined, nil, out.ID, 0); !e.Saturated || e.Instances > MaxInstances {
		t.Errorf("%d instances, saturated %v", e.Instances, e.Saturated)
	}
}

// TestTreeGrows: a chain whose links share almost everything is small as a graph and
// 3^n as a tree.
func TestTreeGrows(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 4096)
	type source interface{ At(...any) irtest.Expr }
	var last source = in
	var out *irtest.Func
	const n = 12
	for i := range n {
		src := last
		out = b.Func(string(rune('a'+i)), []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return src.At(v[0].Sub(1)).Add(src.At(v[0].Add(1))).Sub(src.At(v[0]))
		})
		last = out
	}
	b.Output(out, 256)
	p := b.Build()
	inlined := allBut(p, out.ID)
	pow := 1
	for range n {
		pow *= 3
	}
	e := ExpandStage(p, access.Analyze(p), inlined, nil, out.ID, 0)
	if e.Tree < pow || e.Ops > 10*n*n || e.Saturated {
		t.Errorf("tree %d, want at least %d; %d operations", e.Tree, pow, e.Ops)
	}
}

// TestSumsOfLoops: a sum of loops is one also where it is seen through inlined Funcs, at other loops.
func TestSumsOfLoops(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 4096, 64)
	diagonal := b.Func("diagonal", []string{"i", "j"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return in.At(v[0].Add(v[1].Mul(3)).Add(1), v[1])
	})
	moved := b.Func("moved", []string{"s", "t"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return diagonal.At(v[0].Sub(v[1]), v[1].Mul(2).Sub(4))
	})
	out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return moved.At(v[0].Add(7), v[1]) })
	b.Output(out, 64, 64)
	p := b.Build()
	e := ExpandStage(p, access.Analyze(p), allBut(p, out.ID), nil, out.ID, 0)
	if len(e.Loads) != 1 {
		t.Fatalf("%d loads, want one", len(e.Loads))
	}
	// x + 7 - y + 3*(2y - 4) + 1
	x := e.Loads[0].Index[0]
	if terms, ok := x.Terms(); !ok || x.Offset != -4 || len(terms) != 2 || terms[0] != (access.Term{Loop: 0, Num: 1}) || terms[1] != (access.Term{Loop: 1, Num: 5}) {
		t.Errorf("%+v, want x + 5y - 4", x)
	}
}

// TestUnknownPlacesDiffer: places that have no affine form are not taken for one place. Each
// of three links reads the one before at two such places: eight loads in the end.
func TestUnknownPlacesDiffer(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 4096)
	type source interface{ At(...any) irtest.Expr }
	var last source = in
	var out *irtest.Func
	for _, name := range []string{"a", "b", "c"} {
		src := last
		out = b.Func(name, []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return src.At(v[0].Mul(v[0]).Clamp(0, 90)).Add(src.At(v[0].Mul(v[0]).Add(1).Clamp(0, 90)))
		})
		last = out
	}
	b.Output(out, 256)
	p := b.Build()
	inlined := allBut(p, out.ID)
	if e := ExpandStage(p, access.Analyze(p), inlined, nil, out.ID, 0); len(e.Loads) != 8 || e.Instances != 6 {
		t.Errorf("%d loads, %d instances; want 8 and 6", len(e.Loads), e.Instances)
	}
}

// TestBeyondClamps: a place behind one clamp and before another is not that of either by itself. What is read of h by g in place of f are as many places as there are, by evaluation of the indices at the border.
func TestBeyondClamps(t *testing.T) {
	const last = 99
	for _, c := range [][2]int64{{1, -1}, {-1, 1}, {2, -1}, {0, 1}, {1, 0}} { // how far f reads g, and g h
		b := irtest.New()
		h := b.Func("h", []string{"x"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return v[0].Mul(v[0]) })
		g := b.Func("g", []string{"x"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return h.At(v[0].Add(c[1]).Clamp(0, last)).Mul(2) })
		f := b.Func("f", []string{"x"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
			return g.At(v[0].Add(c[0]).Clamp(0, last)).Add(h.At(v[0].Add(c[0]+c[1]).Clamp(0, last)))
		})
		b.Output(f, last+1)
		p := b.Build()
		clamp := func(x int64) int64 { return min(max(x, 0), last) }
		places := 1
		for x := int64(-3); x <= last+3; x++ { // the halo of a tile, too
			if clamp(clamp(x+c[0])+c[1]) != clamp(x+c[0]+c[1]) {
				places = 2
			}
		}
		if n := len(ExpandStage(p, access.Analyze(p), allBut(p, h.ID, f.ID), nil, f.ID, 0).Loads); n != places {
			t.Errorf("f reads g %+d, which reads h %+d: %d places, there are %d", c[0], c[1], n, places)
		}
	}
}
