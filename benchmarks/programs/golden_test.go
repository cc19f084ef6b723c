//go:build halide

package programs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/internal/golden"
)

// TestGoldenSchedules keeps the schedules of every program for sm_75 as C++, by default and by mode=autogpu, so that a
// change shows in review.
func TestGoldenSchedules(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	goldens := map[string]map[string]string{}
	for _, name := range names {
		goldens[name], goldens[name+".autogpu"] = nil, map[string]string{"mode": "autogpu"}
	}
	for file, params := range goldens {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(file, ".")
			o := harness.EmitOptions{Target: "host-cuda-cuda_capability_75", Scheduler: harness.Gowarp(params)}
			if params != nil { // else what the suite emits as well, with all its outputs
				o.Outputs = []string{"schedule"}
			}
			e, err := tree.Emit(stock(name), o)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(e.File("schedule.h"))
			if err != nil {
				t.Fatal(err)
			}
			// Halide writes a head with the host's features and a tail around it.
			_, body, found := strings.Cut(string(text), ") {\n")
			body, _, closed := strings.Cut(body, "\n}\n")
			if !found || !closed {
				t.Fatalf("no function in\n%s", text)
			}
			golden.Compare(t, filepath.Join("testdata", "golden", file+".txt"), []byte(body+"\n"))
		})
	}
}
