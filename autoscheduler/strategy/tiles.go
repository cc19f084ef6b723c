package strategy

import (
	"gowarp/internal/plan"
)

// Step says how finely tiles are enumerated.
type Step uint8

// The steps of Sioutas et al. 2020, section 4.2: powers of two while grouping, then
// multiples of two; and one beyond.
const (
	PowersOfTwo Step = iota
	StepOfTwo
	Every // steps of two, and a strategy with choices of its own holds none back
)

// maxTiles bounds the candidates of one stage; three tiled dimensions in steps of two
// come near it.
const maxTiles = 20000

// Tiles enumerates the tiles of a stage's tiled loops, within their bounds and the threads of a
// block, in a fixed order.
func Tiles(pr *plan.Problem, fn, stage int, step Step) [][]int64 {
	d := &pr.Dims[pr.StageIndex(fn, stage)]
	if len(d.Tiled) == 0 {
		return [][]int64{{}}
	}
	axes := make([][]int64, len(d.Tiled))
	most := 1
	for i, t := range d.Tiles {
		axes[i] = axis(t, step)
		most = min(most*len(axes[i]), 512)
	}
	out := make([][]int64, 0, most)
	all := make([]int64, 0, most*len(axes)) // of all tiles, one after the other
	tile := make([]int64, len(axes))
	var walk func(i int, threads int64)
	walk = func(i int, threads int64) {
		if i == len(axes) {
			if len(out) < maxTiles {
				all = append(all, tile...)
				out = append(out, all[len(all)-len(tile):len(all):len(all)])
			}
			return
		}
		for _, t := range axes[i] {
			if threads*t > int64(pr.Device.MaxThreadsPerBlock) {
				break
			}
			tile[i] = t
			walk(i+1, threads*t)
		}
	}
	walk(0, 1)
	return out
}

// axis is the candidates of one loop, ascending.
func axis(t plan.Tiles, step Step) []int64 {
	var out []int64
	for n := t.Min; n <= t.Max; {
		out = append(out, n)
		switch {
		case step == PowersOfTwo:
			n *= 2
		case n == 1:
			n = 2
		default:
			n += 2
		}
	}
	return out
}

// FallbackTile is the tile of a stage for which nothing better is known: 32 by 8,
// cut to the extents.
func FallbackTile(pr *plan.Problem, fn, stage int) []int64 {
	d := &pr.Dims[pr.StageIndex(fn, stage)]
	want := [...]int64{32, 8, 1}
	tile := make([]int64, len(d.Tiled))
	for i, l := range d.Tiled {
		tile[i] = max(1, min(want[i], d.Extent[l]))
	}
	return tile
}
