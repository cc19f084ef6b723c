package plan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "gowarp/internal/fixedseed"
)

// TestChainReusesSlots: in a chain each stage dies once the next has read it, so two
// slots serve any length. The figures are those that Halide 21 was seen to allocate
// for chains of 3x3 stencils on 28x8 tiles.
func TestChainReusesSlots(t *testing.T) {
	for _, n := range []int{2, 4, 8} {
		var allocs []Allocation
		for i := range n {
			allocs = append(allocs, Allocation{Bytes: 1024, ElemBytes: 4, First: i, Last: i + 1})
		}
		if got := SharedBytes(allocs, n); got != 2048 {
			t.Errorf("%d stages: %d B, want two slots of 1024", n, got)
		}
	}
}

func TestSharedBytesByHand(t *testing.T) {
	for name, c := range map[string]struct {
		allocs []Allocation
		steps  int
		want   int64
	}{
		"nothing":     {nil, 0, 0},
		"both live":   {[]Allocation{{1200, 4, 0, 1}, {1008, 4, 1, 2}}, 2, 2208},
		"grows":       {[]Allocation{{100, 4, 0, 1}, {60, 4, 1, 2}, {200, 4, 2, 3}}, 3, 260},
		"nearest":     {[]Allocation{{64, 4, 0, 1}, {400, 4, 0, 1}, {96, 4, 2, 3}}, 3, 496},
		"other width": {[]Allocation{{16, 8, 0, 1}, {6, 2, 1, 2}}, 2, 24},
	} {
		slices.SortStableFunc(c.allocs, CompareAllocations)
		if got := SharedBytes(c.allocs, c.steps); got != c.want {
			t.Errorf("%s: %d B, want %d", name, got, c.want)
		}
	}
}

// TestSharedBytesBounds: never less than what is live at once, never more than the sum.
func TestSharedBytesBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.IntRange(1, 10).Draw(t, "steps")
		var allocs []Allocation
		for range rapid.IntRange(0, 8).Draw(t, "allocations") {
			first := rapid.IntRange(0, steps-1).Draw(t, "first")
			allocs = append(allocs, Allocation{
				Bytes: 8 * rapid.Int64Range(1, 100).Draw(t, "words"), ElemBytes: rapid.SampledFrom([]int64{1, 2, 4, 8}).Draw(t, "width"),
				First: first, Last: rapid.IntRange(first, steps).Draw(t, "last"),
			})
		}
		slices.SortStableFunc(allocs, CompareAllocations)
		sum, most := int64(0), int64(0)
		for step := 0; step <= steps; step++ {
			live := int64(0)
			for _, a := range allocs {
				if a.First <= step && step <= a.Last {
					live += a.Bytes
				}
			}
			most = max(most, live)
		}
		for _, a := range allocs {
			sum += a.Bytes
		}
		if got := SharedBytes(allocs, steps); got < most || got > sum {
			t.Fatalf("%d B for %v; %d live at once, %d in all", got, allocs, most, sum)
		}
	})
}

func TestPadElements(t *testing.T) {
	for bytes := int64(1); bytes <= 8; bytes *= 2 {
		for n := int64(1); n < 40; n++ {
			p := PadElements(n, bytes)
			if p < n || p*bytes%8 != 0 || (p-n)*bytes >= 8 {
				t.Errorf("%d elements of %d B become %d", n, bytes, p)
			}
		}
	}
}
