package autoscheduler

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
)

// planes are several planes of 16 bits, each of samples around every other place of one image, and two images made of all of them, so that no kernel is the only one that reads a
// plane. Where they are chained, each reads the one before.
func planes(n int, chained bool) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.U16, 4200, 4200)
	clean := b.Func("clean", xy, irtest.U16, func(v []irtest.Expr) irtest.Expr {
		return in.At(v[0].Add(16), v[1].Add(16)).Max(in.At(v[0].Add(18), v[1].Add(16))).Min(in.At(v[0].Add(16), v[1].Add(18)))
	})
	var all []*irtest.Func
	for i := range n {
		all = append(all, b.Func("plane"+string(rune('a'+i)), xy, irtest.U16, func(v []irtest.Expr) irtest.Expr {
			e := around(clean, v[0].Mul(2).Add(i%2), v[1].Mul(2).Add(i/2))
			if chained && i > 0 {
				e = e.Max(around(all[i-1], v[0], v[1]))
			}
			return e
		}))
	}
	twoOf(b, all)
	return b.Build()
}

var xy = []string{"x", "y"}

// around is of the 4x4 points of a Func from one on.
func around(f *irtest.Func, x, y irtest.Expr) irtest.Expr {
	e := f.At(x, y)
	for i := 1; i < 16; i++ {
		if at := f.At(x.Add(i%4), y.Add(i/4)); i%2 == 0 {
			e = e.Max(at)
		} else {
			e = e.Min(at)
		}
	}
	return e
}

// twoOf makes two outputs that read all of the Funcs.
func twoOf(b *irtest.Builder, funcs []*irtest.Func) {
	for i, name := range []string{"out", "other"} {
		b.Output(b.Func(name, xy, irtest.U16, func(v []irtest.Expr) irtest.Expr {
			e := around(funcs[0], v[0].Add(i), v[1])
			for _, f := range funcs[1:] {
				e = e.Add(around(f, v[0].Add(i), v[1]))
			}
			return e
		}), 1900, 1900)
	}
}

// joinedIn lists who runs in whose launch.
func joinedIn(r *Result) map[string]string {
	out := map[string]string{}
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if k.With != nil {
				out[r.Problem.P.Funcs[k.Out.Func].Label] = r.Problem.P.Funcs[k.With.Out.Func].Label
			}
		}
	}
	return out
}

func runWith(t *testing.T, p *halideir.Pipeline, kv map[string]string) *Result {
	t.Helper()
	params, err := ParseParams(kv)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(p, params)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestJoin: planes of one image are one launch, which is what the launches, the prices and the directives say; in a chain, by another's cost, and where every Func
// is to have a kernel of its own, none are.
func TestJoin(t *testing.T) {
	r := runWith(t, planes(4, false), map[string]string{"gpu": "rtx2080ti"})
	joined := joinedIn(r)
	if len(joined) == 0 {
		t.Fatalf("no plane runs in the launch of another:\n%s", r.Schedule.JSON())
	}
	all, apart := 0, runWith(t, planes(4, false), map[string]string{"gpu": "rtx2080ti"})
	for _, f := range r.Found {
		all += len(f.Layout.Kernels)
	}
	if got, want := len(r.Launches()), all-len(joined); got != want {
		t.Errorf("%d launches, want %d", got, want)
	}
	directives := 0
	for _, d := range r.Schedule.Directives {
		if d.Do == schedule.ComputeWith {
			directives++
			if joined[d.Name] != d.At.Name {
				t.Errorf("%s, but the layout has %q", d.String(), joined[d.Name])
			}
		}
	}
	if directives != len(joined) {
		t.Errorf("%d directives for %d kernels", directives, len(joined))
	}
	if err := r.Schedule.CheckForms(r.Problem.P); err != nil {
		t.Error(err)
	}
	if string(apart.Schedule.JSON()) != string(r.Schedule.JSON()) {
		t.Error("twice is not the same")
	}
	for name, c := range map[string]struct {
		p  *halideir.Pipeline
		kv map[string]string
	}{
		"a chain":      {planes(4, true), map[string]string{"gpu": "rtx2080ti"}},
		"the paper's":  {planes(4, false), map[string]string{"gpu": "rtx2080ti", "mode": "autogpu"}},
		"their cost":   {planes(4, false), map[string]string{"gpu": "rtx2080ti", "cost": "listing1"}},
		"no fusion":    {planes(4, false), map[string]string{"gpu": "rtx2080ti", "fusion": "none"}},
		"no grouping":  {planes(4, false), map[string]string{"gpu": "rtx2080ti", "grouping": "none"}},
		"one instance": {planes(1, false), map[string]string{"gpu": "rtx2080ti"}},
	} {
		if joined := joinedIn(runWith(t, c.p, c.kv)); len(joined) > 0 {
			t.Errorf("%s: %v", name, joined)
		}
	}
}

// TestJoinedApart: where a launch of several is at fault, each gets its own again, and all else stays.
func TestJoinedApart(t *testing.T) {
	params, err := ParseParams(map[string]string{"gpu": "rtx2080ti"})
	if err != nil {
		t.Fatal(err)
	}
	for _, whole := range []bool{false, true} {
		s := NewSession(planes(4, false), params, false)
		r, err := s.First()
		if err != nil {
			t.Fatal(err)
		}
		fault := Fault{Func: WholeSchedule}
		if !whole {
			fault.Func = slices.IndexFunc(r.Problem.P.Funcs, func(f halideir.Func) bool { return f.Label == joinedIn(r)["planeb"] })
		}
		next, err := s.RunnerUp([]Fault{fault})
		if err != nil || next == nil {
			t.Fatal(next, err)
		}
		if joined := joinedIn(next); len(joined) > 0 {
			t.Errorf("after a fault of %d: %v", fault.Func, joined)
		}
		if len(next.Groups) != len(r.Groups) {
			t.Errorf("after a fault of %d there are %d groups for %d", fault.Func, len(next.Groups), len(r.Groups))
		}
	}
}

// TestJoinRandom: whatever is joined, the schedule's own check, which knows reads and loops only, finds no launch that waits for itself.
func TestJoinRandom(t *testing.T) {
	params, err := ParseParams(map[string]string{"gpu": "rtx2080ti", "effort": "fast"})
	if err != nil {
		t.Fatal(err)
	}
	joined := 0
	for seed := range uint64(40) {
		p := crossed(rand.New(rand.NewPCG(seed, 5)))
		s, err := newState(p, params)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.run(); err != nil { // emit ends with the check
			t.Fatalf("seed %d: %v", seed, err)
		}
		joined += strings.Count(string(s.out.JSON()), string(schedule.ComputeWith))
	}
	if joined < 20 {
		t.Errorf("only %d kernels were joined: nothing is tested", joined)
	}
}

// crossed are Funcs of which each reads one or two before it at random, and all of which two outputs read.
func crossed(rng *rand.Rand) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.U16, 4200, 4200)
	funcs := []*irtest.Func{b.Func("first", xy, irtest.U16, func(v []irtest.Expr) irtest.Expr {
		return in.At(v[0].Add(16), v[1].Add(16)).Max(in.At(v[0].Add(18), v[1].Add(16)))
	})}
	for i := range 8 {
		funcs = append(funcs, b.Func("f"+string(rune('a'+i)), xy, irtest.U16, func(v []irtest.Expr) irtest.Expr {
			f, g := funcs[rng.IntN(len(funcs))], funcs[rng.IntN(min(3, len(funcs)))]
			return around(f, v[0], v[1]).Max(around(g, v[0].Add(1), v[1]))
		}))
	}
	twoOf(b, funcs)
	return b.Build()
}
