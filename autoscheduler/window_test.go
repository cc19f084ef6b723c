package autoscheduler

import (
	"bytes"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gowarp/autoscheduler/instructions"
	"gowarp/autoscheduler/legality"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/golden"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

func windowed(t *testing.T, p *halideir.Pipeline, more map[string]string) *Result {
	t.Helper()
	kv := map[string]string{"mode": "autogpu", "tiling": "block-window", "gpu": "sm_86"}
	for k, v := range more {
		kv[k] = v
	}
	prm, err := ParseParams(kv)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(p, prm)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWindowGolden is harris with several points a thread: its directives, as a tree and as C++.
func TestWindowGolden(t *testing.T) {
	p := load(t, "testdata/harris.json")
	s := windowed(t, p, nil).Schedule
	if err := s.CheckForms(p); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.Tree(&b, p); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n")
	b.WriteString(s.CPlusPlus(p))
	golden.Compare(t, filepath.Join("testdata", "golden", "harris.window.txt"), b.Bytes())
	again, err := schedule.Decode(s.JSON())
	if err != nil {
		t.Fatal(err)
	}
	if again.CPlusPlus(p) != s.CPlusPlus(p) {
		t.Error("read back from JSON it is another schedule")
	}
}

// inputOf is an input as large as the output, where reads are clamped to it, else larger.
func inputOf(b *irtest.Builder, clamped bool) *irtest.Input {
	if clamped {
		return b.Input("in", irtest.F32, 1536, 2560)
	}
	return b.Input("in", irtest.F32, 1600, 2600)
}

// crosses is a stencil over a stencil over an input that is clamped, or not.
func crosses(clamped bool) *halideir.Pipeline {
	b := irtest.New()
	xy := []string{"x", "y"}
	in := inputOf(b, clamped)
	cross := func(f *irtest.Func, v []irtest.Expr) irtest.Expr {
		return f.At(v[0].Add(-1), v[1]).Add(f.At(v[0].Add(1), v[1])).Add(f.At(v[0], v[1].Add(-1))).Add(f.At(v[0], v[1].Add(1)))
	}
	first := b.Func("first", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		x, y := v[0].Add(16), v[1].Add(16)
		if clamped {
			x, y = v[0].Clamp(in.Bound(0, "min"), in.Bound(0, "max")), v[1].Clamp(in.Bound(1, "min"), in.Bound(1, "max"))
		}
		return in.At(x, y).Mul(2.0)
	})
	second := b.Func("second", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr { return cross(first, v) })
	out := b.Func("out", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr { return cross(second, v) })
	b.Output(out, 1536, 2560)
	return b.Build()
}

// TestWindowTails: an output's points are for whole groups, with another way for the rest; those of a Func that
// is not an output are rounded up, where no input is asked for more, and else tested one by one.
func TestWindowTails(t *testing.T) {
	for _, clamped := range []bool{true, false} {
		r := windowed(t, crosses(clamped), map[string]string{"grouping": "none"})
		for _, f := range r.Found {
			k := f.Layout.Kernels[0]
			output := r.Problem.P.Funcs[k.Out.Func].Output
			points := k.Out.PointsPerThread() > 1
			if !points {
				t.Errorf("clamped %v: %s has %d points a thread", clamped, r.Problem.P.Funcs[k.Out.Func].Label, k.Out.PointsPerThread())
			}
			if k.Out.Whole != (output && points) {
				t.Errorf("clamped %v: %s: whole is %v", clamped, r.Problem.P.Funcs[k.Out.Func].Label, k.Out.Whole)
			}
			for _, u := range k.Out.Unrolled {
				want := plan.ShiftInwards
				switch {
				case output:
				case clamped:
					want = plan.RoundUp
				default:
					want = plan.Guarded
				}
				if u.Tail != want {
					t.Errorf("tail %v, want %v", u.Tail, want)
				}
			}
		}
		special := slices.ContainsFunc(r.Schedule.Directives, func(d schedule.Directive) bool { return d.Do == schedule.Specialize })
		if !special {
			t.Error("no special case is emitted")
		}
	}
}

// boxes is a stencil over sums of 5x5 points of an input that is clamped, or not.
func boxes(clamped bool) *halideir.Pipeline {
	b := irtest.New()
	xy := []string{"x", "y"}
	in := inputOf(b, clamped)
	sum := func(v []irtest.Expr, at func(x, y irtest.Expr) irtest.Expr) irtest.Expr {
		all := at(v[0], v[1])
		for i := 1; i < 25; i++ {
			all = all.Add(at(v[0].Add(i%5), v[1].Add(i/5)))
		}
		return all
	}
	first := b.Func("first", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return sum(v, func(x, y irtest.Expr) irtest.Expr {
			if clamped {
				return in.At(x.Clamp(in.Bound(0, "min"), in.Bound(0, "max")), y.Clamp(in.Bound(1, "min"), in.Bound(1, "max")))
			}
			return in.At(x, y)
		})
	})
	second := b.Func("second", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return sum(v, func(x, y irtest.Expr) irtest.Expr { return first.At(x, y) })
	})
	out := b.Func("out", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return sum(v, func(x, y irtest.Expr) irtest.Expr { return second.At(x, y) })
	})
	b.Output(out, 1536, 2560)
	return b.Build()
}

// TestRoundedMembers: points of a member in shared memory are rounded up where it reads no other member and no input is asked for
// more; what is stored has room for them, and the gate refuses them anywhere else.
func TestRoundedMembers(t *testing.T) {
	for _, clamped := range []bool{true, false} {
		r := windowed(t, boxes(clamped), map[string]string{"cost": "issue"})
		g := r.Groups[len(r.Groups)-1]
		if len(g.Members) == 0 {
			t.Fatal("nothing is fused")
		}
		prepared, err := strategy.BlockWindow{}.Prepare(r.Problem, g, strategy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rounded, refused := 0, 0
		for _, c := range prepared.(strategy.Chooser).Choices(0, strategy.StepOfTwo) {
			k, err := prepared.Kernel(0, c)
			if err != nil {
				t.Fatal(err)
			}
			for i := range k.Members {
				m := &k.Members[i]
				name := r.Problem.P.Funcs[m.Func].Label
				if m.Where != plan.AtBlock {
					continue
				}
				for j := range m.Nests[0].Unrolled {
					u := &m.Nests[0].Unrolled[j]
					arg := r.Problem.P.Funcs[m.Func].Stages[0].Loops[u.Loop].Arg
					if u.Tail == plan.RoundUp {
						rounded++
						if slices.ContainsFunc(g.Members, func(o int) bool { return o != m.Func && r.Problem.Reads(m.Func, o) }) {
							t.Errorf("%+v: %s reads a member and is rounded up", c, name)
						}
						if e := m.Extents[arg]; e%u.Extent != 0 || m.Padded[arg] < e || e < g.Grow.Funcs[m.Func][arg].Extent(c.Tile[arg]) {
							t.Errorf("%+v: %s stores %d (padded %d) points of dimension %d in groups of %d", c, name, e, m.Padded[arg], arg, u.Extent)
						}
						continue
					}
					if clamped {
						continue // beside one of more points than are rounded up
					}
					u.Tail = plan.RoundUp
					if legality.Check(r.Problem, k) == nil {
						t.Errorf("%+v: the gate lets %s be rounded up", c, name)
					}
					refused++
					u.Tail = plan.Guarded
				}
			}
		}
		if clamped != (rounded > 0) || !clamped && refused == 0 {
			t.Errorf("clamped %v: %d points rounded up, %d refused", clamped, rounded, refused)
		}
	}
}

// TestWindowChoices: every choice that the strategy offers is legal, and its blocks are of the size
// that the choice says.
func TestWindowChoices(t *testing.T) {
	r := windowed(t, crosses(true), map[string]string{"cost": "issue"})
	g := r.Groups[len(r.Groups)-1]
	prepared, err := strategy.BlockWindow{}.Prepare(r.Problem, g, strategy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	choices := prepared.(strategy.Chooser).Choices(0, strategy.StepOfTwo)
	if len(choices) < 10 {
		t.Fatalf("%d choices", len(choices))
	}
	windows := map[int]bool{}
	for _, c := range choices {
		k, err := prepared.Kernel(0, c)
		if err != nil {
			t.Fatal(err)
		}
		if err := legality.Check(r.Problem, k); err != nil {
			t.Error(err)
		}
		windows[c.Windows] = true
		for i, u := range k.Out.Threads {
			if u.Extent*c.Points[i] != c.Tile[i] {
				t.Errorf("%d threads of %d points make a tile of %d", u.Extent, c.Points[i], c.Tile[i])
			}
		}
		for i := range k.Members {
			m := &k.Members[i]
			for j, e := range m.Extents {
				loops := r.Problem.P.Funcs[m.Func].Stages[0].Loops
				covered := int64(1)
				for _, uses := range [][]plan.Use{m.Nests[0].Unrolled, m.Nests[0].Threads, m.Nests[0].Serial} {
					for _, u := range uses {
						if loops[u.Loop].Arg == j {
							covered *= u.Extent
						}
					}
				}
				if covered < e {
					t.Errorf("%+v: %d of %d points of dimension %d are computed", c, covered, e, j)
				}
			}
		}
	}
	if windows[0] == (len(windows) == 1) {
		t.Errorf("no member in registers was offered: %v", windows)
	}
}

// TestWindowLoads: points side by side load what they share once. A cross of five points loads, for 2x4 points,
// 4x6 elements without the corners.
func TestWindowLoads(t *testing.T) {
	r := windowed(t, crosses(true), map[string]string{"grouping": "none"})
	e := instructions.For(r.Problem)
	out := r.Problem.P.Outputs[0]
	count := func(px, py int64) (issued, requests float64) {
		n := plan.Nest{Func: out, Unrolled: []plan.Use{{Loop: 0, Tile: px, Extent: px, Tail: plan.RoundUp}, {Loop: 1, Tile: py, Extent: py, Tail: plan.RoundUp}},
			Threads: []plan.Use{{Loop: 0, Extent: 32}, {Loop: 1, Extent: 1}}, Along: plan.Use{Loop: -1}}
		return e.Block(&plan.Kernel{Out: n, Block: [3]int64{32, 1, 1}, Grid: [3]int64{1, 1, 1}})
	}
	// Without the middle, which a cross of four does not read, all but the corners of 4x6: 20 loads, 8 stores.
	if _, requests := count(2, 4); math.Abs(requests-28) > 1e-9 {
		t.Errorf("2x4 points make %v requests, want 20 loads and 8 stores", requests)
	}
	if _, requests := count(1, 1); math.Abs(requests-5) > 1e-9 {
		t.Errorf("one point makes %v requests, want 4 loads and a store", requests)
	}
	one, _ := count(1, 1)
	eight, _ := count(2, 4)
	if eight >= 8*one {
		t.Errorf("8 points side by side issue %v instructions, 8 threads with one %v", eight, 8*one)
	}
}

// TestReadOutput: an output that another Func reads has one split a loop, whatever is asked for; its reader may have more.
func TestReadOutput(t *testing.T) {
	pipeline := func(both bool) *halideir.Pipeline {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1024, 1024)
		args := []string{"x", "y"}
		at := func(src interface{ At(...any) irtest.Expr }, x, y irtest.Expr) irtest.Expr {
			return src.At(x.Clamp(0, 1023), y.Clamp(0, 1023))
		}
		small := b.Func("small", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return at(in, v[0].Add(-1), v[1]).Add(at(in, v[0].Add(1), v[1])).Add(at(in, v[0], v[1].Add(1)))
		})
		big := b.Func("big", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return small.At(v[0], v[1].Div(2)).Add(small.At(v[0], 3)) })
		if both {
			b.Output(small, 1024, 512)
		}
		b.Output(big, 1024, 1024)
		return b.Build()
	}
	for _, tiling := range []string{"block-window", "warp", "all"} {
		for _, both := range []bool{false, true} {
			r := windowed(t, pipeline(both), map[string]string{"tiling": tiling, "cost": "issue"})
			for i := range r.Schedule.Kernels {
				k := &r.Schedule.Kernels[i]
				if split := k.Strategy == "block-window" || k.Strategy == "warp-registers"; split && k.Name == "small" && both {
					t.Errorf("%s: small, an output that big reads, is done as %s", tiling, k.Strategy)
				} else if !split && k.Name == "big" && tiling == "block-window" {
					t.Errorf("%s: big is done as %s: the test shows nothing", tiling, k.Strategy)
				}
			}
		}
	}
}

// TestSums: a product of matrices keeps the sums of several points in a thread's registers. The loop over the domain is around
// all of them, and one iteration loads as many elements as the points have rows and columns, not two a point.
func TestSums(t *testing.T) {
	b := irtest.New()
	left, right := b.Input("left", irtest.F32, 1024, 1024), b.Input("right", irtest.F32, 1024, 1024)
	args := []string{"x", "y"}
	product := b.Func("product", args, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
	product.Update([]irtest.RVar{{Name: "k$x", Extent: 1024}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return []irtest.Expr{v[0], v[1]}, product.At(v[0], v[1]).Add(left.At(r[0], v[1]).Mul(right.At(v[0], r[0])))
	})
	out := b.Func("out", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return product.At(v[0], v[1]).Max(0.0) })
	b.Output(out, 1024, 1024)
	p := b.Build()
	r := windowed(t, p, map[string]string{"cost": "issue"})
	if len(r.Found) != 1 || len(r.Found[0].Layout.Kernels) != 1 {
		t.Fatalf("%d groups, want one with one kernel", len(r.Found))
	}
	k := r.Found[0].Layout.Kernels[0]
	if len(k.Members) != 1 || k.Members[0].Where != plan.AtThread || len(k.Members[0].Nests) != 2 {
		t.Fatalf("members %+v, want the sums in the threads", k.Members)
	}
	points := k.Out.PointsPerThread()
	if points < 16 {
		t.Errorf("%d points a thread", points)
	}
	for i, n := range k.Members[0].Nests {
		if n.PointsPerThread() != points || len(n.Serial) != i {
			t.Errorf("stage %d: %d points, serial loops %+v; the output has %d points", i, n.PointsPerThread(), n.Serial, points)
		}
	}
	u, w := k.Out.Unrolled[0].Extent, k.Out.Unrolled[1].Extent
	// An iteration: a load for each row and column, and one or two operations a point; and its address and loop. With two loads
	// a point it would be four a point.
	each := float64(k.Tiles()*k.ThreadsPerBlock()/32) * 1024
	issued, requests := instructions.For(r.Problem).Block(k)
	issued, requests = issued*float64(k.Tiles())/each, requests*float64(k.Tiles())/each
	if least, most := float64(u+w+u*w), float64(u+w+3*u*w); issued < least || issued > most {
		t.Errorf("%dx%d points: %.1f instructions an iteration, want %.0f to %.0f", u, w, issued, least, most)
	}
	if requests < float64(u+w) || requests > float64(u*u+w)+1 { // columns side by side are as many sectors apart
		t.Errorf("%dx%d points: %.1f requests an iteration", u, w, requests)
	}
	// Several iterations stand one after the other, and share the addresses of what lies side by side along the domain.
	loop := &k.Members[0].Nests[1].Serial[0]
	steps := loop.Steps
	if steps < 4 {
		t.Fatalf("%d iterations at a time, want 4 at least", steps)
	}
	loop.Steps = 0
	alone, _ := instructions.For(r.Problem).Block(k)
	loop.Steps = steps
	if saved := alone*float64(k.Tiles())/each - issued; saved < 2 || saved > 3*float64(u+w) {
		t.Errorf("%.1f instructions an iteration less than one by one, want some of the %d addresses and a loop's end", saved, u+w)
	}
	if !slices.ContainsFunc(r.Schedule.Directives, func(d schedule.Directive) bool {
		return d.Do == schedule.Split && d.Func == product.ID && d.N == steps && d.Tail == schedule.TailGuardWithIf
	}) {
		t.Errorf("the loop over the domain is not split by %d", steps)
	}
	if err := r.Schedule.CheckForms(p); err != nil {
		t.Error(err)
	}
}

// TestConvolutionLoads: points of a thread share what they read at sums of their own loops and the domain's, also between
// iterations that stand one after the other in the code.
func TestConvolutionLoads(t *testing.T) {
	b := irtest.New()
	in, kernel := b.Input("in", irtest.F32, 1026, 1026), b.Input("kernel", irtest.F32, 3, 3)
	args := []string{"x", "y"}
	sum := b.Func("sum", args, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
	sum.Update([]irtest.RVar{{Name: "r$x", Extent: 3}, {Name: "r$y", Extent: 3}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return []irtest.Expr{v[0], v[1]}, sum.At(v[0], v[1]).Add(kernel.At(r[0], r[1]).Mul(in.At(v[0].Add(r[0]), v[1].Add(r[1]))))
	})
	out := b.Func("out", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return sum.At(v[0], v[1]).Max(0.0) })
	b.Output(out, 1024, 1024)
	r := windowed(t, b.Build(), map[string]string{"cost": "issue"})
	k := r.Found[0].Layout.Kernels[0]
	if len(k.Members) != 1 || k.Members[0].Where != plan.AtThread || len(k.Out.Unrolled) != 2 {
		t.Fatalf("members %+v, want the sums in the threads", k.Members)
	}
	w, h := float64(k.Out.Unrolled[0].Extent), float64(k.Out.Unrolled[1].Extent)
	_, requests := instructions.For(r.Problem).Block(k)
	warps := float64(k.ThreadsPerBlock() / 32)
	// Each request of points side by side is as many as there are points in x; stores too.
	want := (9 + (w+2)*(h+2)*w + w*h*w) * warps
	if requests > want || requests < (9+(w+2)*(h+2))*warps {
		t.Errorf("%vx%v points: %.0f requests a block, want at most %.0f: %v elements of the image a thread", w, h, requests, want, (w+2)*(h+2))
	}
}
