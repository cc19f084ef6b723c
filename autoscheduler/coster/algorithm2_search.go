package coster

import "math"

// Searched is what a search over a set of candidates found, and what it took.
type Searched struct {
	Tiling     Tiling
	Cost       float64 // infinite where no candidate has a cost
	Candidates int64   // of the set
	Priced     int64   // of them, whose cost was worked out
	Refused    int64   // would have been the best, and were not accepted
}

// Best is the candidate of a set with the least cost, the first of equals in the order of tiles, blocks, fractions and transactions; it is
// exact. Of candidates that accept refuses it takes none; nil accepts all.
//
// All terms of line 35 are at least 0, so that the sum of some of them is a bound from below:
//
//   - for a tile and the shape of its warps those that no block and no fraction changes: transactions (line 17), memory to compute (line
//     28: both grow with the points alike, which cancels) and overlap (line 33). Transactions alone grow with every
//     loop's tile, which ends the walk along the innermost one;
//   - for these with a fraction and a number of warps a block all terms but the last, of extra blocks (line 34).
//
// What costs as much as the best so far is still looked at, for ties, and bounds are less by what rounding may add. A first round over tiles
// of powers of two finds something to compare with.
func (m *WarpTiles) Best(set *TilingSet, accept func(Tiling) bool) Searched {
	return m.search(set, accept, 1)
}

// rounding is by how much a sum may come out higher in another order.
const rounding = 1e-9

// search is Best with all bounds times a factor: 1, or more in a test that has to see them fail.
func (m *WarpTiles) search(set *TilingSet, accept func(Tiling) bool, factor float64) Searched {
	s := tilingSearch{m: m, set: set, accept: accept, factor: factor * (1 - rounding), found: Searched{Cost: math.Inf(1), Candidates: set.Size()}}
	s.shapes()
	for _, coarse := range []bool{true, false} {
		for i := range s.warps {
			s.warp(&s.warps[i], coarse)
		}
	}
	return s.found
}

type tilingSearch struct {
	m      *WarpTiles
	set    *TilingSet
	accept func(Tiling) bool
	factor float64
	warps  []warpBlocks
	found  Searched
	tried  map[Tiling]bool // refused by accept
}

// warpBlocks are the blocks of a set with warps of one shape.
type warpBlocks struct {
	shape [3]int64
	loads [len(transactionSizes)]float64
	by    [paperThreads/paperLanes + 1][][3]int64 // number of warps -> blocks
}

func (s *tilingSearch) shapes() {
	at := map[[3]int64]int{}
	for _, b := range s.set.Blocks {
		w := warpOf(b)
		if w == [3]int64{} {
			continue
		}
		i, ok := at[w]
		if !ok {
			i = len(s.warps)
			at[w] = i
			s.warps = append(s.warps, warpBlocks{shape: w, loads: s.m.transactions(w)})
		}
		n := b[0] * b[1] * b[2] / paperLanes
		s.warps[i].by[n] = append(s.warps[i].by[n], b)
	}
}

// worse reports whether nothing with this bound can be the best.
func (s *tilingSearch) worse(bound float64) bool { return s.factor*bound > s.found.Cost }

// warp walks through the tiles with warps of one shape.
func (s *tilingSearch) warp(b *warpBlocks, coarse bool) {
	least := math.Inf(1)
	for _, l := range b.loads {
		least = min(least, s.m.w[0]*l)
	}
	power := func(t int64) bool { return t&(t-1) == 0 }
	for _, z := range s.set.Tiles[2] {
		if s.worse(least * float64(z)) {
			break
		}
		for _, y := range s.set.Tiles[1] {
			if s.worse(least * float64(y*z)) {
				break
			}
			for _, x := range s.set.Tiles[0] {
				if s.worse(least * float64(x*y*z)) {
					break
				}
				if powers := power(x) && power(y) && power(z); powers == coarse {
					s.tile(b, [3]int64{x, y, z})
				}
			}
		}
	}
}

// tile prices what may be the best of one tile with warps of one shape.
func (s *tilingSearch) tile(b *warpBlocks, tile [3]int64) {
	m := s.m
	g := groupShape{
		notConstant: m.notConstant, tileVol: float64(tile[0] * tile[1] * tile[2]), totalBuff: float64(len(m.members)), regUsage: m.regUsage, timePerIter: m.timePerIter,
		transactions: b.loads,
	}
	g.bufferBytes, g.overlap = m.volumes(tile, b.shape)
	for i, size := range transactionSizes {
		bound := m.w[0]*totalGLMemTxs(b.loads[i], g.tileVol) + m.w[2]*ratio(memTime(&m.h, size, totalGLMemTxs(b.loads[i], g.tileVol)), computeTime(g.timePerIter, g.tileVol)) + m.w[5]*ratio(g.overlap, g.tileVol)
		if s.worse(bound) {
			continue
		}
		for warps, blocks := range b.by {
			if len(blocks) == 0 {
				continue
			}
			for _, fraction := range s.set.Fractions {
				g.totalTB = 0
				s.found.Priced++
				if without := m.cost(&g, int64(warps)*paperLanes, fraction, size); s.worse(without) || math.IsInf(without, 1) {
					continue
				}
				for _, block := range blocks {
					g.totalTB = m.blocks(tile, block)
					s.found.Priced++
					s.take(Tiling{tile, block, fraction, size}, m.cost(&g, int64(warps)*paperLanes, fraction, size))
				}
			}
		}
	}
}

// take keeps a candidate if it is better.
func (s *tilingSearch) take(c Tiling, cost float64) {
	if f := &s.found; math.IsInf(cost, 1) || cost > f.Cost || cost == f.Cost && !c.before(&f.Tiling) {
		return
	}
	if s.accept != nil {
		same := c
		same.Transaction = 0 // no layout depends on it
		if s.tried[same] {
			return
		}
		if !s.accept(c) {
			if s.tried == nil {
				s.tried = map[Tiling]bool{}
			}
			s.tried[same] = true
			s.found.Refused++
			return
		}
	}
	s.found.Tiling, s.found.Cost = c, cost
}
