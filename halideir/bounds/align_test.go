package bounds

import (
	"testing"

	"gowarp/halideir"
)

// TestAlign: the region of a Func with align_bounds(x, 4, 1), or align_extent(x, 4), is what
// Halide computes: a first point of remainder 1, a multiple of 4 points.
func TestAlign(t *testing.T) {
	p := &halideir.Pipeline{Nodes: []halideir.Node{
		{Op: halideir.OpInt, Type: halideir.Type{Code: halideir.Int, Bits: 32, Lanes: 1}, Int: 4},
		{Op: halideir.OpInt, Type: halideir.Type{Code: halideir.Int, Bits: 32, Lanes: 1}, Int: 1},
	}}
	f := &halideir.Func{Args: []string{"x"}}
	for _, c := range []struct {
		remainder halideir.NodeID
		in, want  Interval
	}{
		{1, Interval{1, 4}, Interval{1, 4}},
		{1, Interval{0, 4}, Interval{-3, 4}},
		{1, Interval{5, 5}, Interval{5, 8}},
		{1, Interval{-7, 2}, Interval{-7, 4}},
		{halideir.NoNode, Interval{0, 4}, Interval{0, 7}},
		{halideir.NoNode, Interval{3, 6}, Interval{3, 6}},
		{1, Empty, Empty},
	} {
		f.Bounds = []halideir.Bound{{Var: "x", Min: halideir.NoNode, Extent: halideir.NoNode, Modulus: 0, Remainder: c.remainder}}
		got := c.in
		if align(p, f, 0, &got); got != c.want {
			t.Errorf("%v with remainder %d: %v, want %v", c.in, c.remainder, got, c.want)
		}
		// The definition, whatever the figures above say.
		if n := got.Extent(); n%4 != 0 || !got.Contains(c.in) || n >= c.in.Extent()+7 || c.remainder != halideir.NoNode && n > 0 && halideir.ModEuclid(got.Lo-1, 4) != 0 {
			t.Errorf("%v is not aligned", got)
		}
	}
}
