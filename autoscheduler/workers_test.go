package autoscheduler

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	_ "gowarp/internal/fixedseed"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// scheduled is all that the passes decide and say, with so many workers.
func scheduled(t rapid.TB, p *halideir.Pipeline, params map[string]string, workers int) []byte {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	prm, err := ParseParams(params)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(p, prm)
	if err != nil {
		return []byte(err.Error())
	}
	return fmt.Append(r.Schedule.JSON(), r.Evaluated, r.Notes, refusals(r))
}

func refusals(r *Result) (out []string) {
	for i := range r.Merges {
		out = append(out, fmt.Sprint(r.Merges[i]))
	}
	for _, f := range r.Found {
		out = append(out, fmt.Sprint(f.Prices, f.Reject))
		for _, l := range f.Looks {
			out = append(out, fmt.Sprint(l.Candidates, l.Refusals, l.Price))
		}
	}
	return out
}

func sameWithWorkers(t rapid.TB, p *halideir.Pipeline, params map[string]string) {
	one := scheduled(t, p, params, 1)
	for _, workers := range []int{2, 8} {
		if several := scheduled(t, p, params, workers); !bytes.Equal(one, several) {
			t.Fatalf("%v: with %d workers the schedule is another than with one:\n%s\n%s", params, workers, several, one)
		}
	}
}

// TestWorkersDoNotMatter: the same bytes, the same reasons and the same number of candidates come of any number of workers. Under -race it also sees what they share.
func TestWorkersDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sameWithWorkers(t, randomPipeline(t, ""), rapid.SampledFrom(someParams).Draw(t, "params"))
	})
}

// TestWorkersDoNotMatterForPrograms is the same of what was exported, and of groups that are many or whose Funcs several read.
func TestWorkersDoNotMatterForPrograms(t *testing.T) {
	pipelines := map[string]*halideir.Pipeline{"chain": irtest.StencilChain(40), "ladder": irtest.Ladder(40)}
	files, err := filepath.Glob("testdata/*.json")
	files = append(files, "../halideir/testdata/pyramid.json", "../halideir/testdata/features.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no pipelines", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if pipelines[filepath.Base(file)], err = halideir.Decode(data); err != nil {
			t.Fatal(err)
		}
	}
	for name, p := range pipelines {
		t.Run(name, func(t *testing.T) {
			for _, params := range []map[string]string{{}, {"mode": "autogpu"}, {"gpu": "rtx2080ti", "search": "ptxas"}, {"grouping": "interval"}} {
				sameWithWorkers(t, p, params)
			}
		})
	}
}
