package plan

import (
	"sort"

	"gowarp/halideir"
	"gowarp/halideir/bounds"
)

// samples is at how many places of a dimension a condition is asked, and at the one before each.
const samples = 128

// Computed is the share of a Func's points that its pure definition computes, where it is undefined elsewhere: 1 for most. Points stand in groups of so many in each dimension, of which all are
// computed if one is.
func (pr *Problem) Computed(fn int, groups func(dim int) int64) float64 {
	skipped := pr.skipped(fn)
	if skipped == nil {
		return 1
	}
	rest := 1.0
	for d, share := range skipped {
		rest *= max(0, 1-(1-share)*float64(groups(d)))
	}
	return 1 - rest
}

// skipped is the share of each dimension, at the middle of the others, of which a pure definition computes nothing; nil where it computes all, or nobody knows.
func (pr *Problem) skipped(fn int) []float64 {
	f := &pr.P.Funcs[fn]
	if len(f.Stages) == 0 || f.Stages[0].Predicate == halideir.NoNode {
		return nil
	}
	type key struct{ fn int }
	return OnceForAll(pr, key{fn}, func() []float64 { return skippedOf(pr.P, f, pr.Regions.Funcs[fn]) })
}

func skippedOf(p *halideir.Pipeline, f *halideir.Func, region bounds.Box) []float64 {
	at := make([]int64, len(region))
	for d := range region {
		at[d] = region[d].Lo + region[d].Extent()/2
	}
	out := make([]float64, len(region))
	for d := range region {
		middle, known := at[d], true
		computed := func(x int64) bool {
			at[d] = x
			v, ok := p.EvalInt(f.Stages[0].Predicate, halideir.Env{Dim: at})
			known = known && ok
			return v != 0
		}
		none := skippedPlaces(region[d], computed)
		if at[d] = middle; !known {
			return nil
		}
		out[d] = float64(none) / float64(max(region[d].Extent(), 1))
	}
	return out
}

// skippedPlaces is at how many places of an interval nothing is computed. Between two places that are asked it changes at most once.
func skippedPlaces(in bounds.Interval, computed func(int64) bool) (none int64) {
	apart := max(1, in.Extent()/samples)
	for lo := in.Lo; lo <= in.Hi; lo += apart {
		hi := min(lo+apart, in.Hi+1) // behind the last place that this turn is for
		first, last := computed(lo), computed(hi-1)
		if first == last {
			if !first {
				none += hi - lo
			}
			continue
		}
		changes := lo + int64(sort.Search(int(hi-lo), func(i int) bool { return computed(lo+int64(i)) != first }))
		if first {
			none += hi - changes
		} else {
			none += changes - lo
		}
	}
	return none
}
