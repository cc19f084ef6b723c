package autoscheduler

import "gowarp/internal/plan"

// tileBounds sets the least and the largest tile of every loop that is tiled (Sioutas et al.
// 2020, section 4.2).
func tileBounds(s *state) error {
	pr := s.problem
	half := s.device.Maker() == "Intel"
	for id := range s.p.Funcs {
		for st := range s.p.Funcs[id].Stages {
			d := &pr.Dims[pr.StageIndex(id, st)]
			d.Tiles = make([]plan.Tiles, len(d.Tiled))
			for i, l := range d.Tiled {
				if s.p.Funcs[id].Partial {
					d.Tiles[i] = partialBounds(d, i, int64(s.device.MaxThreadsPerBlock))
					continue
				}
				d.Tiles[i] = boundsOf(d.Extent[l], i, len(d.Tiled), st > 0, int64(s.device.MaxThreadsPerBlock), half)
			}
		}
	}
	return nil
}

// partialThreads are the threads of a block of partial results: whole warps along the loop by which they load neighbours, enough warps to
// fill an SM with the blocks that it may hold, and small enough to spread over all SMs.
const partialThreads = 128

// partialBounds is the bounds of loop i of partial results: as many threads along the first as there are, and what is left
// along the second.
func partialBounds(d *plan.Dims, i int, threads int64) plan.Tiles {
	left := min(partialThreads, threads)
	for j := 0; j < i; j++ {
		left = max(1, left/min(left, d.Extent[d.Tiled[j]]))
	}
	n := min(left, d.Extent[d.Tiled[i]])
	return plan.Tiles{Min: n, Max: n}
}

// boundsOf is the bounds of loop i of so many tiled ones, which has so many iterations:
//
//	Tmin = 8 where there are more than 64 iterations, else 2
//	Tmax = B                      for one tiled loop of B >= 1024
//	       B/128                  for one tiled loop of an update stage
//	       B/32                   for several tiled loops, B >= 1024
//	       B                      for B <= 64 beside other tiled loops
//	       B/2                    otherwise
//
// Tmax is at most the threads of a block, and half of all that on Intel's GPUs (section 5.1).
//
// The equation prints B/128 and B/32 under the same condition; the first is taken
// for updates, whose threads run through a whole reduction each. Short loops beside others
// are not the paper's, which tiles none. From the third
// tiled loop on, tiles start at 1: three loops of 8 leave no room for a halo.
func boundsOf(extent int64, i, loops int, update bool, threads int64, half bool) plan.Tiles {
	t := plan.Tiles{Min: 2, Max: extent / 2}
	if extent > minTiledExtent {
		t.Min = 8
	}
	if i >= 2 {
		t.Min = 1
	}
	const large = 1024
	switch {
	case extent >= large && loops == 1 && update:
		t.Max = extent / 128
	case extent >= large && loops == 1:
		t.Max = extent
	case extent >= large:
		t.Max = extent / 32
	case extent <= minTiledExtent && loops > 1:
		t.Max = extent // the other loops make the blocks
	}
	t.Max = min(t.Max, threads)
	if half {
		t.Max /= 2
	}
	if t.Max < t.Min {
		t.Min = max(1, min(t.Min, extent))
		t.Max = t.Min
	}
	return t
}
