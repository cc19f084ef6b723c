//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gowarp/benchmarks/harness"
)

// lacking is the file of the schedule that gowarp makes of a generator, without the directives of some kinds, those of which it has.
func lacking(t *testing.T, g harness.Generator, params map[string]string, kinds ...string) string {
	t.Helper()
	return lackingFor(t, g, cudaTarget, params, kinds...)
}

// lackingFor is lacking for another target.
func lackingFor(t *testing.T, g harness.Generator, target string, params map[string]string, kinds ...string) string {
	t.Helper()
	exe, err := tree(t).Compile(g)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []string
	for k, v := range g.Params {
		sizes = append(sizes, k+"="+v)
	}
	saved := text(t, savedAs(t, exe, g.Name, target, params, sizes...))
	rest := regexp.MustCompile(`(?s),?\s*\{[^{}]*"do": ?"(`+strings.Join(kinds, "|")+`)"[^{}]*\}`).ReplaceAllString(saved, "")
	if rest == saved {
		t.Fatalf("none of %v in\n%s", kinds, saved)
	}
	file := filepath.Join(t.TempDir(), "schedule.json")
	if err := os.WriteFile(file, []byte(rest), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// savedAs is the file of the schedule that a generator with its own parameters saves: what it applies, which is not always what the command line
// prints, whose schedules nothing checks. Asked for once more it is the same one.
func savedAs(t *testing.T, exe, name, target string, params map[string]string, own ...string) string {
	t.Helper()
	args := slices.Clone(own)
	for k, v := range params {
		args = append(args, "autoscheduler."+k+"="+v)
	}
	slices.Sort(args)
	saved := filepath.Join(t.TempDir(), "schedule.json")
	key := strings.Join(append([]string{exe, name, target}, args...), "\n")
	if before, known := savedBefore.Load(key); known {
		if err := os.WriteFile(saved, []byte(before.(string)), 0o666); err != nil {
			t.Fatal(err)
		}
		return saved
	}
	ok(t, nil, exe, scheduled(t, name, target, append(args, "autoscheduler.save="+saved)...)...)
	savedBefore.Store(key, text(t, saved))
	return saved
}

// savedBefore are the schedules of savedAs, by all that they are made from.
var savedBefore sync.Map

// TestDemandOrder: the lowering pass changes when lanes compute what, and nothing else: at sizes of whole tiles, of none, and smaller than one the
// results are those of the CPU, with nothing found, and those of the same schedule without the pass; a tall tile spills less by it.
func TestDemandOrder(t *testing.T) {
	tr := tree(t)
	g := harness.Generator{Source: "bridge/testdata/edges.cc", Name: "edges"}
	emit := func(s harness.Scheduler) (*harness.Emission, *harness.Program) {
		t.Helper()
		e, err := tr.Emit(g, harness.EmitOptions{Target: "host-cuda-cuda_capability_75", Scheduler: s})
		if err != nil {
			t.Fatal(err)
		}
		p, err := tr.Link(e)
		if err != nil {
			t.Fatal(err)
		}
		return e, p
	}
	_, cpu := built(t, g, "host", harness.Root())
	rng := rand.New(rand.NewPCG(7, 1))
	for _, tile := range []string{"1x6x2", "2x12x1", "2x4x2:strided"} {
		t.Run(strings.ReplaceAll(tile, ":", "-"), func(t *testing.T) {
			params := map[string]string{"tiling": "warp-registers", "cost": "issue", "warp_tile": tile}
			demanded, by := emit(harness.Gowarp(params))
			stages, without := emit(harness.Gowarp(map[string]string{"schedule": lacking(t, g, params, "demand_order")}))

			if a, b := spilled(t, demanded, 75), spilled(t, stages, 75); tile == "2x12x1" && a >= b {
				t.Errorf("%d bytes spilled in the order of demand, %d by stages", a, b)
			}
			for _, size := range [][2]int{{120, 24}, {131, 77}, {7, 5}, {61, 1}} {
				in := harness.Args{"input": noise(rng, size[0], size[1], 3)}
				shapes := map[string][]int{"out": {size[0], size[1], 3}}
				want := onCPU(t, cpu, in, shapes)
				for what, p := range map[string]*harness.Program{"in the order of demand": by, "by stages": without} {
					simulated(t, p, in, shapes, want, harness.Default, fmt.Sprintf("%s at %v", what, size))
				}
			}
		})
	}
}
