package autoscheduler

import (
	"math"
	"testing"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// TestListing1Singleton: a group of one stage, whose thread block is its tile (lines 10-12),
// for compute capability 7.5.
func TestListing1Singleton(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1024, 1024)
	f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0).Add(1.0) })
	b.Output(f, 1024, 1024)
	s := prepared(t, b)
	k := kernel(t, s.problem, strategy.Root{}, s.problem.NewGroup(f.ID, nil))
	// 256 threads in 8 warps, 4 blocks an SM: occupancy 1, 1024 lanes. Two operations a
	// point; 4 B loaded and 4 B stored, at 200 a byte and 32 B a transaction.
	want := 32 * 128 * (2*256.0/1024 + (256*4*200/32.0+256*4*200/32.0)/1024)
	for _, ph := range []coster.Phase{coster.Grouping, coster.Final} {
		p := coster.Listing1{}.Price(s.problem, k, ph)
		if k.Block != [3]int64{32, 8, 1} || !p.Valid() || math.Abs(p.Cost-want) > 1e-9*want {
			t.Errorf("phase %v: block %v, cost %v (%v), by hand %v", ph, k.Block, p.Cost, p.Reject, want)
		}
	}
}

// TestListing1InThreads: a member in the threads of the output costs its own loads and
// operations, once a point of the output, and neither shared memory nor a thread.
func TestListing1InThreads(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1024, 1024)
	g := b.Func("g", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0).Add(1.0) })
	f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return g.At(v[0], v[1]).Mul(g.At(v[0], v[1])) })
	b.Output(f, 1024, 1024)
	s := prepared(t, b)
	prep, err := strategy.BlockTile{}.Prepare(s.problem, s.problem.NewGroup(f.ID, []int{g.ID}), strategy.Options{Nesting: strategy.NestAlways})
	if err != nil {
		t.Fatal(err)
	}
	k, err := prep.Kernel(0, plan.Choice{Tile: []int64{32, 8}})
	if err != nil {
		t.Fatal(err)
	}
	// g: two operations and 4 B loaded a point; f: one operation and 4 B stored.
	want := 32 * 128 * ((2+1)*256.0/1024 + (256*4*200/32.0+256*4*200/32.0)/1024)
	if p := (coster.Listing1{}).Price(s.problem, k, coster.Grouping); k.Members[0].Where != plan.AtThread || k.SharedSum != 0 || math.Abs(p.Cost-want) > 1e-9*want {
		t.Errorf("%v, %d B shared, cost %v (%v), by hand %v", k.Members[0].Where, k.SharedSum, p.Cost, p.Reject, want)
	}
}

// TestConsecutiveLoads: what line 4 divides by, by the way in which neighbouring threads
// load, for a tile of 32x8.
func TestConsecutiveLoads(t *testing.T) {
	type index func(x, y irtest.Expr) [2]irtest.Expr
	for _, c := range []struct {
		name  string
		bytes int
		at    index
		want  float64 // bytes
	}{
		{"neighbours", 4, func(x, y irtest.Expr) [2]irtest.Expr { return [2]irtest.Expr{x, y} }, 32},
		{"neighbours, bytes", 1, func(x, y irtest.Expr) [2]irtest.Expr { return [2]irtest.Expr{x, y} }, 32},
		{"backwards", 4, func(x, y irtest.Expr) [2]irtest.Expr { return [2]irtest.Expr{x.Mul(-1).Add(1023), y} }, 32},
		{"every second", 4, func(x, y irtest.Expr) [2]irtest.Expr { return [2]irtest.Expr{x.Mul(2), y} }, 16},
		{"every eighth", 4, func(x, y irtest.Expr) [2]irtest.Expr { return [2]irtest.Expr{x.Mul(8), y} }, 4},
		{"each twice", 4, func(x, y irtest.Expr) [2]irtest.Expr { return [2]irtest.Expr{x.Div(2), y} }, 32},
		{"a row apart", 4, func(x, y irtest.Expr) [2]irtest.Expr { return [2]irtest.Expr{y, x} }, 4},
		{"all the same", 4, func(x, y irtest.Expr) [2]irtest.Expr { return [2]irtest.Expr{y, y} }, 32},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := irtest.New()
			typ := irtest.F32
			if c.bytes == 1 {
				typ = irtest.U8
			}
			in := b.Input("in", typ, 8192, 8192)
			f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
				i := c.at(v[0], v[1])
				return in.At(i[0], i[1]).Cast(irtest.F32)
			})
			b.Output(f, 1024, 1024)
			s := prepared(t, b)
			k := kernel(t, s.problem, strategy.Root{}, s.problem.NewGroup(f.ID, nil))
			memory := coster.Listing1Prose{}.Price(s.problem, k, coster.Grouping).Terms[1]
			// 256 points a tile, 32x128 tiles; the store is 4 B of 32.
			got := float64(256*c.bytes*200) / (memory.Value/(32*128) - 256*4*200/32.0)
			if memory.Name != "memory" || math.Abs(got-c.want) > 1e-6 {
				t.Errorf("divided by %v B, want %v", got, c.want)
			}
		})
	}
}

// TestGlobalByte: buffers that caches hold cost in proportion.
func TestGlobalByte(t *testing.T) {
	for bytes, want := range map[float64]float64{0: 1, 32 << 10: 101, 64 << 10: 200, 1 << 30: 200} {
		if got := coster.GlobalByte(bytes); got != want {
			t.Errorf("%v B: %v, want %v", bytes, got, want)
		}
	}
}
