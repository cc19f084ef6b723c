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

// TestGoldenSchedules keeps the schedule of every program for sm_75 as C++, so that a change
// shows in review.
func TestGoldenSchedules(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// What the suite emits as well, to see that every run writes the same.
			e, err := tree.Emit(stock(name), harness.EmitOptions{Target: "host-cuda-cuda_capability_75", Scheduler: harness.Gowarp(nil), Outputs: []string{"schedule"}})
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
			golden.Compare(t, filepath.Join("testdata", "golden", name+".txt"), []byte(body+"\n"))
		})
	}
}
