package grouping

import (
	"fmt"
	"math"
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/search"
	"gowarp/internal/plan"
)

// DPFusion is bounded fusion by dynamic programming, as Jangda and Guha 2020 (sections 2.4 and 7.1) use it: of all valid
// fusions the cheapest, with groups of at most so many nodes; what was fused becomes one node, and it is repeated until
// nothing changes. Their papers say what it enumerates, not how; the recurrence is ours.
//
// Only the output of a group is stored in global memory, so that everything else in it is read inside the group alone: a
// group is a cone under its output. It is convex, and groups never read each other in a circle. All paths from a
// node to the pipeline's outputs go through the outputs of the groups that may hold it, which are therefore its ancestors
// in the tree of immediate post-dominators. Given that v is the output of a group, everything below v is decided under v:
//
//	W(v) = min over cones C under v of cost(C) + sum of W(x) over those x below C whose parent is in C
//
// and the pipeline costs the sum of W over the roots of the forest. The bound keeps the number of cones to price small; where none is
// needed the result is the best there is. Where one is, a node once made is never taken apart again, which may cost more
// than merging one by one does: that is tried too, and the cheaper stands.
//
// A coster may price a group otherwise in the end than while grouping, when its tiles are coarse and need be no whole warps. What was chosen is then priced as
// it will be run, and chosen again, until all that is chosen has that price (see settle); but where a tiling was asked for by name, since only groups of several
// have one of warps, and a kernel of each Func might well cost less.
type DPFusion struct {
	Unsettled bool // go by the prices while grouping alone
}

// Name implements Grouping.
func (DPFusion) Name() string { return "dpfusion" }

// Budgets are numbers of groups that are priced in one round: fewer where a coster knows several points a thread, and
// each group has many more candidates.
const (
	coneBudget      = 1500
	coneBudgetDense = 250
)

// coneBounds are the bounds on the nodes of a group, of which the first that keeps to the budget is taken: the whole pipeline if
// that is possible, and two nodes whatever it takes.
var coneBounds = []int{1 << 30, 16, 12, 8, 6, 5, 4, 3, 2}

// Group implements Grouping.
func (f DPFusion) Group(s *search.Searcher, in Inliner) ([]*plan.Group, []Merge, error) {
	st, err := newState(s)
	if err != nil {
		return nil, nil, err
	}
	d := &dp{state: st, pricer: newPricer(s), budget: coneBudget, settled: map[*plan.Group]bool{}, settles: !f.Unsettled && !s.Named() && coster.FinalDiffers(s.Coster)}
	if coster.TellsPoints(s.Coster) {
		d.budget = coneBudgetDense
	}
	if d.settles {
		st.phase = coster.Final
	}
	var merges []Merge
	for {
		merges = append(merges, d.fuse()...)
		if !st.duplicate(in) && !st.store(in) {
			break
		}
		clear(d.pricer.known) // what reads the Func that is now inlined, or is no more, costs otherwise
		clear(d.settled)
	}
	if d.tightest > 0 {
		s.Remarks = append(s.Remarks, fmt.Sprintf("grouping=dpfusion: all valid fusions are more than %d groups to price; those of at most %d nodes were priced, round by round, and greedy merges too, and the cheaper stands", d.budget, d.tightest))
	}
	merges = append(merges, st.refusals()...)
	return remaining(st.groups), merges, nil
}

// dp is the search over one state of the groups. Nodes are named by the outputs of their groups.
type dp struct {
	*state
	pricer   *pricer
	budget   int
	settles  bool
	settled  map[*plan.Group]bool // those that cost what they will in the end
	bound    int
	tightest int     // the least bound that a round had; 0 where none was needed
	children [][]int // of the tree of post-dominators, descending
	roots    []int   // nodes without a parent, ascending
	readers  [][]int // the nodes that read a node
	least    []float64
	cone     [][]int // by node: the best cone under it, itself first, once least is known
	in       []bool  // of the cone that is being built
	members  []int   // its nodes, the output first
	left     int     // cones that may still be counted
	best     float64
}

// fuse repeats rounds until one changes nothing, and says what was fused.
func (d *dp) fuse() []Merge {
	if groups := remaining(d.groups); len(groups) <= mostSettled {
		d.settleAll(groups)
	}
	merged := d.copy()
	merges, bounded := d.rounds()
	if !bounded && !d.settles {
		return merges
	}
	by := merged.merge()
	d.settleAll(remaining(merged.groups))
	if merged.cost() < d.cost() {
		*d.state = *merged
		return by
	}
	return merges
}

// settleBudget is how many groups are priced as they will be run, in all: that takes several times what a price while grouping does. On a chain of hundreds of
// stages the rest go by the latter.
const settleBudget = 200

// mostSettled is of how many kernels without fusion all are settled before, so that what is fused is compared with that.
const mostSettled = 64

// settle has a group cost what it will in the end. One of several that is refused then is not taken. It reports whether anything changed.
func (d *dp) settle(g *plan.Group) bool {
	if !d.settles || d.settled[g] || len(d.settled) == settleBudget {
		return false
	}
	d.settled[g] = true
	switch f, err := d.s.Best(g, coster.Final); {
	case len(g.Members) > 0 && (err != nil || !f.Valid()):
		g.Cost = math.Inf(1)
	case err == nil:
		g.Cost = f.Cost
	}
	return true
}

// settleAll settles groups.
func (d *dp) settleAll(groups []*plan.Group) {
	for _, g := range groups {
		d.settle(g)
	}
}

// settleCones settles what solve chose.
func (d *dp) settleCones() (changed bool) {
	d.chosen(func(cone []int) {
		d.members = append(d.members[:0], cone...)
		g := d.groups[cone[0]]
		if len(cone) > 1 {
			g = d.group()
		}
		if d.settle(g) {
			changed = true
		}
	})
	return changed
}

func (d *dp) rounds() (merges []Merge, bounded bool) {
	for {
		d.tree()
		d.bound = coneBounds[len(coneBounds)-1]
		for _, b := range coneBounds {
			if d.fits(b) {
				d.bound = b
				break
			}
		}
		if d.bound != coneBounds[0] {
			bounded = true
			if d.tightest == 0 || d.bound < d.tightest {
				d.tightest = d.bound
			}
		}
		for d.solve(); d.settleCones(); {
			d.solve()
		}
		more := d.contract()
		if len(more) == 0 {
			return merges, bounded
		}
		merges = append(merges, more...)
	}
}

// tree finds the immediate post-dominator of every node: of all nodes through which every path to an output goes the
// nearest. Readers have larger numbers than what they read, so that theirs are known first.
func (d *dp) tree() {
	n := len(d.groups)
	parent, depth := make([]int, n), make([]int, n)
	d.children, d.readers, d.roots = make([][]int, n), make([][]int, n), nil
	d.least, d.cone, d.in = make([]float64, n), make([][]int, n), make([]bool, n)
	for id := n - 1; id >= 0; id-- {
		if d.groups[id] == nil {
			continue
		}
		d.readers[id] = d.readingGroups(id)
		at := -1
		if !d.s.Problem.P.Funcs[id].Output && len(d.readers[id]) > 0 {
			at = d.readers[id][0]
			for _, r := range d.readers[id][1:] {
				for at != r && at >= 0 && r >= 0 { // where the two ways to the root meet
					if depth[at] >= depth[r] {
						at = parent[at]
					} else {
						r = parent[r]
					}
				}
				if r < 0 {
					at = -1
				}
			}
		}
		parent[id] = at
		if at < 0 {
			d.roots = append(d.roots, id)
			continue
		}
		depth[id] = depth[at] + 1
		d.children[at] = append(d.children[at], id)
	}
	slices.Reverse(d.roots)
}

// fits reports whether no more cones than the budget have to be priced with a bound.
func (d *dp) fits(bound int) bool {
	d.bound, d.left = bound, d.budget
	for id, g := range d.groups {
		if g == nil {
			continue
		}
		d.begin(id)
		d.grow(d.children[id], 0, func(float64) bool {
			d.left--
			return d.left >= 0
		})
		d.end(id)
		if d.left < 0 {
			return false
		}
	}
	return true
}

// solve computes W for every node, producers first.
func (d *dp) solve() {
	for id, g := range d.groups {
		if g == nil {
			continue
		}
		d.best = g.Cost
		for _, c := range d.children[id] {
			d.best += d.least[c]
		}
		d.cone[id] = []int{id}
		d.begin(id)
		d.grow(d.children[id], 0, func(rest float64) bool {
			if len(d.members) == 1 || rest >= d.best { // no cost is negative
				return true
			}
			if g := d.group(); g != nil && g.Cost+rest < d.best {
				d.best, d.cone[id] = g.Cost+rest, slices.Clone(d.members)
			}
			return true
		})
		d.end(id)
		d.least[id] = d.best
	}
}

func (d *dp) begin(id int) { d.in[id], d.members = true, append(d.members[:0], id) }
func (d *dp) end(id int)   { d.in[id] = false }

// grow calls f for every cone that has the nodes of the present one and any of the candidates, which are descending, and of what lies below
// those, with the sum of W over what stays outside; until f says no.
func (d *dp) grow(candidates []int, rest float64, f func(rest float64) bool) bool {
	if len(candidates) == 0 {
		return f(rest)
	}
	if len(d.members) >= d.bound || !d.mayHaveMembers() {
		for _, c := range candidates {
			rest += d.least[c]
		}
		return f(rest)
	}
	x, others := candidates[0], candidates[1:]
	if d.mayJoin(x) {
		d.in[x] = true
		d.members = append(d.members, x)
		more := d.grow(descending(others, d.children[x]), rest, f)
		d.members = d.members[:len(d.members)-1]
		d.in[x] = false
		if !more {
			return false
		}
	}
	return d.grow(others, rest+d.least[x], f)
}

// mayHaveMembers reports whether the node that is the cone's output may be the output of a group of several.
func (d *dp) mayHaveMembers() bool {
	out := d.members[0]
	return d.s.Problem.Host[out] == "" && len(d.s.Problem.P.Funcs[out].Stages) == 1
}

// mayJoin reports whether a node may be computed in the present cone: all that read it are in it.
func (d *dp) mayJoin(x int) bool {
	if d.s.Problem.Host[x] != "" {
		return false
	}
	for _, r := range d.readers[x] {
		if !d.in[r] {
			return false
		}
	}
	return true
}

// descending merges two descending lists.
func descending(a, b []int) []int {
	if len(b) == 0 {
		return a
	}
	out := append(slices.Clone(a), b...)
	slices.SortFunc(out, func(a, b int) int { return b - a })
	return out
}

// group is the present cone as one; nil where it is refused.
func (d *dp) group() *plan.Group {
	out := d.members[0]
	members := slices.Clone(d.groups[out].Members)
	for _, m := range d.members[1:] {
		members = append(append(members, m), d.groups[m].Members...)
	}
	return d.pricer.group(out, members)
}

// contract makes a node of every group that solve chose.
func (d *dp) contract() []Merge {
	var merges []Merge
	d.chosen(func(cone []int) {
		if len(cone) > 1 {
			merges = append(merges, d.merge(cone))
		}
	})
	return merges
}

// chosen calls f for every cone that solve chose, readers first.
func (d *dp) chosen(f func(cone []int)) {
	var take func(id int)
	take = func(id int) {
		cone := d.cone[id]
		for _, m := range cone {
			d.in[m] = true
		}
		var below []int
		for _, m := range cone {
			for _, c := range d.children[m] {
				if !d.in[c] {
					below = append(below, c)
				}
			}
		}
		for _, m := range cone {
			d.in[m] = false
		}
		f(cone)
		for _, c := range below {
			take(c)
		}
	}
	for _, id := range d.roots {
		take(id)
	}
}

// merge replaces the groups of a cone by one.
func (d *dp) merge(cone []int) Merge {
	d.members = append(d.members[:0], cone...)
	g := d.group()
	m := Merge{Producer: cone[1], With: slices.Clone(cone[2:]), Consumer: g.Out, Gain: -g.Cost, Cost: g.Cost}
	for _, id := range cone {
		m.Gain += d.groups[id].Cost
	}
	for _, id := range cone[1:] {
		d.groups[id], d.next[id] = nil, nil
	}
	for _, fn := range g.Members {
		d.of[fn] = g.Out
	}
	d.groups[g.Out] = g
	d.outdate(g)
	return m
}
