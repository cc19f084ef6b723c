package autoscheduler

import (
	"fmt"
	"slices"
	"strings"
)

// mostReasons is how many of the kernels that are not done as the user asked are named.
const mostReasons = 4

// asked says what became of a tiling that the user named and that not every kernel can have: it is an error
// if none has it and it is one of warps, else a note. Where a schedule came out otherwise than it was to be, the next is whatever
// is left.
func (s *state) asked() error {
	if !s.searcher.Named() {
		return nil
	}
	kernels, done := 0, 0
	var why []string
	for i, f := range s.found {
		g := s.groups[i]
		for stage, k := range f.Layout.Kernels {
			if k.Host {
				continue
			}
			kernels++
			if s.searcher.AsAsked(k) {
				done++
				continue
			}
			reason := s.searcher.WhyNot(g, stage).Error()
			if label := s.p.Funcs[g.Out].Label; !strings.HasPrefix(reason, label+" ") && !strings.HasPrefix(reason, label+":") {
				reason = label + ": " + reason
			}
			if !slices.Contains(why, reason) {
				why = append(why, reason)
			}
		}
	}
	if len(why) == 0 {
		return nil
	}
	if more := len(why) - mostReasons; more > 0 {
		why = append(why[:mostReasons], fmt.Sprintf("and %d more", more))
	}
	reasons := strings.Join(why, "; ")
	if done == 0 && strings.HasPrefix(s.params.Tiling, "warp-") && s.tried.nothing() {
		return fmt.Errorf("autoscheduler: tiling=%s: no kernel of this pipeline is done so: %s; give tiling=warp or tiling=all, which take a tile a warp where there is one, or leave it away", s.params.Tiling, reasons)
	}
	s.note("tile", -1, "tiling=%s: %d of %d kernels are done so, the others by tiling=block: %s", s.params.Tiling, done, kernels, reasons)
	return nil
}
