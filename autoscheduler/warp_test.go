package autoscheduler

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"gowarp/autoscheduler/legality"
	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// blurred is a 3-point blur across and one down, of an input with or without a boundary
// condition of its own size, n points further apart.
func blurred(typ halideir.Type, clamp bool, n int) *halideir.Pipeline {
	return blurredOf(typ, clamp, n, func(e irtest.Expr) irtest.Expr { return e })
}

// blurredOf is blurred of what is made of each pixel.
func blurredOf(typ halideir.Type, clamp bool, n int, made func(irtest.Expr) irtest.Expr) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", typ, 1536, 2560)
	args := []string{"x", "y"}
	read := func(x, y irtest.Expr) irtest.Expr { return in.At(x, y) }
	if clamp {
		read = func(x, y irtest.Expr) irtest.Expr {
			return in.At(x.Clamp(in.Bound(0, "min"), in.Bound(0, "max")), y.Clamp(in.Bound(1, "min"), in.Bound(1, "max")))
		}
	}
	edge := b.Func("edge", args, typ, func(v []irtest.Expr) irtest.Expr { return made(read(v[0], v[1])) })
	across := b.Func("across", args, typ, func(v []irtest.Expr) irtest.Expr {
		return edge.At(v[0].Sub(n), v[1]).Add(edge.At(v[0], v[1])).Add(edge.At(v[0].Add(n), v[1])).Mul(edge.At(v[0], v[1]))
	})
	out := b.Func("out", args, typ, func(v []irtest.Expr) irtest.Expr {
		return across.At(v[0], v[1].Sub(1)).Add(across.At(v[0], v[1])).Add(across.At(v[0], v[1].Add(1)))
	})
	b.Output(out, 1536, 2560)
	p := b.Build()
	forCUDA(p, 86)
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

// TestLoadedIsHeld: what a lane has loaded for a row, and needs for the next one, it holds, since nobody loads it again: of a box of 2n+1 rows and columns over an input 2n rows, of
// a box of the same size over that nearly as many again.
func TestLoadedIsHeld(t *testing.T) {
	for n := 1; n <= 2; n++ {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1536, 2560)
		box := func(read func(x, y irtest.Expr) irtest.Expr) func(v []irtest.Expr) irtest.Expr {
			return func(v []irtest.Expr) irtest.Expr {
				sum := read(v[0], v[1])
				for j := -n; j <= n; j++ {
					for i := -n; i <= n; i++ {
						if i != 0 || j != 0 {
							sum = sum.Add(read(v[0].Add(i), v[1].Add(j)))
						}
					}
				}
				return sum
			}
		}
		first := b.Func("first", []string{"x", "y"}, irtest.F32, box(func(x, y irtest.Expr) irtest.Expr {
			return in.At(x.Clamp(in.Bound(0, "min"), in.Bound(0, "max")), y.Clamp(in.Bound(1, "min"), in.Bound(1, "max")))
		}))
		out := b.Func("out", []string{"x", "y"}, irtest.F32, box(func(x, y irtest.Expr) irtest.Expr { return first.At(x, y) }))
		b.Output(out, 1500, 2500)
		p := b.Build()
		forCUDA(p, 86)
		_, k := warpKernel(t, p, "2x4x1")
		if least := 2 * n * (2 + 2*n) * 2; k.Registers < least {
			t.Errorf("boxes of %d rows: %d registers; the rows of the input and of first that the next row needs are %d values", 2*n+1, k.Registers, least)
		}
	}
}

// TestWarpTilesRefused: where nothing can be a tile of a warp, or the target has no lanes, the user is told why; with a choice of others
// it is another kernel.
func TestWarpTilesRefused(t *testing.T) {
	for words, p := range map[string]*halideir.Pipeline{
		"out: across: values of 64 bits are not exchanged by shuffles":                               blurred(irtest.F64, true, 1),
		"out: edge would read beyond the edge of the input in in dimension 0: no boundary condition": blurred(irtest.F32, false, 1),
	} {
		prm := warpParams("1x2x2")
		if _, err := Run(p, prm); err == nil || !strings.Contains(err.Error(), "tiling=warp-registers: no kernel of this pipeline is done so: "+words) {
			t.Errorf("%v; want %q", err, words)
		}
		prm.Tiling = "warp"
		r, err := Run(p, prm)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Found {
			for _, k := range f.Layout.Kernels {
				if k.Warp != nil {
					t.Errorf("%s: a tile a warp with %d members", words, len(k.Members))
				}
			}
		}
	}
	// A halo beyond the lanes; across the rows there is one of 1.
	r, err := Run(blurred(irtest.F32, true, 40), warpParams("1x2x2"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if k.Warp != nil && len(k.Members) > 1 {
				t.Errorf("a halo beyond the lanes: a tile a warp with %d members", len(k.Members))
			}
		}
	}
	prm := warpParams("4x8x32")
	prm.Tiling = "warp-shared"
	if _, err := Run(blurred(irtest.F32, true, 1), prm); err == nil || !strings.Contains(err.Error(), "a block of tiles of 4 points and 8 rows a lane takes ") {
		t.Errorf("32 warps of tiles that 8 have room for: %v", err)
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
		forCUDA(p, 86)
		prm := warpParams("2x4x4")
		if both {
			const words = "across would read beyond the edge of base, an output"
			if _, err := Run(p, prm); err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("base is an output: %v; want %q", err, words)
			}
			prm.Tiling = "warp"
		}
		r, err := Run(p, prm)
		if err != nil {
			t.Fatal(err)
		}
		k := r.Found[len(r.Found)-1].Layout.Kernels[0]
		if k.Out.Func != out.ID || (k.Warp != nil) == both {
			t.Errorf("base is an output: %t; the kernel of %s is done as %s", both, p.Funcs[k.Out.Func].Label, k.Strategy)
		}
	}
}

// inRegisters runs a pipeline as a hybrid and returns its last kernel.
func inRegisters(t *testing.T, p *halideir.Pipeline, fraction, tile string) (*Result, *plan.Kernel) {
	t.Helper()
	prm, err := ParseParams(map[string]string{"tiling": "warp-hybrid", "cost": "issue", "frac_reg": fraction, "warp_tile": tile})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(p, prm)
	if err != nil {
		t.Fatal(err)
	}
	return r, r.Found[len(r.Found)-1].Layout.Kernels[0]
}

// TestHybridScratch: of every member so much is in the scratch as the fraction says, to a whole register; no more
// than a kernel's shared memory holds them, fewer registers are taken, and the schedule says so for its readers.
func TestHybridScratch(t *testing.T) {
	registers := 256
	for _, f := range []float64{1, .75, .5, .25, 0} {
		p := blurred(irtest.F32, true, 1)
		r, k := inRegisters(t, p, fmt.Sprint(f), "2x8x4")
		if k.Warp == nil || k.Strategy != "warp-hybrid" {
			t.Fatalf("frac_reg=%g: the kernel is %s", f, k.Strategy)
		}
		ends := int64(0)
		for i := range k.Members {
			m := &k.Members[i]
			kept := float64(m.LaneSlots()-m.Demoted) / float64(m.LaneSlots())
			if d := (kept - f) * float64(m.LaneSlots()); d < -.5 || d > .5 {
				t.Errorf("frac_reg=%g: %d of %d registers of member %d are in the scratch", f, m.Demoted, m.LaneSlots(), m.Func)
			}
			ends = max(ends, m.ScratchAt+m.Demoted*plan.WarpLanes*4)
		}
		if k.Warp.Scratch != ends || k.SharedBytes != 4*ends || (f == 1) != (ends == 0) {
			t.Errorf("frac_reg=%g: a scratch of %d B, %d B a block; its members end at byte %d", f, k.Warp.Scratch, k.SharedBytes, ends)
		}
		if f == .75 {
			registers = 256 // with nothing in the scratch lanes hold only what is demanded next
		}
		if k.Registers > registers {
			t.Errorf("frac_reg=%g: %d registers, with more of it in registers %d", f, k.Registers, registers)
		}
		registers = k.Registers
		demoted := 0
		for i := range r.Schedule.Directives {
			if r.Schedule.Directives[i].Do == schedule.Demote {
				demoted++
			}
		}
		text := r.Schedule.CPlusPlus(p)
		python, err := r.Schedule.Python(p)
		if err != nil {
			t.Fatal(err)
		}
		for language, says := range map[string]bool{"C++": strings.Contains(text, "// This is not all of the schedule"), "Python": strings.Contains(python, "# This is not all of the schedule")} {
			if !says || (demoted > 0) != (f < 1) {
				t.Errorf("frac_reg=%g: %d demotions; the %s says that it is not all: %t", f, demoted, language, says)
			}
		}
		back, err := schedule.Decode(r.Schedule.JSON())
		if err != nil || !bytes.Equal(back.JSON(), r.Schedule.JSON()) {
			t.Errorf("frac_reg=%g: the schedule does not come back from its JSON: %v", f, err)
		}
	}
	if registers == 256 {
		t.Error("no registers are counted")
	}
}

// deep is four stages of which each reads the one before in places that are too many to compute it there.
func deep() *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1536, 2560)
	args := []string{"x", "y"}
	f := b.Func("first", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		x, y := v[0].Clamp(in.Bound(0, "min"), in.Bound(0, "max")), v[1].Clamp(in.Bound(1, "min"), in.Bound(1, "max"))
		return in.At(x, y).Mul(in.At(x, y)).Add(in.At(x, y).Mul(3.0))
	})
	for _, name := range []string{"second", "third", "fourth"} {
		from := f
		f = b.Func(name, args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			at := func(x, y int) irtest.Expr { return from.At(v[0].Add(x), v[1].Add(y)) }
			return at(-1, 0).Mul(at(0, 1)).Add(at(1, 0).Mul(at(0, -1))).Add(at(0, 0))
		})
	}
	b.Output(f, 1536, 2560)
	p := b.Build()
	forCUDA(p, 86)
	return p
}

// TestScratchShared: what is dead gives its place away, so that a chain of stages takes two of the largest, and
// what is not keeps it.
func TestScratchShared(t *testing.T) {
	_, k := inRegisters(t, deep(), "0", "2x4x4")
	if len(k.Members) != 3 {
		t.Fatalf("%d members, want 3", len(k.Members))
	}
	var n [3]int64
	for i := range k.Members {
		n[i] = k.Members[i].Demoted * plan.WarpLanes * 4
	}
	if k.Members[0].ScratchAt != 0 || k.Members[1].ScratchAt != n[0] || k.Members[2].ScratchAt != 0 || k.Warp.Scratch != n[0]+n[1] {
		t.Errorf("a scratch of %d B; members of %d B at %d, %d, %d", k.Warp.Scratch, n, k.Members[0].ScratchAt, k.Members[1].ScratchAt, k.Members[2].ScratchAt)
	}
}

// TestScratchGate: the gate refuses a scratch that members do not fit, or share while both are needed.
func TestScratchGate(t *testing.T) {
	for name, breaks := range map[string]func(k *plan.Kernel){
		"beyond the registers": func(k *plan.Kernel) { k.Members[0].Demoted = k.Members[0].LaneSlots() + 1 },
		"beyond the scratch":   func(k *plan.Kernel) { k.Warp.Scratch -= plan.WarpLanes },
		"before it":            func(k *plan.Kernel) { k.Members[0].ScratchAt = -plan.WarpLanes },
		"one place for two":    func(k *plan.Kernel) { k.Members[1].ScratchAt = k.Members[0].ScratchAt },
		"none a block":         func(k *plan.Kernel) { k.SharedBytes = 0 },
	} {
		r, k := inRegisters(t, deep(), "0", "2x4x4")
		if len(k.Members) < 2 {
			t.Fatalf("%d members", len(k.Members))
		}
		if err := legality.Check(r.Problem, k); err != nil {
			t.Fatal(err)
		}
		breaks(k)
		if err := legality.Check(r.Problem, k); err == nil || !strings.Contains(err.Error(), "warp-scratch: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHybridRefused: the user is told what cannot be, and a search goes by it.
func TestHybridRefused(t *testing.T) {
	for _, c := range []struct {
		kv    map[string]string
		words string
	}{
		{map[string]string{"tiling": "warp-hybrid", "frac_reg": "1.5"}, "frac_reg=1.5: a number from 0 to 1 is wanted"},
		{map[string]string{"tiling": "warp-hybrid", "frac_reg": "NaN"}, "frac_reg=NaN: a number from 0 to 1 is wanted"},
		{map[string]string{"tiling": "warp-shared", "frac_reg": "0.5"}, "frac_reg=0.5 is of hybrid tiles of warps, which tiling=warp-shared has none of"},
		{map[string]string{"frac_reg": "0.5"}, "add tiling=warp-hybrid"},
	} {
		if _, err := ParseParams(c.kv); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%v: %v; want %q", c.kv, err, c.words)
		}
	}
	for _, tiling := range []string{"warp-hybrid", "warp-shared"} {
		prm, err := ParseParams(map[string]string{"tiling": tiling})
		if err != nil {
			t.Fatal(err)
		}
		p := blurred(irtest.F32, true, 1)
		p.Target.API, p.Target.String = "opencl", "host-opencl"
		if _, err := Run(p, prm); err == nil || !strings.Contains(err.Error(), "tiling="+tiling+": only CUDA has lanes") {
			t.Errorf("OpenCL: %v", err)
		}
		p = blurred(irtest.F32, true, 1)
		p.Target.CUDACapability, p.Target.String = 35, "host-cuda-cuda_capability_35"
		if _, err := Run(p, prm); err == nil || !strings.Contains(err.Error(), "compute capability 3.5, the target's, is older than 5.0") {
			t.Errorf("capability 3.5: %v", err)
		}
		// By the device that is asked for, too.
		for gpu, words := range map[string]string{"gtxtitan": "that of NVIDIA GeForce GTX TITAN, is older than 5.0", "generic": "only CUDA has lanes that exchange registers; the device is"} {
			prm.GPU = gpu
			if _, err := Run(blurred(irtest.F32, true, 1), prm); err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("gpu=%s: %v; want %q", gpu, err, words)
			}
		}
	}
}

// apart is a stencil that reads n points to either side, of one that does.
func apart(typ halideir.Type, n int) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", typ, 1536, 2560)
	args := []string{"x", "y"}
	edge := b.Func("edge", args, typ, func(v []irtest.Expr) irtest.Expr {
		return in.At(v[0].Clamp(in.Bound(0, "min"), in.Bound(0, "max")), v[1].Clamp(in.Bound(1, "min"), in.Bound(1, "max")))
	})
	f := edge
	for _, name := range []string{"first", "second"} {
		from := f
		f = b.Func(name, args, typ, func(v []irtest.Expr) irtest.Expr {
			at := func(x int) irtest.Expr { return from.At(v[0].Add(x), v[1]) }
			return at(-n).Mul(at(0)).Add(at(n).Mul(at(0))).Add(at(n / 2).Mul(at(-n / 2)))
		})
	}
	b.Output(f, 1536, 2560)
	p := b.Build()
	forCUDA(p, 86)
	return p
}

// TestNotAsAsked: where a tiling that was asked for by name is nobody's, the error names the Func and the reason; where it
// is only some kernels', a note does.
func TestNotAsAsked(t *testing.T) {
	for _, c := range []struct {
		p      *halideir.Pipeline
		tiling string
		words  string
	}{
		{apart(irtest.F64, 1), "warp-hybrid", "second: first: values of 64 bits are not exchanged by shuffles"},
		{apart(irtest.F32, 70), "warp-hybrid", "second: with first: with 4 points a lane what lies beside the tile leaves room for 0 points of it in 32 lanes, of 8 that it needs"},
		{apart(irtest.F32, 70), "warp-shared", "second: with first: with 4 points a lane what lies beside the tile leaves room for 0 points of it in 32 lanes, of 8 that it needs"},
	} {
		prm, err := ParseParams(map[string]string{"tiling": c.tiling, "cost": "issue"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(c.p, prm); err == nil || !strings.Contains(err.Error(), "tiling="+c.tiling+": no kernel of this pipeline is done so: "+c.words) {
			t.Errorf("%s: %v; want %q", c.tiling, err, c.words)
		}
	}
}

// TestEdgesOfTiles: what a boundary condition clamps, and the tests of points, cost instructions in tiles at an edge alone: a block is the dearer the fewer blocks lie inside, in
// the proportion of those that do not.
func TestEdgesOfTiles(t *testing.T) {
	block := func(width, height int64) (issued, edges float64) {
		b := irtest.New()
		in := b.Input("in", irtest.F32, width, height)
		edge := b.Func("edge", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return in.At(inside(in, 0, v[0]), inside(in, 1, v[1]))
		})
		across := b.Func("across", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return edge.At(v[0], v[1]).Add(edge.At(v[0].Add(1), v[1]))
		})
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return across.At(v[0], v[1]).Sub(across.At(v[0].Add(2), v[1]))
		})
		b.Output(out, width, height)
		p := b.Build()
		forCUDA(p, 86)
		_, k := warpKernel(t, p, "2x4x1")
		inside := max(0, k.Grid[0]-2) * max(0, k.Grid[1]-2)
		return k.Counted.Issued, 1 - float64(inside)/float64(k.Grid[0]*k.Grid[1])
	}
	few, ofFew := block(620, 40)
	some, ofSome := block(620, 400)
	many, ofMany := block(6200, 4000)
	if want := (ofFew - ofMany) / (ofSome - ofMany); some <= many || math.Abs((few-many)/(some-many)-want) > 1e-6 {
		t.Errorf("%.1f, %.1f and %.1f instructions a block where %.3f, %.3f and %.3f of the blocks are at an edge", few, some, many, ofFew, ofSome, ofMany)
	}
}

// TestHalvesInTilesOfWarps: of an image that is enlarged, each point is of two, half of its place and the one beside that, left or right: no lane has one for the other.
func TestHalvesInTilesOfWarps(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 600, 600)
	stored := b.Func("stored", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(inside(in, 0, v[0]), inside(in, 1, v[1])) })
	stored.Update([]irtest.RVar{{Name: "r", Extent: 600}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) { // a scan is in memory
		return []irtest.Expr{v[0], r[0]}, stored.At(v[0], r[0]).Add(stored.At(v[0], r[0].Sub(1)))
	})
	across := b.Func("across", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		half := v[0].Div(2)
		return stored.At(half, v[1]).Mul(.75).Add(stored.At(half.Sub(1).Add(v[0].Mod(2).Mul(2)), v[1]).Mul(.25))
	})
	out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return across.At(v[0], v[1]).Sub(across.At(v[0].Add(1), v[1]))
	})
	b.Output(out, 1024, 512)
	p := b.Build()
	forCUDA(p, 86)
	r, err := Run(p, warpParams("1x4x1"))
	if err != nil {
		t.Fatal(err)
	}
	kernels := r.Found[len(r.Found)-1].Layout.Kernels
	k := kernels[len(kernels)-1]
	if k.Warp == nil {
		t.Fatalf("the kernel is %s", k.Strategy)
	}
	const rows = 4
	if got := k.Counted.Requests; got != rows*(2+1+1) { // loads, an exchange and a store
		t.Errorf("%.1f requests of a lane for %d points", got, rows)
	}
}
