package strategy

import (
	"gowarp/internal/plan"
)

// Step says how finely tiles are enumerated.
type Step uint8

// The steps of Sioutas et al. 2020, section 4.2: powers of two while grouping, then
// multiples of two.
const (
	PowersOfTwo Step = iota
	StepOfTwo
)

// maxTiles bounds the candidates of one stage; three tiled dimensions in steps of two
// come near it.
const maxTiles = 20000

// Tiles enumerates the tiles of a stage's tiled loops in a fixed order. The bounds
// are Sioutas et al. 2020, section 4.2:
//
//	Tmin = 8 where the extent is above 64, else 2
//	Tmax = B                      for one tiled loop of B >= 1024
//	       B/128                  for one tiled loop of an update stage
//	       B/32                   for several tiled loops, B >= 1024
//	       B                      for B <= 64 beside other tiled loops
//	       B/2                    otherwise
//
// The equation prints B/128 and B/32 under the same condition; the first is taken
// for updates, whose threads run through a whole reduction each. Short loops beside others
// are not the paper's, which tiles none. From the third
// tiled loop on, tiles start at 1: three loops of 8 leave no room for a halo.
func Tiles(pr *plan.Problem, fn, stage int, step Step) [][]int64 {
	d := &pr.Dims[pr.StageIndex(fn, stage)]
	if len(d.Tiled) == 0 {
		return [][]int64{{}}
	}
	axes := make([][]int64, len(d.Tiled))
	for i, l := range d.Tiled {
		axes[i] = axis(d.Extent[l], i, len(d.Tiled), stage > 0, int64(pr.Device.MaxThreadsPerBlock), step)
	}
	most := 1
	for _, a := range axes {
		most = min(most*len(a), 512)
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
func axis(extent int64, i, loops int, update bool, most int64, step Step) []int64 {
	lo := int64(2)
	if extent > 64 {
		lo = 8
	}
	if i >= 2 {
		lo = 1
	}
	hi := extent / 2
	switch {
	case extent >= 1024 && loops == 1 && update:
		hi = extent / 128
	case extent >= 1024 && loops == 1:
		hi = extent
	case extent >= 1024:
		hi = extent / 32
	case extent <= 64 && loops > 1:
		hi = extent // the other loops make the blocks
	}
	hi = min(hi, most)
	if hi < lo {
		return []int64{max(1, min(lo, extent))}
	}
	var out []int64
	for t := lo; t <= hi; {
		out = append(out, t)
		switch {
		case step == PowersOfTwo:
			t *= 2
		case t == 1:
			t = 2
		default:
			t += 2
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
