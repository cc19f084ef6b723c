//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// oracle runs a generator that holds a part of halidecc against an oracle, with a seed, and returns the two numbers that it prints.
func oracle(t *testing.T, name string, seed int, pattern string) (a, b int) {
	t.Helper()
	out := ok(t, nil, compiled(t, name), "-g", name, "-o", t.TempDir(), "-e", "schedule", "target=host", fmt.Sprintf("seed=%d", seed))
	m := regexp.MustCompile(pattern).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no counts in\n%s", out)
	}
	a, _ = strconv.Atoi(m[1])
	b, _ = strconv.Atoi(m[2])
	return a, b
}

// TestGreatest: bounds of what sums may be are never below what counting finds, and often just that.
func TestGreatest(t *testing.T) {
	for seed := range 4 {
		if bounded, exact := oracle(t, "linear", seed, `bounded (\d+) exact (\d+)`); bounded < 250 || exact < bounded/2 {
			t.Errorf("seed %d: %d bounded, %d of them exactly", seed, bounded, exact)
		}
	}
}

// TestFacts: an assertion that is dropped holds wherever the conditions around it do, and many that follow from them are.
func TestFacts(t *testing.T) {
	for seed := range 4 {
		if dropped, kept := oracle(t, "facts", seed, `dropped (\d+) kept (\d+)`); dropped < 500 || kept < 500 {
			t.Errorf("seed %d: %d dropped, %d kept", seed, dropped, kept)
		}
	}
}

// TestSizesBehindNames: members of which several points a thread are behind guards stay in shared memory, without a check of their storage at run time, where
// what names stand for proves that it does; results are those of the CPU, at sizes that nothing divides, without a finding of the simulator.
func TestSizesBehindNames(t *testing.T) {
	for _, c := range []struct {
		name    string
		out     string
		values  []int
		members []string
	}{
		{"flow", "out", []int{2}, []string{"coarse_dx", "coarse_dy", "coarse_dt", "fine_dx", "fine_dy", "fine_dt"}},
		{"disparity", "nearest", nil, []string{"cost_local_sum_x_2", "cost_local_sum_x_4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := harness.Generator{Source: "bridge/testdata/flow.cc", Name: c.name}
			_, cpu := built(t, g, "host", harness.Root())
			e, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(map[string]string{"gpu": "rtx2080ti"}))
			source := text(t, e.File("schedule.h"))
			for _, m := range c.members {
				if !regexp.MustCompile(`(?m)^    ` + m + `\n.*\n *\.store_in\(MemoryType::GPUShared\)`).MatchString(source) {
					t.Errorf("%s is not in shared memory", m)
				}
			}
			code, err := e.PTX()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(code, "trap;") {
				t.Error("a kernel checks something at run time")
			}
			rng := rand.New(rand.NewPCG(11, 28))
			for _, size := range [][2]int{{320, 240}, {131, 77}, {1, 1}} {
				in := harness.Args{"left": noise(rng, size[0], size[1]), "right": noise(rng, size[0], size[1])}
				shapes := map[string][]int{c.out: append(size[:], c.values...)}
				simulated(t, p, in, shapes, onCPU(t, cpu, in, shapes), harness.Tolerance{}, size)
			}
		})
	}
}
