//go:build halide

package bridge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gowarp/halideir"
)

// box evaluates an edge's box. loops are [lo, hi] of the consumer's loops;
// inputs' bounds and scalars are looked up by the variable's name.
func (f found) box(consumer string, stage int, producer func(halideir.Edge) bool, loops [][2]int64, values map[string]int64) [][2]int64 {
	f.Helper()
	var eval func(halideir.NodeID) int64
	eval = func(id halideir.NodeID) int64 {
		n := &f.p.Nodes[id]
		arg := func(i int) int64 { return eval(n.Args[i]) }
		switch n.Op {
		case halideir.OpInt:
			return n.Int
		case halideir.OpAdd:
			return arg(0) + arg(1)
		case halideir.OpSub:
			return arg(0) - arg(1)
		case halideir.OpMul:
			return arg(0) * arg(1)
		case halideir.OpMin:
			return min(arg(0), arg(1))
		case halideir.OpMax:
			return max(arg(0), arg(1))
		case halideir.OpVar:
			switch n.Kind {
			case halideir.VarLo:
				return loops[n.Index][0]
			case halideir.VarHi:
				return loops[n.Index][1]
			}
			if v, ok := values[n.Name]; ok {
				return v
			}
		}
		f.Fatalf("the test cannot evaluate %v %s", n.Op, n.Name)
		return 0
	}
	for _, e := range f.p.Edges {
		if e.Consumer == f.fn(consumer).ID && e.Stage == stage && producer(e) {
			box := make([][2]int64, len(e.Box))
			for i, r := range e.Box {
				if r.Lo == halideir.NoNode || r.Hi == halideir.NoNode {
					f.Fatalf("%s needs an unbounded box", consumer)
				}
				box[i] = [2]int64{eval(r.Lo), eval(r.Hi)}
			}
			return box
		}
	}
	f.Fatalf("there is no such edge from %s", consumer)
	return nil
}

func TestBoxes(t *testing.T) {
	f := features(t)
	fn := func(name string) func(halideir.Edge) bool {
		return func(e halideir.Edge) bool { return e.Func == f.fn(name).ID }
	}
	image := func(name string) func(halideir.Edge) bool {
		return func(e halideir.Edge) bool { return e.Input == f.input(name).ID }
	}
	x, y := [2]int64{10, 17}, [2]int64{20, 23}
	q := [2]int64{0, 63}
	for _, c := range []struct {
		consumer string
		stage    int
		producer func(halideir.Edge) bool
		loops    [][2]int64
		want     [][2]int64
	}{
		// A 5x5 window.
		{"sum__clone_in_base", 1, fn("repeat_edge"), [][2]int64{{-2, 2}, {-2, 2}, x, y}, [][2]int64{{8, 19}, {18, 25}}},
		// A tile that hangs over the image's edges is clamped to it.
		{"repeat_edge", 0, fn("lambda_0"), [][2]int64{{-5, 100}, {40, 50}}, [][2]int64{{0, 63}, {40, 47}}},
		// Both sides of a pixel.
		{"left", 0, fn("base_in_left"), [][2]int64{x, y}, [][2]int64{{9, 18}, {20, 23}}},
		// A scan reads what the step before wrote; what its own place begins from it computes itself.
		{"scan", 1, fn("scan"), [][2]int64{{1, 63}, y}, [][2]int64{{0, 62}, {20, 23}}},
		{"best", 1, fn("planes_im"), [][2]int64{q, {0, 2}, y}, [][2]int64{{0, 63}, {20, 23}, {0, 2}}},
		// Where data decide, the clamp does.
		{"histogram", 1, fn("histogram"), [][2]int64{q, {0, 47}}, [][2]int64{{0, 255}}},
		{"histogram", 1, fn("image_im"), [][2]int64{q, {0, 47}}, [][2]int64{{0, 63}, {0, 47}}},
		// clamp(x, -1, 2) of an embedded table; 2 + y%3 takes all three rows.
		{"ops", 0, image("table"), [][2]int64{{-9, 1}, {0, 11}}, [][2]int64{{-1, 1}, {2, 4}}},
	} {
		values := map[string]int64{"image.min.0": 0, "image.extent.0": 64, "image.min.1": 0, "image.extent.1": 48}
		if diff := cmp.Diff(c.want, f.box(c.consumer, c.stage, c.producer, c.loops, values)); diff != "" {
			t.Errorf("%s, stage %d: %s", c.consumer, c.stage, diff)
		}
	}
}
