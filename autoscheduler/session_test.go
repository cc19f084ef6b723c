package autoscheduler

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/instructions"
	"gowarp/autoscheduler/search"
	"gowarp/gpusim/count"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
	"gowarp/internal/ptxas"
)

// usesOf makes up what ptxas says of the kernels of a schedule, under the names that Halide gives them.
func usesOf(r *Result, say func(fn int) ptxas.Use) []ptxas.Use {
	var uses []ptxas.Use
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if !k.Host {
				u := say(k.Out.Func)
				u.Kernel = "_" + ptxas.Prefix(r.Problem.P.Funcs[k.Out.Func].Name, k.Out.Stage) + "y_block_id_y"
				uses = append(uses, u)
			}
		}
	}
	return uses
}

// TestTrials: the first trial is the schedule that the cost alone takes, all are legal and no two are the same, and of each kernel the one way
// that a compiler says does not spill is the one that is taken.
func TestTrials(t *testing.T) {
	tried, taken := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := randomPipeline(t, "")
		if rapid.Bool().Draw(t, "stencils") {
			p = stencilGraph(t)
		}
		kv := map[string]string{"cost": rapid.SampledFrom([]string{"time", "issue", "algorithm2-fitted"}).Draw(t, "cost"), "grouping": rapid.SampledFrom([]string{"greedy", "dpfusion"}).Draw(t, "grouping"), "effort": rapid.SampledFrom([]string{"fast", "normal", "thorough"}).Draw(t, "effort"), "gpu": "rtx2080ti"}
		model, err := ParseParams(kv)
		if err != nil {
			t.Fatal(err)
		}
		kv["search"] = "ptxas"
		params, err := ParseParams(kv)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Schedule(p, model)
		if err != nil {
			t.Skip(err)
		}
		session := NewSession(p, params, false)
		trials, err := session.Trials()
		if err != nil {
			t.Fatal(err)
		}
		for n, r := range trials {
			if err := r.Schedule.Check(p); err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(trials[:n], func(o *Result) bool { return directives(t, o.Schedule) == directives(t, r.Schedule) }) {
				t.Fatalf("trial %d is another one again", n)
			}
		}
		if len(trials) == 0 {
			t.Skip("nothing runs on the GPU")
		}
		if len(trials) > search.Efforts[kv["effort"]].Few() {
			t.Fatalf("%d trials with effort=%s", len(trials), kv["effort"])
		}
		if got, want := directives(t, trials[0].Schedule), directives(t, want); got != want {
			t.Fatalf("the first trial is\n%s\nthe cost alone takes\n%s", got, want)
		}
		tried += len(trials)
		good := rapid.IntRange(0, len(trials)-1).Draw(t, "without spills")
		for n := range slices.Backward(trials) {
			session.Compiled(trials[n], usesOf(trials[n], func(int) ptxas.Use { return ptxas.Use{Registers: 64, SpillStores: 1 << 24, SpillLoads: 1 << 24} }))
		}
		session.Compiled(trials[good], usesOf(trials[good], func(int) ptxas.Use { return ptxas.Use{Registers: 32} }))
		r, err := session.First()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := directives(t, r.Schedule), directives(t, trials[good].Schedule); got != want {
			t.Fatalf("without spills is trial %d:\n%s\ntaken is\n%s", good, want, got)
		}
		each(r, func(k *plan.Kernel) {
			if k.SpillBytes != 0 || k.Registers != 32 {
				t.Fatalf("a kernel of %d registers that spills %d B was taken", k.Registers, k.SpillBytes)
			}
		})
		if good > 0 {
			taken++
		}
	})
	if taken == 0 {
		t.Error("no kernel was run in another way than the cost's: the test shows nothing")
	}
	t.Logf("%d trials; %d times another one was taken", tried, taken)
}

// directives are those of a schedule, as text.
func directives(t rapid.TB, s *schedule.Schedule) string {
	text, err := json.Marshal(s.Directives)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func each(r *Result, f func(k *plan.Kernel)) {
	for _, found := range r.Found {
		for _, k := range found.Layout.Kernels {
			if !k.Host {
				f(k)
			}
		}
	}
}

// TestNothingCompiled: where no code was to be had, and on the command line, the cost alone decides, and it is said.
func TestNothingCompiled(t *testing.T) {
	p := exported(t)["harris.json"]
	sim, err := NewSession(p, given(t, "search", "sim"), false).First()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(sim.Remarks(), "search=sim: nothing was run, which takes Halide (the plugin); the cost alone has decided") {
		t.Errorf("remarks: %q", sim.Remarks())
	}
	r, err := NewSession(p, given(t, "search", "ptxas"), false).First()
	if err != nil {
		t.Fatal(err)
	}
	want, err := Schedule(p, given(t))
	if err != nil {
		t.Fatal(err)
	}
	if directives(t, r.Schedule) != directives(t, want) {
		t.Error("another schedule than the cost's")
	}
	if !slices.ContainsFunc(r.Remarks(), func(s string) bool {
		return s == "search=ptxas: nothing was compiled, which takes Halide (the plugin); the cost alone has decided"
	}) {
		t.Errorf("remarks: %q", r.Remarks())
	}
}

// countsOf makes up what the simulator counts of the kernels of a schedule, under the names that Halide gives them.
func countsOf(r *Result, issued int64) []Counted {
	var all []Counted
	for _, u := range usesOf(r, func(int) ptxas.Use { return ptxas.Use{} }) {
		all = append(all, Counted{u.Kernel, count.Kernel{WarpInstructions: issued, Integer: issued, GlobalLoads: issued / 10, BlockBytes: issued}})
	}
	return all
}

// TestCountedDecides: the way of which the simulator counts the fewest instructions is taken, with what was counted in the place of the estimate; not where
// nothing was counted of the way that the cost takes.
func TestCountedDecides(t *testing.T) {
	p := exported(t)["harris.json"]
	for _, cost := range []string{"time", "issue"} {
		begin := func() (*Session, []*Result) {
			s := NewSession(p, given(t, "search", "sim", "cost", cost), false)
			trials, err := s.Trials()
			if err != nil || len(trials) < 3 {
				t.Fatal(len(trials), err)
			}
			return s, trials
		}
		taken := func(s *Session) *Result {
			r, err := s.First()
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		for good := range 3 {
			s, trials := begin()
			for n, r := range trials {
				issued := int64(1 << 28)
				if n == good {
					issued = 1 << 27
				}
				s.Counted(r, countsOf(r, issued))
			}
			r := taken(s)
			if directives(t, r.Schedule) != directives(t, trials[good].Schedule) {
				t.Errorf("cost=%s: trial %d issues half of what the others do, and another one is taken", cost, good)
			}
			each(r, func(k *plan.Kernel) {
				w := instructions.For(k.View(r.Problem)).Work(k)
				if k.JudgedBy != "sim" || k.Simulated.Issued != 1<<27 || math.Abs(w.Issued*float64(k.Tiles())-1<<27) > 1 || math.Abs(w.Sectors*float64(k.Tiles())-1<<22) > 1 {
					t.Errorf("cost=%s: %s, %+v, %+v", cost, k.JudgedBy, k.Simulated, w)
				}
			})
		}
		s, trials := begin()
		for _, r := range trials[1:] {
			s.Counted(r, countsOf(r, 1))
		}
		if directives(t, taken(s).Schedule) != directives(t, trials[0].Schedule) {
			t.Errorf("cost=%s: the cost's own way was not counted, and another one is taken", cost)
		}
	}
}

// TestRefusedWay: where Halide makes something else of the way that was judged best, the next best of those judged is taken; the ways that are looked for anew only when all are used up.
func TestRefusedWay(t *testing.T) {
	p := exported(t)["harris.json"]
	for _, by := range []string{"sim", "ptxas"} {
		s := NewSession(p, given(t, "search", by), false)
		trials, err := s.Trials()
		if err != nil || len(trials) < 3 {
			t.Fatal(len(trials), err)
		}
		for n, r := range trials {
			rank := (n + 1) % len(trials) // the last trial is the best
			if by == "sim" {
				s.Counted(r, countsOf(r, int64(1+rank)<<28))
			} else {
				s.Compiled(r, usesOf(r, func(int) ptxas.Use {
					return ptxas.Use{Registers: 32, SpillStores: rank << 22, SpillLoads: rank << 22}
				}))
			}
		}
		r, err := s.First()
		for rank := range trials {
			if err != nil {
				t.Fatal(err)
			}
			if want := trials[(rank+len(trials)-1)%len(trials)]; directives(t, r.Schedule) != directives(t, want.Schedule) {
				t.Fatalf("search=%s: after %d refusals is taken\n%s\nthe next best is\n%s", by, rank, directives(t, r.Schedule), directives(t, want.Schedule))
			}
			var faults []Fault
			each(r, func(k *plan.Kernel) { faults = append(faults, Fault{Func: k.Out.Func}) })
			r, err = s.RunnerUp(faults)
		}
		if err != nil || r == nil {
			t.Fatal("nothing after the last way judged: ", err)
		}
		for _, trial := range trials {
			if directives(t, r.Schedule) == directives(t, trial.Schedule) {
				t.Errorf("search=%s: a way that was refused is taken again", by)
			}
		}
	}
}

// TestSpillsCost: what a thread spills is instructions and requests of its warps.
func TestSpillsCost(t *testing.T) {
	for _, cost := range []string{"time", "issue"} {
		r, err := Run(exported(t)["harris.json"], given(t, "cost", cost))
		if err != nil {
			t.Fatal(err)
		}
		each(r, func(k *plan.Kernel) {
			prices := []string{}
			last := 0.0
			for _, bytes := range []int{0, 400, 4000, 40000} {
				spilling := *k
				spilling.SpillBytes = bytes
				price := coster.ByName[cost].Price(spilling.View(r.Problem), &spilling, coster.Final)
				c := price.Cost
				prices = append(prices, fmt.Sprint(bytes, " B: ", c))
				if c < last || bytes == 40000 && c <= last {
					t.Errorf("%s: %v", cost, prices)
				}
				last = c
			}
		})
	}
}

func given(t *testing.T, kv ...string) Params {
	t.Helper()
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	p, err := ParseParams(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
