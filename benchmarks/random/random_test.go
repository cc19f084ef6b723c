//go:build halide

// Package random runs random Halide pipelines through gowarp, in the process that loaded the plugin, and
// compares them with every Func at root on the CPU.
package random

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

var (
	first = flag.Int("first", 1, "first seed of the random pipelines")
	count = flag.Int("count", 24, "number of random pipelines for each set of parameters")
)

// TestRandomPipelines runs a fixed sample; `go test -tags halide ./benchmarks/random -count=1
// -args -first 1000 -count 500` is a long run. A failure prints the seed and how to run it alone.
func TestRandomPipelines(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	program, err := tree.HalideProgram("benchmarks/random/cxx/random.cc")
	if err != nil {
		t.Fatal(err)
	}
	for i, words := range [][]string{
		{"host-opencl"},
		{"host-opencl", "fusion=overlap", "gpu=rtx2080ti"},
		{"host-opencl", "gpu=h200"},
		{"host-cuda-cuda_capability_75", "gpu=h200"}, // on the simulator
	} {
		t.Run(strings.Join(words, ","), func(t *testing.T) {
			from := *first + i**count
			args := slices.Concat([]string{fmt.Sprint(from), fmt.Sprint(from + *count), words[0], tree.Plugin()}, words[1:])
			tool := program
			simulated := strings.Contains(words[0], "cuda")
			if simulated {
				args = slices.Concat([]string{"verify", "--", program}, args)
				tool = tree.Build("gowarp")
			}
			out, err := tree.RunTool(tree.OpenCLEnv(), tool, args...)
			ran := 0
			for line := range strings.Lines(out) {
				line = strings.TrimSpace(line)
				switch {
				case strings.HasSuffix(line, " ok"):
					ran++
				case strings.HasSuffix(line, " skip"):
				case strings.Contains(line, "Warning: It is meaningless"): // Halide's, of bounds on a Func that is inlined
				case strings.HasPrefix(line, "seed "):
					seed := strings.Fields(line)[1]
					t.Errorf("%s\nalone: HL_DEBUG_AUTOSCHEDULE=1 %s %s $((%s+1)) %s %s %s", line, program, seed, seed, words[0], tree.Plugin(), strings.Join(words[1:], " "))
				case simulated: // the report
					if strings.Contains(line, "finding") && line != "no findings" {
						t.Error(line)
					}
				default:
					t.Errorf("the program is not quiet: %s", line)
				}
			}
			if err != nil && !t.Failed() {
				t.Error(err)
			}
			if ran*2 < *count {
				t.Errorf("only %d of %d pipelines ran", ran, *count)
			}
			t.Logf("%d pipelines are right", ran)
		})
	}
}
