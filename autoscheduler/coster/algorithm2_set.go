package coster

import (
	"fmt"
	"slices"
	"strings"
)

// Tiling is one candidate of the search that Jangda and Guha 2020, section 6, print above Algorithm 2: of a tile a warp the
// points of each thread and the thread block, along the tiled loops of the output, innermost first; the fraction of the tile that is
// in registers; and the bytes of a transaction.
type Tiling struct {
	Tile, Block [3]int64
	Fraction    float64
	Transaction int64
}

func (t Tiling) String() string {
	return fmt.Sprintf("%s points a thread, %s threads, %.0f %% in registers, transactions of %d B", by(t.Tile), by(t.Block), 100*t.Fraction, t.Transaction)
}

func by(v [3]int64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", "x")
}

// before orders candidates, for ties.
func (t *Tiling) before(o *Tiling) bool {
	if c := slices.Compare(t.Tile[:], o.Tile[:]); c != 0 {
		return c < 0
	}
	if c := slices.Compare(t.Block[:], o.Block[:]); c != 0 {
		return c < 0
	}
	if t.Fraction != o.Fraction {
		return t.Fraction < o.Fraction
	}
	return t.Transaction < o.Transaction
}

// TilingSet is the declared set of candidates: every tile with every block, fraction and size of transaction.
type TilingSet struct {
	Tiles     [3][]int64 // points a thread along each loop, ascending
	Blocks    [][3]int64
	Fractions []float64
}

// Limits of the paper's set (section 7.1), and the threads of a block.
const (
	paperTiles   = 32
	paperThreads = 1024
	paperLanes   = 32
	paperParts   = 10 // fractions 0, .1, … 1
)

// PaperSet is the whole set of the paper for groups with so many tiled loops, three at most: tiles of 1 to 32 points along each, all
// fractions, and the thread blocks of whole warps in which every warp is a box. A block of 48x2 or 8x6 is a multiple of a warp too, but
// its warps are no boxes, and have no overlapped tile.
func PaperSet(loops int) TilingSet {
	s := TilingSet{Fractions: fractions()}
	for i := range s.Tiles {
		s.Tiles[i] = upTo(paperTiles, i < loops)
	}
	for _, x := range upTo(paperThreads, loops > 0) {
		for _, y := range upTo(paperThreads/x, loops > 1) {
			for _, z := range upTo(paperThreads/(x*y), loops > 2) {
				if b := [3]int64{x, y, z}; warpOf(b) != [3]int64{} {
					s.Blocks = append(s.Blocks, b)
				}
			}
		}
	}
	return s
}

// LaneSet is what of it Halide can emit: warps of 32x1 lanes over each other, 1, 2 or 4 points of a row a lane (rule lanes of the legality
// gate), and one point along a third loop.
func LaneSet(loops int) TilingSet {
	s := TilingSet{Fractions: fractions(), Tiles: [3][]int64{{1, 2, 4}, upTo(paperTiles, loops > 1), {1}}}
	for _, warps := range upTo(paperThreads/paperLanes, loops > 1) {
		s.Blocks = append(s.Blocks, [3]int64{paperLanes, warps, 1})
	}
	return s
}

func fractions() []float64 {
	out := make([]float64, paperParts+1)
	for i := range out {
		out[i] = float64(i) / paperParts
	}
	return out
}

func upTo(n int64, all bool) []int64 {
	if !all {
		n = 1
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i) + 1
	}
	return out
}

// warpOf is WARPSIZES of line 4: consecutive threads, innermost first. It is zero where the warps of a block are no boxes.
func warpOf(block [3]int64) [3]int64 {
	var w [3]int64
	left := int64(paperLanes)
	for i, b := range block {
		w[i] = min(b, left)
		if b%w[i] != 0 || left%w[i] != 0 {
			return [3]int64{}
		}
		left /= w[i]
	}
	if left != 1 {
		return [3]int64{}
	}
	return w
}

// Size is the number of candidates.
func (s *TilingSet) Size() int64 {
	n := int64(len(s.Blocks)) * int64(len(s.Fractions)) * int64(len(transactionSizes))
	for _, t := range s.Tiles {
		n *= int64(len(t))
	}
	return n
}
