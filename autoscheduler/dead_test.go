package autoscheduler

import (
	"slices"
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
)

// TestDead: what only an unread value of an inlined tuple reads is not computed at all, for Halide
// 21 dies of it; where it has to be, the tuple is not inlined.
func TestDead(t *testing.T) {
	for _, updated := range []bool{false, true} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 4096)
		dear := func(v []irtest.Expr) irtest.Expr {
			e := in.At(v[0])
			for range 400 { // so much that a stage may not have three of them in place
				e = e.Mul(e).Add(1.0)
			}
			return e
		}
		read := b.Func("read", []string{"x"}, irtest.F32, dear)
		above := b.Func("above", []string{"x"}, irtest.F32, dear)
		unread := b.Func("unread", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return above.At(v[0]).Add(above.At(v[0].Add(1))).Add(above.At(v[0].Add(2)))
		})
		if updated {
			unread.Update([]irtest.RVar{{Name: "r$x", Extent: 9}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
				return []irtest.Expr{r[0]}, unread.At(r[0]).Add(1.0)
			})
		}
		pair := b.Tuple("pair", []string{"x", "y"}, []halideir.Type{irtest.F32, irtest.F32}, func(v []irtest.Expr) []irtest.Expr {
			return []irtest.Expr{unread.At(v[0]), read.At(v[0])}
		})
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return pair.AtOut(1, v[0], v[1]) })
		b.Output(out, 1024, 512)
		r, err := Run(b.Build(), DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		scheduled := func(id int) bool {
			for _, d := range r.Schedule.Directives {
				if d.Func == id {
					return true
				}
			}
			return false
		}
		got := []bool{scheduled(read.ID), scheduled(above.ID), scheduled(unread.ID), scheduled(pair.ID)}
		want := []bool{true, false, false, false}
		if updated {
			want = []bool{true, true, true, true}
		}
		if !slices.Equal(got, want) {
			t.Errorf("updated %v: read, above, unread, pair are scheduled: %v, want %v", updated, got, want)
		}
	}
}

// TestDeadArguments: what is only an argument of calls whose values do not have it, through inlined Funcs, is not computed; where a stored Func, or a value, has it, it is.
func TestDeadArguments(t *testing.T) {
	for what, want := range map[string]bool{"ignored": false, "handed on": false, "once had": true} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 4096)
		xy := []string{"x", "y"}
		table := b.Func("table", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { // which costs less stored, if anything reads it
			e := in.At(v[0])
			for range 400 {
				e = e.Mul(e).Add(1.0)
			}
			return e
		})
		place := func(v []irtest.Expr) irtest.Expr { return table.At(v[0]).Add(table.At(v[1])).Cast(irtest.I32) }
		constant := b.Func("constant", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr { return v[0].Cast(irtest.F32) })
		on := b.Func("on", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr { return constant.At(v[0], v[1]) })
		out := b.Func("out", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			switch what {
			case "ignored":
				return constant.At(v[0], place(v))
			case "handed on":
				return on.At(v[0], place(v))
			}
			return constant.At(v[0], place(v)).Add(constant.At(place(v), v[0]))
		})
		b.Output(out, 1024, 512)
		r, err := Run(b.Build(), DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		got := slices.ContainsFunc(r.Schedule.Directives, func(d schedule.Directive) bool { return d.Func == table.ID })
		if got != want {
			t.Errorf("%s: table is scheduled: %v", what, got)
		}
	}
}
