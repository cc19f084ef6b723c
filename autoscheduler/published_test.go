package autoscheduler

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPublishedHarris: the kernel that Sioutas et al. 2020 published measurements of
// (profiles of their harris on an RTX 2080 Ti: one kernel, 320 threads, 3,296 B of
// shared memory) is a 16x12 tile, both derivatives on 18x14 and the grey image on 20x16.
// Ours is the same algorithm with another input; the model must come to the same kernel.
func TestPublishedHarris(t *testing.T) {
	p := load(t, "testdata/harris.json")
	prm, err := ParseParams(map[string]string{"mode": "autogpu", "gpu": "rtx2080ti"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Schedule(p, prm)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Kernels) != 1 {
		t.Fatalf("%d kernels, want 1", len(s.Kernels))
	}
	k := s.Kernels[0]
	if k.SharedBytes != 3296 || k.Threads != [3]int64{20, 16, 1} {
		t.Errorf("%d B, %v threads; published: 3296 B, 320 threads", k.SharedBytes, k.Threads)
	}
	extents := map[string][]int64{}
	for _, m := range k.Members {
		extents[m.Name] = m.Extents
	}
	want := map[string][]int64{"gray": {20, 16}, "gx": {18, 14}, "gy": {18, 14}}
	if d := cmp.Diff(want, extents); d != "" {
		t.Error(d)
	}
}
