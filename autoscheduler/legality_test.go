package autoscheduler

import (
	"slices"
	"strings"
	"testing"

	"gowarp/autoscheduler/legality"
	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// fused is a pipeline whose schedule has a member at the block, one in the threads, and an
// update with an impure loop.
func fused(t *testing.T) *Result {
	t.Helper()
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1536, 2560)
	gray := b.Func("gray", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		e := in.At(v[0].Clamp(0, 1535), v[1].Clamp(0, 2559))
		return e.Mul(e).Add(1.0).Mul(e).Add(2.0)
	})
	window := b.Func("window", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return gray.At(v[0], v[1]).Mul(0.0)
	})
	window.Update([]irtest.RVar{{Name: "r$x", Min: -1, Extent: 3}, {Name: "r$y", Min: -1, Extent: 3}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return v, window.At(v[0], v[1]).Mul(0.5).Add(gray.At(v[0].Add(r[0]), v[1].Add(r[1])))
	})
	out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return window.At(v[0], v[1]).Mul(2.0).Sub(gray.At(v[0], v[1]))
	})
	b.Output(out, 1536, 2560)
	r, err := Run(b.Build(), paperParams())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFused(t *testing.T) {
	r := fused(t)
	if len(r.Found) != 1 || len(r.Found[0].Layout.Kernels) != 1 {
		t.Fatalf("want one kernel, got %+v", r.Schedule.Kernels)
	}
	k := r.Schedule.Kernels[0]
	where := map[string]string{}
	for _, m := range k.Members {
		where[m.Name] = m.Level
	}
	if where["gray"] != "block" || where["window"] != "thread" {
		t.Errorf("members %v, want gray at the block and window, of which each thread needs its own point, in the thread", where)
	}
}

// TestRules breaks a legal kernel in one way for each rule.
func TestRules(t *testing.T) {
	breaks := map[string]func(pr *plan.Problem, k *plan.Kernel){
		"apart":             func(pr *plan.Problem, k *plan.Kernel) { pr.Apart[k.Out.Func] = true },
		"loops-once":        func(pr *plan.Problem, k *plan.Kernel) { k.Out.Blocks = k.Out.Blocks[:1] },
		"thread-dimensions": func(pr *plan.Problem, k *plan.Kernel) { manyLoops(k) },
		"threads-per-block": func(pr *plan.Problem, k *plan.Kernel) { k.Block = [3]int64{64, 64, 1} },
		"grid":              func(pr *plan.Problem, k *plan.Kernel) { k.Grid[1] = 1 << 20 },
		"shared-bytes":      func(pr *plan.Problem, k *plan.Kernel) { k.SharedBytes = 48<<10 + 1 },
		"shared-widths":     func(pr *plan.Problem, k *plan.Kernel) { narrowScalars(pr, k) },
		"registers":         func(pr *plan.Problem, k *plan.Kernel) { k.Registers = 255 },
		"impure-order":      func(pr *plan.Problem, k *plan.Kernel) { swapImpure(k) },
		"point-tails":       func(pr *plan.Problem, k *plan.Kernel) { k.Out.Whole = true },
		"thread-anchor":     func(pr *plan.Problem, k *plan.Kernel) { member(k, plan.AtThread).Anchor = -1 },
		"thread-size":       func(pr *plan.Problem, k *plan.Kernel) { member(k, plan.AtThread).Bounded[1] = false },
		"fused-blocks":      func(pr *plan.Problem, k *plan.Kernel) { k.Out.Fused = 3 },
		"member-read":       func(pr *plan.Problem, k *plan.Kernel) { member(k, plan.AtThread).Anchor = 0 },
		"member-order":      func(pr *plan.Problem, k *plan.Kernel) { slices.Reverse(k.Members) },
		"nested-clamps":     func(pr *plan.Problem, k *plan.Kernel) { clampedReads(pr, k, 9) },
		"scatter-places":    func(pr *plan.Problem, k *plan.Kernel) { scattered(pr, member(k, plan.AtThread)) },
		"tuple-threads":     func(pr *plan.Problem, k *plan.Kernel) { tupleInOneThread(pr, k) },
		"tuple-widths":      func(pr *plan.Problem, k *plan.Kernel) { tupleOfWidths(pr, k) },
		"lanes":             func(pr *plan.Problem, k *plan.Kernel) { k.Warp = &plan.Warp{Points: 2, Width: 61, Rows: 4, Warps: 4} },
		"warp-scratch":      func(pr *plan.Problem, k *plan.Kernel) { member(k, plan.AtThread).Demoted = 1 },
		"warp-members":      func(pr *plan.Problem, k *plan.Kernel) { member(k, plan.AtThread).Where = plan.AtWarp },
	}
	for _, rule := range legality.Rules {
		r := fused(t)
		k := r.Found[0].Layout.Kernels[0]
		if err := legality.Check(r.Problem, k); err != nil {
			t.Fatal(err)
		}
		f := breaks[rule.Name]
		if f == nil {
			t.Errorf("no test breaks rule %s", rule.Name)
			continue
		}
		f(r.Problem, k)
		err := rule.Check(r.Problem, k)
		if err == nil {
			t.Errorf("rule %s lets its violation through", rule.Name)
		}
		if err := legality.Check(r.Problem, k); err == nil {
			t.Errorf("Check lets a violation of %s through", rule.Name)
		} else if !strings.HasPrefix(err.Error(), "legality: out: ") {
			t.Errorf("%s: the error does not name the Func: %v", rule.Name, err)
		}
	}
}

// clampedReads puts another pipeline and its kernel in the place of these: so many members follow each other, each read at a clamped place.
func clampedReads(pr *plan.Problem, k *plan.Kernel, n int) {
	r, err := Run(irtest.ClampedChain(n+1), DefaultParams())
	if err != nil {
		panic(err)
	}
	*pr = *r.Problem
	*k = plan.Kernel{Out: plan.Nest{Func: n}}
	pr.Inlined = make([]bool, n+1)
	for id := range n + 1 {
		pr.Expand[pr.StageIndex(id, 0)] = plan.ExpandStage(pr.P, pr.Access, pr.Inlined, nil, id, 0)
		if id < n {
			k.Members = append(k.Members, plan.Member{Func: id, Where: plan.AtBlock})
		}
	}
}

// tupleInOneThread makes the window one of two values that one thread of a block computes.
func tupleInOneThread(pr *plan.Problem, k *plan.Kernel) {
	m := member(k, plan.AtThread)
	m.Where = plan.AtBlock
	f := &pr.P.Funcs[m.Func]
	f.Types = append(f.Types, f.Types[0])
}

// tupleOfWidths makes the window one of two values of different widths in shared memory.
func tupleOfWidths(pr *plan.Problem, k *plan.Kernel) {
	m := member(k, plan.AtThread)
	m.Where = plan.AtBlock
	f := &pr.P.Funcs[m.Func]
	wide := f.Types[0]
	wide.Bits *= 2
	f.Types = append(f.Types, wide)
}

// TestNestedClamps: of a chain of stages that are read at clamped places, a kernel has so many one behind the other as Halide lowers in seconds.
func TestNestedClamps(t *testing.T) {
	most := 0
	for _, f := range run(t, irtest.ClampedChain(30)).Found {
		for _, k := range f.Layout.Kernels {
			most = max(most, len(k.Members))
			if len(k.Members) > 8 {
				t.Errorf("a kernel has %d members", len(k.Members))
			}
		}
	}
	if most < 2 {
		t.Errorf("%d members at most: nothing is fused", most)
	}
}

func run(t *testing.T, p *halideir.Pipeline) *Result {
	t.Helper()
	r, err := Run(p, DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func member(k *plan.Kernel, w plan.Where) *plan.Member {
	for i := range k.Members {
		if k.Members[i].Where == w {
			return &k.Members[i]
		}
	}
	panic("no such member")
}

// narrowScalars makes what is in shared memory a point of two bytes and a word.
func narrowScalars(pr *plan.Problem, k *plan.Kernel) {
	m := member(k, plan.AtBlock)
	m.Padded = nil
	f := &pr.P.Funcs[m.Func]
	f.Types = []halideir.Type{irtest.U8, irtest.U8, f.Types[0]}
}

// scattered has an update write to places that are not its loops' own.
func scattered(pr *plan.Problem, m *plan.Member) {
	st := &pr.P.Funcs[m.Func].Stages[1]
	st.Args = []halideir.NodeID{st.Args[1], st.Args[0]}
}

// manyLoops maps four loops to threads.
func manyLoops(k *plan.Kernel) {
	for len(k.Out.Threads) < 4 {
		k.Out.Threads = append(k.Out.Threads, k.Out.Threads[0])
	}
}

// swapImpure runs the reduction loops of the update in the wrong order.
func swapImpure(k *plan.Kernel) {
	n := &member(k, plan.AtThread).Nests[1]
	for i := range n.Serial {
		for j := range i {
			if n.Serial[i].Loop == 1 && n.Serial[j].Loop == 0 {
				n.Serial[i], n.Serial[j] = n.Serial[j], n.Serial[i]
			}
		}
	}
}

// TestLaunchOrder: groups that read each other cannot be launched, a Func has one place, and
// what is read is computed.
func TestLaunchOrder(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 640, 480)
	xy := []string{"x", "y"}
	f := b.Func("f", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0).Add(1.0) })
	g := b.Func("g", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr { return f.At(v[0], v[1]).Add(f.At(v[0], 0)).Mul(3.0) })
	h := b.Func("h", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return g.At(v[0], v[1]).Add(f.At(v[0], v[1])).Add(g.At(0, v[1])).Add(f.At(0, v[1]))
	})
	b.Output(h, 640, 480)
	prm := paperParams()
	prm.Grouping = "none"
	r, err := Run(b.Build(), prm)
	if err != nil {
		t.Fatal(err)
	}
	for id := range r.Problem.Inlined {
		r.Problem.Inlined[id] = false
	}
	for id := range r.Problem.P.Funcs {
		r.Problem.Expand[r.Problem.StageIndex(id, 0)] = plan.ExpandStage(r.Problem.P, r.Problem.Access, r.Problem.Inlined, r.Problem.Folded, id, 0)
	}
	group := func(out int, members ...int) *plan.Group { return &plan.Group{Out: out, Members: members} }
	for want, groups := range map[string][]*plan.Group{
		"":               {group(f.ID), group(g.ID), group(h.ID)},
		"in a circle":    {group(g.ID), group(h.ID, f.ID)},
		"in two groups":  {group(f.ID), group(g.ID, f.ID), group(h.ID)},
		"kernel compute": {group(f.ID), group(h.ID)},
	} {
		err := checkLaunchOrder(r.Problem, groups)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestAtomic: an integer histogram has all its loops parallel, one of floats none: the order of
// its additions is part of its result.
func TestAtomic(t *testing.T) {
	add := func(old irtest.Expr) irtest.Expr { return old.Add(1) }
	top := func(old irtest.Expr) irtest.Expr { return old.Max(1) }
	for _, c := range []struct {
		typ    halideir.Type
		api    string
		op     func(old irtest.Expr) irtest.Expr
		atomic bool
	}{
		{irtest.U32, "cuda", add, true}, {irtest.I32, "opencl", add, true}, {irtest.F32, "cuda", add, false},
		{irtest.U32, "metal", add, false}, {irtest.U8, "cuda", add, false}, {irtest.I32, "cuda", top, false},
	} {
		b := irtest.New()
		b.Target("x", c.api, 75)
		in := b.Input("in", irtest.U8, 640, 480)
		hist := b.Func("hist", []string{"i"}, c.typ, func(v []irtest.Expr) irtest.Expr { return v[0].Mul(0).Cast(c.typ) })
		hist.Update([]irtest.RVar{{Name: "r$x", Extent: 640}, {Name: "r$y", Extent: 480}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
			bin := in.At(r[0], r[1]).Cast(irtest.I32)
			return []irtest.Expr{bin}, c.op(hist.At(bin))
		})
		b.Output(hist, 256)
		r, err := Run(b.Build(), paperParams())
		if err != nil {
			t.Fatal(err)
		}
		atomic, threads := false, int64(1)
		for _, d := range r.Schedule.Directives {
			atomic = atomic || d.Do == schedule.Atomic
		}
		for _, n := range r.Schedule.Kernels[1].Threads {
			threads *= n
		}
		if atomic != c.atomic || (threads > 1) != c.atomic {
			t.Errorf("%v on %s: atomic %v with %d threads, want %v", c.typ, c.api, atomic, threads, c.atomic)
		}
	}
}
