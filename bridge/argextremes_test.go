//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
	"gowarp/halideir"
	"gowarp/halideir/rfactor"
	"gowarp/internal/irrun"
)

// argExtremes is testdata/argextremes.cc with its parameters.
func argExtremes(group, typ string, rows bool, where string, width, height int) harness.Generator {
	return harness.Generator{Source: "bridge/testdata/argextremes.cc", Name: "argextremes", Params: map[string]string{
		"group": group, "type": typ, "rows": fmt.Sprint(rows), "where": where, "width": fmt.Sprint(width), "height": fmt.Sprint(height),
	}}
}

// argValues is how many values the reductions of a group have in all, and argFuncs how many those are.
var argValues, argFuncs = map[string]int{"trees": 29, "order": 25}, map[string]int{"trees": 9, "order": 9}

// TestArgExtremeResults: the least and greatest with their places, as trees, are what one thread of the CPU finds, of equal elements the same one, at the estimated
// size, at others that nothing divides, and of one point, without findings of the simulator; and so they are through OpenCL. What a tree would give otherwise is none.
func TestArgExtremeResults(t *testing.T) {
	for _, c := range suite.Sampled([]struct {
		group, typ string
		rows       bool
		where      string
	}{
		{"trees", "float32", true, "all"}, {"trees", "uint8", false, "all"}, {"order", "int32", false, "all"}, {"trees", "uint32", false, "all"},
		{"trees", "uint8", true, "read"}, {"trees", "float32", false, "some"}, {"trees", "int32", false, "both"}, {"order", "uint16", false, "both"},
	}) {
		t.Run(fmt.Sprintf("%s-%s-%v-%s", c.group, c.typ, c.rows, c.where), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(17, uint64(len(c.group))<<8+uint64(len(c.typ))))
			g := argExtremes(c.group, c.typ, c.rows, c.where, 300, 200)
			sizes := [][2]int{{300, 200}, {1, 1}, {1 + rng.IntN(300), 1 + rng.IntN(60)}}
			schedule := factoredResults(t, rng, g, sizes, func([2]int) []int { return []int{map[bool]int{false: 2, true: 3}[c.rows], argValues[c.group]} })
			trees := strings.Count(schedule, "_intm = ")
			if c.group == "order" && trees != 0 || c.group == "trees" && trees < argFuncs[c.group] {
				t.Errorf("%d partial results", trees)
			}
		})
	}
}

// TestArgExtremesFactored: whichever elements are equal, the tree that Go makes of a pipeline, factored once and its partial results once more, finds the same one as all elements in order: run point by
// point, by an interpreter that shares nothing with Halide.
func TestArgExtremesFactored(t *testing.T) {
	for _, c := range [][2]string{{"trees", "all"}, {"order", "all"}, {"trees", "both"}, {"order", "read"}} {
		group := c[0]
		p := decoded(t, dumpOf(t, "argextremes", "group="+group, "where="+c[1], "type=int32", "width=13", "height=7"))
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 2))
			pixels := map[string]int64{}
			noise := func(at []int64) int64 {
				place := fmt.Sprint(at)
				if _, ok := pixels[place]; !ok {
					pixels[place] = rng.Int64N(256)
				}
				return pixels[place]
			}
			run := func(p *halideir.Pipeline) map[string][]int64 {
				values, err := irrun.Run(p, noise)
				if err != nil {
					t.Fatal(err)
				}
				return values
			}
			tree, funcs, factored := p, 0, 0
			for id := range p.Funcs {
				st := p.Funcs[id].Stages
				if len(st) < 2 {
					continue
				}
				funcs++
				if _, ok := rfactor.Of(p, id, 1); !ok {
					continue
				}
				factored++
				for _, kept := range [][]rfactor.Kept{{{RVar: 0, Factor: 4}, {RVar: 1}}, {{RVar: 0, Factor: 2}}} {
					made := len(tree.Funcs) - len(p.Funcs)
					var err error
					if tree, err = rfactor.Apply(tree, rfactor.Step{Func: id + made, Stage: 1, Kept: kept, Lane: -1}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if funcs != argFuncs[group] || (group == "trees") != (factored == funcs) || (group == "order") != (factored == 0) {
				t.Fatalf("%s: %d Funcs, %d factored", group, funcs, factored)
			}
			if err := tree.Verify(); err != nil {
				t.Fatal(err)
			}
			if got, want := run(tree), run(p); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, want %v", group, got, want)
			}
		}
	}
}

// TestArgExtremeReplayed: what is printed says that none but gowarp can factor these; a saved schedule is replayed on the source as it is.
func TestArgExtremeReplayed(t *testing.T) {
	params := []string{"group=trees", "type=uint8", "width=1000", "height=700"}
	searched := scheduled(t, "argextremes", cudaTarget, params...)
	ok(t, nil, compiled(t, "argextremes"), searched...)
	header := text(t, filepath.Join(searched[3], "argextremes.schedule.h"))
	if want := "gowarp alone factors these, with autoscheduler.schedule=FILE, where FILE is what gowarp schedule --format json writes: "; !strings.Contains(header, want) {
		t.Errorf("no %q in\n%s", want, header)
	}
	file := savedSchedule(t, dumpOf(t, "argextremes", params...))
	replayed := scheduled(t, "argextremes", cudaTarget, append(params, "autoscheduler.schedule="+file)...)
	ok(t, nil, compiled(t, "argextremes"), replayed...)
	if got, want := body(t, replayed[3], "argextremes"), body(t, searched[3], "argextremes"); got != want || !strings.Contains(got, ".rfactor(") {
		t.Errorf("replayed:\n%s\nwant, with reductions factored:\n%s", got, want)
	}
}

// TestArgExtremeWork: no thread of a tree does a hundredth of what the one does that goes through the image in order.
func TestArgExtremeWork(t *testing.T) {
	counted := func(group string) float64 {
		most, _ := busiestThread(t, argExtremes(group, "uint8", false, "all", 640, 480), nil, []int{2, argValues[group]})
		return most
	}
	if in, as := counted("order"), counted("trees"); in < 100*as {
		t.Errorf("%.0f instructions of the busiest thread in order, %.0f as trees", in, as)
	} else {
		t.Logf("%.0f instructions of the busiest thread in order, %.0f as trees", in, as)
	}
}
