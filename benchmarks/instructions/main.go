// Command instructions holds the estimates of what kernels issue (autoscheduler/instructions, autoscheduler/strategy) against what the simulator counts of them.
//
//	instructions                                reports on benchmarks/results/instructions/rtx2080ti.jsonl.gz
//	instructions -collect                       collects more first: ways to run the kernels of the programs, by default all of them
//	instructions -collect harris blur           of some programs
//	instructions -fit                           also fits the weights of the estimate (autoscheduler/instructions/weights.go) to the programs that are not held out
//	instructions -worst harris                  also lists a program's kernels by how far the estimate is off, class by class
//
// Collecting goes on where it was left. Estimates are made anew by each report: a line has how its kernel is laid out, and what was counted.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/harness"
)

func main() {
	gpu := flag.String("gpu", "rtx2080ti", "the device that schedules are for")
	data := flag.String("data", "", "the file of kernels and counts; by default benchmarks/results/instructions/GPU.jsonl.gz")
	more := flag.Bool("collect", false, "collect more first")
	candidates := flag.Int("candidates", 240, "how many of a program, with -collect")
	seconds := flag.Int("seconds", 300, "for how long of a program, with -collect")
	workers := flag.Int("workers", 1, "how many programs at a time, with -collect")
	keep := flag.String("keep", "", "a folder for the PTX and the launches of what is counted, with -collect")
	worst := flag.String("worst", "", "the program whose kernels are listed")
	fitted := flag.Bool("fit", false, "also fit the weights of the estimate")
	out := flag.String("o", "", "also write the report to this file")
	flag.Parse()
	if *data == "" {
		*data = filepath.Join("benchmarks", "results", "instructions", *gpu+".jsonl.gz")
	}
	if err := run(*gpu, *data, flag.Args(), *more, collecting{*gpu, *candidates, *seconds, *workers, *keep, os.Stderr}, *fitted, *worst, *out); err != nil {
		fmt.Fprintln(os.Stderr, "instructions:", err)
		os.Exit(1)
	}
}

func run(gpu, data string, programs []string, more bool, o collecting, fitted bool, worst, out string) error {
	tree, err := harness.Find()
	if err != nil {
		return err
	}
	if len(programs) == 0 {
		if programs, err = bench.Programs(tree); err != nil {
			return err
		}
	}
	if more {
		if err := collect(tree, programs, o); err != nil {
			return err
		}
		if err := gather(tree, gpu, programs, data); err != nil {
			return err
		}
	}
	return report(tree, gpu, data, programs, fitted, worst, out)
}
