package autoscheduler

import (
	"fmt"
	"slices"
	"testing"

	"gowarp/autoscheduler/instructions"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// TestAlign: a stored Func begins at whole cells where its threads compute them: as long as what they alternate by, of those that it is made up of, and no longer than a thread's points. Not
// with align=0, nor once it was tried and came out otherwise. An output's place is its caller's: it has code of its own for whole cells.
func TestAlign(t *testing.T) {
	alternating := func(period, offset int64, output bool) func(b *irtest.Builder, in *irtest.Input) int {
		return func(b *irtest.Builder, in *irtest.Input) int {
			f := b.Func("f", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
				at := func(x, y irtest.Expr) irtest.Expr {
					return in.At(x.Clamp(in.Bound(0, "min"), in.Bound(0, "max")), y.Clamp(in.Bound(1, "min"), in.Bound(1, "max")))
				}
				x, y := v[0], v[1]
				one, other := at(x, y), at(y, x)
				for i := int64(1); i < 6; i++ {
					one, other = one.Mul(at(x.Sub(i), y).Sub(at(x.Add(i), y))), other.Add(at(x, y.Sub(i)).Mul(at(x, y.Add(i))))
				}
				return x.Add(offset).Mod(period).EQ(int64(0)).Select(one, other)
			})
			if output {
				b.Output(f, 1024, 1024)
				return f.ID
			}
			out := b.Func("out", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
				sum := f.At(v[0], v[1])
				for i := int64(-4); i < 5; i++ {
					sum = sum.Add(f.At(v[0].Add(37*i), v[1].Sub(41*i)).Mul(i))
				}
				return sum
			})
			b.Output(out, 1024, 1024)
			return f.ID
		}
	}
	for _, c := range []struct {
		period, offset int64
		output         bool
		params         map[string]string
		tried          bool
		want           string
	}{
		{2, 0, false, nil, false, "[2 1]"}, {2, 1, false, nil, false, "[2 1]"}, {2, 0, false, map[string]string{"grouping": "greedy"}, false, "[2 1]"},
		{3, 0, false, nil, false, "[]"}, {2, 0, true, nil, false, "[2 1]"}, {3, 0, true, nil, false, "[]"}, {2, 0, true, map[string]string{"align": "0"}, false, "[]"}, {2, 0, true, nil, true, "[]"}, {2, 0, false, map[string]string{"align": "0"}, false, "[]"},
		{2, 0, false, map[string]string{"tiling": "block"}, false, "[]"}, {2, 0, false, nil, true, "[]"},
	} {
		b := irtest.New()
		id := alternating(c.period, c.offset, c.output)(b, b.Input("in", irtest.I32, 1024, 1024))
		given := map[string]string{"gpu": "rtx2080ti"}
		for k, v := range c.params {
			given[k] = v
		}
		prm, err := ParseParams(given)
		if err != nil {
			t.Fatal(err)
		}
		p := b.Build()
		forCUDA(p, 75)
		s := NewSession(p, prm, false)
		r, err := s.First()
		if err != nil {
			t.Fatal(err)
		}
		if c.tried {
			if r, err = s.RunnerUp([]Fault{{Func: id}}); err != nil || r == nil {
				t.Fatal(r, err)
			}
		}
		if got := fmt.Sprint(r.Aligned[id]); got != c.want {
			t.Errorf("%+v: aligned to %s", c, got)
		}
		do := map[bool]schedule.Do{false: schedule.AlignBounds, true: schedule.WholeCells}[c.output]
		said := slices.ContainsFunc(r.Schedule.Directives, func(d schedule.Directive) bool { return d.Do == do && d.Func == id })
		if said != (c.want != "[]") {
			t.Errorf("%+v: the schedule says so: %v", c, said)
		}
		if box := r.Problem.Regions.Funcs[id]; c.want == "[2 1]" && (box[0].Lo%2 != 0 || box[0].Extent()%2 != 0) {
			t.Errorf("%+v: the region is %v", c, box)
		}
	}
}

// readFarApart has a Func be read at places so far apart that it is stored.
func readFarApart(b *irtest.Builder, f *irtest.Func) {
	out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		sum := f.At(v[0], v[1])
		for i := int64(-4); i < 5; i++ {
			sum = sum.Add(f.At(v[0].Add(37*i), v[1].Sub(41*i)))
		}
		return sum
	})
	b.Output(out, 1024, 1024)
}

// TestCellsArePriced: of points of two kinds, each of which a thread of an aligned kernel computes alone, half have the operations of the one and half of the other; all have both where the kernel may
// begin anywhere.
func TestCellsArePriced(t *testing.T) {
	const even, odd = 10, 30
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1024, 1024)
	f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		x, y := v[0].Clamp(in.Bound(0, "min"), in.Bound(0, "max")), v[1].Clamp(in.Bound(1, "min"), in.Bound(1, "max"))
		of := func(n int64) irtest.Expr {
			e := in.At(x, y)
			for i := range n {
				e = e.Max(in.At(x, y).Mul(i + n)).Min(i)
			}
			return e
		}
		return v[0].Mod(int64(2)).EQ(int64(0)).Select(of(even), of(odd))
	})
	readFarApart(b, f)
	p := b.Build()
	forCUDA(p, 75)
	prm, err := ParseParams(map[string]string{"gpu": "rtx2080ti"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewSession(p, prm, false).First()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Groups, func(g *plan.Group) bool { return g.Out == f.ID })
	k := r.Found[i].Layout.Kernels[0]
	if r.Aligned[f.ID] == nil || k.Warp != nil {
		t.Fatalf("%s, aligned to %v", k.Strategy, r.Aligned[f.ID])
	}
	anywhere := *r.Problem
	anywhere.Cells, anywhere.Kept = nil, plan.NewKept()
	whole, any := instructions.For(r.Problem).Work(k), instructions.For(&anywhere).Work(k)
	points := float64(k.Warps()) * float64(k.Out.PointsPerThread())
	if got := any.Float / points; got < even+odd {
		t.Errorf("%g operations a point anywhere", got)
	}
	if whole.Float*2 != any.Float {
		t.Errorf("%g operations a point of a cell, %g anywhere", whole.Float/points, any.Float/points)
	}
	if whole.Issued >= any.Issued {
		t.Errorf("%g instructions by cells, %g anywhere", whole.Issued, any.Issued)
	}
}

// TestCellsInLanes: so it is where the lanes of a warp exchange what they compute. By its way, which holds its cells, the kernel is laid out again with as many instructions; by one without them each point computes both kinds.
func TestCellsInLanes(t *testing.T) {
	const even, odd = 10, 30
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1024, 1024)
	g := b.Func("g", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		at := func(i, j int64) irtest.Expr {
			return in.At(v[0].Add(i).Clamp(in.Bound(0, "min"), in.Bound(0, "max")), v[1].Add(j).Clamp(in.Bound(1, "min"), in.Bound(1, "max")))
		}
		sum := at(0, 0)
		for i := int64(1); i < 12; i++ {
			sum = sum.Add(at(i%3, i/3).Mul(i))
		}
		return sum
	})
	f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		of := func(n int64) irtest.Expr {
			e := g.At(v[0].Sub(int64(1)), v[1]).Mul(g.At(v[0].Add(int64(1)), v[1]))
			for i := range n {
				e = e.Max(e.Mul(i + n)).Min(i)
			}
			return e
		}
		return v[0].Mod(int64(2)).EQ(int64(0)).Select(of(even), of(odd))
	})
	readFarApart(b, f)
	p := b.Build()
	forCUDA(p, 75)
	prm, err := ParseParams(map[string]string{"gpu": "rtx2080ti", "tiling": "warp-registers", "warp_tile": "2x4x4"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewSession(p, prm, false).Unjoined()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Groups, func(g *plan.Group) bool { return g.Out == f.ID })
	k := r.Found[i].Layout.Kernels[0]
	if r.Aligned[f.ID] == nil || k.Warp == nil {
		t.Fatalf("%s, aligned to %v", k.Strategy, r.Aligned[f.ID])
	}
	layer, way := NewLayer(p, prm), WayOf(r, r.Groups[i], k)
	count := func(w Way) plan.Counts {
		_, k, err := layer.Kernel(&w)
		if err != nil {
			t.Fatal(err)
		}
		return k.Counted
	}
	if again := count(way); again != k.Counted {
		t.Errorf("%+v by its way, %+v before", again, k.Counted)
	}
	anywhere := way
	anywhere.Cells = nil
	points := float64(k.Warp.Points * k.Warp.Rows)
	if both, one := count(anywhere).Float, k.Counted.Float; both-one < points*(even+odd)/2 {
		t.Errorf("%g operations of %g points that are of both kinds, %g of whole cells", both, points, one)
	}
	bad := way
	bad.Aligned = map[int][]int64{f.ID: {2}}
	if _, _, err := layer.Kernel(&bad); err == nil {
		t.Error("a way of a Func with fewer dimensions is laid out")
	}
}
