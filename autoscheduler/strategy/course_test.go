package strategy

import (
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
)

// Two places of one form (x / 2 and (x + 1) / 2, or (x / 2 + 1) / 2) are one for the count of a tile if and only if all lanes have them at one place.
func TestCourses(t *testing.T) {
	loops := []halideir.Loop{{Arg: 0}}
	rapid.Check(t, func(t *rapid.T) {
		var form []access.Index
		whole := true
		for range rapid.IntRange(1, 3).Draw(t, "levels") {
			x := access.Index{Kind: access.Affine, Num: 1, Den: rapid.Int64Range(1, 4).Draw(t, "den"), Loops: access.LoopBit(0)}
			if whole { // a multiple of what is rounded down says less than it hangs on
				x.Num = rapid.SampledFrom([]int64{-3, -1, 1, 2}).Draw(t, "num")
			}
			whole = whole && x.Den == 1
			form = append(form, x)
		}
		points, at := rapid.Int64Range(1, 4).Draw(t, "points"), rapid.Int64Range(-3, 3).Draw(t, "at")
		draw := func() (offsets []int64) {
			for range form {
				offsets = append(offsets, rapid.Int64Range(-4, 4).Draw(t, "offset"))
			}
			return offsets
		}
		place := func(lane int64, offsets []int64) int64 {
			v := points*lane + at
			for i, x := range form {
				v = bounds.FloorDiv(x.Num*v+offsets[i], x.Den)
			}
			return v
		}
		told := func(offsets []int64) (int64, uint64) {
			p := [maxSpotDims]int64{at}
			in := courses{{lanes: lanes{step: int32(points), den: 1}}}
			for i, x := range form {
				x.Offset = offsets[i]
				of := in.lanes(&x, loops, p)
				p[0] = bounds.FloorDiv(x.Num*p[0]+x.Offset, x.Den)
				in[0].lanes = of
			}
			return p[0], in[0].lanes.across()
		}
		a, b := draw(), draw()
		same := true
		for lane := range int64(64) {
			same = same && place(lane, a) == place(lane, b)
		}
		atA, acrossA := told(a)
		atB, acrossB := told(b)
		if atA != place(0, a) {
			t.Fatalf("in the first lane at %d, told %d", place(0, a), atA)
		}
		if one := atA == atB && acrossA == acrossB; one != same {
			t.Errorf("offsets %v and %v are at one place: %t, told %t (%d, %#x and %d, %#x)", a, b, same, one, atA, acrossA, atB, acrossB)
		}
	})
}
