package autoscheduler

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"gowarp/autoscheduler/instructions"
	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// tap is how far from its own place a point reads, at how large a step.
type tap struct{ x, y, step int64 }

// distinct is how many sectors a block of points at (x, y) touches of an image whose rows are so long, point by point.
func distinct(taps []tap, x, y, width, height, row, bytes int64) float64 {
	seen := map[int64]bool{}
	for j := range height {
		for i := range width {
			for _, t := range taps {
				at := ((t.step*(y+j)+t.y)*row + t.step*(x+i) + t.x) * bytes
				seen[at/instructions.SectorBytes] = true
			}
		}
	}
	return float64(len(seen))
}

// TestSectorsOfBlocks: the sectors of a block that keeps what it loads are those that its points touch, enumerated one by one, and those of what it stores. Rows that begin anywhere
// in a sector are estimated on average, and what lies between taps counts as touched, so that an estimate may be off by a row's ends; where all begin with a sector it is exact.
func TestSectorsOfBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]halideir.Type{irtest.U8, irtest.U16, irtest.F32}).Draw(t, "type")
		bytes := typ.Bytes()
		step := rapid.Int64Range(1, 2).Draw(t, "step")
		taps := []tap{{0, 0, step}}
		dense := rapid.Int64Range(1, 3).Draw(t, "taps in a row") // a window without gaps
		for x := range dense {
			taps = append(taps, tap{x, 0, step}, tap{x, 1, step})
		}
		across := rapid.SampledFrom([]int64{8, 16, 32, 64}).Draw(t, "threads across")
		down := max(rapid.SampledFrom([]int64{1, 2, 4, 8}).Draw(t, "threads down"), plan.WarpLanes/across)
		aligned := rapid.Bool().Draw(t, "rows are whole sectors")
		size := int64(512)
		row := step*size + 64
		if !aligned {
			row += 3
		}
		b := irtest.New()
		in := b.Input("in", typ, row, step*size+8)
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			var sum irtest.Expr
			for i, p := range taps {
				e := in.At(v[0].Mul(int(step)).Add(int(p.x)), v[1].Mul(int(step)).Add(int(p.y))).Cast(irtest.F32)
				if i == 0 {
					sum = e
				} else {
					sum = sum.Add(e)
				}
			}
			return sum
		})
		b.Output(out, size, size)
		w, _ := estimated(t, b.Build(), Way{Choice: plan.Choice{Strategy: "root", Tile: []int64{across, down}}})
		stored := float64(down) * math.Max(1, float64(across*4)/instructions.SectorBytes)
		got := w.Sectors - stored
		// Blocks in the middle, of which those side by side begin elsewhere in a sector.
		want, blocks := 0.0, 0.0
		for by := int64(4); by < 12; by++ {
			for bx := int64(2); bx < 6; bx++ {
				want += distinct(taps, bx*across, by*down, across, down, row, bytes)
				blocks++
			}
		}
		want /= blocks
		rows := float64(2*down) + 1
		if exact := aligned && step*across*bytes%instructions.SectorBytes == 0; exact && step == 1 && math.Abs(got-want) > 1e-9 || math.Abs(got-want) > rows {
			t.Fatalf("%.2f sectors estimated for %.2f of a block of %dx%d", got, want, across, down)
		}
	})
}

// TestSectorsOfTurns: four rows of threads that walk along a product of matrices share the rows and columns that they read, so that a block of 32x4 sums reads less than four of 32x1.
func TestSectorsOfTurns(t *testing.T) {
	const n = 512
	sectors := func(down int64) float64 {
		w, k := estimated(t, product(n), Way{Stage: 1, Choice: plan.Choice{Strategy: "root", Tile: []int64{32, down}}})
		return w.Sectors * float64(k.Tiles())
	}
	// Of a row of threads: n rows of four sectors of the right matrix and one row of n/8 of the left; of four the same and four.
	one, four := sectors(1), sectors(4)
	if want := (4*n + 4*n/8.) / (4 * (4*n + n/8.)); math.Abs(four/one-want) > .02 {
		t.Errorf("%.3f of the sectors with four rows of threads, want %.3f", four/one, want)
	}
}

// TestSectorsOfCells: points that share cells of a coarse image (at x / n, y / n of it) load the cells of their block, enumerated one by one, however many points look at one, and whatever plane the data say.
func TestSectorsOfCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.SampledFrom([]int64{2, 4, 8, 16}).Draw(t, "points a cell")
		planes := rapid.Int64Range(1, 3).Draw(t, "planes")
		across := rapid.SampledFrom([]int64{32, 64}).Draw(t, "threads across")
		down := rapid.SampledFrom([]int64{1, 2, 4, 8}).Draw(t, "threads down")
		const size = 512
		row := size/cell + 1
		b := irtest.New()
		in := b.Input("in", irtest.F32, size, size)
		coarse := b.Input("coarse", irtest.F32, row, row, planes)
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			plane := in.At(v[0], v[1]).Cast(irtest.I32).Clamp(0, planes-1)
			return coarse.At(v[0].Div(int(cell)), v[1].Div(int(cell)), plane).Add(coarse.At(v[0].Div(int(cell)).Add(1), v[1].Div(int(cell)), plane))
		})
		b.Output(out, size, size)
		w, _ := estimated(t, b.Build(), Way{Choice: plan.Choice{Strategy: "root", Tile: []int64{across, down}}})
		image := float64(down * across * 4 / instructions.SectorBytes) // read, and as much stored
		got := w.Sectors - 2*image
		want, blocks := 0.0, 0.0
		for by := range int64(8) {
			for bx := range int64(8) {
				seen := map[int64]bool{}
				for p := range planes {
					for y := by * down; y < (by+1)*down; y++ {
						for x := bx * across / cell; x <= ((bx+1)*across-1)/cell+1; x++ {
							seen[((p*row+y/cell)*row+x)*4/instructions.SectorBytes] = true
						}
					}
				}
				want += float64(len(seen))
				blocks++
			}
		}
		want /= blocks
		// Which plane is not known: all are counted, or half a sector for each of two loads of a point where that is less. A cell's row more where blocks begin within one.
		if most := float64(across * down); planes > 1 && want > most {
			want = most
		}
		rows := float64(planes) * (float64((down-1)/cell) + 2)
		if math.Abs(got-want) > rows*(1+float64(across/cell*4)/instructions.SectorBytes) || got > 2*want+rows {
			t.Fatalf("%.2f sectors estimated for %.2f of a block of %dx%d, %d points a cell, %d planes", got, want, across, down, cell, planes)
		}
	})
}

// inside is a place along a dimension of an input, clamped as a boundary condition does.
func inside(in *irtest.Input, d int, at irtest.Expr) irtest.Expr {
	return at.Likely().Clamp(in.Bound(d, "min"), in.Bound(d, "min").Add(in.Bound(d, "extent")).Sub(1))
}

// TestLookedUpTwice: a tile of a warp in which each point looks two values of an inlined Func up, each at a place that its data say, computes both for each point: the second costs as much as the first, and a third as much again.
func TestLookedUpTwice(t *testing.T) {
	issued := func(times int) float64 {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1100, 1100, 8)
		index := b.Input("index", irtest.I32, 1100, 1100)
		level := b.Func("level", []string{"x", "y", "k"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			at := func(x, y irtest.Expr) irtest.Expr { return in.At(inside(in, 0, x), inside(in, 1, y), v[2]) }
			return at(v[0], v[1]).Mul(at(v[0].Add(1), v[1])).Add(at(v[0], v[1].Add(1)))
		})
		across := b.Func("across", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			k := index.At(inside(index, 0, v[0]), inside(index, 1, v[1])).Clamp(0, 6)
			e := level.At(v[0], v[1], k)
			for i := 1; i < times; i++ {
				e = e.Add(level.At(v[0], v[1], k.Add(i)))
			}
			return e
		})
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return across.At(v[0], v[1]).Add(across.At(v[0].Add(1), v[1])).Add(across.At(v[0].Add(2), v[1]))
		})
		b.Output(out, 1024, 1024)
		p := b.Build()
		forCUDA(p, 75)
		prm, err := ParseParams(map[string]string{"gpu": "rtx2080ti", "tiling": "warp-registers", "warp_tile": "1x4x4"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(p, prm)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Found {
			for _, k := range f.Layout.Kernels {
				if k.Strategy == "warp-registers" && len(k.Members) > 0 {
					return k.Counted.Issued
				}
			}
		}
		t.Fatal("no tile of a warp")
		return 0
	}
	// Four rows a lane, three loads a value, each with its address; each further value costs what the one before it did.
	one, two, three := issued(1), issued(2), issued(3)
	if two-one < 4*3*(1+4) || math.Abs((three-two)-(two-one)) > .05*(two-one) {
		t.Errorf("%.0f, %.0f and %.0f instructions with one, two and three values looked up", one, two, three)
	}
}

// TestManyArguments: a tile of a warp counts an inlined Func of more arguments than it tells points apart by.
func TestManyArguments(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1100, 1100)
	many := b.Func("many", []string{"x", "y", "a", "b", "c", "d"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return in.At(inside(in, 0, v[0].Add(v[4])), inside(in, 1, v[1].Add(v[5]))).Add(v[2].Add(v[3]).Cast(irtest.F32))
	})
	across := b.Func("across", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return many.At(v[0], v[1], 1, 2, 3, 4).Add(many.At(v[0].Add(1), v[1], 1, 2, 3, 5))
	})
	out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return across.At(v[0], v[1]).Add(across.At(v[0].Add(1), v[1])).Add(across.At(v[0].Add(2), v[1]))
	})
	b.Output(out, 1024, 1024)
	p := b.Build()
	forCUDA(p, 75)
	for _, tiling := range []string{"all", "warp"} {
		prm, err := ParseParams(map[string]string{"gpu": "rtx2080ti", "tiling": tiling})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(p, prm); err != nil {
			t.Errorf("tiling=%s: %v", tiling, err)
		}
	}
}

// TestSectorsOfSumsOfBlocks: a block loads no fewer sectors than there are in its part of what it sums up, also where the neighbours that a point adds up are loaded as vectors.
func TestSectorsOfSumsOfBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]halideir.Type{irtest.U8, irtest.U16, irtest.F32}).Draw(t, "type")
		side := rapid.SampledFrom([]int64{2, 4, 8}).Draw(t, "side")
		width, height := 32*rapid.Int64Range(1, 32).Draw(t, "width"), rapid.Int64Range(1, 400).Draw(t, "height")
		b := irtest.New()
		in := b.Input("in", typ, width*side, height*side)
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
		out.Update([]irtest.RVar{{Name: "rx", Extent: side}, {Name: "ry", Extent: side}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
			return v, out.At(v[0], v[1]).Add(in.At(v[0].Mul(int(side)).Add(r[0]), v[1].Mul(int(side)).Add(r[1])).Cast(irtest.F32))
		})
		b.Output(out, width, height)
		prm, err := ParseParams(map[string]string{"gpu": "rtx2080ti", "reassociate": "0"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(b.Build(), prm)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range r.Found[len(r.Found)-1].Layout.Kernels {
			if k.Out.Stage != 1 && len(k.Members) == 0 {
				continue
			}
			w := instructions.For(k.View(r.Problem)).Work(k)
			loaded := float64(width*height*side*side*typ.Bytes()) / instructions.SectorBytes / float64(k.Tiles())
			if w.Sectors < .9*loaded {
				t.Fatalf("%v: %.1f sectors a block, which loads %.1f", k.Choice, w.Sectors, loaded)
			}
		}
	})
}
