//go:build halide

package bridge

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestChannels: where threads compute all channels of their points, since these share weights, an output of any other number of channels, and of any size, is what a CPU makes of it, without findings of the
// simulator; and at the number that is estimated it takes at most .8 of the instructions of a point a thread.
func TestChannels(t *testing.T) {
	const target = "host-cuda-cuda_capability_75"
	for _, kind := range suite.Sampled([]string{"weighted", "normalized", "bounded", "moved"}) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g := harness.Generator{Source: "bridge/testdata/channels.cc", Name: "channels", Params: map[string]string{"kind": kind}}
			_, cpu := built(t, g, "host", harness.Root())
			e, by := built(t, g, target, harness.Gowarp(nil))
			if kind != "moved" && !strings.Contains(text(t, e.File("schedule.h")), "c_p") {
				t.Errorf("threads have one channel each:\n%s", text(t, e.File("schedule.h")))
			}
			rng := rand.New(rand.NewPCG(17, uint64(len(kind))))
			inputs := func(size []int) (harness.Args, map[string][]int) {
				return harness.Args{"input": filled(harness.I32, func() float64 { return math.Floor(200 * rng.Float64()) }, size...)}, map[string][]int{"out": size}
			}
			sizes := [][]int{{256, 192, 3}, {1, 1, 3}, {7, 40, 3}, {131, 37, 3}}
			if kind != "bounded" {
				sizes = append(sizes, []int{1, 1, 1}, []int{131, 37, 2}, []int{64, 21, 4}, []int{30, 9, 5}, []int{130, 18, 1}, []int{9, 3, 7})
			}
			sameAtSizes(t, by, cpu, inputs, harness.Tolerance{}, sizes...)
			if kind == "moved" {
				return // no channel is another's neighbour in what it reads
			}
			one, _ := built(t, g, target, harness.Gowarp(map[string]string{"tiling": "block"}))
			in, out := inputs([]int{256, 192, 3})
			several := issued(t, e, in, out)
			if single := issued(t, one, in, out); float64(several) > .8*float64(single) {
				t.Errorf("%d warp instructions, and %d with a point a thread", several, single)
			}
			// As many points to a percent, and none a multiple: not a channel a block.
			in, out = inputs([]int{257, 191, 3})
			if odd := float64(issued(t, e, in, out)) / float64(several); odd > 1.25 {
				t.Errorf("%.2f times the instructions where no size is a multiple of the points of a thread", odd)
			} else {
				t.Logf("%.2f times the instructions where no size is a multiple of the points of a thread", odd)
			}
		})
	}
}

// TestFrames: colours of frames, which threads have side by side, lie along a loop over blocks that is one with that over frames. At any size, and of any number of colours and frames, the output is what a CPU makes of it, and sizes
// that are no multiples take as many instructions as those that are.
func TestFrames(t *testing.T) {
	for _, deep := range suite.Sampled([]bool{false, true}) {
		t.Run(strconv.FormatBool(deep), func(t *testing.T) {
			t.Parallel()
			g := harness.Generator{Source: "bridge/testdata/frames.cc", Name: "frames", Params: map[string]string{"deep": strconv.FormatBool(deep)}}
			_, cpu := built(t, g, "host", harness.Root())
			e, by := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
			if !strings.Contains(text(t, e.File("schedule.h")), ".fuse(") {
				t.Errorf("no loops over blocks are one:\n%s", text(t, e.File("schedule.h")))
			}
			rng := rand.New(rand.NewPCG(23, 5))
			inputs := func(size []int) (harness.Args, map[string][]int) {
				if !deep {
					size = size[:4]
				}
				return harness.Args{"input": filled(harness.I32, func() float64 { return math.Floor(200 * rng.Float64()) }, size...)}, map[string][]int{"out": size}
			}
			even, odd := []int{192, 128, 3, 4, 2}, []int{193, 127, 3, 4, 2}
			sameAtSizes(t, by, cpu, inputs, harness.Tolerance{}, even, odd, []int{1, 1, 1, 1, 1}, []int{7, 40, 3, 2, 3}, []int{131, 37, 5, 3, 1}, []int{33, 9, 7, 1, 2}, []int{64, 18, 6, 5, 1})
			counted := func(size []int) float64 {
				in, out := inputs(size)
				return float64(issued(t, e, in, out))
			}
			if times := counted(odd) / counted(even); times > 1.35 {
				t.Errorf("%.2f times the instructions where no size is a multiple of the points of a thread", times)
			} else {
				t.Logf("%.2f times the instructions where no size is a multiple of the points of a thread", times)
			}
		})
	}
}
