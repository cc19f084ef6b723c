package autoscheduler

import (
	"fmt"
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/internal/plan"
)

// join puts kernels that load the same into one launch, where the cost says that this takes less than a launch each: no Func of them reads another, so that no merge
// makes them one. Each block runs its part of one behind its part of the other (plan.Kernel.With). They are run as is best for each alone; only those with the same blocks and
// threads are joined.
func join(s *state) error {
	joiner, ok := s.coster.(coster.Joiner)
	if !ok || s.params.Mode != "gowarp" || s.params.Fusion == "none" || s.params.Grouping == "none" || s.tried.unjoined || s.p.Target.API == "none" {
		return nil
	}
	j := newJoins(s)
	for i, f := range s.found {
		if !j.alone(i) {
			continue
		}
		k := f.Layout.Kernels[0]
		form, loads := j.form(k), s.problem.Expand[s.problem.StageIndex(k.Out.Func, 0)].Sources
		for _, at := range j.loading(loads) {
			h := j.heads[at]
			if h.form != form || j.circular(h, i) {
				continue
			}
			together := joiner.PriceJoined(s.problem, append(slices.Clone(h.kernels), k))
			more := together.Cost - h.cost
			if !together.Valid() || more >= f.Prices[0].Cost {
				continue
			}
			s.note("join", k.Out.Func, "runs in the launch of %s, which then takes %.4g more: by itself it would take %.4g", s.p.Funcs[h.kernels[0].Out.Func].Label, more, f.Prices[0].Cost)
			j.put(h, i, more)
			j.load(at, loads)
			k = nil
			break
		}
		if k != nil {
			j.heads = append(j.heads, &head{at: i, form: form, kernels: []*plan.Kernel{k}, cost: f.Prices[0].Cost, groups: []int{i}})
			j.load(len(j.heads)-1, loads)
		}
	}
	return nil
}

// head is a kernel and those that run in its launch.
type head struct {
	at      int // its group
	form    string
	kernels []*plan.Kernel
	cost    float64 // of all of them
	groups  []int
}

type joins struct {
	s       *state
	heads   []*head
	of      map[[2]int][]int // by buffer: the heads whose launch loads from it
	readers [][]int          // by group: the groups that read its output
	in      []int            // by group: that in whose launch it runs, itself if in none
}

func newJoins(s *state) *joins {
	j := &joins{s: s, of: map[[2]int][]int{}, readers: make([][]int, len(s.groups)), in: make([]int, len(s.groups))}
	of := map[int]int{}
	for i, g := range s.groups {
		of[g.Out], j.in[i] = i, i
	}
	for i := range s.groups {
		for _, b := range j.reads(i) {
			if from, ok := of[b]; ok && from != i && !slices.Contains(j.readers[from], i) {
				j.readers[from] = append(j.readers[from], i)
			}
		}
	}
	return j
}

// reads are the Funcs in memory that a group reads.
func (j *joins) reads(i int) []int {
	var out []int
	g, pr := j.s.groups[i], j.s.problem
	for _, fn := range append([]int{g.Out}, g.Members...) {
		f := &pr.P.Funcs[fn]
		for st := range f.Stages {
			for _, t := range pr.Expand[pr.StageIndex(fn, st)].Loads {
				out = append(out, t.Func)
			}
		}
		if f.Extern != nil {
			for _, a := range f.Extern.Args {
				out = append(out, a.Func)
			}
		}
	}
	return out
}

// alone reports whether a group is one kernel of one Func that may run beside another: Halide takes the regions of members there for those of the whole, and of an
// output there may be a special case.
func (j *joins) alone(i int) bool {
	g, f := j.s.groups[i], j.s.found[i]
	if len(g.Members) > 0 || len(f.Layout.Kernels) != 1 || j.s.p.Funcs[g.Out].Output || len(j.s.p.Funcs[g.Out].Stages) != 1 {
		return false
	}
	k := f.Layout.Kernels[0]
	return !k.Host && k.Warp == nil && len(k.Members) == 0 && k.SharedBytes == 0 && !k.Out.Whole && len(k.Out.Blocks) > 0 && len(k.Out.Threads) > 0
}

// form is what has to be alike: the loops, by their labels, and their part in blocks and threads.
func (j *joins) form(k *plan.Kernel) string {
	n := k.Out
	var labels []string
	for _, l := range j.s.p.Funcs[n.Func].Stages[n.Stage].Loops {
		labels = append(labels, l.Label)
	}
	parts := func(uses []plan.Use) (out [][3]int64) {
		for _, u := range uses {
			out = append(out, [3]int64{int64(u.Loop), u.Tile, u.Apart})
		}
		return out
	}
	return fmt.Sprint(labels, k.Block, parts(n.Unrolled), parts(n.Serial), parts(n.Threads), parts(n.Blocks), n.FusedAt, n.Fused, n.Wrap)
}

// load notes that a head's launch loads from buffers.
func (j *joins) load(head int, buffers [][2]int) {
	for _, b := range buffers {
		j.of[b] = append(j.of[b], head)
	}
}

// loading are the heads whose launches load from any of the buffers, in their order.
func (j *joins) loading(buffers [][2]int) (out []int) {
	for _, b := range buffers {
		out = append(out, j.of[b]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// circular reports whether a launch would have to wait for what comes of it.
func (j *joins) circular(h *head, i int) bool {
	inside := append(slices.Clone(h.groups), i)
	seen := make([]bool, len(j.readers))
	var meets func(g int) bool
	meets = func(g int) bool {
		for _, r := range j.readers[g] {
			if slices.Contains(inside, r) {
				return true
			}
			if seen[r] {
				continue
			}
			for other, in := range j.in {
				if in == j.in[r] && !seen[other] { // they run together
					seen[other] = true
					if meets(other) {
						return true
					}
				}
			}
		}
		return false
	}
	return slices.ContainsFunc(inside, meets)
}

// put has a group's kernel run in the launch of a head. What was found before stays as it is: sessions use it again.
func (j *joins) put(h *head, i int, more float64) {
	first := j.own(h.at)
	k := j.own(i)
	for d := range first.Grid {
		first.Grid[d] = max(first.Grid[d], k.Grid[d])
	}
	name := j.s.p.Funcs[first.Out.Func].Label
	k.With, k.Why = first, "in the launch of "+name
	j.s.found[i].Prices[0] = coster.Price{Cost: more, Terms: []coster.Term{{Name: "beside " + name, Value: more}}, Launches: true}
	h.kernels, h.groups, h.cost = append(h.kernels, k), append(h.groups, i), h.cost+more
	j.in[i] = h.at
}

// own is the kernel of a group, to be changed.
func (j *joins) own(i int) *plan.Kernel {
	f := *j.s.found[i]
	k := *f.Layout.Kernels[0]
	f.Layout, f.Prices = &plan.Layout{Kernels: []*plan.Kernel{&k}}, slices.Clone(f.Prices)
	j.s.found[i] = &f
	for _, h := range j.heads {
		if h.at == i {
			h.kernels[0] = &k
		}
	}
	for _, f := range j.s.found {
		for _, o := range f.Layout.Kernels {
			if o.With != nil && o.With.Out.Func == k.Out.Func {
				o.With = &k
			}
		}
	}
	return &k
}

// joined reports whether what is at fault runs together with another.
func (r *Result) joined(faults []Fault) bool {
	var with []int
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if k.With != nil {
				with = append(with, k.Out.Func, k.With.Out.Func)
			}
		}
	}
	return slices.ContainsFunc(faults, func(f Fault) bool { return len(with) > 0 && f.Func == WholeSchedule || slices.Contains(with, f.Func) })
}
