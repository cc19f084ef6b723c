package search

import (
	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/legality"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/plan"
)

// Model is what Algorithm 2's own search found for a group, before anything is laid out.
type Model struct {
	Emitted coster.Searched // over what Halide can emit (coster.LaneSet)
	Paper   coster.Searched // over the paper's whole set (coster.PaperSet), for explanations
	Taken   bool            // the kernel is the best of Emitted
}

// byModel is the search of Jangda and Guha 2020, section 6: of all tiles of warps that can be emitted, with every fraction in registers, the one of
// the least cost by Algorithm 2, exactly; of those that can be laid out, are legal and launch. What it is laid out as is priced like any other kernel, and
// has to cost less than those. The kernel is nil where there is none: groups of one stage have no tile to hold.
func (s *Searcher) byModel(g *plan.Group, stage int, o strategy.Options) (*plan.Kernel, coster.Price, *Model) {
	pr := s.Problem
	if len(g.Members) == 0 || o.Warp != (plan.WarpChoice{}) || strategy.HasLanes(&pr.P.Target, s.Problem.Device) != nil {
		return nil, coster.Price{}, nil
	}
	tiles, err := coster.NewWarpTiles(pr, g, stage)
	if err != nil {
		return nil, coster.Price{}, nil
	}
	loops := len(pr.Dims[pr.StageIndex(g.Out, stage)].Tiled)
	prepared := map[float64]strategy.Prepared{}
	var kernel *plan.Kernel
	var price coster.Price
	lay := func(c coster.Tiling) bool {
		p, ok := prepared[c.Fraction]
		if !ok {
			p = prepareFraction(pr, g, o, c.Fraction)
			prepared[c.Fraction] = p
		}
		if p == nil {
			return false
		}
		k, q := s.cheapestSet(p, stage, plan.WarpChoice{Points: c.Tile[0], Rows: c.Tile[1], Warps: c.Block[1]})
		if k == nil {
			return false
		}
		kernel, price = k, q
		return true
	}
	set := coster.LaneSet(loops)
	m := &Model{Emitted: tiles.Best(&set, lay)}
	if s.Explain {
		whole := coster.PaperSet(loops)
		m.Paper = tiles.Best(&whole, nil)
	}
	return kernel, price, m
}

// prepareFraction is the strategy for a fraction of the tile in registers, nil where the group cannot be run so.
func prepareFraction(pr *plan.Problem, g *plan.Group, o strategy.Options, fraction float64) strategy.Prepared {
	o.Warp, o.InRegisters = plan.WarpChoice{}, fraction
	var st strategy.Strategy = strategy.WarpHybrid{}
	switch fraction {
	case 0:
		st = strategy.WarpShared{}
	case 1:
		st = strategy.WarpRegisters{}
	}
	p, err := st.Prepare(pr, g, o)
	if err != nil {
		return nil
	}
	return p
}

// mostSets is how many ways a strategy of warps has to choose the members of a group.
const mostSets = 2

// cheapestSet is a tile with the members with which it costs least, nil if it cannot be run with any.
func (s *Searcher) cheapestSet(p strategy.Prepared, stage int, c plan.WarpChoice) (best *plan.Kernel, price coster.Price) {
	for set := range mostSets {
		c.Set = set
		k, err := p.Kernel(stage, plan.Choice{Warp: c})
		if err != nil || k.Registers > s.Problem.Limits.MaxRegisters || legality.Check(s.Problem, k) != nil {
			continue
		}
		k.Choice = plan.Choice{Strategy: k.Strategy, Tile: blockTile(s.Problem, k), Warp: c}
		q := s.Coster.Price(k.View(s.Problem), k, coster.Final)
		s.Evaluated++
		if q.Valid() && (best == nil || better(&q, &price)) {
			best, price = k, q
		}
	}
	return best, price
}

// blockTile is a block's part of the output's tiled loops.
func blockTile(pr *plan.Problem, k *plan.Kernel) []int64 {
	tiled := pr.Dims[pr.StageIndex(k.Out.Func, k.Out.Stage)].Tiled
	tile := make([]int64, len(tiled))
	for i, l := range tiled {
		tile[i] = 1
		for _, u := range k.Out.Blocks {
			if u.Loop == l {
				tile[i] = max(u.Tile, 1)
			}
		}
	}
	return tile
}
