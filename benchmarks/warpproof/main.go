// Warpproof reads the lines of every form of a warp's tile, run for several GPUs at several sizes, and prints what came of them as
// one table: a program and a scheduler a row, a GPU and a size a column. It fails if any result was wrong or anything was found.
//
//	go run ./benchmarks/warpproof build/warp-proof
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gowarp/benchmarks/bench"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: warpproof DIR, of a folder of lines for each size")
		os.Exit(2)
	}
	bad, err := report(os.Stdout, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "warpproof:", err)
		os.Exit(1)
	}
	if bad > 0 {
		fmt.Fprintf(os.Stderr, "warpproof: %d cells are not right\n", bad)
		os.Exit(1)
	}
}

// report writes the table of the lines in the folders of a folder, one a size, and returns how many cells are not right. One that is not offered,
// because no kernel of the program can be done so, is none of them.
func report(w io.Writer, dir string) (bad int, err error) {
	sizes, err := filepath.Glob(filepath.Join(dir, "*x*"))
	if err != nil {
		return 0, err
	}
	cells := map[[2]string]map[string]bench.Record{}
	var columns []string
	outcomes := map[string]int{}
	for _, size := range sizes {
		if info, err := os.Stat(size); err != nil || !info.IsDir() {
			continue
		}
		records, complaints, err := bench.ReadAll(size)
		if err != nil {
			return 0, err
		}
		if len(complaints) > 0 {
			return 0, fmt.Errorf("%s", strings.Join(complaints, "; "))
		}
		for _, r := range records {
			column := r.GPU + " " + filepath.Base(size)
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
			row := [2]string{r.Program, r.Scheduler}
			if cells[row] == nil {
				cells[row] = map[string]bench.Record{}
			}
			cells[row][column] = r
			outcomes[r.Outcome]++
			if r.Outcome != bench.OK && r.Outcome != bench.FailsToSchedule {
				bad++
			}
		}
	}
	if len(columns) == 0 {
		return 0, fmt.Errorf("%s: no folder of lines named as a size, as 131x77", dir)
	}
	rows := slices.SortedFunc(maps.Keys(cells), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	slices.Sort(columns)
	fmt.Fprintf(w, "| program | scheduler | %s |\n|---|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, row := range rows {
		fmt.Fprintf(w, "| %s | %s |", strings.ReplaceAll(row[0], "_", `\_`), row[1])
		for _, c := range columns {
			switch r, ok := cells[row][c]; {
			case !ok:
				fmt.Fprint(w, " |")
			case r.Outcome == bench.FailsToSchedule:
				fmt.Fprint(w, " not offered |")
			default:
				fmt.Fprintf(w, " %s |", r.Outcome)
			}
		}
		fmt.Fprintln(w)
	}
	var words []string
	n := 0
	for _, o := range slices.Sorted(maps.Keys(outcomes)) {
		words = append(words, fmt.Sprintf("%d %s", outcomes[o], o))
		n += outcomes[o]
	}
	fmt.Fprintf(w, "\n%d cells: %s.\n", n, strings.Join(words, ", "))
	return bad, nil
}
