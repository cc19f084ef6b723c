package autoscheduler

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gowarp/autoscheduler/instructions"
	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// estimated is what a block of a kernel does, laid out a given way.
func estimated(t rapid.TB, p *halideir.Pipeline, w Way) (instructions.Work, *plan.Kernel) {
	t.Helper()
	forCUDA(p, 75)
	prm, err := ParseParams(map[string]string{"gpu": "rtx2080ti"})
	if err != nil {
		t.Fatal(err)
	}
	pr, k, err := NewLayer(p, prm).Kernel(&w)
	if err != nil {
		t.Fatal(err)
	}
	return instructions.For(k.View(pr)).Work(k), k
}

// pointwise is an output of a size, of an input that is as much larger as it is asked for.
func pointwise(typ halideir.Type, width, height int64, value func(in *irtest.Input, x, y irtest.Expr) irtest.Expr) (*halideir.Pipeline, Way) {
	b := irtest.New()
	in := b.Input("in", typ, width+8, height+8)
	out := b.Func("out", []string{"x", "y"}, typ, func(v []irtest.Expr) irtest.Expr { return value(in, v[0], v[1]) })
	b.Output(out, width, height)
	return b.Build(), Way{Choice: plan.Choice{Strategy: "root", Tile: []int64{32, 8}}}
}

// product is that of two matrices of n columns and rows, a sum a point.
func product(n int64) *halideir.Pipeline {
	b := irtest.New()
	left, right := b.Input("left", irtest.F32, n, n), b.Input("right", irtest.F32, n, n)
	sum := b.Func("sum", []string{"x", "y"}, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
	sum.Update([]irtest.RVar{{Name: "r", Extent: n}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return []irtest.Expr{v[0], v[1]}, sum.At(v[0], v[1]).Add(left.At(r[0], v[1]).Mul(right.At(v[0], r[0])))
	})
	b.Output(sum, n, n)
	return b.Build()
}

const eightWarps = 8 // of 32x8 threads

// TestFloatsByHand: instructions of floating-point units, as PTX for sm_75 has them.
func TestFloatsByHand(t *testing.T) {
	for name, c := range map[string]struct {
		value func(in *irtest.Input, x, y irtest.Expr) irtest.Expr
		want  float64 // a point
	}{
		// 3 sub, 1 fma, 1 add, 1 mul: harris' gx. The product with 1/12 is added to nothing.
		"sobel": {func(in *irtest.Input, x, y irtest.Expr) irtest.Expr {
			d := func(dy int64) irtest.Expr { return in.At(x.Add(2), y.Add(dy)).Sub(in.At(x, y.Add(dy))) }
			return d(0).Add(d(1).Mul(2.0)).Add(d(2)).Mul(1.0 / 12)
		}, 6},
		// 1 mul, 2 fma: one product has no sum before it.
		"three products": {func(in *irtest.Input, x, y irtest.Expr) irtest.Expr {
			return in.At(x, y).Mul(.25).Add(in.At(x.Add(1), y).Mul(.5)).Add(in.At(x.Add(2), y).Mul(.75))
		}, 3},
		"by a literal": {func(in *irtest.Input, x, y irtest.Expr) irtest.Expr { return in.At(x, y).Div(3.0) }, 1},
		"clamped":      {func(in *irtest.Input, x, y irtest.Expr) irtest.Expr { return in.At(x, y).Clamp(0.0, 1.0) }, 2},
		// `setp.gt.f32` and `selp.f32`, which are no floating-point unit's: either may be a NaN.
		"the greater": {func(in *irtest.Input, x, y irtest.Expr) irtest.Expr { return in.At(x, y).Max(in.At(x.Add(1), y)) }, 0},
	} {
		p, way := pointwise(irtest.F32, 1024, 1024, c.value)
		if w, _ := estimated(t, p, way); w.Float != c.want*eightWarps || w.Special != 0 {
			t.Errorf("%s: %.1f a point and %.1f of special-function units, want %.0f", name, w.Float/eightWarps, w.Special/eightWarps, c.want)
		}
	}
	p, way := pointwise(irtest.F32, 1024, 1024, func(in *irtest.Input, x, y irtest.Expr) irtest.Expr { return in.At(x, y).Div(in.At(x.Add(1), y)) })
	if w, _ := estimated(t, p, way); w.Float != 0 || w.Special != eightWarps {
		t.Errorf("a division: %.1f and %.1f", w.Float/eightWarps, w.Special/eightWarps)
	}
}

// TestIntegersByHand: a sum of three 16-bit numbers without a sign, divided by 3: `mul.lo.s64` and `shr.u64` behind two `add.s64`; with a sign there is more. What the
// divisor of only a run knows is a `div`.
func TestIntegersByHand(t *testing.T) {
	terms := func(typ halideir.Type, value func(in *irtest.Input, x, y irtest.Expr) irtest.Expr) instructions.Terms {
		p, way := pointwise(typ, 1024, 1024, value)
		w, _ := estimated(t, p, way)
		return instructions.Terms{}.Plus(&w.Terms, 1./eightWarps)
	}
	third := func(in *irtest.Input, x, y irtest.Expr) irtest.Expr {
		return in.At(x, y).Add(in.At(x.Add(1), y)).Add(in.At(x.Add(2), y)).Div(3)
	}
	plain, signed := terms(irtest.U16, third), terms(irtest.I32, third)
	if plain[instructions.Integer] != 2 || plain[instructions.UnsignedDivision] != 1 || plain[instructions.Division] != 0 {
		t.Errorf("without a sign: %v", plain)
	}
	if signed[instructions.Integer] != 2 || signed[instructions.UnsignedDivision] != 0 || signed[instructions.Division] != 1 {
		t.Errorf("with a sign: %v", signed)
	}
	if got := terms(irtest.I32, func(in *irtest.Input, x, y irtest.Expr) irtest.Expr {
		return in.At(x, y).Mul(in.At(x.Add(1), y)).Add(in.At(x.Add(2), y))
	}); got[instructions.Integer] != 1 {
		t.Errorf("a product and a sum are one mad, not %.0f", got[instructions.Integer])
	}
}

// TestLastBlocksHaveFewerWarps: 72x65 points in tiles of 32x8: 8 warps a block, though in the last of a row 8 lanes only have work, but one in the last row of blocks.
func TestLastBlocksHaveFewerWarps(t *testing.T) {
	add := func(in *irtest.Input, x, y irtest.Expr) irtest.Expr { return in.At(x, y).Add(in.At(x.Add(1), y)) }
	p, way := pointwise(irtest.F32, 72, 65, add)
	w, k := estimated(t, p, way)
	if got := w.Float * float64(k.Tiles()); k.Tiles() != 27 || math.Abs(got-(8*3*8+3)) > 1e-6 {
		t.Errorf("%.1f warps have work in %d blocks, 195 in 27 do", got, k.Tiles())
	}
}

// TestInteriorHasNoBoundary: what a boundary condition clamps (likely) is clamped in blocks at an edge only: of 32x64 blocks all but 30x62. A clamp of the user's own is everywhere.
func TestInteriorHasNoBoundary(t *testing.T) {
	clamped := func(mark func(e irtest.Expr) irtest.Expr) float64 {
		p, way := pointwise(irtest.F32, 1024, 512, func(in *irtest.Input, x, y irtest.Expr) irtest.Expr {
			return in.At(mark(x).Clamp(in.Bound(0, "min"), in.Bound(0, "min").Add(99)), mark(y).Clamp(in.Bound(1, "min"), in.Bound(1, "min").Add(99)))
		})
		w, _ := estimated(t, p, way)
		return w.Terms[instructions.ClampedRow] / eightWarps
	}
	if got := clamped(func(e irtest.Expr) irtest.Expr { return e }); got != 1 {
		t.Errorf("the user's own clamp: %v rows a warp are clamped", got)
	}
	if got, want := clamped(irtest.Expr.Likely), 1-30./32*62/64; math.Abs(got-want) > 1e-9 {
		t.Errorf("a boundary condition: %v rows a warp are clamped, want %v", got, want)
	}
}

// TestSumsStayInRegisters: a product of matrices, a point a thread: two loads an iteration, and the sum is loaded and stored once, as gpusim counts mat_mul's.
func TestSumsStayInRegisters(t *testing.T) {
	const n = 256
	w, _ := estimated(t, product(n), Way{Stage: 1, Choice: plan.Choice{Strategy: "root", Tile: []int64{32, 8}}})
	values := (w.Memory - w.Terms.Parameters()) / eightWarps
	if w.Float != n*eightWarps || values != 2*n+2 {
		t.Errorf("%.1f instructions of floats and %.1f loads and stores a warp, want %d and %d", w.Float/eightWarps, values, n, 2*n+2)
	}
}

// TestWhatIsTheSameEverywhere: of a*x + (1-a)*y the difference is worked out by the host, and the kernel gets it as a parameter.
func TestWhatIsTheSameEverywhere(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1100, 1100)
	a := b.Scalar("a", irtest.F32, .5)
	out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return in.At(v[0], v[1]).Mul(a).Add(in.At(v[0].Add(1), v[1]).Mul(b.Const(irtest.F32, 1).Sub(a)))
	})
	b.Output(out, 1024, 1024)
	p := b.Build()
	w, _ := estimated(t, p, Way{Choice: plan.Choice{Strategy: "block-window", Tile: []int64{64, 8}, Points: []int64{2, 4}}})
	if warps := 2.0; w.Float != warps*8*2 {
		t.Errorf("%.1f instructions of floats a warp for 8 points, want 16", w.Float/warps)
	}
}

// TestWhatDoesNotTurn: of (x*x + y) * w(c) a thread works out the sum once and the product for each colour.
func TestWhatDoesNotTurn(t *testing.T) {
	b := irtest.New()
	in, weights := b.Input("in", irtest.F32, 1100, 1100), b.Input("weights", irtest.F32, 3)
	out := b.Func("out", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		x := in.At(v[0], v[1])
		return x.Mul(x).Add(in.At(v[0].Add(1), v[1])).Mul(weights.At(v[2]))
	})
	b.Output(out, 1024, 1024, 3)
	w, k := estimated(t, b.Build(), Way{Choice: plan.Choice{Strategy: "block-window", Tile: []int64{64, 8}, Points: []int64{2, 4}}})
	if len(k.Out.Serial) != 1 {
		t.Fatalf("the colours are not in the thread: %+v", k.Out)
	}
	if warps := 2.0; w.Float != warps*8*(1+3) {
		t.Errorf("%.1f instructions of floats a warp for 8 points, want 32", w.Float/warps)
	}
}

// TestLoadedOnceInAThread: two Funcs that a thread keeps in registers, and that read the same pixels, load them once.
func TestLoadedOnceInAThread(t *testing.T) {
	memory := func(apart int) float64 {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1100, 1100)
		member := func(name string, apart int) *irtest.Func {
			return b.Func(name, []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
				return in.At(v[0].Add(apart), v[1]).Mul(in.At(v[0].Add(apart), v[1].Add(1)))
			})
		}
		f, g := member("f", 0), member("g", apart)
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return f.At(v[0], v[1]).Add(g.At(v[0], v[1])) })
		b.Output(out, 1024, 1024)
		w, k := estimated(t, b.Build(), Way{Out: out.ID, Members: []int{f.ID, g.ID}, Choice: plan.Choice{Strategy: "block-window", Tile: []int64{32, 8}, Points: []int64{1, 4}, Windows: 2}})
		for _, m := range k.Members {
			if m.Where != plan.AtThread {
				t.Fatalf("%+v is not in registers", m)
			}
		}
		return w.Memory - w.Terms.Parameters()
	}
	// A column of four points reads five pixels.
	const warps, column, stores = 2, 5, 4
	if same, apart := memory(0), memory(40); same != warps*(column+stores) || apart != warps*(2*column+stores) {
		t.Errorf("%v loads and stores of the same pixels, %v of others", same, apart)
	}
}

// TestWayIsLaidOutAgain: every kernel of a schedule, by its way alone, is that kernel, whatever was decided around it.
func TestWayIsLaidOutAgain(t *testing.T) {
	p := load(t, "testdata/harris.json")
	prm, err := ParseParams(map[string]string{"gpu": "rtx2080ti"})
	if err != nil {
		t.Fatal(err)
	}
	layer, kernels := NewLayer(p, prm), 0
	for n := range uint64(20) {
		r, err := Draw(p, prm, 1, n)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range r.Found {
			for _, k := range f.Layout.Kernels {
				if k.Host {
					continue
				}
				w := WayOf(r, r.Groups[i], k)
				pr, again, err := layer.Kernel(&w)
				if err != nil {
					t.Fatal(err)
				}
				want, got := instructions.For(k.View(r.Problem)).Work(k), instructions.For(again.View(pr)).Work(again)
				if again.Grid != k.Grid || again.Block != k.Block || again.SharedBytes != k.SharedBytes || math.Abs(got.Issued-want.Issued) > 1e-6*want.Issued {
					t.Errorf("draw %d, %s: grid %v and %v, blocks %v and %v, %.1f and %.1f instructions", n, k.Strategy, k.Grid, again.Grid, k.Block, again.Block, want.Issued, got.Issued)
				}
				if name, err := layer.Name(&w); err != nil || name != fmt.Sprintf("%s.s%d", r.Problem.P.Funcs[k.Out.Func].Label, k.Out.Stage) {
					t.Errorf("draw %d: %s is called %q, %v", n, k.Strategy, name, err)
				}
				kernels++
			}
		}
	}
	if kernels < 40 {
		t.Errorf("%d kernels were drawn; the test shows little", kernels)
	}
	if _, _, err := layer.Kernel(&Way{Out: 99}); err == nil {
		t.Error("a Func that is not there is laid out")
	}
	if name, err := layer.Name(&Way{Out: 99}); err == nil {
		t.Errorf("a Func that is not there is called %q", name)
	}
}

// TestChoicesBetweenConditions: PTX chooses between no two predicates: a choice between conditions is `and`, `not` or the opposite comparison, `and`, `or`. canny's ridge has three a point.
func TestChoicesBetweenConditions(t *testing.T) {
	choices := func(of func(in *irtest.Input, x, y irtest.Expr) irtest.Expr) float64 {
		p, way := pointwise(irtest.I32, 1024, 1024, of)
		w, _ := estimated(t, p, way)
		return w.Terms[instructions.Choice] / eightWarps
	}
	// Three comparisons and a choice between numbers, and one between two of the comparisons.
	got := choices(func(in *irtest.Input, x, y irtest.Expr) irtest.Expr {
		a, b := in.At(x, y), in.At(x.Add(1), y)
		return a.LT(3).Select(a.LT(b), b.LT(5)).Select(a, 7)
	})
	if got != 3+1+4 {
		t.Errorf("%v instructions for conditions a point, want 8", got)
	}
}

// TestSumsApart: two rows of sums of a product of matrices in a thread: how far they are apart only a run knows, so that each is loaded and stored at every turn (gpusim counts mat_mul's so). In one row they
// stay in registers.
func TestSumsApart(t *testing.T) {
	const n = 256
	values := func(points []int64) float64 {
		w, k := estimated(t, product(n), Way{Stage: 1, Choice: plan.Choice{Strategy: "block-window", Tile: []int64{32 * points[0], points[1]}, Points: points}})
		return (w.Memory - w.Terms.Parameters()) / float64(k.ThreadsPerBlock()/plan.WarpLanes)
	}
	row, rows := values([]int64{2, 1}), values([]int64{1, 2})
	if rows < 2*2*n || row > 4*n+8 {
		t.Errorf("%.0f loads and stores of two sums in a row and %.0f of two rows; those of rows are %d for the sums alone", row, rows, 4*n)
	}
}

// TestHalvesOfWhatMayBeOdd: f(x/2) and f((x+1)/2) are two elements, each with an address of its own, where a thread has one x, which may be odd. With two of a row it begins at an even one: three elements for two points.
func TestHalvesOfWhatMayBeOdd(t *testing.T) {
	terms := func(points []int64) (loads, rows float64) {
		p, _ := pointwise(irtest.F32, 1024, 1024, func(in *irtest.Input, x, y irtest.Expr) irtest.Expr {
			return in.At(x.Div(2), y).Add(in.At(x.Add(1).Div(2), y))
		})
		w, k := estimated(t, p, Way{Choice: plan.Choice{Strategy: "block-window", Tile: []int64{32 * points[0], points[1]}, Points: points}})
		warps := float64(k.ThreadsPerBlock() / plan.WarpLanes)
		return math.Round((w.Memory-w.Terms.Parameters())/warps - float64(points[0]*points[1])), w.Terms[instructions.Row] / warps
	}
	if loads, rows := terms([]int64{1, 4}); loads != 8 || rows != 8 {
		t.Errorf("four rows of one point: %v loads at %v addresses, want 8 at 8", loads, rows)
	}
	if loads, rows := terms([]int64{2, 4}); loads != 8 || rows != 4 {
		t.Errorf("four rows of two points: %v loads at %v addresses, want 8 at 4", loads, rows)
	}
}

// TestVectorsThatPay: the pass that makes vectors leaves accesses as they are where addresses cost what it saves: of a single row a vector has three instructions more and saves three.
func TestVectorsThatPay(t *testing.T) {
	accesses := func(rows int64) float64 {
		p, _ := pointwise(irtest.F32, 1024, 1024, func(in *irtest.Input, x, y irtest.Expr) irtest.Expr { return in.At(x, y).Add(1.0) })
		w, k := estimated(t, p, Way{Choice: plan.Choice{Strategy: "block-window", Tile: []int64{128, rows}, Points: []int64{4, rows}}})
		return (w.Memory - w.Terms.Parameters()) / float64(k.ThreadsPerBlock()/plan.WarpLanes)
	}
	if one, two := accesses(1), accesses(2); one != 8 || two != 4 {
		t.Errorf("%v loads and stores of a row of four points and %v of two, want 8 and 4", one, two)
	}
}

// TestLoopsThatShareADimension: x, y and the 7x7 places of a window that is written as numbers, the places in one dimension of the grid. In PTX a stage that goes from place to place of two such Funcs takes
// nothing apart (its index times one stride), one that reads an image around a place divides by 7: `mul.wide`, `shr`, `cvt` and what is left. Neither loads extents, nor uses the special-function unit.
func TestLoopsThatShareADimension(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1100, 1100)
	args := []string{"x", "y", "dx", "dy"}
	apart := b.Func("apart", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0].Add(v[2]), v[1].Add(v[3])) })
	twice := b.Func("twice", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return apart.At(v[0], v[1], v[2], v[3]).Mul(2.0) })
	sum := b.Func("sum", args[:2], irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
	sum.Update([]irtest.RVar{{Name: "r", Extent: 7}, {Name: "s", Extent: 7}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return []irtest.Expr{v[0], v[1]}, sum.At(v[0], v[1]).Add(twice.At(v[0], v[1], r[0], r[1]))
	})
	b.Output(sum, 1024, 1024)
	p := b.Build()
	for out, want := range []struct{ integer, strides float64 }{{4, 1 + 3}, {0, 2 + 2}} {
		w, k := estimated(t, p, Way{Out: out, Choice: plan.Choice{Strategy: "root", Tile: []int64{32, 8}}})
		if !slices.Contains(k.Grid[1:], 49) {
			t.Fatalf("%v blocks; the test wants 49 along y or z", k.Grid)
		}
		terms := instructions.Terms{}.Plus(&w.Terms, 1./eightWarps)
		if w.Special != 0 || terms[instructions.Fused] != 0 || terms[instructions.Dimension] != 2 || terms[instructions.Integer] != want.integer || terms[instructions.Stride] != want.strides {
			t.Errorf("%s: %v of special-function units, %v, %v dimensions, %v instructions of integers and %v strides, want 0, 0, 2, %v and %v",
				p.Funcs[out].Label, w.Special, terms[instructions.Fused], terms[instructions.Dimension], terms[instructions.Integer], terms[instructions.Stride], want.integer, want.strides)
		}
	}
}

// TestSumsAreOneBuffer: what a reduction both reads and writes is one buffer, whose pointer and strides are loaded once.
func TestSumsAreOneBuffer(t *testing.T) {
	w, _ := estimated(t, product(256), Way{Stage: 1, Choice: plan.Choice{Strategy: "root", Tile: []int64{32, 8}}})
	if got := w.Terms[instructions.EntryBuffer] / eightWarps; got != 3 {
		t.Errorf("%v buffers of a product of matrices, want 3", got)
	}
}

// TestSharedBuffers: of a tile that is made half as high, PTX (local_laplacian's guide_5) has a product with a sum and the address of its bytes where the stage in shared memory stores, and once more
// where its reader loads; in the dimension in which it reads every other place the rows that the tile needs are worked out with a shift and an addition more.
func TestSharedBuffers(t *testing.T) {
	for rows := 1; rows <= 2; rows++ { // of `across` for each of the output
		b := irtest.New()
		in := b.Input("in", irtest.F32, 520, 520)
		across := b.Func("across", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(in.At(v[0].Add(1), v[1])) })
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return across.At(v[0], v[1].Mul(rows)).Add(across.At(v[0], v[1].Mul(rows).Add(1)))
		})
		b.Output(out, 256, 256)
		w, k := estimated(t, b.Build(), Way{Out: out.ID, Members: []int{across.ID}, Choice: plan.Choice{Strategy: "block-tile", Tile: []int64{16, 8}}})
		warps := float64(k.Warps())
		stores, loads := warps, 4.0 // 16x8 threads load
		if got := w.Terms[instructions.SharedBuffer]; got != stores+loads {
			t.Errorf("%d rows of a row: %v addresses in shared memory of %v warps, want %v", rows, got, warps, stores+loads)
		}
		if got, want := w.Terms[instructions.ScaledMember], loads*float64(rows-1); got != want {
			t.Errorf("%d rows of a row: %v dimensions whose ends are worked out apart, want %v", rows, got, want)
		}
	}
}

// TestTestsInOnePiece: of 8 rows of two points that are tested one by one, in a kernel that is one piece of code, PTX (hist's luma) has a comparison and a branch for the second point of each row, and for each row but the
// first its place, a comparison and two branches, and behind those `mad`, `cvt` and `add` for each of the two buffers' addresses. Blocks at an edge are no other than those within.
func TestTestsInOnePiece(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.I32, 1024, 1024)
	twice := b.Func("twice", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(3) })
	out := b.Func("out", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return twice.At(v[0], v[1]).Add(1) })
	b.Output(out, 1024, 1024)
	p := b.Build()
	w, k := estimated(t, p, Way{Choice: plan.Choice{Strategy: "block-window", Tile: []int64{64, 64}, Points: []int64{2, 8}}})
	if len(k.Out.Unrolled) != 2 || !k.Out.Unrolled[0].Guarded() || !k.Out.Unrolled[1].Guarded() {
		t.Fatalf("%+v; the test wants points that are tested", k.Out.Unrolled)
	}
	products, tests, addresses := 16., 2*8+4*7., 3*2*7.
	if got := w.Terms[instructions.Integer] / float64(k.ThreadsPerBlock()/plan.WarpLanes); math.Abs(got-products-tests-addresses) > 1e-6 {
		t.Errorf("%v instructions of integers a warp, want %v", got, products+tests+addresses)
	}
}
