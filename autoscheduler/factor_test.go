package autoscheduler

import (
	"fmt"
	"strings"
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
)

// sumOf is a sum over width x height points of an image into each of so many points.
func sumOf(t halideir.Type, points, width, height int64) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", t, width, height, points)
	f := b.Func("f", []string{"c"}, t, func([]irtest.Expr) irtest.Expr { return b.Int(0).Cast(t) })
	f.Update([]irtest.RVar{{Name: "r$x", Extent: width}, {Name: "r$y", Extent: height}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return v, f.At(v[0]).Add(in.At(r[0], r[1], v[0]))
	})
	b.Output(f, points)
	return b.Build()
}

// momentsOf are the sum and the sum of squares of an image, as values of those types.
func momentsOf(sum, squares halideir.Type, width, height int64) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.U8, width, height)
	f := b.Tuple("f", []string{"c"}, []halideir.Type{sum, squares}, func([]irtest.Expr) []irtest.Expr {
		return []irtest.Expr{b.Int(0).Cast(sum), b.Int(0).Cast(squares)}
	})
	f.UpdateTuple([]irtest.RVar{{Name: "r$x", Extent: width}, {Name: "r$y", Extent: height}}, func(v, r []irtest.Expr) (lhs, values []irtest.Expr) {
		x := in.At(r[0], r[1])
		return v, []irtest.Expr{f.AtOut(0, v[0]).Add(x.Cast(sum)), f.AtOut(1, v[0]).Add(x.Cast(squares).Mul(x.Cast(squares)))}
	})
	out := b.Func("out", []string{"c"}, squares, func(v []irtest.Expr) irtest.Expr { return f.AtOut(0, v[0]).Cast(squares).Add(f.AtOut(1, v[0])) })
	b.Output(out, 1)
	return b.Build()
}

func factors(s *schedule.Schedule) int {
	n := 0
	for _, d := range s.Directives {
		if d.Do == schedule.RFactor {
			n++
		}
	}
	return n
}

// TestFactorLevels: after factoring no loop in order of a reduction is longer than a level should be unless the device is full, the first level has the
// threads that the rule promises, and its neighbouring threads load neighbours.
func TestFactorLevels(t *testing.T) {
	for _, c := range []struct{ points, width, height int64 }{
		{1, 1536, 2560}, {1, 1 << 20, 1}, {1, 1, 1 << 20}, {1, 333, 777}, {3, 1536, 2560}, {3, 7, 100000}, {64, 4096, 1}, {700, 1000, 3}, {2560, 1536, 1}, {1, 129, 1},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			r, err := Run(sumOf(irtest.F32, c.points, c.width, c.height), DefaultParams())
			if err != nil {
				t.Fatal(err)
			}
			pr := r.Problem
			full := int64(pr.Device.SMs) * int64(pr.Device.MaxThreadsPerSM)
			if factors(r.Schedule) == 0 {
				t.Fatal("nothing is factored")
			}
			first := true
			for id := range pr.P.Funcs {
				f := &pr.P.Funcs[id]
				if len(f.Stages) < 2 {
					continue
				}
				parallel, serial := int64(1), int64(1)
				for l, loop := range f.Stages[1].Loops {
					n := pr.Dims[pr.StageIndex(id, 1)].Extent[l]
					if loop.Arg >= 0 {
						parallel *= n
					} else {
						serial *= n
					}
				}
				t.Logf("%s: %d side by side, %d in order", f.Label, parallel, serial)
				if want := c.width * c.height / partDomain; first && parallel < min(c.points*want, full)/4 {
					t.Errorf("%s: %d side by side, want %d", f.Label, parallel, min(c.points*want, full))
				}
				if serial >= longDomain && parallel*idleShare <= full {
					t.Errorf("%s: %d iterations in order, with %d side by side", f.Label, serial, parallel)
				}
				first = false
			}
		})
	}
}

// TestFactorTuple: a Tuple is factored into the levels, with the partial results, of a sum alone, and of each partial result both values are kept.
func TestFactorTuple(t *testing.T) {
	one, err := Run(sumOf(irtest.U8, 1, 1536, 2560), DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	two, err := Run(momentsOf(irtest.I32, irtest.I64, 1536, 2560), DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	if factors(one.Schedule) < 3 || factors(two.Schedule) != factors(one.Schedule) {
		t.Fatalf("%d levels, of a sum alone %d", factors(two.Schedule), factors(one.Schedule))
	}
	for id := range 2 * factors(one.Schedule) { // the partial results and their copies
		f, alone := two.Problem.P.Funcs[id], one.Problem.P.Funcs[id]
		if len(f.Types) != 2 || len(f.Stages[0].Values) != 2 {
			t.Errorf("%s has %d values", f.Label, len(f.Types))
		}
		r, a := two.Problem.Regions.Funcs[id].Points(), one.Problem.Regions.Funcs[id].Points()
		if r != a {
			t.Errorf("%d points of %s, %d of %s", r, f.Label, a, alone.Label)
		}
	}
}

// TestFactorWhen: what is factored, and what is not, by type, parameters and shape.
func TestFactorWhen(t *testing.T) {
	for _, c := range []struct {
		name   string
		p      *halideir.Pipeline
		params string
		want   bool
	}{
		{"float", sumOf(irtest.F32, 1, 1536, 2560), "", true},
		{"float in order", sumOf(irtest.F32, 1, 1536, 2560), "reassociate=0", false},
		{"integer", sumOf(irtest.I32, 1, 1536, 2560), "reassociate=0", true},
		{"bytes", sumOf(irtest.U8, 1, 1536, 2560), "reassociate=0", true},
		{"two integers", momentsOf(irtest.I32, irtest.I64, 1536, 2560), "reassociate=0", true},
		{"two floats", momentsOf(irtest.F32, irtest.F32, 1536, 2560), "", true},
		{"two floats in order", momentsOf(irtest.F32, irtest.F32, 1536, 2560), "reassociate=0", false},
		{"one of them a float, in order", momentsOf(irtest.I32, irtest.F32, 1536, 2560), "reassociate=0", false},
		{"Sioutas et al.", sumOf(irtest.F32, 1, 1536, 2560), "mode=autogpu", false},
		{"Jangda and Guha", sumOf(irtest.F32, 1, 1536, 2560), "mode=polymage", false},
		{"short", sumOf(irtest.F32, 1, 11, 11), "", false},
		{"parallel enough", sumOf(irtest.F32, 100000, 50, 50), "", false},
		{"large device", sumOf(irtest.F32, 10000, 50, 50), "gpu=h200", true},
		{"small device", sumOf(irtest.F32, 10000, 50, 50), "parallelism=8", false},
	} {
		kv := map[string]string{}
		if k, v, ok := strings.Cut(c.params, "="); ok {
			kv[k] = v
		}
		prm, err := ParseParams(kv)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Schedule(c.p, prm)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := factors(s) > 0; got != c.want {
			t.Errorf("%s: factored %v, want %v", c.name, got, c.want)
		}
	}
}

// TestFactorRefused: where Halide does not lower the schedule as a whole, the next leaves reductions as they are, under the ids that the pipeline has.
func TestFactorRefused(t *testing.T) {
	p := sumOf(irtest.F32, 1, 1536, 2560)
	s := NewSession(p, DefaultParams(), false)
	r, err := s.First()
	if err != nil || factors(r.Schedule) < 2 {
		t.Fatal(err)
	}
	r, err = s.RunnerUp([]Fault{{Func: WholeSchedule}})
	if err != nil || r == nil || factors(r.Schedule) != 0 || len(r.Schedule.Funcs) != len(p.Funcs) {
		t.Fatalf("the runner-up: %v, %v", r, err)
	}
}

// TestFactorPrinted: the schedule is the same once written and read, fits the pipeline, and is printed in all forms.
func TestFactorPrinted(t *testing.T) {
	p := sumOf(irtest.F32, 3, 1536, 2560)
	s, err := Schedule(p, DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	read, err := schedule.Decode(s.JSON())
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := read.Fit(p)
	if err != nil {
		t.Fatal(err)
	}
	if string(fitted.JSON()) != string(s.JSON()) {
		t.Errorf("fitted:\n%s\nwas:\n%s", fitted.JSON(), s.JSON())
	}
	if cpp := s.CPlusPlus(p); strings.Count(cpp, ".rfactor(std::vector<std::pair<RVar, Var>>{{") != factors(s) || strings.Contains(cpp, "#error") {
		t.Errorf("C++:\n%s", cpp)
	}
	python, err := s.Python(p)
	if err != nil || strings.Count(python, ".rfactor([(") != factors(s) || !strings.Contains(python, " = f_intm.in_()") {
		t.Errorf("Python: %v\n%s", err, python)
	}
	var tree strings.Builder
	if err := s.Tree(&tree, p); err != nil || !strings.Contains(tree.String(), "produce f_intm ") {
		t.Errorf("tree: %v\n%s", err, tree.String())
	}
	// A directive that comes too late, one of another reduction.
	for want, change := range map[string]func(d []schedule.Directive) []schedule.Directive{
		"before anything else":        func(d []schedule.Directive) []schedule.Directive { return append(d[len(d)-1:], d[:len(d)-1]...) },
		"there is no Func 7":          func(d []schedule.Directive) []schedule.Directive { d[0].Func = 7; return d },
		"no reduction variable \"q\"": func(d []schedule.Directive) []schedule.Directive { d[0].Vars = []string{"q", "r.y"}; return d },
	} {
		bad := *read
		bad.Directives = change(append([]schedule.Directive(nil), read.Directives...))
		if err := bad.Check(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestFactorFarApart: of coordinates that lie four to a body threads load one body at a time, for many results side by side; neighbours of an image's row they load together.
func TestFactorFarApart(t *testing.T) {
	for _, c := range []struct {
		dims [2]int64 // of what is read: the coordinate and the body, or one of them alone
		lane bool
	}{{[2]int64{4, 2048}, false}, {[2]int64{1, 2048}, true}, {[2]int64{2, 2048}, true}} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, c.dims[0], c.dims[1])
		f := b.Func("f", []string{"x"}, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Int(0).Cast(irtest.F32) })
		f.Update([]irtest.RVar{{Name: "r$x", Extent: c.dims[1]}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
			return v, f.At(v[0]).Add(in.At(0, r[0]).Mul(in.At(0, v[0])))
		})
		b.Output(f, 2048)
		r, err := Run(b.Build(), DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range r.Problem.P.Funcs {
			found = found || f.Partial && f.Lane >= 0
		}
		if factors(r.Schedule) == 0 || found != c.lane {
			t.Errorf("%v: %d factors, lanes along the domain %v, want %v", c.dims, factors(r.Schedule), found, c.lane)
		}
	}
}

// TestWholeWarps: a kernel that no device is full of runs in whole warps, where a part of one would take as long: what its lanes ask for at once is no more of a miss for being more.
func TestWholeWarps(t *testing.T) {
	b := irtest.New()
	weights := b.Input("weights", irtest.F32, 64, 64)
	f := b.Func("f", []string{"s", "t"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return v[0].Cast(irtest.F32) })
	f.Update([]irtest.RVar{{Name: "r$x", Extent: 64}, {Name: "r$y", Extent: 64}, {Name: "r$z", Min: 1, Extent: 63}}, func(_, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return []irtest.Expr{r[1], r[2]}, f.At(r[1], r[2]).Add(f.At(r[0], r[2].Sub(1)).Mul(weights.At(r[0], r[1])))
	})
	b.Output(f, 64, 64)
	r, err := Run(b.Build(), DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	k := r.Found[0].Layout.Kernels[1]
	if k.Launches() != 63 || k.ThreadsPerBlock() != 32 {
		t.Errorf("%d launches of blocks of %d threads, want 63 of 32", k.Launches(), k.ThreadsPerBlock())
	}
}
