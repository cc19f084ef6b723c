//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestScatterResults: scatters that no atomic operations make have partial results, those of 32-bit sums none, and give what one thread of the CPU gives, to the last bit, at the estimated size, at others that nothing
// divides, and of one point, without findings of the simulator; and so they do through OpenCL.
func TestScatterResults(t *testing.T) {
	for _, c := range []struct{ typ, where string }{{"float32", "all"}, {"uint8", "some"}, {"int64", "read"}, {"int32", "read"}, {"float32", "both"}} {
		t.Run(c.typ+"-"+c.where, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(17, uint64(len(c.where))))
			g := harness.Generator{Source: "bridge/testdata/scatters.cc", Name: "scatters", Params: map[string]string{"type": c.typ, "where": c.where, "width": "300", "height": "200"}}
			sizes := [][2]int{{300, 200}, {1, 1}, {1 + rng.IntN(300), 1 + rng.IntN(60)}}
			schedule := factoredResults(t, rng, g, sizes, func([2]int) []int { return []int{13, 14} })
			for k := range 14 {
				atomic := c.typ == "int32" && slices.Contains([]int{0, 7, 10, 11, 12}, k) // sums, whose condition is part of what is added
				if factored := strings.Contains(schedule, fmt.Sprintf("Func f%d_intm = f%d.", k, k)); factored == atomic {
					t.Errorf("f%d is factored: %v", k, factored)
				}
			}
		})
	}
}
