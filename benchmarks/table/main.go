// Command table writes the table of what tests saw of every program (package rows) as
// Markdown. It fails where something of gowarp's is not right.
//
//	go run ./benchmarks/table rows.jsonl >table.md
//
// With -experts it writes the table of the programs' own schedules beside those of Halide's
// apps, whose counts are in halide_apps.csv.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"strings"

	"gowarp/benchmarks/harness/rows"
)

// apps are counted by the simulator's rules from the PTX that Halide 21.0.0 makes of its apps
// for sm_75, one run each; DRAM is what Nsight Compute measured of the apps on an RTX 2080 Ti
// at 1536x2560, in the data that Sioutas et al. 2020 published.
//
//go:embed halide_apps.csv
var apps string

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("table", flag.ContinueOnError)
	experts := flags.Bool("experts", false, "the programs' own schedules beside those of Halide's apps")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("one file of rows is wanted; `make table` and `make experts` write it")
	}
	name := flags.Arg(0)
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := rows.Read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(all) == 0 {
		return fmt.Errorf("%s holds no rows", name)
	}
	if *experts {
		return writeExperts(all)
	}
	bad, err := rows.Markdown(os.Stdout, all)
	if err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d cells are not ok", bad)
	}
	return nil
}

const expertsHead = `# Our schedules by hand beside those of Halide's apps

Written by "make experts" ("go run ./benchmarks/table -experts"); the apps' figures are in "benchmarks/table/halide_apps.csv".

Each cell is ours / the app's, for 32 elements of output (three channels are three elements), counted on the simulator for
sm_75: warp instructions of the PTX; requests to the load/store unit (global requests, wavefronts of shared memory, shuffles); sectors of 32 bytes
that are requested of global memory. Bytes of DRAM are ours by the distinct sectors of each launch with cold caches, at this size; the app's are what Nsight
Compute measured on an RTX 2080 Ti at 1536x2560 (data published with Sioutas et al. 2020; some apps have changed since). Registers are ptxas's under
the cap of 64, spills summed over all kernels. The programs are not the apps: each is written anew from the algorithm, and types of inputs differ (harris
reads 8-bit pixels here, 32-bit floats there).

`

func writeExperts(all []rows.Row) error {
	known, err := rows.Apps(strings.NewReader(apps))
	if err != nil {
		return err
	}
	fmt.Print(strings.ReplaceAll(expertsHead, `"`, "`"))
	bad, err := rows.Experts(os.Stdout, all, known)
	if err == nil && bad > 0 {
		err = fmt.Errorf("%d schedules by hand are wrong or no match for the app's", bad)
	}
	return err
}
