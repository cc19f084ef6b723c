//go:build halide

package bridge

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// tuples is testdata/tuples.cc with its parameters.
func tuples(op, left string, width, height int) harness.Generator {
	g := reduction(op, left, width, height)
	g.Source, g.Name = "bridge/testdata/tuples.cc", "tuples"
	return g
}

// TestTupleResults: reductions of several values at once, as trees where no value hangs on another, give what one thread of the CPU gives, to the last bit, at
// the estimated size, at others that nothing divides, and of one point, without findings of the simulator; and so they do through OpenCL. The least
// with its place as one number stays in order, so that of equal ones the same is taken, and so does a product of complex numbers.
func TestTupleResults(t *testing.T) {
	for _, c := range []struct {
		op, left string
		tree     bool
	}{
		{"moments", "none", true}, {"moments", "y", true}, {"ends", "none", true}, {"ends", "c", true}, {"complex", "c", true}, {"complex", "x", true},
		{"mean", "none", true}, {"mean", "y", true}, {"mixed", "none", true}, {"mixed", "c", true}, {"last", "c", false}, {"first", "c", false}, {"rotation", "c", false},
	} {
		t.Run(c.op+"-"+c.left, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(11, uint64(len(c.op))<<8+uint64(c.left[0])))
			g := tuples(c.op, c.left, 300, 200)
			values := 2
			if c.op == "mixed" {
				values = 5
			}
			sizes := [][2]int{{300, 200}, {1, 1}, {1 + rng.IntN(500), 1 + rng.IntN(60)}, {1 + rng.IntN(60), 1 + rng.IntN(500)}}
			schedule := factoredResults(t, rng, g, sizes, func(size [2]int) []int {
				return []int{map[string]int{"none": 2, "x": size[0], "y": size[1], "c": 3}[c.left], values}
			})
			if factored := strings.Contains(schedule, ".rfactor("); factored != c.tree {
				t.Errorf("%v: factored %v, want %v", g.Params, factored, c.tree)
			}
		})
	}
}

// TestTupleOrder: with reassociate=0 floats of a Tuple stay in order, and integers and extremes of floats are trees.
func TestTupleOrder(t *testing.T) {
	for op, want := range map[string]bool{"complex": false, "mixed": false, "moments": true, "ends": true} {
		args := scheduled(t, "tuples", cudaTarget, "op="+op, "autoscheduler.reassociate=0")
		ok(t, nil, compiled(t, "tuples"), args...)
		if got := strings.Contains(body(t, args[3], "tuples"), ".rfactor("); got != want {
			t.Errorf("%s: factored %v, want %v", op, got, want)
		}
	}
}

// TestTupleWork: no thread of a tree of several values does a hundredth of what the one thread does that goes through the image in order, and there are a
// hundred times as many.
func TestTupleWork(t *testing.T) {
	g := tuples("complex", "none", 640, 480)
	before, one := busiestThread(t, g, map[string]string{"reassociate": "0"}, []int{3, 2})
	after, threads := busiestThread(t, g, nil, []int{3, 2})
	t.Logf("instructions of the busiest thread: %.0f in order, %.0f as a tree, of %d threads", before, after, threads)
	if before < 100*after || threads < 100*one {
		t.Errorf("%.0f instructions in each of %d threads in order, %.0f in each of %d as a tree", before, one, after, threads)
	}
}

// TestTupleSource: a tree of several values as its author's own schedule, from -e schedule, makes the same launches and the same values.
func TestTupleSource(t *testing.T) {
	factoredSource(t, tuples("mixed", "c", 300, 200), []int{3, 5}, 2)
}

// TestTupleLoops: what gowarp takes for the loops of a factored Tuple are those that Halide has.
func TestTupleLoops(t *testing.T) {
	for _, op := range []string{"moments", "mixed"} {
		t.Run(op, func(t *testing.T) {
			factoredLoops(t, "tuples", []string{"op=" + op, "left=none", "width=1000", "height=700"})
		})
	}
}
