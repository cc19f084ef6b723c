package autoscheduler

import (
	"math"
	"testing"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
	"gowarp/nestedfusion"
)

// prepared runs the passes up to grouping, with nothing inlined.
func prepared(t *testing.T, b *irtest.Builder) *state {
	t.Helper()
	s, err := preparedState(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func preparedState(b *irtest.Builder) (*state, error) {
	s := &state{p: b.Build(), params: paperParams()}
	if err := s.configure(); err != nil {
		return nil, err
	}
	for _, f := range []func(*state) error{checkInput, analyse, chooseDims, tileBounds} {
		if err := f(s); err != nil {
			return nil, err
		}
	}
	for f := range s.p.Funcs {
		for st := range s.p.Funcs[f].Stages {
			s.expand(f, st)
		}
	}
	return s, nil
}

// TestPlace: a member goes into the threads exactly where all its readers are in one thread's
// hands and no two threads need the same point.
func TestPlace(t *testing.T) {
	type taps func(f *irtest.Func, x, y irtest.Expr) irtest.Expr
	at := func(dx, dy int) taps {
		return func(f *irtest.Func, x, y irtest.Expr) irtest.Expr { return f.At(x.Add(dx), y.Add(dy)) }
	}
	for _, c := range []struct {
		name string
		read taps
		// through reads the member once more, in a second member that the output reads.
		through taps
		want    plan.Where
	}{
		{"one point", at(0, 0), nil, plan.AtThread},
		{"one point elsewhere", at(3, -2), nil, plan.AtThread},
		{"overlap along thread x", func(f *irtest.Func, x, y irtest.Expr) irtest.Expr { return f.At(x, y).Add(f.At(x.Add(1), y)) }, nil, plan.AtBlock},
		{"overlap along thread y", func(f *irtest.Func, x, y irtest.Expr) irtest.Expr { return f.At(x, y).Add(f.At(x, y.Add(1))) }, nil, plan.AtBlock},
		{"halves, disjoint", func(f *irtest.Func, x, y irtest.Expr) irtest.Expr {
			return f.At(x.Mul(2), y).Add(f.At(x.Mul(2).Add(1), y))
		}, nil, plan.AtThread},
		{"halves, overlapping", func(f *irtest.Func, x, y irtest.Expr) irtest.Expr {
			return f.At(x.Mul(2), y).Add(f.At(x.Mul(2).Add(2), y))
		}, nil, plan.AtBlock},
		{"a column that all threads of a row share", func(f *irtest.Func, x, y irtest.Expr) irtest.Expr { return f.At(0, y) }, nil, plan.AtBlock},
		{"two readers in one thread", at(0, 0), at(0, 0), plan.AtThread},
		{"two readers, one at its neighbour's point", at(0, 0), at(1, 0), plan.AtBlock},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := irtest.New()
			in := b.Input("in", irtest.F32, 4096, 4096)
			args := []string{"x", "y"}
			f := b.Func("f", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(3.0).Add(1.0) })
			members := []int{f.ID}
			var g *irtest.Func
			if c.through != nil {
				g = b.Func("g", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return c.through(f, v[0], v[1]).Mul(2.0) })
				members = append(members, g.ID)
			}
			out := b.Func("out", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
				e := c.read(f, v[0], v[1])
				if g != nil {
					e = e.Add(g.At(v[0], v[1]))
				}
				return e
			})
			b.Output(out, 1536, 1024)
			s := prepared(t, b)
			got := nestedfusion.Place(s.problem, s.problem.NewGroup(out.ID, members), true)
			if got[0].Where != c.want || c.want == plan.AtThread && got[0].Anchor != out.ID {
				t.Errorf("computed at the %v of Func %d, want the %v", got[0].Where, got[0].Anchor, c.want)
			}
			if off := nestedfusion.Place(s.problem, s.problem.NewGroup(out.ID, members), false); off[0].Where != plan.AtBlock {
				t.Errorf("nesting is off, and it is computed at the %v", off[0].Where)
			}
		})
	}
}

// TestNestSevere: fusion=auto nests where a kernel keeps too many threads busy, and not on a
// device so small that none do.
func TestNestSevere(t *testing.T) {
	for _, c := range []struct {
		threads int // an SM of the device
		nested  bool
	}{{1024, true}, {512, false}} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1536, 1024)
		args := []string{"x", "y"}
		f := b.Func("f", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(3.0).Add(1.0) })
		out := b.Func("out", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return f.At(v[0], v[1]).Mul(f.At(v[0], v[1])) })
		b.Output(out, 1536, 1024)
		s := prepared(t, b)
		s.problem.Device.MaxThreadsPerSM = c.threads
		se := &search.Searcher{Problem: s.problem, Coster: s.coster, Strategies: s.strategies, Options: strategy.Options{Nesting: strategy.NestSevere}}
		found, err := se.Best(s.problem.NewGroup(out.ID, []int{f.ID}), coster.Final)
		if err != nil {
			t.Fatal(err)
		}
		k := found.Layout.Kernels[0]
		if got := k.Members[0].Where == plan.AtThread; got != c.nested {
			t.Errorf("%d threads an SM: nested %v with %d threads active, want %v", c.threads, got, k.Occupancy.ActiveThreads, c.nested)
		}
	}
}

// TestSerialChannels: short loops run in the thread where the others fill the device, and are
// blocks under a recurrence that leaves it empty.
func TestSerialChannels(t *testing.T) {
	for _, recurrence := range []bool{false, true} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1536, 2560, 3)
		f := b.Func("f", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1], v[2]) })
		stage := 0
		if recurrence {
			stage = 1
			f.Update([]irtest.RVar{{Name: "r$x", Min: 1, Extent: 2559}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
				return []irtest.Expr{v[0], r[0], v[2]}, f.At(v[0], r[0], v[2]).Add(f.At(v[0], r[0].Sub(1), v[2]))
			})
		}
		b.Output(f, 1536, 2560, 3)
		r, err := Run(b.Build(), paperParams())
		if err != nil {
			t.Fatal(err)
		}
		k := r.Found[0].Layout.Kernels[stage]
		blocks := int64(1)
		for _, u := range k.Out.Blocks {
			if r.Problem.P.Funcs[f.ID].Stages[stage].Loops[u.Loop].Arg == 2 {
				blocks = u.Extent
			}
		}
		if want := map[bool]int64{false: 1, true: 3}[recurrence]; blocks != want {
			t.Errorf("recurrence %v: %d blocks of channels, want %d", recurrence, blocks, want)
		}
	}
}

// TestListing1ProseByHand: while grouping the cost of memory is not divided.
func TestListing1ProseByHand(t *testing.T) {
	pr, k := pair(t)
	printed, prose := coster.Listing1{}.Price(pr, k, coster.Grouping), coster.Listing1Prose{}.Price(pr, k, coster.Grouping)
	if want := printed.Terms[1].Value * (27.0 / 32 * 864); math.Abs(prose.Terms[1].Value-want) > 1e-9*want {
		t.Errorf("memory %v, want %v", prose.Terms[1].Value, want)
	}
	if prose.Terms[0] != printed.Terms[0] {
		t.Errorf("arithmetic %v, as printed %v", prose.Terms[0], printed.Terms[0])
	}
	a, b := coster.Listing1{}.Price(pr, k, coster.Final), coster.Listing1Prose{}.Price(pr, k, coster.Final)
	if a.Cost != b.Cost {
		t.Errorf("the final prices differ: %v and %v", a.Cost, b.Cost)
	}
}
