//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestUnsharp(t *testing.T) {
	suite.Run(t, unsharp())
}

func unsharp() suite.Program {
	return suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/unsharp/unsharp.cc", Name: "unsharp"},
		Reference: "benchmarks/programs/unsharp/reference.py",
		Scales:    images,
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			return harness.Args{"input": suite.Colours(suite.Photograph(t, tree, w, h))}, map[string][]int{"output": {w, h, 3}}
		},
		Sizes:     sizes,
		Expert:    suite.Expert{Counted: [2]int{768, 512}},
		Estimated: [2]int{1536, 2560},
		Tiny:      [2]int{33, 9},
		Tolerance: harness.Default,
	}
}
