package autoscheduler

import (
	"bytes"
	"path/filepath"
	"testing"

	"gowarp/halideir"
)

// exported are the pipelines in testdata that were exported from Halide, by their files' names.
func exported(t *testing.T) map[string]*halideir.Pipeline {
	t.Helper()
	out := map[string]*halideir.Pipeline{}
	for _, dir := range []string{"testdata/*.json", "../halideir/testdata/*.json"} {
		files, err := filepath.Glob(dir)
		if err != nil || len(files) == 0 {
			t.Fatalf("no pipelines in %s: %v", dir, err)
		}
		for _, f := range files {
			out[filepath.Base(f)] = load(t, f)
		}
	}
	return out
}

// TestPolymage: the preset gives every pipeline a legal schedule for the paper's GPUs and for what has no warps' registers, the
// same each time.
func TestPolymage(t *testing.T) {
	for name, p := range exported(t) {
		for _, gpu := range []string{"gtx1080ti", "v100", "generic"} {
			t.Run(name+"/"+gpu, func(t *testing.T) {
				t.Parallel()
				prm, err := ParseParams(map[string]string{"mode": "polymage", "gpu": gpu})
				if err != nil {
					t.Fatal(err)
				}
				r, err := Run(p, prm)
				if _, other := Run(p, DefaultParams()); err != nil && other != nil {
					t.Skip(err) // a pipeline that nobody can schedule
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := r.Schedule.Check(p); err != nil {
					t.Fatal(err)
				}
				again, err := Schedule(p, prm)
				if err != nil || !bytes.Equal(again.JSON(), r.Schedule.JSON()) {
					t.Errorf("another run gives another schedule (%v)", err)
				}
			})
		}
	}
}

// TestPresets: a mode stands for other defaults, and what is given besides holds.
func TestPresets(t *testing.T) {
	for _, c := range []struct {
		given map[string]string
		want  [3]string
	}{
		{map[string]string{}, [3]string{"auto", "all", "time"}},
		{map[string]string{"mode": "gowarp"}, [3]string{"auto", "all", "time"}},
		{map[string]string{"mode": "autogpu"}, [3]string{"greedy", "block", "listing1"}},
		{map[string]string{"mode": "polymage"}, [3]string{"dpfusion", "warp", "algorithm2"}},
		{map[string]string{"mode": "polymage", "grouping": "greedy", "cost": "issue"}, [3]string{"greedy", "warp", "issue"}},
		{map[string]string{"mode": "polymage", "warp_tile": "2x4x4"}, [3]string{"dpfusion", "warp", "algorithm2"}},
	} {
		p, err := ParseParams(c.given)
		if got := [3]string{p.Grouping, p.Tiling, p.Cost}; err != nil || got != c.want {
			t.Errorf("%v: %v (%v), want %v", c.given, got, err, c.want)
		}
	}
	for mode, preset := range presets {
		if _, err := ParseParams(map[string]string{"mode": mode}); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
		for key := range preset {
			if key == "mode" {
				t.Errorf("%s names a mode", mode)
			}
		}
	}
}
