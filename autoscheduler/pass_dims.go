package autoscheduler

import (
	"gowarp/internal/plan"
)

// minTiledExtent is the extent from which a loop is worth tiling (Sioutas et al.
// 2020, section 4.2: "less than 64 iterations").
const minTiledExtent = 64

// maxTiled is the number of loops that can be threads.
const maxTiled = 3

// chooseDims picks, for every stage, the loops that become blocks and threads:
// the parallel loops of at least minTiledExtent iterations, innermost first, or
// else the longest one.
func chooseDims(s *state) error {
	pr := s.problem
	for id := range s.p.Funcs {
		f := &s.p.Funcs[id]
		for st := range f.Stages {
			box, err := pr.Regions.Loops(s.p, id, st)
			if err != nil {
				return err
			}
			d := plan.Dims{Extent: make([]int64, len(box))}
			longest := -1
			for l, iv := range box {
				d.Extent[l] = iv.Extent()
				if !f.Stages[st].Loops[l].Kind.Parallel() {
					continue
				}
				if longest < 0 || d.Extent[l] > d.Extent[longest] {
					longest = l
				}
				if d.Extent[l] >= minTiledExtent && len(d.Tiled) < maxTiled {
					d.Tiled = append(d.Tiled, l)
				}
			}
			if len(d.Tiled) == 0 && longest >= 0 {
				d.Tiled = []int{longest}
			}
			pr.Dims[pr.StageIndex(id, st)] = d
		}
	}
	return nil
}
