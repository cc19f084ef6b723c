package plan

// Site is a stored stage that computes an inlined Func, and at how many places for each of its points; at none where it is a table of constants there.
type Site struct {
	Func, Stage int
	Calls       int64
}

type keptSites struct{}

// Sites are those of an inlined Func, in their order.
func (pr *Problem) Sites(fn int) []Site {
	return Once(pr, keptSites{}, func() [][]Site { return sitesOf(pr) })[fn]
}

func sitesOf(pr *Problem) [][]Site {
	at := make([][]Site, len(pr.P.Funcs))
	for fn := range pr.P.Funcs {
		if pr.Inlined[fn] {
			continue
		}
		for stage := range pr.P.Funcs[fn].Stages {
			computes := func(id int, calls int64) {
				if n := len(at[id]); n == 0 || at[id][n-1].Func != fn || at[id][n-1].Stage != stage {
					at[id] = append(at[id], Site{Func: fn, Stage: stage})
				}
				at[id][len(at[id])-1].Calls += calls
			}
			ex := pr.Expand[pr.StageIndex(fn, stage)]
			for _, id := range ex.Inlined {
				computes(id, 0)
			}
			for i := range ex.Calls {
				computes(ex.Calls[i].Func, 1)
			}
		}
	}
	return at
}
