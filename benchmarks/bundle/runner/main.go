// Command run measures the bundle that it lies in (package run) and prints the table.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"gowarp/benchmarks/bundle/run"
)

// Exit codes.
const (
	exitFailure    = 1
	exitUnfinished = 4 // the budget, or a signal, ended it first
)

func main() {
	if err := app().Run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "run:", strings.TrimPrefix(err.Error(), "run: "))
		if errors.Is(err, run.ErrUnfinished) {
			os.Exit(exitUnfinished)
		}
		os.Exit(exitFailure)
	}
}

func app() *cli.App {
	d := run.Default()
	return &cli.App{
		Name:      "run",
		Usage:     "measure the schedules of this bundle on this machine's GPU",
		UsageText: "run [options]",
		Description: `Checks every output against the CPU's, times, writes a line of JSON a cell and
prints the table. Exit codes: 0 done, 1 it failed, 4 the budget or a signal ended it first.`,
		HideHelpCommand: true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Value: "results.jsonl", Usage: "the `FILE` of the lines"},
			&cli.BoolFlag{Name: "resume", Usage: "go on where FILE ends; without it FILE is begun anew"},
			&cli.DurationFlag{Name: "budget", Usage: "stop after this `TIME`, as 540s (default: none)"},
			&cli.StringSliceFlag{Name: "program", Usage: "this `PROGRAM` alone; more than one by more options"},
			&cli.GenericFlag{Name: "scheduler", Value: &list{}, Usage: "this `SCHEDULER` alone; more than one by more options"},
			&cli.StringSliceFlag{Name: "size", Usage: "this `SIZE` alone: estimate, large or small"},
			&cli.StringFlag{Name: "registers", Value: numbers(d.Caps), Usage: "the most registers a thread may use, `N,N`: 64 is the cap of Halide's runtime, 255 none"},
			&cli.IntFlag{Name: "rounds", Value: d.Rounds, Usage: "take turns `N` times"},
			&cli.Float64Flag{Name: "warm-ms", Value: d.WarmMS, Usage: "run so long before each time is taken"},
			&cli.Float64Flag{Name: "sample-ms", Value: d.SampleMS, Usage: "take samples of each time for so long in a round"},
			&cli.IntFlag{Name: "samples", Value: d.MaxSamples, Usage: "take at most `N` samples of each time in a round"},
			&cli.IntFlag{Name: "flush-mib", Usage: "copy `MIB` before each cold call (default: three times the L2)"},
			&cli.IntFlag{Name: "copy-mib", Value: d.CopyMiB, Usage: "copy `MIB` to measure the bandwidth"},
			&cli.DurationFlag{Name: "limit", Value: d.Limit, Usage: "how long a process may take to answer"},
			&cli.DurationFlag{Name: "reference-limit", Value: d.ReferenceLimit, Usage: "how long the CPU may take for a reference"},
			&cli.IntFlag{Name: "together", Value: d.Together, Usage: "start `N` processes at a time; they are timed one after another"},
			&cli.StringFlag{Name: "micro", Usage: "first measure the device's constants into this `FILE`: issue rates, latencies, bandwidths, launches"},
			&cli.Int64Flag{Name: "micro-bytes", Value: d.MicroBytes, Usage: "memory of the largest copies among them"},
			&cli.Float64Flag{Name: "micro-scale", Value: d.MicroScale, Usage: "less than 1 for a rehearsal, whose figures mean nothing"},
			&cli.StringFlag{Name: "counters", Usage: "have Nsight Compute (ncu) count each launch of one call into this `FILE`, and time nothing"},
			&cli.BoolFlag{Name: "table", Usage: "print the table of FILE and measure nothing"},
		},
		Action: action,
	}
}

func action(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("%q is no option", c.Args().First())
	}
	if c.Bool("table") {
		lines, _, err := run.ReadFile(c.String("out"))
		if err == nil && lines == nil {
			err = fmt.Errorf("%s holds no lines", c.String("out"))
		}
		if err != nil {
			return err
		}
		return run.Markdown(os.Stdout, lines)
	}
	o := run.Default()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	o.Dir, o.Out, o.Log = filepath.Dir(self), c.String("out"), os.Stderr
	o.Resume, o.Budget = c.Bool("resume"), c.Duration("budget")
	o.Programs, o.Schedulers, o.Sizes = c.StringSlice("program"), *c.Generic("scheduler").(*list), c.StringSlice("size")
	o.Rounds, o.WarmMS, o.SampleMS, o.MaxSamples = c.Int("rounds"), c.Float64("warm-ms"), c.Float64("sample-ms"), c.Int("samples")
	o.FlushMiB, o.CopyMiB, o.Limit, o.ReferenceLimit, o.Together = c.Int("flush-mib"), c.Int("copy-mib"), c.Duration("limit"), c.Duration("reference-limit"), c.Int("together")
	o.Micro, o.MicroBytes, o.MicroScale = c.String("micro"), c.Int64("micro-bytes"), c.Float64("micro-scale")
	o.Counters = c.String("counters")
	o.Caps = nil
	for w := range strings.SplitSeq(c.String("registers"), ",") {
		n, err := strconv.Atoi(w)
		if err != nil || n < 16 || n > 255 {
			return fmt.Errorf("--registers %s: numbers from 16 to 255 are wanted", c.String("registers"))
		}
		o.Caps = append(o.Caps, n)
	}
	if o.Rounds < 1 || o.MaxSamples < 1 || o.CopyMiB < 1 || o.FlushMiB < 0 || o.Limit <= 0 || o.ReferenceLimit <= 0 || o.MicroBytes < 1 || !(o.MicroScale > 0) {
		return errors.New("--rounds, --samples, --copy-mib, --micro-bytes, --micro-scale and the limits are positive")
	}
	ctx, stop := signal.NotifyContext(c.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	lines, err := run.Run(ctx, o)
	if len(lines) > 0 {
		if bad := run.Markdown(os.Stdout, lines); err == nil {
			err = bad
		}
	}
	return err
}

func numbers(list []int) string {
	var words []string
	for _, n := range list {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}

// list is an option that may be given again, its values as they are: schedulers hold commas.
type list []string

func (l *list) Set(v string) error { *l = append(*l, v); return nil }
func (l *list) String() string     { return strings.Join(*l, " ") }
