package autoscheduler

import (
	"slices"
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// cellular counts the bytes of cells of 8x8 by so many levels, which a reader over cells and levels reads as it says.
func cellular(levels int64, reader func(at func(x, y, z irtest.Expr) irtest.Expr, x, y, z irtest.Expr) irtest.Expr) *halideir.Pipeline {
	const width, height = 180, 130
	b := irtest.New()
	in := b.Input("in", irtest.U8, width*8, height*8)
	// Levels are the first argument: neighbouring cells are no neighbours in memory unless the strategy says so.
	f := b.Func("f", []string{"z", "x", "y"}, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Int(0).Cast(irtest.F32) })
	f.Update([]irtest.RVar{{Name: "r$x", Extent: 8}, {Name: "r$y", Extent: 8}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		x, y := v[1].Mul(8).Add(r[0]).Clamp(0, width*8-1), v[2].Mul(8).Add(r[1]).Clamp(0, height*8-1)
		at := []irtest.Expr{in.At(x, y).Cast(irtest.I32).Clamp(0, int(levels)-1), v[1], v[2]}
		return at, f.At(at[0], at[1], at[2]).Add(b.Int(1).Cast(irtest.F32))
	})
	at := func(x, y, z irtest.Expr) irtest.Expr { return f.At(z, x, y) }
	out := b.Func("out", []string{"x", "y", "z"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return reader(at, v[0], v[1], v[2]) })
	b.Output(out, width, height, levels)
	return b.Build()
}

// TestCellsWhen: a histogram of cells is computed in the kernel of its reader where that reads each cell at its own place: every cell once, by one thread, in shared memory that a block can have, and in global memory in
// runs in which it cannot, if how many levels there are hangs on a run.
func TestCellsWhen(t *testing.T) {
	type read = func(at func(x, y, z irtest.Expr) irtest.Expr, x, y, z irtest.Expr) irtest.Expr
	var above read = func(at func(x, y, z irtest.Expr) irtest.Expr, x, y, z irtest.Expr) irtest.Expr {
		return at(x, y, z).Add(at(x, y, z.Add(1)))
	}
	var within read = func(at func(x, y, z irtest.Expr) irtest.Expr, x, y, z irtest.Expr) irtest.Expr {
		return at(x, y, z.Clamp(0, 15)).Add(at(x, y, z.Add(1).Clamp(0, 15)))
	}
	for name, c := range map[string]struct {
		levels         int64
		reader         read
		params         map[string]string
		want, orGlobal bool
	}{
		"levels of a run": {16, above, nil, true, true},
		"sixteen levels":  {16, within, nil, true, false},
		"too many":        {500, above, nil, false, false},
		"neighbours": {16, func(at func(x, y, z irtest.Expr) irtest.Expr, x, y, z irtest.Expr) irtest.Expr {
			return at(x, y, z).Add(at(x.Add(1), y, z)).Add(at(x, y.Add(1), z))
		}, nil, false, false},
		"little memory":  {16, above, map[string]string{"shared_memory_limit_kb": "1"}, false, false},
		"Sioutas et al.": {16, above, map[string]string{"mode": "autogpu"}, false, false},
		"nothing fused":  {16, above, map[string]string{"fusion": "none"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			prm, err := ParseParams(c.params)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(cellular(c.levels, c.reader), prm)
			if err != nil {
				t.Fatal(err)
			}
			var k *plan.Kernel
			for _, found := range r.Found {
				for _, kernel := range found.Layout.Kernels {
					if kernel.Strategy == "block-cells" {
						k = kernel
					}
				}
			}
			sized := slices.ContainsFunc(r.Schedule.Directives, func(d schedule.Directive) bool { return d.Do == schedule.SharedOrGlobal })
			if (k != nil) != c.want || sized != c.orGlobal {
				t.Fatalf("cells in a kernel: %v, a form in global memory: %v; want %v, %v", k != nil, sized, c.want, c.orGlobal)
			}
			if k == nil {
				return
			}
			m := &k.Members[0]
			if m.Where != plan.AtBlock || m.OrGlobal != c.orGlobal || k.SharedBytes < m.StoredPoints()*4 || k.SharedBytes > r.Problem.Limits.SharedBytes {
				t.Errorf("%v, in global memory if need be: %v; %d B of shared memory for %d points", m.Where, m.OrGlobal, k.SharedBytes, m.StoredPoints())
			}
			if n := m.Extents[1] * m.Extents[2]; n != k.ThreadsPerBlock() || n%plan.WarpLanes != 0 {
				t.Errorf("%d cells for %d threads", n, k.ThreadsPerBlock())
			}
			needed := r.Problem.Regions.Funcs[m.Func].Points()
			if n := k.Tiles() * m.StoredPoints(); n < needed || n > needed*12/10 { // of the last blocks a part
				t.Errorf("%d points computed for %d needed", n, needed)
			}
			if !slices.Equal(m.Order, []int{1, 2, 0}) {
				t.Errorf("stored in the order %v: lanes are in one bank", m.Order)
			}
		})
	}
}
