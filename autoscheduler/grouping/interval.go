package grouping

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/search"
	"gowarp/internal/plan"
)

// Interval cuts several topological orders of the Funcs into intervals, each the best way there is (dynamic programming over the cuts), and
// then moves Funcs between groups as long as that gains (see moves.go). Greedy merging is one more start, so that it never ends above it.
//
// In one order only so many intervals are groups as there are pairs of Funcs, where a graph has exponentially many cones: what
// DPFusion has to bound on wide pipelines is looked at whole here. What an order does not have side by side the others may, and
// the moves do. The orders and the moves are ours; Jangda and Bondhugula 2018 fuse along one order.
type Interval struct{}

// Name implements Grouping.
func (Interval) Name() string { return "interval" }

// Group implements Grouping.
func (Interval) Group(s *search.Searcher, in Inliner) ([]*plan.Group, []Merge, error) {
	st, err := newState(s)
	if err != nil {
		return nil, nil, err
	}
	v := &intervals{state: st, pricer: newPricer(s)}
	v.begin()
	best := v.start()
	v.improve(best)
	for v.take(best); st.duplicate(in) || st.store(in); v.take(best) {
		clear(v.pricer.known) // what reads the Func that is now inlined, or is no more, costs otherwise
		v.begin()
		best = v.present()
		v.improve(best)
	}
	if v.spent {
		s.Remarks = append(s.Remarks, fmt.Sprintf("grouping=interval: there is more to look at than %d groups to price and %d moves; effort=thorough prices more", v.budget(), moveBudget))
	}
	merges := append(v.merges(), st.refusals()...)
	return remaining(st.groups), merges, nil
}

// intervalBudget is how many groups of several Funcs are priced at most, by effort: half of them for the cuts, what they leave for the moves. With a coster that knows
// several points a thread each group has many more candidates, and it is a fifth.
var intervalBudget = map[search.Effort]int{search.Fast: 500, search.Normal: 2000, search.Thorough: 10000}

const denseShare = 5

func (v *intervals) budget() int {
	n := intervalBudget[v.s.Effort]
	if coster.TellsPoints(v.s.Coster) {
		n /= denseShare
	}
	return n
}

// intervals is the search. A partition of the Funcs is named by their outputs: which group a Func is in follows from which of them have a
// kernel of their own, for a Func is computed where all that read it are.
type intervals struct {
	*state
	pricer *pricer
	alone  []float64 // by Func: what it costs in a group of its own
	moved  int       // moves that were tried
	spent  bool      // a budget was not enough
}

// partition is one way to group the Funcs.
type partition struct {
	of   []int // by Func: the output of its group; -1 for inlined ones
	cost float64
}

// begin starts from the Funcs that are not inlined, each priced alone.
func (v *intervals) begin() {
	v.pricer.left, v.moved = v.budget(), 0
	v.alone = make([]float64, len(v.of))
	for id, g := range v.groups {
		switch {
		case v.of[id] < 0:
		case g != nil && len(g.Members) == 0:
			v.alone[id] = g.Cost
		default:
			v.alone[id] = math.Inf(1)
			single := v.s.Problem.NewGroup(id, nil)
			if v.priceEach([]*plan.Group{single}) == nil {
				v.alone[id] = single.Cost
			}
		}
	}
}

// start is the cheapest of the cuts of all orders and of what greedy merging makes.
func (v *intervals) start() *partition {
	greedy := v.state.copy()
	greedy.merge()
	v.note(greedy.groups)
	best := v.partition(func(id int) bool { return greedy.of[id] == id })
	orders := v.orders()
	longest := v.longest(orders)
	for _, order := range orders {
		if p := v.cut(order, longest); p.cost < best.cost {
			best = p
		}
	}
	return best
}

// note keeps the prices of groups of several.
func (v *intervals) note(groups []*plan.Group) {
	for _, g := range remaining(groups) {
		if len(g.Members) > 0 {
			v.pricer.note(g)
		}
	}
}

// present is the partition that the groups are.
func (v *intervals) present() *partition {
	v.note(v.groups)
	return v.partition(func(id int) bool { return v.of[id] == id })
}

// partition has the Funcs as outputs that are asked for.
func (v *intervals) partition(output func(id int) bool) *partition {
	p := &partition{of: make([]int, len(v.of))}
	v.assign(p.of, output)
	members := v.members(p.of)
	for id, out := range p.of {
		if out == id {
			p.cost += v.cost(id, members[id])
		}
	}
	return p
}

// assign says for every Func in which group it is, if those are outputs that are asked for, and those that have to be: what is read by
// several groups, by nothing, or by what has no members.
func (v *intervals) assign(of []int, output func(id int) bool) {
	for id := len(v.of) - 1; id >= 0; id-- { // readers have larger numbers
		of[id] = -1
		if v.of[id] < 0 {
			continue
		}
		of[id] = id
		if !output(id) {
			if into := v.into(of, id); into >= 0 {
				of[id] = into
			}
		}
	}
}

// into is the output of the only group that may compute a Func, -1 if there is none.
func (v *intervals) into(of []int, id int) int {
	pr := v.s.Problem
	if pr.P.Funcs[id].Output || len(v.readers[id]) == 0 {
		return -1
	}
	into := of[v.readers[id][0]]
	for _, r := range v.readers[id] {
		if of[r] != into {
			return -1
		}
	}
	if unmergeable(pr, id, into) != "" {
		return -1
	}
	return into
}

// members are those of every group, by its output.
func (v *intervals) members(of []int) [][]int {
	members := make([][]int, len(of))
	for id, out := range of {
		if out >= 0 && out != id {
			members[out] = append(members[out], id)
		}
	}
	return members
}

// cost is that of a group; infinite where it is refused.
func (v *intervals) cost(out int, members []int) float64 {
	if len(members) == 0 {
		return v.alone[out]
	}
	if g := v.pricer.group(out, members); g != nil {
		return g.Cost
	}
	v.spent = v.spent || v.pricer.left == 0
	return math.Inf(1)
}

// orders are topological ones, producers first: as the Funcs are numbered, by their distance from the outputs, and depth first, which has
// side by side what one Func needs, from either end of what it reads.
func (v *intervals) orders() [][]int {
	var numbered []int
	for id, out := range v.of {
		if out >= 0 {
			numbered = append(numbered, id)
		}
	}
	distance := make([]int, len(v.of))
	for _, id := range slices.Backward(numbered) {
		for _, r := range v.readers[id] {
			distance[id] = max(distance[id], distance[r]+1)
		}
	}
	levels := slices.Clone(numbered)
	slices.SortStableFunc(levels, func(a, b int) int { return cmp.Compare(distance[b], distance[a]) })
	orders := [][]int{numbered}
	for _, order := range [][]int{levels, v.depthFirst(numbered, false), v.depthFirst(numbered, true)} {
		if !slices.ContainsFunc(orders, func(o []int) bool { return slices.Equal(o, order) }) {
			orders = append(orders, order)
		}
	}
	return orders
}

// depthFirst has before each Func what it reads, with the ends of that turned around if it is to be.
func (v *intervals) depthFirst(ids []int, turned bool) []int {
	var order []int
	seen := make([]bool, len(v.of))
	var visit func(id int)
	visit = func(id int) {
		if seen[id] {
			return
		}
		seen[id] = true
		reads := slices.Sorted(slices.Values(v.reads[id]))
		if turned {
			slices.Reverse(reads)
		}
		for _, r := range reads {
			visit(r)
		}
		order = append(order, id)
	}
	for _, id := range ids {
		if v.s.Problem.P.Funcs[id].Output || len(v.readers[id]) == 0 {
			visit(id)
		}
	}
	return order
}

// longest is the bound on the length of an interval with which those of all orders are within half of the budget; the rest is for the moves.
func (v *intervals) longest(orders [][]int) int {
	for _, bound := range coneBounds {
		left := v.pricer.left / 2
		for _, order := range orders {
			v.each(order, bound, func(int, int) bool {
				left--
				return left >= 0
			})
		}
		if left >= 0 {
			if bound != coneBounds[0] {
				v.spent = true
			}
			return bound
		}
	}
	v.spent = true
	return coneBounds[len(coneBounds)-1]
}

// each calls f for every interval of several Funcs of an order that may be a group, first and last, by its last; until f says no.
func (v *intervals) each(order []int, longest int, f func(first, last int) bool) {
	pr := v.s.Problem
	at := make([]int, len(v.of))
	for i, id := range order {
		at[id] = i
	}
	until := make([]int, len(order)) // the last that reads it
	for i, id := range order {
		if pr.P.Funcs[id].Output || len(v.readers[id]) == 0 {
			until[i] = len(order)
		}
		for _, r := range v.readers[id] {
			until[i] = max(until[i], at[r])
		}
	}
	for last := range order {
		needed := last // the last that reads any of those before
		for first := last - 1; first >= 0 && last-first < longest; first-- {
			if unmergeable(pr, order[first], order[last]) != "" {
				break
			}
			if needed = max(needed, until[first]); needed > last {
				break // and those before are no better
			}
			if !f(first, last) {
				return
			}
		}
	}
}

// cut is the cheapest way to cut an order into intervals of at most so many Funcs.
func (v *intervals) cut(order []int, longest int) *partition {
	least := make([]float64, len(order)+1) // of the first so many
	from := make([]int, len(order))        // where the interval begins that ends there
	done := -1
	alone := func(until int) {
		for done < until {
			done++
			from[done], least[done+1] = done, least[done]+v.alone[order[done]]
		}
	}
	v.each(order, longest, func(first, last int) bool {
		alone(last)
		if c := least[first] + v.cost(order[last], order[first:last]); c < least[last+1] {
			from[last], least[last+1] = first, c
		}
		return true
	})
	alone(len(order) - 1)
	output := make([]bool, len(v.of))
	for last := len(order) - 1; last >= 0; last = from[last] - 1 {
		output[order[last]] = true
	}
	return v.partition(func(id int) bool { return output[id] })
}

// take makes the groups those of a partition.
func (v *intervals) take(p *partition) {
	copy(v.of, p.of)
	for id, members := range v.members(p.of) {
		switch {
		case p.of[id] != id:
			v.groups[id] = nil
		case len(members) == 0:
			v.groups[id] = v.s.Problem.NewGroup(id, nil)
			v.groups[id].Cost = v.alone[id]
		default:
			v.groups[id] = v.pricer.group(id, members)
		}
	}
	clear(v.next)
	clear(v.asked)
}

// merges says of every group of several what it gains over a kernel for each of them.
func (v *intervals) merges() []Merge {
	var out []Merge
	for _, g := range remaining(v.groups) {
		if len(g.Members) == 0 {
			continue
		}
		last := len(g.Members) - 1
		m := Merge{Producer: g.Members[last], With: slices.Clone(g.Members[:last]), Consumer: g.Out, Gain: v.alone[g.Out] - g.Cost, Cost: g.Cost}
		for _, id := range g.Members {
			m.Gain += v.alone[id]
		}
		out = append(out, m)
	}
	return out
}
