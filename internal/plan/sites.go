package plan

import "slices"

// Site is a stored stage that computes an inlined Func, and at how many places for each of its points; at none where it is a table of constants there.
type Site struct {
	Func, Stage int
	Calls       int64
}

type keptSites int // of a Func

// Sites are those of an inlined Func, in their order.
func (pr *Problem) Sites(fn int) []Site {
	return Once(pr, keptSites(fn), func() []Site { return pr.sitesOf(fn) })
}

func (pr *Problem) sitesOf(fn int) (at []Site) {
	for _, c := range pr.Affected(fn) {
		if pr.Inlined[c] {
			continue
		}
		for stage := range pr.P.Funcs[c].Stages {
			ex := pr.Expand[pr.StageIndex(c, stage)]
			if _, in := slices.BinarySearch(ex.Inlined, fn); !in {
				continue
			}
			site := Site{Func: c, Stage: stage}
			for i := range ex.Calls {
				if ex.Calls[i].Func == fn {
					site.Calls++
				}
			}
			at = append(at, site)
		}
	}
	return at
}
