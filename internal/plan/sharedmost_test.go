package plan

import (
	"testing"

	"pgregory.net/rapid"

	"gowarp/occupancy"
)

// TestSharedMost: up to there a kernel has as many blocks on an SM and keeps all limits, and one byte more it does not, or is more than a little larger than what was worked out and than all its members.
func TestSharedMost(t *testing.T) {
	loose, tight, limited := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d, err := occupancy.Lookup(rapid.SampledFrom([]string{"gtx1080ti", "rtx2080ti", "h200"}).Draw(t, "gpu"))
		if err != nil {
			t.Fatal(err)
		}
		pr := &Problem{Device: &d, Limits: Limits{SharedBytes: rapid.Int64Range(1, int64(d.SharedPerBlock)).Draw(t, "limit")}}
		k := &Kernel{
			Block:       [3]int64{32, rapid.Int64Range(1, 32).Draw(t, "warps"), 1},
			Registers:   rapid.IntRange(16, 128).Draw(t, "registers"),
			SharedBytes: rapid.Int64Range(0, pr.Limits.SharedBytes).Draw(t, "shared"),
		}
		k.SharedSum = k.SharedBytes + rapid.Int64Range(0, 4096).Draw(t, "reused")
		blocks := func(shared int64) int {
			more := *k
			more.SharedBytes = shared
			if err := more.Occupy(&d); err != nil {
				return 0
			}
			return more.Occupancy.ActiveBlocks
		}
		if err := k.Occupy(&d); err != nil || k.Occupancy.ActiveBlocks == 0 {
			t.Skip(err)
		}
		most := k.SharedMost(pr)
		for shared := k.SharedBytes; shared <= most; shared++ {
			if blocks(shared) < k.Occupancy.ActiveBlocks || shared > pr.Limits.SharedBytes {
				t.Fatalf("%d B of %d and up to %d, limit %d: %d blocks, not %d", shared, k.SharedBytes, most, pr.Limits.SharedBytes, blocks(shared), k.Occupancy.ActiveBlocks)
			}
		}
		switch {
		case most == pr.Limits.SharedBytes:
			limited++
		case 16*(most+1-k.SharedBytes) > k.SharedBytes && most >= k.SharedSum:
			loose++
		case blocks(most+1) < k.Occupancy.ActiveBlocks:
			tight++
		default:
			t.Fatalf("%d B of shared memory could be more than %d: %d blocks run", k.SharedBytes, most, blocks(most+1))
		}
	})
	if min(loose, tight, limited) == 0 {
		t.Errorf("%d kernels were bounded by their size, %d by the device, %d by the limit: too few to see anything", loose, tight, limited)
	}
}
