package autoscheduler

import (
	"fmt"
	"strings"
	"testing"

	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// blurred is a 3-point blur across and one down, of an input with or without a boundary
// condition of its own size, n points further apart.
func blurred(typ halideir.Type, clamp bool, n int) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", typ, 1536, 2560)
	args := []string{"x", "y"}
	read := func(x, y irtest.Expr) irtest.Expr { return in.At(x, y) }
	if clamp {
		read = func(x, y irtest.Expr) irtest.Expr {
			return in.At(x.Clamp(in.Bound(0, "min"), in.Bound(0, "max")), y.Clamp(in.Bound(1, "min"), in.Bound(1, "max")))
		}
	}
	edge := b.Func("edge", args, typ, func(v []irtest.Expr) irtest.Expr { return read(v[0], v[1]) })
	across := b.Func("across", args, typ, func(v []irtest.Expr) irtest.Expr {
		return edge.At(v[0].Sub(n), v[1]).Add(edge.At(v[0], v[1])).Add(edge.At(v[0].Add(n), v[1])).Mul(edge.At(v[0], v[1]))
	})
	out := b.Func("out", args, typ, func(v []irtest.Expr) irtest.Expr {
		return across.At(v[0], v[1].Sub(1)).Add(across.At(v[0], v[1])).Add(across.At(v[0], v[1].Add(1)))
	})
	b.Output(out, 1536, 2560)
	p := b.Build()
	p.Target.API, p.Target.CUDACapability, p.Target.String = "cuda", 86, "host-cuda-cuda_capability_86"
	return p
}

func warpParams(tile string) Params {
	p := DefaultParams()
	p.Tiling, p.Cost, p.WarpTile = "warp-registers", "issue", tile
	return p
}

// TestWarpTiles: for all points a lane and halos the widest member takes all 32 lanes, the tile is whole
// points of lanes, and every member's rows are as far apart as a warp is wide.
func TestWarpTiles(t *testing.T) {
	for points := int64(1); points <= 4; points *= 2 {
		for halo := 1; halo <= 6; halo++ {
			r, err := Run(blurred(irtest.F32, true, halo), warpParams(fmt.Sprintf("%dx4x4", points)))
			if err != nil {
				t.Fatal(err)
			}
			k := r.Found[len(r.Found)-1].Layout.Kernels[0]
			if k.Warp == nil {
				t.Errorf("%d points, halo %d: the kernel is %s", points, halo, k.Strategy)
				continue
			}
			if k.Warp.Width%points != 0 || k.Block != [3]int64{plan.WarpLanes, 4, 1} || k.SharedBytes != 0 {
				t.Errorf("%d points, halo %d: tile %+v in blocks of %v with %d B of shared memory", points, halo, *k.Warp, k.Block, k.SharedBytes)
			}
			widest := int64(0)
			for i := range k.Members {
				widest = max(widest, k.Members[i].Nests[0].Threads[0].Extent)
				if k.Members[i].Align != plan.WarpLanes*points {
					t.Errorf("%d points, halo %d: rows %d apart", points, halo, k.Members[i].Align)
				}
			}
			if widest != plan.WarpLanes {
				t.Errorf("%d points, halo %d: the widest member takes %d lanes", points, halo, widest)
			}
		}
	}
}

// TestWarpTilesRefused: what cannot be a tile of a warp is another kernel; where the target has no
// lanes the user is told.
func TestWarpTilesRefused(t *testing.T) {
	const tooWide = "a halo beyond the lanes"
	for name, p := range map[string]*halideir.Pipeline{
		"64 bits":               blurred(irtest.F64, true, 1),
		"no boundary condition": blurred(irtest.F32, false, 1),
		tooWide:                 blurred(irtest.F32, true, 40),
	} {
		r, err := Run(p, warpParams("1x2x2"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Found {
			for _, k := range f.Layout.Kernels {
				if k.Warp != nil && (name != tooWide || len(k.Members) > 1) { // across the rows there is a halo of 1
					t.Errorf("%s: a tile a warp with %d members", name, len(k.Members))
				}
			}
		}
	}
	p := blurred(irtest.F32, true, 1)
	p.Target.API, p.Target.String = "opencl", "host-opencl"
	if _, err := Run(p, warpParams("")); err == nil || !strings.Contains(err.Error(), "only CUDA has lanes") {
		t.Errorf("OpenCL: %v", err)
	}
}

// TestWarpReadsOutput: a warp computes whole tiles of its members, so they must not read an output of the pipeline, which is
// as large as its caller made it.
func TestWarpReadsOutput(t *testing.T) {
	for _, both := range []bool{false, true} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1536, 2560)
		args := []string{"x", "y"}
		base := b.Func("base", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			x, y := v[0].Clamp(in.Bound(0, "min"), in.Bound(0, "max")), v[1].Clamp(in.Bound(1, "min"), in.Bound(1, "max"))
			return in.At(x, y).Mul(in.At(x, y)).Add(in.At(x, y).Mul(3.0))
		})
		across := b.Func("across", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return base.At(v[0].Sub(1), v[1]).Mul(base.At(v[0], v[1])).Add(base.At(v[0].Add(1), v[1]))
		})
		out := b.Func("out", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return across.At(v[0], v[1].Sub(1)).Mul(across.At(v[0], v[1])).Add(across.At(v[0], v[1].Add(1)))
		})
		if both {
			b.Output(base, 1538, 2562)
		}
		b.Output(out, 1536, 2560)
		p := b.Build()
		p.Target.API, p.Target.CUDACapability, p.Target.String = "cuda", 86, "host-cuda-cuda_capability_86"
		r, err := Run(p, warpParams("2x4x4"))
		if err != nil {
			t.Fatal(err)
		}
		k := r.Found[len(r.Found)-1].Layout.Kernels[0]
		if k.Out.Func != out.ID || (k.Warp != nil) == both {
			t.Errorf("base is an output: %t; the kernel of %s is done as %s", both, p.Funcs[k.Out.Func].Label, k.Strategy)
		}
	}
}
