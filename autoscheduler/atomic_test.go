package autoscheduler

import (
	"slices"
	"testing"

	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
)

// TestAtomicApart: in the papers' modes an addition is atomic only where the place and what is added share no work; what
// Halide 21 makes of each of these was read off its PTX. By default those others are too, by a lowering pass.
func TestAtomicApart(t *testing.T) {
	type exprs func(at func(x, y irtest.Expr) irtest.Expr, x, y irtest.Expr) (place, added irtest.Expr)
	for name, c := range map[string]struct {
		of     exprs
		atomic bool // atom.add, not a loop of atom.cas
		added  bool // by the pass
	}{
		"one for each": {func(at func(x, y irtest.Expr) irtest.Expr, x, y irtest.Expr) (irtest.Expr, irtest.Expr) {
			return at(x, y), x.Mul(0).Add(1)
		}, true, false},
		"the coordinate": {func(at func(x, y irtest.Expr) irtest.Expr, x, y irtest.Expr) (irtest.Expr, irtest.Expr) {
			return at(x, y), x
		}, true, false},
		"what is loaded": {func(at func(x, y irtest.Expr) irtest.Expr, x, y irtest.Expr) (irtest.Expr, irtest.Expr) {
			return x.Mod(16), at(x, y)
		}, true, false},
		"the same load twice": {func(at func(x, y irtest.Expr) irtest.Expr, x, y irtest.Expr) (irtest.Expr, irtest.Expr) {
			return at(x, y), at(x, y)
		}, false, true},
		"two loads": {func(at func(x, y irtest.Expr) irtest.Expr, x, y irtest.Expr) (irtest.Expr, irtest.Expr) {
			return at(x, y), at(y, x)
		}, false, true},
		"the same sum": {func(at func(x, y irtest.Expr) irtest.Expr, x, y irtest.Expr) (irtest.Expr, irtest.Expr) {
			return x.Add(y).Mod(16), x.Add(y)
		}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := irtest.New()
			in := b.Input("in", irtest.U8, 640, 640)
			at := func(x, y irtest.Expr) irtest.Expr { return in.At(x, y).Cast(irtest.I32) }
			hist := b.Func("hist", []string{"i"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return v[0].Mul(0) })
			hist.Update([]irtest.RVar{{Name: "r$x", Extent: 640}, {Name: "r$y", Extent: 480}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
				place, added := c.of(at, r[0], r[1])
				return []irtest.Expr{place}, hist.At(place).Add(added)
			})
			b.Output(hist, 256)
			p := b.Build()
			for _, by := range []struct {
				params        Params
				atomic, added bool
			}{{paperParams(), c.atomic, false}, {DefaultParams(), c.atomic || c.added, c.added}} {
				r, err := Run(p, by.params)
				if err != nil {
					t.Fatal(err)
				}
				has := func(do schedule.Do) bool {
					return slices.ContainsFunc(r.Schedule.Directives, func(d schedule.Directive) bool { return d.Do == do })
				}
				if (has(schedule.Atomic) || has(schedule.AtomicAddition)) != by.atomic || has(schedule.AtomicAddition) != by.added {
					t.Errorf("mode=%s: atomic %v, want %v; by a pass %v, want %v", by.params.Mode, has(schedule.Atomic) || has(schedule.AtomicAddition), by.atomic, has(schedule.AtomicAddition), by.added)
				}
			}
		})
	}
}
