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

// PolyMageAuto is the autotuner of PolyMage as Jangda and Guha 2020, section 7.2.2, compare with it: one tile for all groups, and
// stages are fused as long as the fraction of redundant computation is within a threshold. It runs what it finds for each
// tile and threshold; here the coster says which is cheapest. Fusing asks for no price, and inlines nothing.
type PolyMageAuto struct{}

// Name implements Grouping.
func (PolyMageAuto) Name() string { return "polymage-auto" }

// overlapThresholds are those of section 7.2.2.
var overlapThresholds = []float64{.2, .4, .5}

// autoTiles are the tiles that are tried, the most usual first. The autotuner tries thread blocks of 1 to 512 and tiles of 1 to 32 in each
// dimension, for up to 20 hours.
var autoTiles = [][]int64{
	{32, 8}, {16, 16}, {32, 16}, {64, 4}, {32, 4}, {64, 8}, {16, 8}, {128, 2}, {32, 32}, {128, 4}, {64, 2}, {8, 8},
	{64, 16}, {128, 1}, {256, 1}, {8, 16}, {16, 32}, {32, 2}, {128, 8}, {16, 4}, {64, 1}, {8, 32}, {256, 2}, {32, 1}, {512, 1}, {256, 4},
}

// autoBudget is how many groups may be priced over all tiles and thresholds: pipelines of many stages get fewer tiles.
const autoBudget = 30000

// Group implements Grouping.
func (PolyMageAuto) Group(s *search.Searcher, _ Inliner) ([]*plan.Group, []Merge, error) {
	stages := 1
	for id := range s.Problem.P.Funcs {
		if !s.Problem.Inlined[id] {
			stages++
		}
	}
	tiles := autoTiles[:min(len(autoTiles), max(1, autoBudget/(2*len(overlapThresholds)*stages)))]
	best := &tuned{cost: math.Inf(1), broken: math.MaxInt}
	var failed error
	for _, tile := range tiles {
		s.Tile = tile
		start, err := newState(s)
		if err != nil {
			failed = err
			continue // a kernel that cannot have this tile
		}
		for _, threshold := range overlapThresholds {
			t := &tuned{state: start.copy(), tile: tile, threshold: threshold, sizes: points(s.Problem)}
			t.run()
			t.cost, t.broken = t.state.cost(), t.state.faults()
			if t.broken < best.broken || t.broken == best.broken && t.cost < best.cost {
				best = t
			}
		}
	}
	s.Tile = best.tile
	if best.state == nil {
		return nil, nil, fmt.Errorf("grouping: polymage-auto has one tile for all kernels, and none of %d fits: %w", len(tiles), failed)
	}
	merges := append(best.merges, best.refusals()...)
	return remaining(best.groups), merges, nil
}

// tuned is one tile and threshold, and what comes of them.
type tuned struct {
	*state
	tile      []int64
	threshold float64
	sizes     []float64 // by Func: its points
	cost      float64
	broken    int // rules of the coster that its groups break while grouping (with one tile for all, few blocks are whole warps): what breaks fewer comes first
	merges    []Merge
}

// points is the size of every Func.
func points(pr *plan.Problem) []float64 {
	out := make([]float64, len(pr.P.Funcs))
	for id := range out {
		out[id] = float64(pr.Regions.Funcs[id].Points())
	}
	return out
}

// run merges groups that one other reads into that one, the largest first (Mullapudi et al. 2015, "PolyMage", algorithm 1), until the overlap
// of none is within the threshold.
func (t *tuned) run() {
	for merged := true; merged; {
		merged = false
		for _, id := range t.largest() {
			consumer, ok := t.soleGroup(id)
			if !ok {
				continue
			}
			g, why := t.within(id, consumer)
			if why != "" {
				continue
			}
			t.merges = append(t.merges, Merge{Producer: id, Consumer: consumer, Gain: t.groups[id].Cost + t.groups[consumer].Cost - g.Cost, Cost: g.Cost})
			t.apply(&candidate{producer: id, consumer: consumer, merged: g})
			merged = true
			break
		}
	}
}

// largest are the groups, those of most points first.
func (t *tuned) largest() []int {
	var ids []int
	for id, g := range t.groups {
		if g != nil {
			ids = append(ids, id)
		}
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(t.sizes[b], t.sizes[a]) })
	return ids
}

// within is the merged group, or why it is none.
func (t *tuned) within(producer, consumer int) (*plan.Group, string) {
	if c := t.next[producer]; c != nil {
		return c.merged, c.why
	}
	c := &candidate{producer: producer, consumer: consumer}
	t.next[producer] = c
	if c.why = unmergeable(t.s.Problem, producer, consumer); c.why != "" {
		return nil, c.why
	}
	p, q := t.groups[producer], t.groups[consumer]
	g := t.s.Problem.NewGroup(consumer, append(append([]int{producer}, p.Members...), q.Members...))
	f, err := t.s.Best(g, coster.Grouping)
	if err != nil {
		c.why = err.Error()
		return nil, c.why
	}
	k := f.Layout.Kernels[0]
	redundant, own := coster.Redundant(k.View(t.s.Problem), k)
	if share := redundant / own; share > t.threshold {
		c.why = fmt.Sprintf("the overlap would be %.2f of a tile of %s, %.1f is the most", share, times(t.tile), t.threshold)
		return nil, c.why
	}
	g.Cost, g.Faults = f.Cost, f.Faults()
	if g.Faults > p.Faults+q.Faults {
		c.why = f.Reject
		return nil, c.why
	}
	c.merged = g
	return g, ""
}

func times(tile []int64) string {
	s := fmt.Sprint(tile[0])
	for _, n := range tile[1:] {
		s += fmt.Sprintf("x%d", n)
	}
	return s
}
