package autoscheduler

import (
	"slices"
	"testing"

	"gowarp/autoscheduler/strategy"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
	"gowarp/occupancy"
)

// TestFigures3And4 is the example of Sioutas et al. 2020, section 3: stages K, H, W and Z, H
// inlined, with the paper's tiles and figures.
func TestFigures3And4(t *testing.T) {
	b := irtest.New()
	e := b.Input("e", irtest.F32, 4096, 4096)
	xy := []string{"x", "y"}
	k := b.Func("k", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return e.At(v[0], v[1]).Add(e.At(v[0].Add(1), v[1])).Add(e.At(v[0].Add(2), v[1]))
	})
	h := b.Func("h", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr { return e.At(v[0], v[1]).Mul(4.0) })
	w := b.Func("w", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return k.At(v[0], v[1], 0).Add(k.At(v[0], v[1], 1)).Add(k.At(v[0], v[1], 2)).Add(h.At(v[0], v[1]).Mul(2.0))
	})
	z := b.Func("z", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		sum := w.At(v[0], v[1].Sub(2))
		for dy := -1; dy <= 2; dy++ {
			sum = sum.Add(w.At(v[0], v[1].Add(dy)))
		}
		return sum
	})
	b.Output(z, 2048, 2048)
	s := prepared(t, b)
	s.setInlined(h.ID, true)
	pr := s.problem
	lay := func(nesting strategy.Nesting, x, y int64) (*plan.Kernel, *plan.Member, *plan.Member) {
		t.Helper()
		p, err := strategy.BlockTile{}.Prepare(pr, pr.NewGroup(z.ID, []int{k.ID, w.ID}), strategy.Options{Nesting: nesting})
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := p.Kernel(0, plan.Choice{Tile: []int64{x, y}})
		if err != nil {
			t.Fatal(err)
		}
		return kernel, &kernel.Members[0], &kernel.Members[1]
	}

	// Figure 3: a tile of 4x4 needs 4x8 points of W and 3*4*8 of K, both in shared memory.
	kernel, mk, mw := lay(strategy.NestNever, 4, 4)
	if kernel.Block != [3]int64{4, 8, 1} || !slices.Equal(mw.Extents, []int64{4, 8}) || !slices.Equal(mk.Extents, []int64{4, 8, 3}) || kernel.SharedSum != (4*8+3*4*8)*4 {
		t.Errorf("figure 3: block %v, W %v, K %v, %d B", kernel.Block, mw.Extents, mk.Extents, kernel.SharedSum)
	}
	// Figure 4: K has no overlap along x and y, and goes into W's threads, its third dimension
	// unrolled. W is read at five rows, and stays at the block.
	kernel, mk, mw = lay(strategy.NestAlways, 4, 4)
	if mk.Where != plan.AtThread || mk.Anchor != w.ID || mw.Where != plan.AtBlock || kernel.SharedSum != 4*8*4 || mk.Bytes != 3*4 {
		t.Errorf("figure 4: K at the %v of %d, W at the %v; %d B shared, %d B a thread", mk.Where, mk.Anchor, mw.Where, kernel.SharedSum, mk.Bytes)
	}
	for _, u := range mk.Nests[0].Serial {
		if u.Unroll != (u.Loop == 2) {
			t.Errorf("figure 4: loop %d of K is unrolled: %v", u.Loop, u.Unroll)
		}
	}
	// Section 3: with a tile of 32x12 the block is 32x16, 512 threads, and W takes 2,048 B.
	kernel, _, _ = lay(strategy.NestAlways, 32, 12)
	if kernel.ThreadsPerBlock() != 512 || kernel.SharedSum != 2048 {
		t.Errorf("section 3: %d threads, %d B", kernel.ThreadsPerBlock(), kernel.SharedSum)
	}
	// "64 registers per [thread], 2048 bytes of shared memory usage and 512 threads per block we
	// would get a 100% occupancy" at compute capability 7.5.
	r, err := pr.Device.Occupancy(occupancy.Usage{Threads: 512, Registers: 64, SharedBytes: 2048})
	if err != nil || pr.Device.Capability != 75 || r.Occupancy != 1 {
		t.Errorf("section 3: occupancy %v of %s (%v)", r.Occupancy, pr.Device.Name, err)
	}
}
