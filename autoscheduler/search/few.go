package search

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gowarp/autoscheduler/coster"
	"gowarp/internal/plan"
)

// Few is how many ways to run a kernel an effort has judged, with search=ptxas and search=sim.
func (e Effort) Few() int { return [...]int{Normal: 4, Fast: 2, Thorough: 8}[e] }

// Judged is what a compiler or a simulator said of a kernel: one of them.
type Judged struct {
	Registers  int // a thread; 0 where no compiler was asked
	SpillBytes int // a thread, stored and loaded
	Simulated  plan.Simulated
	Refused    bool // what Halide made of it in a schedule is not what was expected
}

// ranked is a candidate with its price.
type ranked struct {
	kernel *plan.Kernel
	price  coster.Price
}

// few collects the best candidates of those that differ in what a thread does: strategy, points, rows, members, not how many of the same threads a block has. Of
// those alike the best stands for all, since the compiler makes the same of them.
type few struct {
	most int // 0: none is wanted
	by   map[string]int
	all  []ranked
}

func (f *few) add(k *plan.Kernel, p coster.Price) {
	if f.most == 0 {
		return
	}
	key := shape(k)
	i, seen := f.by[key]
	switch {
	case !seen:
		if f.by == nil {
			f.by = map[string]int{}
		}
		f.by[key] = len(f.all)
		f.all = append(f.all, ranked{k, p})
	case better(&p, &f.all[i].price):
		f.all[i] = ranked{k, p}
	}
}

// best are the best of them, the chosen one first.
func (f *few) best(chosen ranked) []ranked {
	if f.most == 0 {
		return nil
	}
	slices.SortStableFunc(f.all, func(a, b ranked) int {
		switch {
		case better(&a.price, &b.price):
			return -1
		case better(&b.price, &a.price):
			return 1
		}
		return 0
	})
	ways := []ranked{chosen}
	for _, r := range f.all {
		if len(ways) < f.most && shape(r.kernel) != shape(chosen.kernel) {
			ways = append(ways, r)
		}
	}
	return ways
}

// shape is what a thread does. With a point a thread several strategies lay out the same.
func shape(k *plan.Kernel) string {
	w := k.Choice.Warp
	w.Warps = 0
	if w == (plan.WarpChoice{}) && k.Choice.Windows == 0 && !slices.ContainsFunc(k.Choice.Points, func(n int64) bool { return n > 1 }) {
		return ""
	}
	return fmt.Sprint(k.Strategy, k.Choice.Points, k.Choice.Windows, w)
}

// Identity names a kernel among all that any search over a pipeline lays out.
func Identity(pr *plan.Problem, k *plan.Kernel) string {
	var b strings.Builder
	fmt.Fprint(&b, k.Out.Func, k.Out.Stage, k.Choice)
	inlined := func(fn, stage int) { fmt.Fprint(&b, k.View(pr).Expand[k.View(pr).StageIndex(fn, stage)].Inlined) }
	inlined(k.Out.Func, k.Out.Stage)
	for i := range k.Members {
		m := &k.Members[i]
		fmt.Fprint(&b, m.Func, m.Where, m.Anchor)
		for _, n := range m.Nests {
			inlined(n.Func, n.Stage)
		}
	}
	return b.String()
}

// leastEven is by how much costs may differ at least and still be the same: every estimate errs by more.
const leastEven = .01

// betterCompiled prefers what is better, but among ways that cost the same the one that spills less: spills in loops cost more than is counted. Of those that
// spill the same the chosen one stays, which stands first, where the coster is known to err.
func (s *Searcher) betterCompiled(a, b *ranked) bool {
	errs := coster.Errs(s.Coster)
	alike := a.price.Valid() == b.price.Valid() && a.price.Faults == b.price.Faults && math.Abs(a.price.Cost-b.price.Cost) <= max(leastEven, errs)*min(a.price.Cost, b.price.Cost)
	switch {
	case alike && a.kernel.SpillBytes != b.kernel.SpillBytes:
		return a.kernel.SpillBytes < b.kernel.SpillBytes
	case alike && errs > 0:
		return false
	}
	return better(&a.price, &b.price)
}

// Ways is the most ways that any of the kernels has, of those few that Searcher.Few keeps.
func (f *Found) Ways() int {
	n := 0
	for _, ways := range f.ways {
		n = max(n, len(ways))
	}
	return n
}

// Others reports whether each kernel has a way of which something was said and that was not refused.
func (f *Found) Others(pr *plan.Problem, said map[string]Judged) bool {
	for _, ways := range f.ways {
		if !slices.ContainsFunc(ways, func(r ranked) bool {
			j, ok := said[Identity(pr, r.kernel)]
			return ok && !j.Refused
		}) {
			return false
		}
	}
	return len(f.ways) > 0
}

// Way is the group with each kernel run in the n-th best of its few ways, or in its last one.
func (f *Found) Way(n int) *Found {
	return f.with(func(ways []ranked) (ranked, bool) { return ways[min(n, len(ways)-1)], true })
}

// Judge is the group with each kernel run in the best of its few ways by what was said of them, by Identity. A kernel of which nothing was said stays as it is.
func (s *Searcher) Judge(f *Found, said map[string]Judged) *Found {
	return f.with(func(ways []ranked) (best ranked, ok bool) {
		if slices.ContainsFunc(ways, func(r ranked) bool { return said[Identity(s.Problem, r.kernel)].Simulated.Issued > 0 }) {
			return s.fewestSimulated(ways, said)
		}
		for i := range ways {
			r, known := s.judged(&ways[i], said)
			if known && (!ok || s.betterCompiled(&r, &best)) {
				best, ok = r, true
			}
		}
		return best, ok
	})
}

// fewestSimulated is the way that issues the fewest instructions of those that cost nearly the least: what issues is counted, what it costs is still a bound of a data sheet. Estimates
// and counts are not compared with each other, so that a way of which nothing was counted is none; and where nothing was counted of the cost's own choice, that stays.
func (s *Searcher) fewestSimulated(ways []ranked, said map[string]Judged) (ranked, bool) {
	if own := said[Identity(s.Problem, ways[0].kernel)]; own.Simulated.Issued == 0 && !own.Refused {
		return ranked{}, false
	}
	near := fewest{within: max(leastEven, coster.Errs(s.Coster))}
	var best ranked
	ok := false
	for i := range ways {
		r, known := s.judged(&ways[i], said)
		if !known || r.kernel.Simulated.Issued == 0 {
			continue
		}
		near.add(r.kernel, r.price)
		if !ok || better(&r.price, &best.price) {
			best, ok = r, true
		}
	}
	if r, valid := near.pick(s.Problem); valid {
		return r, true
	}
	return best, ok
}

// with has some of the kernels run as pick says, which may leave one as it is.
func (f *Found) with(pick func(ways []ranked) (ranked, bool)) *Found {
	if len(f.ways) == 0 {
		return f
	}
	out := &Found{Layout: &plan.Layout{}, Looks: f.Looks, ways: f.ways}
	for i, k := range f.Layout.Kernels {
		r, ok := pick(f.ways[i])
		if !ok {
			r = ranked{k, f.Prices[i]}
		}
		out.add(r)
	}
	return out
}

// judged is a way with what was said of it, priced again. It is not known where nothing was said, and where it could not be launched or was refused.
func (s *Searcher) judged(r *ranked, said map[string]Judged) (_ ranked, known bool) {
	c, ok := said[Identity(s.Problem, r.kernel)]
	if !ok || c.Refused {
		return ranked{}, false
	}
	k := *r.kernel
	k.Simulated, k.JudgedBy = c.Simulated, "sim"
	if c.Registers > 0 {
		k.JudgedBy = "ptxas"
		k.Registers, k.SpillBytes, k.SpillFrame = c.Registers, c.SpillBytes, c.SpillBytes/2 // each place is stored once, and loaded once
	}
	if err := k.Occupy(s.Problem.Device); err != nil {
		return ranked{}, false
	}
	p := s.Coster.Price(k.View(s.Problem), &k, coster.Final)
	return ranked{&k, p}, p.Valid() || p.Launches
}
