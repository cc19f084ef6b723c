// Package rank says how alike two lists of figures order the same things, whatever their units.
package rank

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Of is the places of values in their order, from 1; equal values share the mean of
// theirs.
func Of(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	ranks := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return ranks
}

// Spearman is the rank correlation of two variables: Pearson's of their ranks. It is NaN where there are
// fewer than three values, or where one does not vary.
func Spearman(x, y []float64) float64 {
	if len(x) < 3 || slices.Min(x) == slices.Max(x) || slices.Min(y) == slices.Max(y) {
		return math.NaN()
	}
	return stat.Correlation(Of(x), Of(y), nil)
}
