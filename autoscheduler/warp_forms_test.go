package autoscheduler

import (
	"strings"
	"testing"

	"gowarp/autoscheduler/legality"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// warpKernel is the last kernel of a pipeline in tiles of warps.
func warpKernel(t *testing.T, p *halideir.Pipeline, tile string) (*Result, *plan.Kernel) {
	t.Helper()
	r, err := Run(p, warpParams(tile))
	if err != nil {
		t.Fatal(err)
	}
	k := r.Found[len(r.Found)-1].Layout.Kernels[0]
	if k.Warp == nil {
		t.Fatalf("%s: the kernel is %s", tile, k.Strategy)
	}
	return r, k
}

// TestWarpStrided: points that are a warp apart fill the lanes without rounding, cost two shuffles and a choice where neighbours cost
// one, and are another kernel for the gate.
func TestWarpStrided(t *testing.T) {
	const halo = 1
	costly := func(e irtest.Expr) irtest.Expr { return e.Call("exp_f32").Call("exp_f32") } // else lanes load pixels again, which is cheaper than two shuffles
	_, near := warpKernel(t, blurredOf(irtest.F32, true, halo, costly), "2x4x4")
	r, k := warpKernel(t, blurredOf(irtest.F32, true, halo, costly), "2x4x4:strided")
	if want := 2*plan.WarpLanes - int64(2*halo); !k.Warp.Strided || k.Warp.Width != want || k.Block[0] != plan.WarpLanes {
		t.Errorf("halo %d: %+v in blocks of %v, want a width of %d", halo, *k.Warp, k.Block, want)
	}
	if k.Counted.Issued <= near.Counted.Issued || k.Counted.Requests <= near.Counted.Requests {
		t.Errorf("halo %d: %.0f instructions and %.0f requests, of neighbours %.0f and %.0f", halo, k.Counted.Issued, k.Counted.Requests, near.Counted.Issued, near.Counted.Requests)
	}
	if err := legality.Check(r.Problem, k); err != nil {
		t.Fatal(err)
	}
	k.Warp.Width = plan.WarpLanes
	if err := legality.Check(r.Problem, k); err == nil || !strings.Contains(err.Error(), "lanes: ") {
		t.Errorf("a tile that leaves lanes without their second point: %v", err)
	}
}

// stacked is two stages of a stencil in three dimensions that reaches one point each way.
func stacked() *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 256, 256, 128)
	args := []string{"x", "y", "z"}
	clamped := func(v []irtest.Expr) irtest.Expr {
		at := make([]any, len(v))
		for k := range v {
			at[k] = v[k].Clamp(in.Bound(k, "min"), in.Bound(k, "max"))
		}
		return in.At(at...)
	}
	first := b.Func("first", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return clamped(v).Mul(clamped(v)).Add(clamped(v).Mul(3.0)) })
	out := b.Func("out", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		at := func(x, y, z int) irtest.Expr { return first.At(v[0].Add(x), v[1].Add(y), v[2].Add(z)) }
		return at(-1, 0, 0).Mul(at(1, 0, 0)).Add(at(0, -1, 0).Mul(at(0, 1, 0))).Add(at(0, 0, -1).Mul(at(0, 0, 1)))
	})
	b.Output(out, 256, 256, 128)
	p := b.Build()
	forCUDA(p, 86)
	return p
}

// TestWarpLayers: a lane holds so many layers of rows, its blocks are so many fewer, and what neighbouring layers share it computes once.
func TestWarpLayers(t *testing.T) {
	_, flat := warpKernel(t, stacked(), "1x2x4")
	r, k := warpKernel(t, stacked(), "1x2x4x4")
	if k.Warp.Layers != 4 || k.Grid[2]*4 != flat.Grid[2] || len(k.Members) != 1 || k.Members[0].LaneSlots() != 4*6 || flat.Members[0].LaneSlots() != 4*3 {
		t.Errorf("%+v, %v blocks, of one layer %v; members %+v", *k.Warp, k.Grid, flat.Grid, k.Members)
	}
	if k.Counted.Issued >= 4*flat.Counted.Issued || k.Counted.Requests >= 4*flat.Counted.Requests {
		t.Errorf("%.0f instructions and %.0f requests for 4 layers, %.0f and %.0f for one", k.Counted.Issued, k.Counted.Requests, flat.Counted.Issued, flat.Counted.Requests)
	}
	k.Warp.Z = -1
	if err := legality.Check(r.Problem, k); err == nil || !strings.Contains(err.Error(), "lanes: ") {
		t.Errorf("layers of no loop: %v", err)
	}
	if _, k := warpKernel(t, blurred(irtest.F32, true, 1), "1x2x4x4"); k.Warp.Layers != 1 {
		t.Errorf("%d layers of an image", k.Warp.Layers)
	}
}

// halved reads each second point of what it reads, along the lanes and the rows.
func halved(stride int) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 2048, 2048)
	args := []string{"x", "y"}
	fine := b.Func("fine", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		x, y := v[0].Clamp(in.Bound(0, "min"), in.Bound(0, "max")), v[1].Clamp(in.Bound(1, "min"), in.Bound(1, "max"))
		return in.At(x, y).Mul(in.At(x, y)).Add(in.At(x, y).Mul(3.0))
	})
	out := b.Func("out", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		at := func(x, y int) irtest.Expr { return fine.At(v[0].Mul(stride).Add(x), v[1].Mul(stride).Add(y)) }
		return at(-1, 0).Mul(at(0, -1)).Add(at(1, 0).Mul(at(0, 1))).Add(at(2, 0).Mul(at(0, 2)))
	})
	b.Output(out, 640, 640)
	p := b.Build()
	forCUDA(p, 86)
	return p
}

// TestWarpStrides: of what is read at each second point a lane has twice as many points, and the tile is as wide as leaves them 32
// lanes; other strides than powers of two are no tile of a warp, nor are points a warp apart.
func TestWarpStrides(t *testing.T) {
	r, k := warpKernel(t, halved(2), "2x2x4")
	m := &k.Members[0]
	if m.Align != 4*plan.WarpLanes || m.Extents[0] > m.Align || m.Extents[0] != 2*(k.Warp.Width-1)+4 || 2*(k.Warp.Width+2-1)+4 <= m.Align {
		t.Errorf("a width of %d, rows of %d, %d apart", k.Warp.Width, m.Extents[0], m.Align)
	}
	m.Align *= 2
	if err := legality.Check(r.Problem, k); err == nil || !strings.Contains(err.Error(), "warp-members: ") {
		t.Errorf("rows that lanes do not hold: %v", err)
	}
	for stride, tile := range map[int]string{3: "2x2x4", 2: "2x2x4:strided"} {
		r, err := Run(halved(stride), warpParams(tile))
		if err != nil {
			if !strings.Contains(err.Error(), "no kernel of this pipeline is done so: out: ") {
				t.Errorf("stride %d, %s: %v", stride, tile, err)
			}
			continue
		}
		for _, f := range r.Found {
			for _, k := range f.Layout.Kernels {
				if k.Warp != nil && k.MemberIndex(r.Problem.P.Outputs[0]-1) >= 0 {
					t.Errorf("stride %d, %s: %+v", stride, tile, *k.Warp)
				}
			}
		}
	}
}

// TestWarpTileWords: what warp_tile may say.
func TestWarpTileWords(t *testing.T) {
	for s, want := range map[string]plan.WarpChoice{
		"2x4x8":         {Points: 2, Rows: 4, Layers: 1, Warps: 8},
		"1x2x3x4":       {Points: 1, Rows: 2, Layers: 4, Warps: 3},
		"4x1x2:strided": {Points: 4, Rows: 1, Layers: 1, Warps: 2, Strided: true},
	} {
		if c, err := strategy.ParseWarpChoice(s); err != nil || c != want {
			t.Errorf("%s: %+v, %v; want %+v", s, c, err, want)
		}
	}
	for _, s := range []string{"2x4", "2x4x8x1x1", "3x4x4", "2x4x4:strided:strided", "2x4x0", "2x4x4:", "x4x4"} {
		if c, err := strategy.ParseWarpChoice(s); err == nil {
			t.Errorf("%s is %+v", s, c)
		}
	}
}

// TestWarpFractions: where several fractions in registers compete, each kernel has in its scratch what its choice says, and the strategy of its name; what fits the registers
// alone is no hybrid's in tiling=all.
func TestWarpFractions(t *testing.T) {
	p := deep()
	prm := DefaultParams()
	prm.Tiling, prm.Cost = "all", "issue"
	s := strategy.WarpFractions{InRegisters: []float64{.5, 0}}
	taller := strategy.WarpFractions{InRegisters: []float64{.5, 0}, Taller: true}
	r, err := Run(p, prm)
	if err != nil {
		t.Fatal(err)
	}
	g := r.Problem.NewGroup(p.Outputs[0], []int{p.Outputs[0] - 1, p.Outputs[0] - 2, p.Outputs[0] - 3})
	offered := func(s strategy.Strategy) []plan.Kernel {
		ready, err := s.Prepare(r.Problem, g, strategy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var out []plan.Kernel
		for _, c := range ready.(strategy.Chooser).Choices(0, strategy.StepOfTwo) {
			k, err := ready.Kernel(0, c)
			if err != nil {
				t.Fatal(err)
			}
			if err := legality.Check(r.Problem, k); err != nil {
				t.Fatal(err)
			}
			out = append(out, *k)
		}
		return out
	}
	seen := map[float64]int{}
	for _, k := range offered(s) {
		in := k.Choice.Warp.InRegisters
		seen[in]++
		if want := map[float64]string{.5: "warp-hybrid", 0: "warp-shared"}[in]; k.Strategy != want || k.SharedBytes == 0 {
			t.Errorf("%g in registers: %s with %d B of shared memory", in, k.Strategy, k.SharedBytes)
		}
		for i := range k.Members {
			m := &k.Members[i]
			if kept := float64(m.LaneSlots()-m.Demoted) / float64(m.LaneSlots()); kept > in+.25 || kept < in-.25 || in == 0 && kept > 0 {
				t.Errorf("%g in registers: %d of %d are demoted", in, m.Demoted, m.LaneSlots())
			}
		}
	}
	if seen[.5] == 0 || seen[0] == 0 {
		t.Errorf("fractions offered: %v", seen)
	}
	registers, err := strategy.WarpRegisters{}.Prepare(r.Problem, g, strategy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range offered(taller) {
		c := k.Choice
		c.Strategy, c.Warp.InRegisters = "warp-registers", 1
		if alone, err := registers.Kernel(0, c); err == nil && alone.Registers <= r.Problem.Limits.MaxRegisters-4 {
			t.Errorf("%+v is offered, and takes %d registers without a scratch", k.Choice.Warp, alone.Registers)
		}
	}
}
