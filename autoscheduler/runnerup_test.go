package autoscheduler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// twoChains is a pipeline of two outputs, each with a stage before it that is fused into it.
func twoChains() *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1536, 2560)
	chain := func(name string) {
		g := b.Func(name+"_grad", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			at := func(dx, dy int) irtest.Expr { return in.At(v[0].Add(dx).Clamp(0, 1535), v[1].Add(dy).Clamp(0, 2559)) }
			return at(-1, -1).Add(at(1, -1)).Sub(at(-1, 1)).Sub(at(1, 1))
		})
		out := b.Func(name, []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return g.At(v[0].Add(-1), v[1]).Add(g.At(v[0], v[1])).Add(g.At(v[0].Add(1), v[1])).Add(g.At(v[0], v[1].Add(1)))
		})
		b.Output(out, 1534, 2558)
	}
	chain("first")
	chain("second")
	return b.Build()
}

func kernels(r *Result) map[string]int {
	members := map[string]int{}
	for _, k := range r.Schedule.Kernels {
		members[k.Name] = len(k.Members)
	}
	return members
}

// runnerUp is the last schedule of a session in which each but it had faults; nil where there is none.
func runnerUp(p *halideir.Pipeline, params Params, faults [][]Fault, explain bool) (*Result, error) {
	s := NewSession(p, params, explain)
	r, err := s.First()
	for _, found := range faults {
		if err != nil || r == nil {
			return nil, err
		}
		r, err = s.RunnerUp(found)
	}
	return r, err
}

func TestRunnerUp(t *testing.T) {
	p := twoChains()
	id := func(label string) int {
		return slices.IndexFunc(p.Funcs, func(f halideir.Func) bool { return f.Label == label })
	}
	for _, c := range []struct {
		name   string
		faults [][]Fault
		want   map[string]int // nil: there is no other
	}{
		{"no fault", nil, map[string]int{"first": 1, "second": 1}},
		{"a kernel", [][]Fault{{{Func: id("first")}}}, map[string]int{"first": 0, "first_grad": 0, "second": 1}},
		{"by a member's name", [][]Fault{{{Func: id("second_grad")}}}, map[string]int{"first": 1, "second": 0, "second_grad": 0}},
		{"one after the other", [][]Fault{{{Func: id("first")}}, {{Func: id("second")}}}, map[string]int{"first": 0, "first_grad": 0, "second": 0, "second_grad": 0}},
		{"the whole schedule", [][]Fault{{{Func: WholeSchedule}}}, map[string]int{"first": 0, "first_grad": 0, "second": 0, "second_grad": 0}},
		{"a kernel of one Func", [][]Fault{{{Func: id("first")}}, {{Func: id("first")}, {Func: id("first_grad")}}}, nil},
		{"the whole schedule twice, with nothing inlined", [][]Fault{{{Func: WholeSchedule}}, {{Func: WholeSchedule}}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := runnerUp(p, paperParams(), c.faults, false)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == nil {
				if r != nil {
					t.Errorf("kernels %v, want no answer", kernels(r))
				}
				return
			}
			if r == nil {
				t.Fatal("no answer")
			}
			if diff := cmp.Diff(c.want, kernels(r)); diff != "" {
				t.Errorf("members by kernel: %s", diff)
			}
		})
	}
}

// TestSimpler: a kernel at fault with several points a thread gets a point a thread first, and all others stay as they were; then its
// Funcs a kernel each.
func TestSimpler(t *testing.T) {
	p := twoChains()
	first := slices.IndexFunc(p.Funcs, func(f halideir.Func) bool { return f.Label == "first" })
	prm := paperParams()
	prm.Tiling, prm.Cost = "block-window", "issue"
	strategies := func(faults ...[]Fault) map[string]string {
		r, err := runnerUp(p, prm, faults, false)
		if err != nil || r == nil {
			t.Fatal(r, err)
		}
		out := map[string]string{}
		for _, f := range r.Found {
			for _, k := range f.Layout.Kernels {
				out[p.Funcs[k.Out.Func].Label] = fmt.Sprintf("%s, %d members", k.Strategy, len(k.Members))
			}
		}
		return out
	}
	whole := strategies()
	if strings.HasPrefix(whole["first"], "block-tile") || whole["first"] != whole["second"] {
		t.Fatalf("no elaborate kernels: %v", whole)
	}
	fault := []Fault{{Func: first}}
	if once := strategies(fault); !strategy.IsOtherwise(strings.Split(once["first"], ",")[0]) || once["second"] != whole["second"] {
		t.Errorf("after a fault: %v; without: %v", once, whole)
	}
	if twice := strategies(fault, fault); !strings.HasSuffix(twice["first"], " 0 members") || twice["second"] != whole["second"] {
		t.Errorf("after two: %v; without: %v", twice, whole)
	}
}

// TestUnwarped: a tile of a warp at fault gives way to what else there is for its group, with several points a thread, before that has one.
func TestUnwarped(t *testing.T) {
	p := load(t, "testdata/harris.json")
	p.Target.API, p.Target.CUDACapability = "cuda", 75
	output := slices.IndexFunc(p.Funcs, func(f halideir.Func) bool { return f.Output })
	var got []string
	for faults := [][]Fault(nil); len(faults) < 3; faults = append(faults, []Fault{{Func: output}}) {
		r, err := runnerUp(p, DefaultParams(), faults, false)
		if err != nil || r == nil {
			t.Fatal(r, err)
		}
		f := r.Found[slices.IndexFunc(r.Found, func(f *search.Found) bool { return f.Layout.Kernels[0].Out.Func == output })]
		got = append(got, f.Layout.Kernels[0].Strategy)
	}
	if !strategy.OfWarps(got[0]) || got[1] != "block-window" || !strategy.IsOtherwise(got[2]) {
		t.Errorf("with no fault, one and two: %v", got)
	}
}

// TestLaunches: what the check compares is what the schedule says.
func TestLaunches(t *testing.T) {
	r := fused(t)
	k := r.Schedule.Kernels[0]
	want := []Launch{{Func: k.Func, Blocks: k.Blocks, Threads: k.Threads, SharedBytes: k.SharedBytes, SharedExact: true, SharedMost: r.Found[0].Layout.Kernels[0].SharedMost(r.Problem), Launches: 1}}
	if diff := cmp.Diff(want, r.Launches()); diff != "" || k.SharedBytes == 0 || k.Threads[0] < 2 {
		t.Errorf("%s\nof %+v", diff, k)
	}
	for _, m := range r.Found[0].Layout.Kernels[0].Members {
		m.Bounded[0] = false
	}
	if r.Launches()[0].SharedExact {
		t.Error("shared memory that is sized at run time is said to be exact")
	}
}

// TestNothingInlined: where Halide refuses a schedule that fuses nothing, the next one inlines nothing.
func TestNothingInlined(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1536, 2560)
	twice := b.Func("twice", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Add(in.At(v[0], v[1])) })
	out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return twice.At(v[0], v[1]).Add(twice.At(v[0], v[1])) })
	b.Output(out, 1536, 2560)
	p := b.Build()
	for _, c := range []struct {
		faults [][]Fault
		want   map[string]int
	}{
		{nil, map[string]int{"out": 0}},
		{[][]Fault{{{Func: WholeSchedule}}}, map[string]int{"out": 0, "twice": 0}},
		{[][]Fault{{{Func: 0}}}, nil}, // one kernel at fault is no reason
		{[][]Fault{{{Func: WholeSchedule}}, {{Func: WholeSchedule}}}, nil},
	} {
		r, err := runnerUp(p, paperParams(), c.faults, true)
		if err != nil {
			t.Fatal(err)
		}
		if (r == nil) != (c.want == nil) {
			t.Fatalf("after %v: %v, want %v", c.faults, r, c.want)
		}
		if r == nil {
			continue
		}
		if diff := cmp.Diff(c.want, kernels(r)); diff != "" {
			t.Errorf("after %v, members by kernel: %s", c.faults, diff)
		}
	}
}

// TestUnneeded: a Func of which Halide needs no point gets no kernel.
func TestUnneeded(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 4096)
	chain := func(name string, update bool) {
		// At one point a reader reads all of it: to compute it again there would be dear.
		read := b.Func(name+"_read", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			e := in.At(v[0])
			for range 40 {
				e = e.Mul(e).Add(v[0].Cast(irtest.F32))
			}
			return e
		})
		if update {
			read.Update(nil, func(v, _ []irtest.Expr) ([]irtest.Expr, irtest.Expr) { return v, read.At(v[0]).Add(read.At(v[0])) })
		}
		beside := b.Func(name+"_beside", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0]) })
		b.Output(b.Func(name, []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return beside.At(v[0]).Add(read.At(v[1])).Add(read.At(v[0]))
		}), 4096, 4096)
	}
	chain("pure", false)
	chain("updated", true)
	p := b.Build()
	unneeded := func(label string) []Fault {
		return []Fault{{Func: slices.IndexFunc(p.Funcs, func(f halideir.Func) bool { return f.Label == label }), Unneeded: true}}
	}
	for _, c := range []struct {
		name         string
		faults       [][]Fault
		device, host []string // the Funcs with kernels, those on the host
	}{
		{"no fault", nil, []string{"pure", "pure_read", "updated", "updated_read"}, nil},
		{"it is inlined", [][]Fault{unneeded("pure_read")}, []string{"pure", "updated", "updated_read"}, nil},
		{"nothing is inlined beside it", [][]Fault{unneeded("updated_read")}, []string{"pure", "pure_read", "updated", "updated_beside", "updated_read"}, nil},
		{"on the host with its readers", [][]Fault{unneeded("updated_read"), unneeded("updated_read")}, []string{"pure", "pure_read", "updated_beside"}, []string{"updated", "updated_read"}},
		{"one after the other", [][]Fault{unneeded("updated_read"), append(unneeded("updated_read"), unneeded("pure_read")...)}, []string{"pure", "updated_beside"}, []string{"updated", "updated_read"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := runnerUp(p, paperParams(), c.faults, false)
			if err != nil {
				t.Fatal(err)
			}
			var device, host []string
			for _, k := range r.Schedule.Kernels {
				list := &device
				if k.Host {
					list = &host
				}
				for _, fn := range append([]int{k.Func}, membersOf(r, k.Func)...) {
					if label := p.Funcs[fn].Label; !slices.Contains(*list, label) {
						*list = append(*list, label)
					}
				}
			}
			slices.Sort(device)
			slices.Sort(host)
			if diff := cmp.Diff([][]string{c.device, c.host}, [][]string{device, host}); diff != "" {
				t.Errorf("Funcs computed on the device and on the host: %s", diff)
			}
		})
	}
	if r, err := runnerUp(p, paperParams(), [][]Fault{unneeded("pure_read"), unneeded("pure_read")}, false); err != nil || r != nil {
		t.Errorf("a second time: %v, %v, want no answer", r, err)
	}
}

// TestStaged: a kernel of one Func, in which a strategy stores inlined ones, computes several together; one that only
// inlines does not.
func TestStaged(t *testing.T) {
	found := func(members ...int) *search.Found {
		k := &plan.Kernel{}
		for _, m := range members {
			k.Members = append(k.Members, plan.Member{Func: m})
		}
		return &search.Found{Layout: &plan.Layout{Kernels: []*plan.Kernel{k}}}
	}
	r := &Result{Groups: []*plan.Group{{Out: 1}, {Out: 3}, {Members: []int{4}, Out: 5}}, Found: []*search.Found{found(0), found(), found(4)}}
	for _, c := range []struct{ kernels, want []int }{
		{[]int{1}, []int{1}}, {[]int{3}, nil}, {[]int{5}, []int{4, 5}}, {[]int{1, 3, 5}, []int{1, 4, 5}},
	} {
		if diff := cmp.Diff(c.want, r.together(c.kernels)); diff != "" {
			t.Errorf("kernels of %v: %s", c.kernels, diff)
		}
	}
}

// histogram adds something to the place that each pixel's value says, and is that Func.
func histogram(added func(value irtest.Expr) any) (p *halideir.Pipeline, id int) {
	b := irtest.New()
	in := b.Input("in", irtest.U8, 640, 480)
	hist := b.Func("hist", []string{"i"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return v[0].Mul(0) })
	hist.Update([]irtest.RVar{{Name: "r$x", Extent: 640}, {Name: "r$y", Extent: 480}}, func(_, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		at := in.At(r[0], r[1]).Cast(irtest.I32)
		return []irtest.Expr{at}, hist.At(at).Add(added(at))
	})
	b.Output(hist, 256)
	return b.Build(), hist.ID
}

// TestTorn: an update whose atomic operation came out as something else runs in order.
func TestTorn(t *testing.T) {
	p, hist := histogram(func(irtest.Expr) any { return 1 })
	torn := []Fault{{Func: hist, Torn: true}}
	for _, c := range []struct {
		faults [][]Fault
		atomic bool
	}{{nil, true}, {[][]Fault{torn}, false}} {
		r, err := runnerUp(p, paperParams(), c.faults, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(r.Schedule.Directives, func(d schedule.Directive) bool { return d.Do == schedule.Atomic }); got != c.atomic {
			t.Errorf("after %v: atomic %v, want %v", c.faults, got, c.atomic)
		}
	}
	if r, err := runnerUp(p, paperParams(), [][]Fault{torn, torn}, false); err != nil || r != nil {
		t.Errorf("a second time: %v, %v, want no answer", r, err)
	}
}

// TestTornAddition: where a pass has Halide see no addition in an atomic operation, threads have places of their own, as without the pass.
func TestTornAddition(t *testing.T) {
	p, _ := histogram(func(value irtest.Expr) any { return value })
	first, err := runnerUp(p, DefaultParams(), nil, false)
	if err != nil || !first.added() {
		t.Fatalf("%v; no atomic addition by a pass", err)
	}
	var torn []Fault
	for _, d := range first.Schedule.Directives {
		if d.Do == schedule.AtomicAddition {
			torn = append(torn, Fault{Func: d.Func, Torn: true})
		}
	}
	r, err := runnerUp(p, DefaultParams(), [][]Fault{torn}, false)
	if err != nil {
		t.Fatal(err)
	}
	if r.added() || !r.Factored {
		t.Errorf("additions by a pass %v, factored %v; want false, true", r.added(), r.Factored)
	}
}

// halvedTwice is two outputs, each of a Func of its own that is read at x / 2 and itself reads an input that is clamped, or not.
func halvedTwice(clamped bool) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 800, 800)
	for _, name := range []string{"first", "second"} {
		coarse := b.Func(name+"_coarse", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			at := func(dx int) irtest.Expr {
				x, y := v[0].Add(dx), v[1]
				if clamped {
					x, y = x.Clamp(in.Bound(0, "min"), in.Bound(0, "max")), y.Clamp(in.Bound(1, "min"), in.Bound(1, "max"))
				}
				return in.At(x, y).Call("sqrt_f32")
			}
			return at(0).Add(at(1))
		})
		b.Output(b.Func(name, []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			at := func(dx, dy int) irtest.Expr { return coarse.At(v[0].Add(dx).Div(2), v[1].Add(dy).Div(2)) }
			return at(0, 0).Add(at(1, 0)).Mul(at(0, 1)).Add(at(1, 1))
		}), 1600, 1600)
	}
	return b.Build()
}

// TestUnproven: the extents of members that are read at x / 2 are said where what reads an input for them is clamped, until one could not be proved; and those
// of another group still are.
func TestUnproven(t *testing.T) {
	extents := func(clamped bool, faults func(p *halideir.Pipeline) [][]Fault) map[string][]int64 {
		p := halvedTwice(clamped)
		prm := paperParams()
		prm.Tiling = "block"
		r, err := runnerUp(p, prm, faults(p), false)
		if err != nil || r == nil {
			t.Fatal(r, err)
		}
		out := map[string][]int64{}
		for _, d := range r.Schedule.Directives {
			if d.Do == schedule.GivenExtent {
				out[d.Name] = append(out[d.Name], d.N)
			}
		}
		return out
	}
	none := func(*halideir.Pipeline) [][]Fault { return nil }
	unproven := func(p *halideir.Pipeline) [][]Fault {
		fn := slices.IndexFunc(p.Funcs, func(f halideir.Func) bool { return f.Label == "first_coarse" })
		return [][]Fault{{{Func: fn, Unproven: true}}}
	}
	given := extents(true, none)
	if len(given["first_coarse"]) != 2 || len(given["second_coarse"]) != 2 {
		t.Errorf("extents %v, want two of each coarse Func", given)
	}
	if got, want := extents(true, unproven), (map[string][]int64{"second_coarse": given["second_coarse"]}); !cmp.Equal(got, want) {
		t.Errorf("after first_coarse could not be proved: %v, want %v", got, want)
	}
	if got := extents(false, none); len(got) > 0 {
		t.Errorf("extents %v of Funcs that read an input as it is", got)
	}
}

// TestRetiled: where Funcs are given no extents any more, which Funcs are computed together stays, and so do the kernels of other groups; a schedule from scratch
// for what is left gives those kernels as well where it makes the same groups.
func TestRetiled(t *testing.T) {
	p := halvedTwice(true)
	prm := paperParams()
	prm.Tiling = "block"
	s := NewSession(p, prm, false)
	first, err := s.First()
	if err != nil {
		t.Fatal(err)
	}
	fn := slices.IndexFunc(p.Funcs, func(f halideir.Func) bool { return f.Label == "first_coarse" })
	r, err := s.RunnerUp([]Fault{{Func: fn, Unproven: true}})
	if err != nil || r == nil {
		t.Fatal(r, err)
	}
	if diff := cmp.Diff(kernels(first), kernels(r)); diff != "" {
		t.Errorf("members by kernel: %s", diff)
	}
	for i, g := range r.Groups {
		if same := r.Found[i] == first.Found[i]; same != !g.Has(fn) {
			t.Errorf("the kernels of %s are the same: %v", p.Funcs[g.Out].Label, same)
		}
	}
	anew := NewSession(p, prm, false)
	anew.after = s.after
	want, err := anew.First()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Schedule.Directives, r.Schedule.Directives); diff != "" {
		t.Errorf("a schedule from scratch is another: %s", diff)
	}
}

func membersOf(r *Result, out int) []int {
	for _, g := range r.Groups {
		if g.Out == out {
			return g.Members
		}
	}
	return nil
}

// TestNeeds: what the pipeline reads of its inputs, whatever is fused.
func TestNeeds(t *testing.T) {
	want := []Need{{Min: 0, Max: 1535}, {Dim: 1, Min: 0, Max: 2559}}
	if diff := cmp.Diff(want, fused(t).Needs()); diff != "" {
		t.Error(diff)
	}
}

// TestNeedsPredicate: nothing is said of an input that is read where a predicate holds.
func TestNeedsPredicate(t *testing.T) {
	r := fused(t)
	p := *r.Problem.P
	p.Funcs = slices.Clone(p.Funcs)
	for _, e := range p.Edges {
		if e.Input < 0 {
			continue
		}
		f := &p.Funcs[e.Consumer]
		f.Stages = slices.Clone(f.Stages)
		f.Stages[e.Stage].Predicate = f.Stages[e.Stage].Values[0]
	}
	pr := *r.Problem
	pr.P = &p
	if got := (&Result{Problem: &pr}).Needs(); got != nil {
		t.Errorf("needs %v, want none", got)
	}
}
