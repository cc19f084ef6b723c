// Command polymage holds gowarp's mode=polymage against the paper that it is of, Jangda and Guha 2020: their tables 2, 4 and 5 and figure 9 with the
// paper's figures beside what the simulator counts, and how well Algorithm 2 ranks schedules that were drawn at random.
//
//	polymage -lines LINES.jsonl -candidates FILE       the report, in Markdown
//
// LINES are gowarp bench's, of one GPU. FILE is either what gowarp bench calibration writes, or the few figures of it that the report needs, as -csv
// writes them. `make polymage` does all of it. Nothing is timed: what the paper gives in milliseconds stands beside counts.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"gowarp/benchmarks/bench"
)

func main() {
	lines := flag.String("lines", "benchmarks/results/polymage/gtx1080ti.jsonl", "the lines of gowarp bench")
	candidates := flag.String("candidates", "benchmarks/results/polymage/candidates.csv", "the drawn schedules: .jsonl of gowarp bench calibration, or .csv")
	table := flag.String("csv", "", "write the candidates' figures to this file")
	flag.Parse()
	if err := run(os.Stdout, *lines, *candidates, *table); err != nil {
		fmt.Fprintln(os.Stderr, "polymage:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, lines, candidates, table string) error {
	records, complaints, err := bench.ReadFile(lines)
	if err != nil {
		return err
	}
	if len(complaints) > 0 || len(records) == 0 {
		return fmt.Errorf("%s: %d lines, %d of them cannot be read; gowarp bench writes them", lines, len(records)+len(complaints), len(complaints))
	}
	drawn, err := readCandidates(candidates)
	if err != nil {
		return err
	}
	if table != "" {
		if err := writeCandidates(table, drawn); err != nil {
			return err
		}
	}
	c, err := newComparison(records)
	if err != nil {
		return fmt.Errorf("%s: %w", lines, err)
	}
	fmt.Fprintf(w, "# mode=polymage beside the paper\n\nMade by `make polymage`: tables 2, 4 and 5 and figure 9 of Jangda and Guha 2020, for a %s. **The paper's figures are times on the GPU; ours are counted on the simulator**, and no time.\n", c.gpu)
	c.fusion(w)
	c.work(w)
	c.hybrid(w)
	c.relative(w)
	rankings(w, drawn)
	return nil
}
