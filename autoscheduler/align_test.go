package autoscheduler

import (
	"fmt"
	"slices"
	"testing"

	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
)

// TestAlign: a stored Func begins at whole cells where its threads compute them: as long as what they alternate by, of those that it is made up of, and no longer than a thread's points. Not
// one that is an output, whose place is its caller's, nor with align=0, nor once it was tried and came out otherwise.
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
		{3, 0, false, nil, false, "[]"}, {2, 0, true, nil, false, "[]"}, {2, 0, false, map[string]string{"align": "0"}, false, "[]"},
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
		said := slices.ContainsFunc(r.Schedule.Directives, func(d schedule.Directive) bool { return d.Do == schedule.AlignBounds && d.Func == id })
		if said != (c.want != "[]") {
			t.Errorf("%+v: the schedule says so: %v", c, said)
		}
		if box := r.Problem.Regions.Funcs[id]; c.want == "[2 1]" && (box[0].Lo%2 != 0 || box[0].Extent()%2 != 0) {
			t.Errorf("%+v: the region is %v", c, box)
		}
	}
}
