//go:build halide

package random

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gowarp/benchmarks/harness"
)

var (
	first = flag.Uint64("first", 1, "first seed of the random pipelines")
	count = flag.Int("count", 150, "number of random pipelines")
)

func newRunner(t *testing.T) *Runner {
	t.Helper()
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	runner, err := NewRunner(tree)
	if err != nil {
		t.Fatal(err)
	}
	return runner
}

// TestRandomPipelines runs a fixed sample; `make random` is a long run. What fails is
// shrunk and printed with the command that repeats it.
func TestRandomPipelines(t *testing.T) { runSample(t, Generate, *count, "") }

// TestRandomStencils is the same for pipelines of stencils with a tile a warp; the long run is
// `make random RANDOMFLAGS=-stencils`.
func TestRandomStencils(t *testing.T) {
	runSample(t, Stencils, *count/3, " -stencils")
}

// TestRandomColumns is the same for scans, sums into bins of columns and histograms; the long run is
// `make random RANDOMFLAGS=-columns`.
func TestRandomColumns(t *testing.T) { runSample(t, Columns, *count/3, " -columns") }

// TestRandomWindows is the same for windows, which are combined from parts mostly; the long run is
// `make random RANDOMFLAGS=-windows`.
func TestRandomWindows(t *testing.T) { runSample(t, Windows, *count/3, " -windows") }

// TestRandomTilings has every tiling to choose from; the long run is
// `make random RANDOMFLAGS="-params tiling=all,cost=issue"`.
func TestRandomTilings(t *testing.T) {
	runSample(t, With(Generate, "tiling=all", "cost=issue"), *count/3, " -params tiling=all,cost=issue")
}

func runSample(t *testing.T, generate func(uint64) *Pipeline, count int, flags string) {
	t.Parallel()
	runner := newRunner(t)
	const batch = 25 // pipelines a process
	var mu sync.Mutex
	outcomes, exchanging := map[Outcome]int{}, 0
	t.Cleanup(func() {
		t.Logf("%d pipelines: %v; %d in which threads exchange what they computed", count, outcomes, exchanging)
		// The generator knows what Halide accepts; a few it cannot foresee.
		if outcomes[Skip]*10 > count {
			t.Errorf("%d of %d pipelines fail at root", outcomes[Skip], count)
		}
		if strings.Contains(flags, "stencils") && exchanging*3 < count {
			t.Errorf("%d of %d pipelines have a tile a warp that is more than one lane's: the sample shows little", exchanging, count)
		}
		if outcomes[Refused]*3 > count {
			t.Errorf("%d of %d pipelines cannot be done as their parameters ask: the sample shows little", outcomes[Refused], count)
		}
	})
	for at := 0; at < count; at += batch {
		from := *first + uint64(at)
		n := min(batch, count-at)
		t.Run(fmt.Sprintf("%d-%d", from, from+uint64(n)-1), func(t *testing.T) {
			t.Parallel()
			var jobs []Job
			for seed := from; seed < from+uint64(n); seed++ {
				jobs = append(jobs, Job{seed, generate(seed)})
			}
			results, err := runner.Run(t.Context(), jobs)
			if err != nil {
				t.Fatal(err)
			}
			shrunk := false
			for i, r := range results {
				mu.Lock()
				outcomes[r.Outcome]++
				if r.Exchanges > 0 {
					exchanging++
				}
				mu.Unlock()
				if !r.Outcome.Failed() {
					continue
				}
				p := jobs[i].Pipeline
				const budget = 150 // pipelines; a minute or two
				if !shrunk {
					shrunk = true
					if p, _, err = runner.Shrink(t.Context(), p, r, budget); err != nil {
						t.Error(err)
					}
				}
				t.Errorf("seed %d: %s: %s\n%srepeat it: go run ./benchmarks/random/longrun%s -again -n 1 -seed %d", r.Number, r.Outcome, r.Text, p.Cxx(), flags, r.Number)
			}
		})
	}
}

// TestMended runs what failed once, as shrinking left it (`-shrink` of the long run writes such files).
func TestMended(t *testing.T) {
	t.Parallel()
	runner := newRunner(t)
	files, err := filepath.Glob("testdata/mended/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no file in testdata/mended: ", err)
	}
	var jobs []Job
	for i, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p := new(Pipeline)
		if err := json.Unmarshal(data, p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		jobs = append(jobs, Job{uint64(i), p})
	}
	results, err := runner.Run(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if r.Outcome != OK {
			t.Errorf("%s: %s: %s", files[i], r.Outcome, r.Text)
		}
	}
}
