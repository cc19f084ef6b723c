package main

import (
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/bench/report"
	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/textfile"
)

func benchReportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "make tables and plots of the lines",
		ArgsUsage: "[FILE.jsonl | DIR ...]",
		Description: `Reads the lines of the files and directories named, by default of
benchmarks/results, and writes bench.md and plots/*.svg and *.png. It runs nothing.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write to `DIR` (default: benchmarks/results, if no lines are named)"},
			&cli.BoolFlag{Name: "print", Usage: "print the tables and write nothing"},
		},
		Action: benchReport,
	}
}

// resultsOf are the paths that a command names, or the committed results.
func resultsOf(c *cli.Context) ([]string, error) {
	if c.Args().Present() {
		return c.Args().Slice(), nil
	}
	dir, err := committed()
	return []string{dir}, err
}

func committed() (string, error) {
	tree, err := harness.Find()
	if err != nil {
		return "", fmt.Errorf("%w; name a folder of lines", err)
	}
	return tree.Path("benchmarks", "results"), nil
}

// readRecords reads lines and says which are none. Without any it is an error.
func readRecords(c *cli.Context, paths ...string) ([]bench.Record, error) {
	records, complaints, err := bench.ReadAll(paths...)
	if err != nil {
		return nil, err
	}
	for _, text := range complaints {
		fmt.Fprintln(c.App.ErrWriter, text)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("there is no record in %v; gowarp bench makes them", paths)
	}
	return records, nil
}

func benchReport(c *cli.Context) error {
	paths, err := resultsOf(c)
	if err != nil {
		return fmt.Errorf("bench report: %w", err)
	}
	records, err := readRecords(c, paths...)
	if err != nil {
		return fmt.Errorf("bench report: %w", err)
	}
	if c.Bool("print") {
		return report.Markdown(c.App.Writer, records)
	}
	out := c.String("out")
	if out == "" && c.Args().Present() {
		return usagef("bench report: where to? Lines that are named do not go into benchmarks/results unasked: add --out DIR, or --print")
	}
	if out == "" {
		if out, err = committed(); err != nil {
			return fmt.Errorf("bench report: --out: %w", err)
		}
	}
	plots, err := report.Plots(filepath.Join(out, "plots"), records)
	if err != nil {
		return fmt.Errorf("bench %w", err)
	}
	text, err := report.Page(records, plots)
	if err != nil {
		return fmt.Errorf("bench report: %w", err)
	}
	if err := textfile.Replace(filepath.Join(out, "bench.md"), []byte(text)); err != nil {
		return fmt.Errorf("bench report: %w", err)
	}
	fmt.Fprintf(c.App.ErrWriter, "%d records, %d plots: %s\n", len(records), len(plots), filepath.Join(out, "bench.md"))
	return nil
}

func benchGuardCommand() *cli.Command {
	return &cli.Command{
		Name:      "guard",
		Usage:     "list what changed for the worse against committed lines",
		ArgsUsage: "FILE.jsonl | DIR ...",
		Description: `Compares the lines of the files and directories named with older ones, cell by
cell: outcomes, static figures and counts, which do not depend on the machine, and
the time to schedule where both are of machines that call themselves the same. The
exit code is 1 if something is worse; time alone is no failure.

  gowarp bench --results new && gowarp bench guard new
  gowarp bench --results new --against benchmarks/results    # the same, for our own schedules`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "against", Usage: "the older lines, a `FILE` or folder (default: benchmarks/results)"},
		},
		Action: benchGuard,
	}
}

func benchGuard(c *cli.Context) error {
	if !c.Args().Present() {
		return usagef("bench guard: which lines? as in gowarp bench guard build/bench")
	}
	against := c.String("against")
	if against == "" {
		var err error
		if against, err = committed(); err != nil {
			return fmt.Errorf("bench guard: --against: %w", err)
		}
	}
	old, err := readRecords(c, against)
	if err != nil {
		return fmt.Errorf("bench guard: %w", err)
	}
	now, err := readRecords(c, c.Args().Slice()...)
	if err != nil {
		return fmt.Errorf("bench guard: %w", err)
	}
	return guard(c, old, now)
}

// guard lists what changed between two sets of records; it is a failure if something is worse. Times are
// listed too, and are none.
func guard(c *cli.Context, old, now []bench.Record) error {
	changes, compared := bench.Compare(old, now)
	if compared == 0 {
		return fmt.Errorf("bench guard: no cell is in both: nothing was compared")
	}
	worse, slower := 0, 0
	for _, ch := range changes {
		fmt.Fprintln(c.App.Writer, ch)
		switch {
		case ch.Worse && ch.Time:
			slower++
		case ch.Worse:
			worse++
		}
	}
	fmt.Fprintf(c.App.Writer, "%d cells compared, %d figures changed, %d for the worse", compared, len(changes), worse)
	if slower > 0 {
		fmt.Fprintf(c.App.Writer, "; %d take longer to schedule", slower)
	}
	fmt.Fprintln(c.App.Writer)
	if worse > 0 {
		return cli.Exit("", exitFailure)
	}
	return nil
}
