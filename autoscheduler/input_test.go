package autoscheduler

import (
	"strings"
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
)

// TestExternStage: an extern stage runs on the host, and so does what it takes: Halide 21
// would not copy it back. What lies before and after runs on the GPU.
func TestExternStage(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 640, 480)
	xy := []string{"x", "y"}
	first := b.Func("first", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return in.At(v[0], v[1]).Mul(2.0).Add(in.At(v[0], 0)).Mul(in.At(0, v[1]))
	})
	taken := b.Func("taken", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return first.At(v[0], v[1]).Add(first.At(v[0], 0)).Add(first.At(0, v[1])).Mul(3.0)
	})
	ext := b.Extern("ext", xy, irtest.F32, taken)
	out := b.Func("out", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr { return ext.At(v[0], v[1]).Add(1.0) })
	b.Output(out, 640, 480)
	s, err := Schedule(b.Build(), DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	host := map[string]bool{}
	for _, k := range s.Kernels {
		host[k.Name] = k.Host
	}
	if !host["ext"] || !host["taken"] || host["out"] {
		t.Errorf("on the host: %v, want ext and what it takes, not out", host)
	}
	for _, d := range s.Directives {
		if (d.Name == "ext" || d.Name == "taken") && d.Do != schedule.ComputeRoot {
			t.Errorf("%s on %s", d.Do, d.Name)
		}
	}
}

// TestImplicitVariables: labels such as _0 give names of new loops that C++ takes.
func TestImplicitVariables(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 640, 480)
	out := b.Func("out", []string{"_0", "_1"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0) })
	b.Output(out, 640, 480)
	s, err := Schedule(b.Build(), DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range s.Directives {
		if d.Do != schedule.Split {
			continue
		}
		for _, v := range d.Vars[1:] {
			if c := v[0]; c < 'a' || c > 'z' {
				t.Errorf("split makes a loop named %s", v)
			}
		}
	}
}

// TestManyDimensions: what Halide 21 loses track of is not fused.
func TestManyDimensions(t *testing.T) {
	for _, c := range []struct {
		dims  []string
		fused bool
	}{{[]string{"x", "y", "c", "n"}, true}, {[]string{"x", "y", "c", "n", "t"}, false}} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 300, 300)
		g := b.Func("g", c.dims, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			e := in.At(v[0].Clamp(0, 299), v[1].Clamp(0, 299))
			for _, d := range v[2:] {
				e = e.Add(d.Cast(irtest.F32))
			}
			for range 60 { // dear to compute again
				e = e.Call("sqrt_f32").Add(1.0)
			}
			return e
		})
		out := b.Func("out", c.dims, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			at := func(dx, dy int) irtest.Expr {
				idx := []any{v[0].Add(dx), v[1].Add(dy)}
				for _, d := range v[2:] {
					idx = append(idx, d)
				}
				return g.At(idx...)
			}
			return at(-1, 0).Add(at(1, 0)).Add(at(0, -1)).Add(at(0, 1))
		})
		b.Output(out, []int64{256, 256, 3, 8, 8}[:len(c.dims)]...)
		s, err := Schedule(b.Build(), DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		if (len(s.Kernels) == 1) != c.fused {
			t.Errorf("%d dimensions: %d kernels", len(c.dims), len(s.Kernels))
		}
	}
}

func TestInputErrors(t *testing.T) {
	stencil := func(change func(b *irtest.Builder, k irtest.Expr, p *halideir.Pipeline)) error {
		b := irtest.New()
		k := b.Scalar("k", irtest.I32, nil)
		in := b.Input("in", irtest.F32, 640, 480)
		g := b.Func("g", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return in.At(v[0].Clamp(0, 639), v[1].Clamp(0, 479)).Mul(2.0)
		})
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return g.At(v[0], v[1]).Add(g.At(v[0].Add(k), v[1]))
		})
		b.Output(out, 640, 480)
		p := b.Build()
		if change != nil {
			change(b, k, p)
		}
		_, err := Schedule(p, DefaultParams())
		return err
	}
	for want, change := range map[string]func(b *irtest.Builder, k irtest.Expr, p *halideir.Pipeline){
		"depends on k, which has no estimate; add k.set_estimate(VALUE)": nil,
		"output out has no estimate in numbers of dimension 1 (y); add out.set_estimate(y, 0, EXTENT)": func(_ *irtest.Builder, _ irtest.Expr, p *halideir.Pipeline) {
			p.Funcs[1].Estimates = p.Funcs[1].Estimates[:1]
		},
		"out is already scheduled: compute_root()": func(_ *irtest.Builder, _ irtest.Expr, p *halideir.Pipeline) {
			p.Funcs[1].Scheduled = []string{"compute_root()"}
		},
		"has extent 0; it must be from 1 to": func(_ *irtest.Builder, _ irtest.Expr, p *halideir.Pipeline) {
			p.Funcs[1].Estimates[0].Extent = 0
		},
		"output out: the estimates of dimensions 0 to 1 name more than 2^40 points": func(_ *irtest.Builder, _ irtest.Expr, p *halideir.Pipeline) {
			p.Funcs[1].Estimates[0].Extent, p.Funcs[1].Estimates[1].Extent = 1<<31-1, 1<<31-1
		},
		"the target x has no GPU; name one": func(b *irtest.Builder, _ irtest.Expr, p *halideir.Pipeline) {
			p.Target = halideir.Target{String: "x", API: "none"}
		},
	} {
		if err := stencil(change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestHugeEstimates: up to the limits there is a schedule, or a message; 64 bits never run over.
func TestHugeEstimates(t *testing.T) {
	for _, c := range []struct {
		extents []int64
		step    int // how far apart the output reads its producer
		words   string
	}{
		{[]int64{1<<31 - 1}, 1, ""},
		{[]int64{1, 1<<31 - 1}, 1, ""},
		{[]int64{1 << 20, 1 << 20}, 1, ""},
		{[]int64{1 << 20, 1<<20 + 1}, 1, "name more than 2^40 points"},
		{[]int64{1 << 31}, 1, "has extent 2147483648; it must be from 1 to 2147483647"},
		{[]int64{1 << 13, 1 << 13, 1 << 13}, 1 << 17, ""},
	} {
		b := irtest.New()
		args := []string{"x", "y", "z"}[:len(c.extents)]
		in := b.Input("in", irtest.F32, 1<<30)
		f := b.Func("f", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return in.At(v[0].Clamp(0, 99)).Mul(in.At(v[len(v)-1].Clamp(0, 98)))
		})
		g := b.Func("g", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			var here, there []any
			for _, x := range v {
				here, there = append(here, x), append(there, x.Mul(c.step))
			}
			return f.At(here...).Add(f.At(there...)).Mul(f.At(there...))
		})
		b.Output(g, c.extents...)
		s, err := Schedule(b.Build(), DefaultParams())
		if (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%v: %v, want %q", c.extents, err, c.words)
			continue
		}
		if err != nil {
			continue
		}
		for _, k := range s.Kernels {
			if k.Blocks[0] < 1 || k.Blocks[1] < 1 || k.Blocks[1] > 65535 || k.Cost.Value < 0 {
				t.Errorf("%v: %s has blocks %v at a cost of %v", c.extents, k.Name, k.Blocks, k.Cost.Value)
			}
		}
	}
}

// TestIdleEstimates: an estimate that a bound contradicts has no effect, and that is said; one that says the same is not mentioned.
func TestIdleEstimates(t *testing.T) {
	for bound, want := range map[int64]int{512: 1, 640: 0} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 640, 480)
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0) })
		out.Bound("x", 0, bound)
		b.Output(out, 640, 480)
		r, err := Run(b.Build(), DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, n := range r.Notes {
			if n.Pass == "check" && strings.Contains(n.Text, "the estimate of x of out, 640 points from 0, has no effect: a bound says that there are 512 from 0") {
				said++
			}
		}
		if said != want {
			t.Errorf("bound %d: said %d times that the estimate is idle: %v", bound, said, r.Notes)
		}
	}
}
