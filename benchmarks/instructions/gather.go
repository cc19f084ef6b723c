package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/instructions/candidate"
	"gowarp/benchmarks/textfile"
)

// gather puts what was collected of programs in the place of their lines in the file of all.
func gather(tree *harness.Tree, gpu string, programs []string, data string) error {
	all, err := candidate.Read(data)
	if err != nil {
		return err
	}
	for _, program := range programs {
		lines, err := candidate.Read(candidatesOf(tree, gpu, program))
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			continue // collected elsewhere
		}
		all = slices.DeleteFunc(all, func(c candidate.Candidate) bool { return c.Program == program })
		all = append(all, lines...)
	}
	slices.SortStableFunc(all, func(a, b candidate.Candidate) int { return cmp.Compare(a.Program, b.Program) })
	if err := os.MkdirAll(filepath.Dir(data), 0o777); err != nil {
		return err
	}
	return textfile.ReplaceLines(data, all)
}
