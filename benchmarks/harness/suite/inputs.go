package suite

import (
	"testing"

	"gowarp/benchmarks/harness"
)

// Photograph is an RGB photograph of that size.
func Photograph(t testing.TB, tree *harness.Tree, width, height int) *harness.Array {
	t.Helper()
	a, err := tree.Photograph("coffee", width, height)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Map makes an array with extents w x h x d of the photograph's pixels: f gets red,
// green and blue of a pixel and the third coordinate.
func Map(photo *harness.Array, t harness.DType, depth int, f func(r, g, b, d int) float64) *harness.Array {
	shape := []int{photo.Shape[0], photo.Shape[1]}
	if depth > 0 {
		shape = append(shape, depth)
	}
	n := shape[0] * shape[1]
	out := harness.NewArray(t, shape...)
	out.Data = out.Data[:0]
	for d := range max(depth, 1) {
		for i := range n {
			out.Data = harness.AppendElement(out.Data, t, f(int(photo.Data[i]), int(photo.Data[n+i]), int(photo.Data[2*n+i]), d))
		}
	}
	return out
}

// Colours is a photograph as Halide programs like it: three planes of f32 from 0 to 1.
func Colours(photo *harness.Array) *harness.Array {
	return Map(photo, harness.F32, 3, func(r, g, b, c int) float64 { return float64([]int{r, g, b}[c]) / 255 })
}

// Table makes a small array of the values f(i), i counting elements in Halide's order.
func Table(t harness.DType, f func(i int) float64, shape ...int) *harness.Array {
	out := harness.NewArray(t, shape...)
	n := out.Len()
	out.Data = out.Data[:0]
	for i := range n {
		out.Data = harness.AppendElement(out.Data, t, f(i))
	}
	return out
}
