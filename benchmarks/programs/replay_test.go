//go:build halide

package programs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gowarp/autoscheduler"
	"gowarp/benchmarks/harness"
)

// TestReplay: the schedule of every program, saved, is replayed as it was made, whatever strategies it has.
func TestReplay(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// What the suite emits as well.
			e, err := tree.Emit(stock(name), harness.EmitOptions{Target: "host-cuda-cuda_capability_75", Scheduler: harness.Gowarp(nil)})
			if err != nil {
				t.Fatal(err)
			}
			p, err := e.Pipeline()
			if err != nil {
				t.Fatal(err)
			}
			schedule := func(params map[string]string) []byte {
				prm, err := autoscheduler.ParseParams(params)
				if err != nil {
					t.Fatal(err)
				}
				s, err := autoscheduler.Schedule(p, prm)
				if err != nil {
					t.Fatal(err)
				}
				return s.JSON()
			}
			want, file := schedule(nil), filepath.Join(t.TempDir(), "saved.json")
			if err := os.WriteFile(file, want, 0o666); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(schedule(map[string]string{"schedule": file}))); d != "" {
				t.Error(d)
			}
		})
	}
}
