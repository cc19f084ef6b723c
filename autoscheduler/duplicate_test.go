package autoscheduler

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/grouping"
	"gowarp/autoscheduler/search"
	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// sealed inlines nothing more.
type sealed struct{}

func (sealed) Inline(int) (func(float64), func()) { return nil, nil }
func (sealed) Store(int) (func(float64), func())  { return nil, nil }

// counting inlines and stores as the passes do and adds up what that is said to gain.
type counting struct {
	s      *state
	gain   float64
	n      int
	stored int // of them
}

func (c *counting) Inline(id int) (func(float64), func()) { return c.count(c.s.Inline(id)) }
func (c *counting) Store(id int) (func(float64), func()) {
	keep, undo := c.count(c.s.Store(id))
	if keep == nil {
		return nil, nil
	}
	return func(gain float64) { c.stored++; keep(gain) }, undo
}

func (c *counting) count(keep func(float64), undo func()) (func(float64), func()) {
	if keep == nil {
		return nil, nil
	}
	return func(gain float64) {
		c.gain += gain
		c.n++
		keep(gain)
	}, undo
}

// TestDuplicate: what is computed again where several groups read it, and what is stored after all, makes the whole cheaper, and by what was said: all the
// gains together lead from a kernel a Func to the groups, whose kernels are priced anew.
func TestDuplicate(t *testing.T) {
	pipeline := func(name string) *halideir.Pipeline {
		if name == "doubled" {
			return doubled()
		}
		name, _, _ = strings.Cut(name, " ")
		return load(t, "../halideir/testdata/"+name+".json")
	}
	inlined, stored, members := 0, 0, 0
	for name, more := range map[string]map[string]string{
		"labels": {}, "hist": {"cost": "issue", "tiling": "all"}, "pyramid": {"cost": "issue"}, "features": {"cost": "issue"}, "harris": {"cost": "issue"},
		"pyramid by time": {"grouping": "greedy"},
		"doubled":         {"grouping": "greedy"}, // no sample: what has members is computed again
	} {
		t.Run(name, func(t *testing.T) {
			upToGroups := func() *state {
				kv := map[string]string{"gpu": "rtx2080ti"}
				for k, v := range more {
					kv[k] = v
				}
				prm, err := ParseParams(kv)
				if err != nil {
					t.Fatal(err)
				}
				s, err := newState(pipeline(name), prm)
				if err != nil {
					t.Fatal(err)
				}
				for _, ps := range passes {
					if ps.name == "group" {
						break
					}
					if err := ps.run(s); err != nil {
						t.Fatal(err)
					}
				}
				s.searcher = &search.Searcher{Problem: s.problem, Coster: s.coster, Strategies: s.strategies, Options: s.options}
				return s
			}
			price := func(s *state) float64 {
				sum := 0.0
				for _, g := range s.groups {
					f, err := s.searcher.Best(s.problem.NewGroup(g.Out, g.Members), coster.Grouping)
					if err != nil {
						t.Fatal(err)
					}
					sum += f.Cost
				}
				return sum
			}
			group := func(s *state, c *counting) (start, gains float64) {
				for id := range s.p.Funcs {
					if s.problem.Inlined[id] {
						continue
					}
					f, err := s.searcher.Best(s.problem.NewGroup(id, nil), coster.Grouping)
					if err != nil {
						t.Fatal(err)
					}
					start += f.Cost
				}
				groups, merges, err := s.grouping.Group(s.searcher, c)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range merges {
					if m.Refused == "" {
						gains += m.Gain
					}
				}
				s.groups = groups
				return start, gains
			}
			s := upToGroups()
			c := &counting{s: s}
			start, gains := group(s, c)
			got := price(s)
			if want := start - gains - c.gain; math.Abs(got-want) > 1e-6*want {
				t.Errorf("the groups cost %g; %g apart, less %g for merges and %g for what is computed again, are %g", got, start, gains, c.gain, want)
			}
			inlined += c.n - c.stored
			stored += c.stored

			plain := upToGroups()
			groups, _, err := plain.grouping.Group(plain.searcher, sealed{})
			if err != nil {
				t.Fatal(err)
			}
			plain.groups = groups
			for _, g := range groups { // what is a member where nothing is computed again, and then is
				for _, m := range g.Members {
					if s.problem.Inlined[m] {
						members++
					}
				}
			}
			if without := price(plain); c.n > 0 && got >= without || c.n == 0 && got != without {
				t.Errorf("with %d Funcs computed again or stored the groups cost %g, without %g", c.n, got, without)
			}
		})
	}
	if inlined == 0 || stored == 0 || members == 0 {
		t.Errorf("%d Funcs are computed again in all pipelines, %d of them members where none is, %d stored", inlined, members, stored)
	}
}

// TestInReduction: what one reduction alone reads, for all channels of a sample, is computed in it and has no kernel, as long as that costs less than to write and
// read it for each sample. A point that is read for many samples keeps its own.
func TestInReduction(t *testing.T) {
	for _, c := range []struct {
		name    string
		sampled bool // read once a sample
		kept    bool
	}{{"a sample", true, false}, {"all samples", false, true}} {
		t.Run(c.name, func(t *testing.T) {
			b := irtest.New()
			in := b.Input("in", irtest.F32, 1024, 1024, 3)
			near := b.Input("near", irtest.F32, 1056, 1056)
			taken := b.Func("taken", []string{"x", "y", "z"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
				e := near.At(v[0].Add(v[2]), v[1]).Sub(near.At(v[0], v[1].Add(v[2])))
				for range 5 {
					e = e.Mul(e).Add(1.0)
				}
				if !c.sampled {
					for range 40 {
						e = e.Call("sqrt_f32").Add(1.0)
					}
				}
				return e
			})
			sum := b.Func("sum", []string{"x", "y", "c"}, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
			sum.Update([]irtest.RVar{{Name: "r$x", Extent: 32}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
				at := b.Int(0)
				if c.sampled {
					at = r[0]
				}
				w := taken.At(v[0], v[1], at)
				return v, sum.At(v[0], v[1], v[2]).Add(w.Mul(in.At(v[0], v[1], v[2])))
			})
			b.Output(sum, 1024, 1024, 3)
			p := b.Build()
			forCUDA(p, 86)
			r, err := Run(p, given(t, "gpu", "h100"))
			if err != nil {
				t.Fatal(err)
			}
			if kept := !r.Problem.Inlined[taken.ID]; kept != c.kept {
				t.Errorf("kept: %v, want %v\n%v", kept, c.kept, r.Schedule.Kernels)
			}
			for _, mode := range []string{"autogpu", "polymage"} {
				r, err := Run(p, given(t, "gpu", "v100", "mode", mode))
				if err != nil {
					t.Fatal(err)
				}
				if r.Problem.Inlined[taken.ID] {
					t.Errorf("mode=%s prices each channel by itself, and yet has it inlined", mode)
				}
			}
		})
	}
}

// doubled is a picture that is made twice as large, one dimension after the other, of what two stencils make of it.
func doubled() *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1024, 1024)
	xy := []string{"x", "y"}
	stencil := func(name string, of func(x, y irtest.Expr) irtest.Expr) *irtest.Func {
		return b.Func(name, xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			sum := of(v[0], v[1])
			for i := range int64(3) {
				for j := range int64(3) {
					sum = sum.Add(of(v[0].Add(i), v[1].Add(j)).Mul(i + 3*j + 1))
				}
			}
			return sum
		})
	}
	first := stencil("first", func(x, y irtest.Expr) irtest.Expr {
		return in.At(x.Clamp(in.Bound(0, "min"), in.Bound(0, "max")), y.Clamp(in.Bound(1, "min"), in.Bound(1, "max")))
	})
	small := stencil("small", func(x, y irtest.Expr) irtest.Expr { return first.At(x, y) })
	across := b.Func("across", xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return small.At(v[0].Div(int64(2)), v[1]).Mul(int64(3)).Add(small.At(v[0].Div(int64(2)).Add(int64(1)), v[1]))
	})
	out := func(name string, by int64) {
		b.Output(b.Func(name, xy, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return across.At(v[0], v[1].Div(int64(2))).Mul(by).Add(across.At(v[0], v[1].Div(int64(2)).Add(int64(1))))
		}), 2048, 2048)
	}
	out("out", 3)
	out("other", 5)
	return b.Build()
}

// TestDuplicateOfMembers: a Func that several kernels read is computed in those also where its own kernel computes others, which then is that of the one that it read: what is twice as wide as
// that is neither written nor read.
func TestDuplicateOfMembers(t *testing.T) {
	prm, err := ParseParams(map[string]string{"gpu": "rtx2080ti", "grouping": "greedy"})
	if err != nil {
		t.Fatal(err)
	}
	p := doubled()
	r, err := Run(p, prm)
	if err != nil {
		t.Fatal(err)
	}
	id := func(label string) int {
		return slices.IndexFunc(p.Funcs, func(f halideir.Func) bool { return f.Label == label })
	}
	if !r.Problem.Inlined[id("across")] {
		t.Error("across is stored")
	}
	if !slices.ContainsFunc(r.Merges, func(m grouping.Merge) bool { return m.Consumer == id("across") && m.Gain > 0 }) {
		t.Error("across had a kernel of its own alone, so that this shows nothing")
	}
	if !slices.ContainsFunc(r.Groups, func(g *plan.Group) bool { return g.Out == id("small") }) {
		t.Error("small has no kernel of its own")
	}
}
