package autoscheduler

import (
	"testing"

	"pgregory.net/rapid"

	_ "gowarp/internal/fixedseed"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// touched is an oracle for transactions: it evaluates the pipeline's own expressions, lane by lane and clamps included, finds
// where the tile of a member begins by walking over every point of its reader's tile, and marks the segments. What it shares with
// the coster is that the second block along each loop is looked at.
type touched struct {
	t  *rapid.T
	pr *plan.Problem
	k  *plan.Kernel
}

// place is where a load goes for a point of its stage.
func (o *touched) place(l *access.Load, dims []int64) []int64 {
	var at []int64
	for _, a := range o.pr.P.Nodes[l.Node].Args {
		v, ok := o.pr.P.EvalInt(a, halideir.Env{Dim: dims})
		if !ok {
			o.t.Fatalf("no value at %v", dims)
		}
		at = append(at, v)
	}
	return at
}

// walk calls f for every point of a box.
func walk(from []int64, extents []int64, f func(at []int64)) {
	at := make([]int64, len(from))
	var dim func(d int)
	dim = func(d int) {
		if d == len(from) {
			f(at)
			return
		}
		for i := range extents[d] {
			at[d] = from[d] + i
			dim(d + 1)
		}
	}
	dim(0)
}

// out is where the second block of the output begins, and what it covers.
func (o *touched) out() (from, extents []int64) {
	tile := o.k.Choice.Tile
	for d, iv := range o.pr.Regions.Funcs[o.k.Out.Func] {
		from = append(from, iv.Lo)
		if o.k.Grid[d] > 1 {
			from[d] += tile[d]
		}
		extents = append(extents, tile[d])
	}
	return from, extents
}

// count is the transactions of one load when the stage's tile begins at from and the lanes are threads of the block.
func (o *touched) count(l *access.Load, from, busy []int64, size int64) int64 {
	dims := o.pr.P.Inputs[l.Input].Dims // its only loads are from inputs
	marked := map[int64]bool{}
	for lane := range int64(32) {
		x, y := lane%o.k.Block[0], lane/o.k.Block[0]
		if x >= busy[0] || y >= busy[1] {
			continue
		}
		at := o.place(l, []int64{from[0] + x, from[1] + y})
		address, pitch := int64(0), l.Type.Bytes()
		for d := range dims {
			address += at[d] * pitch
			pitch *= *dims[d].ExtentEstimate
		}
		marked[address/size] = true
	}
	return int64(len(marked))
}

// TestTransactions compares the coster's count of transactions with the oracle's, for a stage alone and for a member of
// its reader's kernel, with random taps and tiles.
func TestTransactions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := irtest.New()
		typ := rapid.SampledFrom([]halideir.Type{irtest.U8, irtest.F32, irtest.F64}).Draw(t, "type")
		in := b.Input("in", typ, rapid.Int64Range(1000, 1100).Draw(t, "w"), 1100)
		clamped := rapid.Bool().Draw(t, "clamped")
		swapped := rapid.IntRange(0, 4).Draw(t, "swapped") == 0
		num, den := 1, 1
		switch rapid.IntRange(0, 3).Draw(t, "scale") {
		case 0:
			num = rapid.IntRange(2, 4).Draw(t, "num")
		case 1:
			den = rapid.IntRange(2, 4).Draw(t, "den")
		}
		at := func(v irtest.Expr, d int) irtest.Expr {
			v = v.Mul(num).Add(d).Div(den)
			if clamped {
				v = v.Clamp(0, 880)
			}
			return v
		}
		taps := rapid.IntRange(1, 4).Draw(t, "taps")
		dx, dy := rapid.IntRange(0, 9), rapid.IntRange(0, 3)
		f := b.Func("f", []string{"x", "y"}, typ, func(v []irtest.Expr) irtest.Expr {
			load := func() irtest.Expr {
				x, y := at(v[0], dx.Draw(t, "dx")), at(v[1], dy.Draw(t, "dy"))
				if swapped {
					x, y = y, x
				}
				return in.At(x, y)
			}
			sum := load()
			for range taps - 1 {
				sum = sum.Add(load())
			}
			return sum
		})
		g := b.Func("g", []string{"x", "y"}, typ, func(v []irtest.Expr) irtest.Expr {
			return f.At(v[0], v[1]).Add(f.At(v[0].Add(dx.Draw(t, "gx")), v[1].Add(dy.Draw(t, "gy"))))
		})
		b.Output(g, 200, 200)
		s, err := preparedState(b)
		if err != nil {
			t.Fatal(err)
		}
		pr := s.problem
		tile := []int64{rapid.Int64Range(1, 40).Draw(t, "tx"), rapid.Int64Range(1, 8).Draw(t, "ty")}
		for _, fused := range []bool{false, true} {
			out, members := f.ID, []int(nil)
			var st strategy.Strategy = strategy.Root{}
			if fused {
				out, members, st = g.ID, []int{f.ID}, strategy.BlockTile{}
			}
			prep, err := st.Prepare(pr, pr.NewGroup(out, members), strategy.Options{})
			if err != nil {
				t.Fatal(err)
			}
			k, err := prep.Kernel(0, plan.Choice{Tile: tile})
			if err != nil || len(pr.Dims[pr.StageIndex(out, 0)].Tiled) != 2 {
				t.Skip(err)
			}
			o := touched{t, pr, k}
			n := &k.Out
			from, busy := o.out()
			if fused {
				n = &k.Members[0].Nests[0]
				var least []int64
				for _, l := range pr.Access.Stage(g.ID, 0).LoadsOf(f.ID) {
					walk(from, busy, func(at []int64) {
						p := o.place(&l, at)
						for d := range p {
							if len(least) <= d {
								least = append(least, p[d])
							}
							least[d] = min(least[d], p[d])
						}
					})
				}
				from, busy = least, k.Members[0].Extents
			}
			loads, expanded := pr.Access.Stage(f.ID, 0).Loads, pr.Expand[pr.StageIndex(f.ID, 0)].Loads
			if len(loads) != len(expanded) {
				t.Fatalf("%d loads, %d once expanded", len(loads), len(expanded))
			}
			w := coster.ViewWarp(pr, k, n)
			for i := range loads {
				for s, size := range []int64{32, 128} {
					if got, want := w.Transactions(&expanded[i])[s], o.count(&loads[i], from, busy, size); got != want {
						t.Fatalf("fused %v, tile %v, %v from %v, load %d: %d transactions of %d B, want %d", fused, tile, busy, from, i, got, size, want)
					}
				}
			}
		}
	})
}

// TestTransactionsByHand: figures from CUDA's programming guides: 32 neighbouring floats are four sectors and one line, a stride of
// two is eight and two, of 32 one a lane, one value for all is one.
func TestTransactionsByHand(t *testing.T) {
	for name, c := range map[string]struct {
		x            func(v []irtest.Expr) irtest.Expr
		sectors, l1s int64
	}{
		"neighbours":   {func(v []irtest.Expr) irtest.Expr { return v[0] }, 4, 1},
		"off by one":   {func(v []irtest.Expr) irtest.Expr { return v[0].Add(1) }, 5, 2},
		"stride of 2":  {func(v []irtest.Expr) irtest.Expr { return v[0].Mul(2) }, 8, 2},
		"stride of 32": {func(v []irtest.Expr) irtest.Expr { return v[0].Mul(32) }, 32, 32},
		"pairs":        {func(v []irtest.Expr) irtest.Expr { return v[0].Div(2) }, 2, 1},
		"one for all":  {func(v []irtest.Expr) irtest.Expr { return v[1] }, 1, 1},
		"by its value": {func(v []irtest.Expr) irtest.Expr { return v[0].Mul(v[0]).Mul(7).Mod(1000) }, 32, 32},
	} {
		t.Run(name, func(t *testing.T) {
			b := irtest.New()
			in, places := b.Input("in", irtest.F32, 32*1024), b.Input("places", irtest.I32, 32*1024)
			f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
				x := c.x(v)
				if name == "by its value" {
					x = places.At(v[0]).Clamp(0, 32*1024-1)
				}
				return in.At(x)
			})
			b.Output(f, 1024, 1024)
			s := prepared(t, b)
			k := kernel(t, s.problem, strategy.Root{}, s.problem.NewGroup(f.ID, nil))
			w := coster.ViewWarp(s.problem, k, &k.Out)
			loads := s.problem.Expand[s.problem.StageIndex(f.ID, 0)].Loads
			l := &loads[len(loads)-1]
			for i := range loads {
				if loads[i].Input == 0 {
					l = &loads[i]
				}
			}
			if got := w.Transactions(l); got != [2]int64{c.sectors, c.l1s} {
				t.Errorf("%d of 32 B and of 128 B; want %d and %d", got, c.sectors, c.l1s)
			}
		})
	}
}
