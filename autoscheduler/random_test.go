package autoscheduler

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	_ "gowarp/internal/fixedseed"

	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// randomPipeline draws a pipeline of 1 to 12 Funcs: stencils, resampling, pointwise
// chains, reductions of every kind, gathers, one or two outputs, odd and tiny extents.
// suffix goes behind every Func's name, as Halide's own $N does.
func randomPipeline(t *rapid.T, suffix string) *halideir.Pipeline {
	b := irtest.New()
	w := rapid.SampledFrom([]int64{1, 5, 33, 100, 640, 1537, 4096}).Draw(t, "w")
	h := rapid.SampledFrom([]int64{1, 7, 64, 481, 2560}).Draw(t, "h")
	in := b.Input("in", irtest.F32, w, h)
	lut := b.Input("lut", irtest.F32, 256)
	type source interface{ At(...any) irtest.Expr }
	sources := []source{in}
	n := rapid.IntRange(1, 12).Draw(t, "funcs")
	var funcs []*irtest.Func
	for i := range n {
		name := fmt.Sprintf("f%c%s", 'a'+i, suffix)
		pick := func(k int) source {
			if k == 0 {
				return sources[len(sources)-1]
			}
			return sources[rapid.IntRange(0, len(sources)-1).Draw(t, "source")]
		}
		clamped := func(v irtest.Expr, top int64) irtest.Expr {
			e := v.Add(rapid.IntRange(-2, 2).Draw(t, "offset"))
			switch rapid.IntRange(0, 9).Draw(t, "scale") {
			case 0:
				e = e.Div(2)
			case 1:
				e = e.Mul(2)
			}
			return e.Clamp(0, top-1)
		}
		taps := rapid.IntRange(1, 5).Draw(t, "taps")
		f := b.Func(name, []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			sum := pick(0).At(clamped(v[0], w), clamped(v[1], h))
			for k := 1; k < taps; k++ {
				sum = sum.Add(pick(k).At(clamped(v[0], w), clamped(v[1], h)).Mul(0.5))
			}
			if rapid.IntRange(0, 5).Draw(t, "gather") == 0 {
				sum = lut.At(sum.Cast(irtest.I32).Clamp(0, 255)).Add(sum)
			}
			return sum
		})
		switch rapid.IntRange(0, 7).Draw(t, "update") {
		case 0: // a small window, as of sum()
			src := pick(1)
			f.Update([]irtest.RVar{{Name: "r$x", Extent: 3}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
				return v, f.At(v[0], v[1]).Add(src.At(v[0].Add(r[0]).Clamp(0, w-1), v[1].Clamp(0, h-1)))
			})
		case 1: // a scan down the columns
			f.Update([]irtest.RVar{{Name: "r$y", Min: 1, Extent: max(h-1, 1)}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
				return []irtest.Expr{v[0], r[0]}, f.At(v[0], r[0]).Add(f.At(v[0], r[0].Sub(1)))
			})
		}
		sources = append(sources, f)
		funcs = append(funcs, f)
	}
	last := funcs[len(funcs)-1]
	b.Output(last, w, h)
	if len(funcs) > 2 && rapid.Bool().Draw(t, "two outputs") {
		b.Output(funcs[len(funcs)-2], w, h)
	}
	return b.Build()
}

var someParams = []map[string]string{
	{},
	{"fusion": "none"},
	{"fusion": "overlap", "gpu": "sm_50"},
	{"gpu": "h200"},
	{"gpu": "generic", "shared_memory_limit_kb": "4"},
	{"mode": "polymage"},
	{"mode": "polymage", "gpu": "gtx1080ti", "tiling": "block"},
	{"grouping": "dpfusion", "gpu": "sm_50"},
	{"grouping": "polymage-auto", "cost": "algorithm2-fitted", "gpu": "v100"},
	{"grouping": "interval", "effort": "thorough"},
	{"mode": "polymage", "cost": "algorithm2-fitted", "tiling": "all"},
}

// TestRandomPipelines: every pipeline gets a schedule that the checker accepts, whose
// kernels a device can launch.
func TestRandomPipelines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPipeline(t, "")
		prm, err := ParseParams(rapid.SampledFrom(someParams).Draw(t, "params"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(p, prm)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Schedule.Check(p); err != nil {
			t.Fatal(err)
		}
		pr := r.Problem
		for _, k := range r.Schedule.Kernels {
			if n := k.Threads[0] * k.Threads[1] * k.Threads[2]; n < 1 || n > int64(pr.Device.MaxThreadsPerBlock) {
				t.Fatalf("%s: %d threads", k.Name, n)
			}
			if k.SharedBytes > pr.Limits.SharedBytes {
				t.Fatalf("%s: %d B of shared memory", k.Name, k.SharedBytes)
			}
			for i, b := range k.Blocks {
				if b < 1 || b > int64(pr.Device.MaxGrid[i]) {
					t.Fatalf("%s: %v blocks", k.Name, k.Blocks)
				}
			}
		}
		covered(t, r)
	})
}

// covered checks that every stage is somewhere exactly once: in a kernel of its own, a member, or
// inlined.
func covered(t *rapid.T, r *Result) {
	p := r.Problem.P
	count := make([]int, len(p.Funcs))
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if k.Out.Stage == 0 {
				count[k.Out.Func]++
			}
			for _, m := range k.Members {
				count[m.Func]++
				if m.Where == plan.AtThread && m.Bytes > 128 {
					t.Fatalf("%s keeps %d B in every thread", p.Funcs[m.Func].Label, m.Bytes)
				}
			}
		}
	}
	for id, n := range count {
		want := 1
		if r.Problem.Inlined[id] {
			want = 0
		}
		if n != want {
			t.Fatalf("%s is computed in %d places", p.Funcs[id].Label, n)
		}
	}
}

// TestNamesDoNotMatter: Halide's counters in names change from run to run; the schedule
// must not.
func TestNamesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		gen := func(suffix string) *halideir.Pipeline {
			return rapid.Custom(func(t *rapid.T) *halideir.Pipeline { return randomPipeline(t, suffix) }).Example(int(seed % 1e6))
		}
		a, b := gen(""), gen("$17")
		prm, err := ParseParams(rapid.SampledFrom(someParams).Draw(t, "params"))
		if err != nil {
			t.Fatal(err)
		}
		sa, err := Schedule(a, prm)
		if err != nil {
			t.Fatal(err)
		}
		sb, err := Schedule(b, prm)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(sa.JSON(), sb.JSON()) {
			t.Fatalf("the schedules of the same pipeline under other names differ:\n%s\n%s", sa.JSON(), sb.JSON())
		}
	})
}
