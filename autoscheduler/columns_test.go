package autoscheduler

import (
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// scanned is a scan down an image from neighbours that say where, read where the reader says.
func scanned(width, height int64, before, reader func(f *irtest.Func, x, y irtest.Expr) irtest.Expr) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, width, height)
	f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return in.At(v[0].Clamp(0, int(width)-1), v[1].Clamp(0, int(height)-1))
	})
	f.Update([]irtest.RVar{{Name: "r$x", Min: 1, Extent: height - 1}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return []irtest.Expr{v[0], r[0]}, f.At(v[0], r[0]).Mul(0.5).Add(before(f, v[0], r[0]))
	})
	out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return reader(f, v[0], v[1]) })
	b.Output(out, width, height)
	return b.Build()
}

// TestColumnsWhen: a scan runs in the kernel of its reader where every thread can have a column: no stage reads a neighbour's, and the reader reads one at its own place. Each
// column is then computed once, by one thread, from end to end, in global memory.
func TestColumnsWhen(t *testing.T) {
	above := func(f *irtest.Func, x, y irtest.Expr) irtest.Expr { return f.At(x, y.Sub(1)) }
	here := func(f *irtest.Func, x, y irtest.Expr) irtest.Expr { return f.At(x, y) }
	inOrder := map[string]string{"reassociate": "0"} // several threads run through no column
	for name, c := range map[string]struct {
		before, reader func(f *irtest.Func, x, y irtest.Expr) irtest.Expr
		params         map[string]string
		want           bool
	}{
		"down": {above, here, inOrder, true},
		"neighbours of the scan": {above, func(f *irtest.Func, x, y irtest.Expr) irtest.Expr {
			return f.At(x, y).Add(f.At(x, y.Add(1))).Add(f.At(x, 7))
		}, inOrder, true},
		"from the left": {func(f *irtest.Func, x, y irtest.Expr) irtest.Expr { return f.At(x.Sub(1), y.Sub(1)) }, here, nil, false},
		"neighbouring columns": {above, func(f *irtest.Func, x, y irtest.Expr) irtest.Expr {
			return f.At(x, y).Add(f.At(x.Add(1), y))
		}, nil, false},
		"a column for all": {above, func(f *irtest.Func, x, y irtest.Expr) irtest.Expr { return f.At(x, y).Add(f.At(3, y)) }, nil, false},
		"Sioutas et al.":   {above, here, map[string]string{"mode": "autogpu"}, false},
		"nothing fused":    {above, here, map[string]string{"fusion": "none"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			prm, err := ParseParams(c.params)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(scanned(4000, 700, c.before, c.reader), prm)
			if err != nil {
				t.Fatal(err)
			}
			var m *plan.Member
			var k *plan.Kernel
			for _, found := range r.Found {
				for _, kernel := range found.Layout.Kernels {
					for i := range kernel.Members {
						if kernel.Members[i].Where == plan.AtBlockGlobal {
							k, m = kernel, &kernel.Members[i]
						}
					}
				}
			}
			heap := false
			for _, d := range r.Schedule.Directives {
				heap = heap || d.Do == schedule.StoreIn && d.Memory == schedule.MemoryHeap
			}
			if (m != nil) != c.want || heap != c.want {
				t.Fatalf("columns in a kernel: %v, stored in global memory: %v; want %v", m != nil, heap, c.want)
			}
			if m == nil {
				return
			}
			needed := r.Problem.Regions.Funcs[m.Func].Points()
			if n := k.Tiles() * m.StoredPoints(); n < needed || n > needed*11/10 { // of the last block a part
				t.Errorf("%d points computed for %d needed", n, needed)
			}
			if k.SharedBytes != 0 || k.ThreadsPerBlock() != m.Extents[0] || len(m.Nests) != 2 {
				t.Errorf("%d B of shared memory, %d threads for %d columns, %d stages", k.SharedBytes, k.ThreadsPerBlock(), m.Extents[0], len(m.Nests))
			}
		})
	}
}

// TestColumnsPriced: what a kernel does to columns in global memory is priced like what kernels of their own do: neither instructions, sectors nor bytes come free.
func TestColumnsPriced(t *testing.T) {
	above := func(f *irtest.Func, x, y irtest.Expr) irtest.Expr { return f.At(x, y.Sub(1)) }
	here := func(f *irtest.Func, x, y irtest.Expr) irtest.Expr { return f.At(x, y) }
	cost := map[string]map[string]float64{}
	for _, fusion := range []string{"nested", "none"} {
		prm, err := ParseParams(map[string]string{"fusion": fusion, "gpu": "rtx2080ti"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(scanned(4000, 3000, above, here), prm)
		if err != nil {
			t.Fatal(err)
		}
		cost[fusion] = map[string]float64{}
		for _, found := range r.Found {
			for _, p := range found.Prices {
				for _, term := range p.Terms {
					switch term.Name {
					case "DRAM", "L2", "issue":
						cost[fusion][term.Name] += term.Value
					}
				}
			}
		}
	}
	for _, name := range []string{"DRAM", "L2", "issue"} {
		if a, b := cost["nested"][name], cost["none"][name]; a < .5*b || a > 1.5*b {
			t.Errorf("%s: %g s in one kernel, %g s in kernels of their own", name, a, b)
		}
	}
	t.Log(cost)
}
