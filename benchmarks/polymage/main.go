// Command polymage holds gowarp's mode=polymage against the paper that it is of, Jangda and Guha 2020: their tables 2, 4 and 5 and figure 9 with the
// paper's figures beside what the simulator counts, and how well Algorithm 2 ranks schedules that were drawn at random.
//
//	polymage                                   the report of benchmarks/results/polymage, in Markdown
//	polymage -candidates LINES.jsonl           takes the drawn schedules from lines of gowarp bench calibration, and keeps there what the report needs
//
// `make polymage` does all of it. Nothing is timed: what the paper gives in milliseconds stands beside counts.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/calibration"
)

func main() {
	dir := flag.String("results", "benchmarks/results/polymage", "the folder with the lines of gowarp bench (gtx1080ti.jsonl, v100.jsonl) and the drawn schedules (candidates.csv, kernels.csv)")
	drawn := flag.String("candidates", "", "write the last two anew, from these lines of gowarp bench calibration")
	flag.Parse()
	if err := run(os.Stdout, *dir, *drawn); err != nil {
		fmt.Fprintln(os.Stderr, "polymage:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, dir, from string) error {
	schedules, parts := filepath.Join(dir, "candidates.csv"), filepath.Join(dir, "kernels.csv")
	if from != "" {
		all, err := calibration.ReadFile(from)
		if err != nil {
			return err
		}
		if err := errors.Join(writeCandidates(schedules, candidatesOf(all)), writeKernels(parts, kernelsOf(all))); err != nil {
			return err
		}
	}
	drawn, err := readCandidates(schedules)
	if err != nil {
		return err
	}
	kernels, err := readKernels(parts)
	if err != nil {
		return err
	}
	fmt.Fprint(w, "# mode=polymage beside the paper\n\nMade by `make polymage`: tables 2, 4 and 5 and figure 9 of Jangda and Guha 2020. **The paper's figures are times on the GPU; ours are counted on the simulator**, and no time.\n")
	for _, of := range gpus {
		lines := filepath.Join(dir, of.gpu+".jsonl")
		records, complaints, err := bench.ReadFile(lines)
		if err != nil {
			return err
		}
		if len(complaints) > 0 || len(records) == 0 {
			return fmt.Errorf("%s: %d lines, %d of them cannot be read; gowarp bench writes them", lines, len(records)+len(complaints), len(complaints))
		}
		c, err := newComparison(of, records)
		if err != nil {
			return fmt.Errorf("%s: %w", lines, err)
		}
		fmt.Fprintf(w, "\n## On a %s\n", of.title)
		c.fusion(w)
		c.work(w)
		c.hybrid(w)
		c.relative(w)
	}
	rankings(w, drawn)
	tiles(w, kernels)
	return nil
}
