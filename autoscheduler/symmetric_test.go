package autoscheduler

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// twins draws a pipeline that does the same, or nearly, to two or three images, and puts what comes of them together: pyramids and chains of stencils.
func twins(t *rapid.T) *halideir.Pipeline {
	b := irtest.New()
	w := rapid.SampledFrom([]int64{33, 640, 1536}).Draw(t, "w")
	h := rapid.SampledFrom([]int64{64, 481, 2560}).Draw(t, "h")
	type stage struct {
		taps, scale int
		update      bool
	}
	chain := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) stage {
		return stage{rapid.IntRange(1, 4).Draw(t, "taps"), rapid.IntRange(1, 2).Draw(t, "scale"), rapid.IntRange(0, 5).Draw(t, "update") == 0}
	}), 1, 5).Draw(t, "chain")
	var ends []*irtest.Func
	for image := range rapid.IntRange(2, 3).Draw(t, "images") {
		odd := rapid.IntRange(0, 3).Draw(t, "odd") == 0 // it is not quite the same
		var last interface{ At(...any) irtest.Expr } = b.Input(fmt.Sprint("in", image), irtest.F32, w, h)
		for i, s := range chain {
			f := b.Func(fmt.Sprintf("f%d_%d", image, i), []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
				at := func(k int) irtest.Expr {
					return last.At(v[0].Mul(s.scale).Add(k).Clamp(0, w-1), v[1].Add(k).Clamp(0, h-1))
				}
				sum := at(0)
				for k := 1; k < s.taps; k++ {
					sum = sum.Add(at(k).Mul(0.25))
				}
				if odd && i == 0 {
					sum = sum.Add(at(s.taps)).Mul(sum)
				}
				return sum
			})
			if s.update {
				from := last
				f.Update([]irtest.RVar{{Name: "r$x", Extent: 5}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
					return v, f.At(v[0], v[1]).Add(from.At(v[0].Add(r[0]).Clamp(0, w-1), v[1].Clamp(0, h-1)))
				})
			}
			last = f
			if i == len(chain)-1 {
				ends = append(ends, f)
			}
		}
	}
	if rapid.Bool().Draw(t, "apart") {
		for _, f := range ends {
			b.Output(f, w, h)
		}
		return b.Build()
	}
	b.Output(b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		sum := ends[0].At(v[0], v[1])
		for _, f := range ends[1:] {
			sum = sum.Add(f.At(v[0].Add(1).Clamp(0, w-1), v[1]))
		}
		return sum
	}), w, h)
	return b.Build()
}

// TestSymmetric: a group that is symmetric to one that was searched already is run in the same ways: the schedule is the one that comes of searching for each of them, as explain does, with fewer candidates.
func TestSymmetric(t *testing.T) {
	all, fewer := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := twins(t)
		prm, err := ParseParams(map[string]string{"gpu": rapid.SampledFrom([]string{"rtx2080ti", "h100", "sm_60"}).Draw(t, "gpu")})
		if err != nil {
			t.Fatal(err)
		}
		once, err := NewSession(p, prm, false).Checked()
		if err != nil {
			t.Fatal(err)
		}
		each, err := NewSession(p, prm, true).Checked()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once.Schedule.JSON(), each.Schedule.JSON()) {
			t.Fatalf("another schedule where groups that are symmetric are searched for one by one:\n%s\n%s", once.Schedule.JSON(), each.Schedule.JSON())
		}
		all++
		if once.Evaluated < each.Evaluated*3/4 {
			fewer++
		}
	})
	t.Logf("of %d pipelines %d take at most three quarters of the candidates", all, fewer)
	if fewer < all/3 {
		t.Errorf("of %d pipelines only %d take at most three quarters of the candidates", all, fewer)
	}
}

// TestAboutAsLarge: of a chain of stencils, each of which is a halo larger than the next, the stages are as good as alike: it is searched for a few of them, and what the schedule is predicted to cost is hardly more than what comes of
// searching for each.
func TestAboutAsLarge(t *testing.T) {
	const stages = 150
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1536+2*stages, 1024+2*stages)
	var last interface{ At(...any) irtest.Expr } = in
	var f *irtest.Func
	for i := range stages {
		from := last
		f = b.Func(fmt.Sprint("f", i), []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			var sum irtest.Expr
			for k := range 9 {
				tap := from.At(v[0].Add(k%3), v[1].Add(k/3))
				if k == 0 {
					sum = tap
				} else {
					sum = sum.Add(tap)
				}
			}
			return sum
		})
		last = f
	}
	b.Output(f, 1536, 1024)
	p := b.Build()
	prm, err := ParseParams(map[string]string{"gpu": "rtx2080ti"})
	if err != nil {
		t.Fatal(err)
	}
	run := func(each bool) (cost float64, candidates int) {
		s := NewSession(p, prm, each)
		r, err := s.Checked()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Found {
			cost += f.Cost
		}
		return cost, r.Evaluated
	}
	cost, few := run(false)
	least, all := run(true)
	t.Logf("%d candidates, %.4g s; of each %d, %.4g s", few, cost, all, least)
	if cost > 1.03*least || few > all/4 {
		t.Errorf("%d candidates and %.4g s, of each group searched for %d and %.4g s", few, cost, all, least)
	}
}
