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

// cellsOf is the kernel that has cells; nil if none has.
func cellsOf(r *Result) *plan.Kernel {
	for _, found := range r.Found {
		for _, k := range found.Layout.Kernels {
			if k.Strategy == "block-cells" {
				return k
			}
		}
	}
	return nil
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
			k := cellsOf(r)
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

// TestSummariesOfCells: what is reduced from the cells of each point is computed by the thread that has counted them, the cells of colours a block each, and so are two reductions of which one reads the other. Cells that are not the point's own
// are summed up in other kernels.
func TestSummariesOfCells(t *testing.T) {
	for name, c := range map[string]struct {
		beside int // how far beside its own the cell is that a summary reads
		chain  bool
		levels bool // there is one for each level
		want   bool
	}{"one": {0, false, false, true}, "two": {0, true, false, true}, "a neighbour's": {1, false, false, false}, "of each level": {0, false, true, false}} {
		t.Run(name, func(t *testing.T) {
			const width, height = 320, 240
			b := irtest.New()
			in := b.Input("in", irtest.U8, width+8, height+8, 3)
			counts := b.Func("counts", []string{"x", "y", "c", "z"}, irtest.I32, func([]irtest.Expr) irtest.Expr { return b.Int(0) })
			counts.Update([]irtest.RVar{{Name: "r$x", Extent: 7}, {Name: "r$y", Extent: 7}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
				at := []irtest.Expr{v[0], v[1], v[2], in.At(v[0].Add(r[0]).Clamp(0, width+7), v[1].Add(r[1]).Clamp(0, height+7), v[2]).Cast(irtest.I32).Div(16).Clamp(0, 15)}
				return at, counts.At(at[0], at[1], at[2], at[3]).Add(1)
			})
			summary := func(name string, more func(v []irtest.Expr) irtest.Expr) *irtest.Func {
				f := b.Func(name, []string{"x", "y", "c"}, irtest.I32, func([]irtest.Expr) irtest.Expr { return b.Int(0) })
				f.Update([]irtest.RVar{{Name: name + "$x", Extent: 16}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
					n := counts.At(v[0].Add(c.beside), v[1], v[2], r[0])
					return v, f.At(v[0], v[1], v[2]).Add(n.Mul(n).Add(more(v)))
				})
				return f
			}
			energy := summary("energy", func([]irtest.Expr) irtest.Expr { return b.Int(0) })
			members := []string{"counts", "energy"}
			if c.chain {
				first := energy
				energy = summary("again", func(v []irtest.Expr) irtest.Expr { return first.At(v[0], v[1], v[2]) })
				members = append(members, "again")
			}
			if c.levels {
				below := b.Func("below", []string{"x", "y", "c", "z"}, irtest.I32, func([]irtest.Expr) irtest.Expr { return b.Int(0) })
				below.Update([]irtest.RVar{{Name: "below$x", Extent: 16}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
					return v, below.At(v[0], v[1], v[2], v[3]).Add(counts.At(v[0], v[1], v[2], r[0]).Mul(v[3]))
				})
				out := b.Func("out", []string{"x", "y", "c", "z"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
					return below.At(v[0], v[1], v[2], v[3]).Add(counts.At(v[0], v[1], v[2], v[3]))
				})
				b.Output(out, width, height, 3, 16)
			} else {
				out := b.Func("out", []string{"x", "y", "c"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return energy.At(v[0], v[1], v[2]).Add(1) })
				b.Output(out, width, height, 3)
			}
			prm, err := ParseParams(nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(b.Build(), prm)
			if err != nil {
				t.Fatal(err)
			}
			k := cellsOf(r)
			if (k != nil) != c.want {
				t.Fatalf("summed up beside the cells: %v", k != nil)
			}
			if k == nil {
				return
			}
			var got []string
			for i := range k.Members {
				m := &k.Members[i]
				got = append(got, r.Problem.P.Funcs[m.Func].Label)
				if in := m.Where == plan.AtThread; in != (i > 0) || in && m.StoredPoints() != 1 {
					t.Errorf("%s: %v, %d points", got[i], m.Where, m.StoredPoints())
				}
			}
			if !slices.Equal(got, members) {
				t.Errorf("members %v, want %v", got, members)
			}
			if cells := k.Members[0].StoredPoints(); cells != k.ThreadsPerBlock()*16 || k.Grid[2] != 3 {
				t.Errorf("%d counts for %d threads, %v blocks", cells, k.ThreadsPerBlock(), k.Grid)
			}
		})
	}
}
