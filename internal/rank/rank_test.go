package rank

import (
	"math"
	"slices"
	"testing"
)

func TestSpearman(t *testing.T) {
	if got := Of([]float64{30, 10, 20, 10, 40}); !slices.Equal(got, []float64{4, 1.5, 3, 1.5, 5}) {
		t.Errorf("ranks %v", got)
	}
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{1, 10, 100, 1000}, 1},
		{[]float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1},
		{[]float64{1, 1, 2}, []float64{3, 3, 9}, 1},
		{[]float64{10, 20, 30, 40, 50}, []float64{1, 3, 2, 5, 4}, .8}, // 1 - 6*4/(5*24)
		// IQ and hours of television, of the textbooks: 1 - 6*194/(10*99) = -29/165.
		{[]float64{106, 100, 86, 101, 99, 103, 97, 113, 112, 110}, []float64{7, 27, 2, 50, 28, 29, 20, 12, 6, 17}, -29.0 / 165},
		// With ties: SciPy's spearmanr([1, 2, 2, 3], [1, 3, 2, 2]).
		{[]float64{1, 2, 2, 3}, []float64{1, 3, 2, 2}, 0.5},
	} {
		if got := Spearman(c.x, c.y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v, %v: %v, want %v", c.x, c.y, got, c.want)
		}
	}
	for _, c := range [][2][]float64{{{1, 2}, {1, 2}}, {{1, 1, 1}, {1, 2, 3}}, {{1, 2, 3}, {5, 5, 5}}} {
		if got := Spearman(c[0], c[1]); !math.IsNaN(got) {
			t.Errorf("%v: %v", c, got)
		}
	}
}
