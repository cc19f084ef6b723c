package plan_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// TestAgain: how often blocks read a buffer from DRAM is what a cache does that loses what was used longest ago (LRU), for random loops over blocks, buffers and blocks at a time; but where what is
// touched between two times is about what the cache holds.
func TestAgain(t *testing.T) {
	more := 0
	rapid.Check(t, func(t *rapid.T) {
		var blocks []plan.Use
		for l := range rapid.IntRange(2, 4).Draw(t, "loops") {
			blocks = append(blocks, plan.Use{Loop: l, Extent: int64(rapid.SampledFrom([]int{2, 4, 8}).Draw(t, "extent"))})
		}
		var all []plan.Sweep
		for range rapid.IntRange(1, 3).Draw(t, "buffers") {
			all = append(all, plan.Sweep{Bytes: float64(int(1) << rapid.IntRange(6, 12).Draw(t, "bytes")), Loops: uint64(rapid.IntRange(0, 15).Draw(t, "moves"))})
		}
		cache := float64(int(1) << rapid.IntRange(4, 13).Draw(t, "cache"))
		atATime := float64(rapid.SampledFrom([]int{1, 2, 4, 16}).Draw(t, "at a time"))
		simulated := leastRecent(blocks, all, cache, int(atATime))
		for i := range all {
			got := plan.Again(blocks, all, i, cache, atATime)
			low, high := plan.Again(blocks, all, i, cache*4, atATime), plan.Again(blocks, all, i, cache/4, atATime)
			if want := simulated[i]; want > 2*math.Max(got, high) || want < math.Min(got, low)/2 {
				t.Fatalf("buffer %d of %+v in blocks %+v, %v at a time, %v B: read %v times, %v simulated", i, all, blocks, atATime, cache, got, want)
			}
			if got > 1 {
				more++
			}
		}
	})
	if more < 20 {
		t.Errorf("only %d buffers are read again", more)
	}
}

// leastRecent is how often a cache reads each buffer while so many blocks at a time go through their parts of them.
func leastRecent(blocks []plan.Use, all []plan.Sweep, cache float64, atATime int) []float64 {
	type part struct{ buffer, at int }
	total := 1
	for _, u := range blocks {
		total *= int(u.Extent)
	}
	size := func(i int) float64 {
		b := all[i].Bytes
		for _, u := range blocks {
			if all[i].Loops&access.LoopBit(u.Loop) != 0 {
				b /= float64(u.Extent)
			}
		}
		return b
	}
	used, reads, now, held := map[part]int{}, make([]float64, len(all)), 0, 0.0
	for first := 0; first < total; first += atATime {
		now++
		for block := first; block < min(total, first+atATime); block++ {
			for i := range all {
				p, rest, times := part{buffer: i}, block, 1
				for _, u := range blocks {
					if all[i].Loops&access.LoopBit(u.Loop) != 0 {
						p.at += rest % int(u.Extent) * times
						times *= int(u.Extent)
					}
					rest /= int(u.Extent)
				}
				if _, ok := used[p]; !ok {
					reads[i] += size(i) / all[i].Bytes
					held += size(i)
				}
				used[p] = now
			}
		}
		for held > cache {
			oldest, at := part{}, now+1
			for p, when := range used {
				if when < at || when == at && (p.buffer < oldest.buffer || p.buffer == oldest.buffer && p.at < oldest.at) {
					oldest, at = p, when
				}
			}
			held -= size(oldest.buffer)
			delete(used, oldest)
		}
	}
	return reads
}
