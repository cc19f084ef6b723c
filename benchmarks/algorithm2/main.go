// Command algorithm2 fits the weights of cost=algorithm2-fitted (autoscheduler/coster) again.
//
//	algorithm2                                  fits them to benchmarks/results/algorithm2.csv and says how good they are
//	algorithm2 -collect LINES                   makes that file of a benchmark's lines, and fits
//	algorithm2 -weights FILE -gpu h200          also writes the weights to a file, for the parameter weights=FILE
//
// LINES is what `gowarp bench` writes, for one GPU: its kernels of gowarp's are laid out again and stand beside what was counted of
// them. The programs' generators export the pipelines again, unless -pipelines DIR has NAME.json of each, as autoscheduler.dump=NAME.json writes it. A line may carry a measured
// time_us for a kernel, which then counts in place of the one that follows from its counts.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"gowarp/autoscheduler/coster"
)

func main() {
	data := flag.String("data", "benchmarks/results/algorithm2.csv", "the kernels, with their terms and times")
	lines := flag.String("collect", "", "make the data of these lines of gowarp bench")
	pipelines := flag.String("pipelines", "", "a folder with the programs' pipelines as NAME.json, for -collect; by default their generators export them")
	out := flag.String("weights", "", "write the weights to this file")
	gpu := flag.String("gpu", "rtx2080ti", "the device that the data is of, for -weights")
	flag.Parse()
	err := fmt.Errorf("%q is no option; -h lists them", flag.Arg(0))
	if flag.NArg() == 0 {
		err = run(os.Stdout, *data, *lines, *pipelines, *out, *gpu)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "algorithm2:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, data, lines, pipelines, out, gpu string) error {
	if lines != "" {
		kernels, dropped, err := collect(lines, pipelines)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%d kernels, %d others came out otherwise than they are laid out now\n", len(kernels), dropped)
		if err := write(data, kernels); err != nil {
			return err
		}
	}
	kernels, err := read(data)
	if err != nil {
		return err
	}
	weights, err := fit(kernels)
	if err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	fmt.Fprintf(w, "weights of %d kernels:\n", len(kernels))
	free := seen(kernels)
	for i, x := range weights {
		note := ""
		if !free[i] {
			note = "  (not fitted: the data says nothing of it)"
		}
		fmt.Fprintf(w, "  %-18s %.3g%s\n", coster.FittedTerms[i], x, note)
	}
	if out != "" {
		text, err := coster.EncodeWeights(gpu, weights)
		if err != nil {
			return err
		}
		if err := os.WriteFile(out, text, 0o666); err != nil {
			return fmt.Errorf("weights: %w", err)
		}
	}
	return report(w, kernels)
}
