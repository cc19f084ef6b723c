package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/bundle"
	"gowarp/benchmarks/calibration"
	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/textfile"
)

// mostDraws is the most schedules a program that are drawn.
const mostDraws = 1000

func benchCalibrationCommand() *cli.Command {
	drawn := []cli.Flag{
		&cli.StringFlag{Name: "gpu", Value: "h200", Usage: "the GPU to schedule for, a `NAME` of gowarp devices or sm_86"},
		&cli.IntFlag{Name: "draws", Value: 64, Usage: "draw `N` different schedules a program"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "draw by this `NUMBER`"},
	}
	made := append([]cli.Flag{}, drawn...)
	archive := append([]cli.Flag{}, drawn...)
	for _, f := range benchFlags() {
		switch f.Names()[0] {
		case "size", "tolerance", "cpu-limit", "memory-limit", "jobs":
			made, archive = append(made, f), append(archive, f)
		case "cell-limit", "again":
			made = append(made, f)
		}
	}
	made = append(made,
		&cli.BoolFlag{Name: "quick", Usage: "count and compare results, and leave out the launches at the estimated size and the simulator's checks: for hundreds of schedules"},
		&cli.BoolFlag{Name: "uncounted", Usage: "draw and predict, run nothing: for the times of a bundle of the same draws"},
		&cli.StringFlag{Name: "counted-size", Value: "384x256", Usage: "the size at which kernels are run and counted, `WIDTHxHEIGHT`"},
		&cli.StringFlag{Name: "out", Usage: "the `FILE.jsonl` of the lines, compressed if its name ends in .gz (default: benchmarks/results/calibration/GPU.jsonl.gz)"})
	archive = append(archive,
		&cli.StringFlag{Name: "out", Usage: "the `DIR` that is made anew (default: build/calibration-bundle)"},
		&cli.IntFlag{Name: "scale", Value: 1, Usage: "the large size is `N` times the estimated one, 1 for none, 0 until a pipeline moves four times the L2"},
		&cli.Float64Flag{Name: "max-mib", Value: bundle.MaxBytes >> 20, Usage: "fail if the bundle holds more `MIB`"})
	programs := "[PROGRAM | SOURCE.cc[:GENERATOR]][,KEY=VALUE...] ..."
	c := &cli.Command{
		Name:      "calibration",
		Usage:     "draw schedules at random; record what costers predict and what they do",
		ArgsUsage: programs,
		Description: `Draws schedules of each program over all that gowarp can make, the same for the same
seed, and records each as a line of JSON: the schedule, what the costers see of it and
predict, and what the simulator counts. benchmarks/README.md says more.

  gowarp bench calibration --draws 8 harris      # count 8 schedules, and each coster's own
  gowarp bench calibration report                # how predictions and counts rank alike
  gowarp bench calibration bundle --draws 16     # the same schedules, to be timed on a GPU
  gowarp bench calibration report --times h200.jsonl`,
		Flags:  made,
		Action: benchCalibration,
		Subcommands: []*cli.Command{
			{
				Name: "report", Usage: "say how each coster's predictions rank schedules, beside counts and times", ArgsUsage: "[FILE.jsonl]",
				Description: `Reads one file of lines, by default benchmarks/results/calibration/h200.jsonl.gz.`,
				Flags: []cli.Flag{
					&cli.StringSliceFlag{Name: "times", Usage: "lines of a calibration bundle's run, a `FILE`; more than one by more options"},
					&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write to `FILE.md` (default: print)"},
				},
				Action: benchCalibrationReport,
			},
			{
				Name: "bundle", Usage: "compile the drawn schedules into a directory that times them on a machine with a GPU", ArgsUsage: programs,
				Flags: archive, Action: benchCalibrationBundle,
			},
		},
	}
	for _, s := range c.Subcommands {
		s.HideHelpCommand, s.OnUsageError = true, onUsage
	}
	return c
}

// calibrationDraws reads what is drawn.
func calibrationDraws(c *cli.Context) (bench.Target, error) {
	target, err := bench.ParseTarget(c.String("gpu"))
	switch {
	case err != nil:
		return target, usagef("bench calibration: --gpu: %w", err)
	case c.Int("draws") < 1 || c.Int("draws") > mostDraws:
		return target, usagef("bench calibration: --draws %d: from 1 to %d", c.Int("draws"), mostDraws)
	case c.Int("cpu-limit") < 1 || c.Int("jobs") < 1:
		return target, usagef("bench calibration: --cpu-limit and --jobs are positive")
	case !(c.Float64("memory-limit") >= 1):
		return target, usagef("bench calibration: --memory-limit %v: a generator takes 1 GiB of address space at least", c.Float64("memory-limit"))
	case !(c.Float64("tolerance") >= 0):
		return target, usagef("bench calibration: --tolerance %v is negative", c.Float64("tolerance"))
	}
	return target, nil
}

func calibrationFile(tree *harness.Tree, gpu string) string {
	return tree.Path("benchmarks", "results", "calibration", gpu+".jsonl.gz")
}

func benchCalibration(c *cli.Context) error {
	target, err := calibrationDraws(c)
	if err != nil {
		return err
	}
	counted, err := parseSize(c.String("counted-size"))
	if err != nil {
		return usagef("bench calibration: --counted-size %w", err)
	}
	if c.Int("cell-limit") < 1 {
		return usagef("bench calibration: --cell-limit is positive")
	}
	tree, err := harness.Find()
	if err != nil {
		return fmt.Errorf("bench calibration: %w", err)
	}
	o := calibration.Options{
		Target: target, Seed: c.Uint64("seed"), Draws: c.Int("draws"), Counted: counted, Workers: c.Int("jobs"), Again: c.Bool("again"), Quick: c.Bool("quick"), Uncounted: c.Bool("uncounted"), Out: c.String("out"),
		Limits:    bench.Limits{CPUSeconds: c.Int("cpu-limit"), CellSeconds: c.Int("cell-limit"), MemoryBytes: int64(c.Float64("memory-limit") * (1 << 30))},
		Tolerance: harness.Tolerance{Rel: c.Float64("tolerance"), Abs: c.Float64("tolerance")},
		Command:   cellProcess, Log: c.App.ErrWriter,
	}
	if o.Out == "" {
		o.Out = calibrationFile(tree, target.Device.Name)
	}
	if o.Programs, err = benchPrograms(c, "bench", tree); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	sum, err := calibration.Make(ctx, tree, o)
	if ctx.Err() != nil {
		return cli.Exit("bench calibration: interrupted; what was counted is kept, run it again to go on", exitInterrupted)
	}
	if err != nil {
		return fmt.Errorf("bench calibration: %w", err)
	}
	fmt.Fprintf(c.App.ErrWriter, "%d lines, %d of them not ok, in %s\n", sum.Lines, sum.Bad, o.Out)
	if len(sum.Broken) > 0 {
		return fmt.Errorf("bench calibration: it failed itself in %d cells:\n  %s", len(sum.Broken), strings.Join(sum.Broken, "\n  "))
	}
	if len(sum.Failing) > 0 {
		return fmt.Errorf("bench calibration: of %d programs nothing is drawn:\n  %s", len(sum.Failing), strings.Join(sum.Failing, "\n  "))
	}
	return nil
}

func benchCalibrationReport(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("bench calibration report: one FILE.jsonl, %d given", c.NArg())
	}
	file := c.Args().First()
	if file == "" {
		tree, err := harness.Find()
		if err != nil {
			return fmt.Errorf("bench calibration report: %w; name a file of lines", err)
		}
		file = calibrationFile(tree, "h200")
	}
	lines, err := calibration.ReadFile(file)
	if err != nil {
		return fmt.Errorf("bench %w", err)
	}
	if len(lines) == 0 {
		return fmt.Errorf("bench calibration report: there is no line in %s; gowarp bench calibration makes them", file)
	}
	times, complaints, err := calibration.ReadTimes(c.StringSlice("times"))
	if err != nil {
		return fmt.Errorf("bench %w", err)
	}
	for _, text := range complaints {
		fmt.Fprintln(c.App.ErrWriter, text)
	}
	text, err := calibration.Report(lines, times)
	if err != nil {
		return fmt.Errorf("bench %w", err)
	}
	if out := c.String("out"); out != "" {
		if err := textfile.Replace(out, []byte(text)); err != nil {
			return fmt.Errorf("bench calibration report: %w", err)
		}
		return nil
	}
	_, err = fmt.Fprint(c.App.Writer, text)
	return err
}

func benchCalibrationBundle(c *cli.Context) error {
	target, err := calibrationDraws(c)
	if err != nil {
		return err
	}
	o := bundleOptions(c, target)
	if o.Scale < 0 {
		return usagef("bench calibration bundle: --scale is not negative")
	}
	if err := overBundle(o.Dir); err != nil {
		return err
	}
	tree, err := harness.Find()
	if err != nil {
		return fmt.Errorf("bench calibration bundle: %w", err)
	}
	if o.Programs, err = benchPrograms(c, "bench", tree); err != nil {
		return err
	}
	o.Draw = func(p bench.Program) ([]bench.Scheduler, error) {
		_, with, err := calibration.Draw(tree, p, target, c.Uint64("seed"), c.Int("draws"), o.Limits)
		// Times are held against the schedule by hand.
		return append([]bench.Scheduler{{Name: "expert"}}, with...), err
	}
	return buildBundle(c, tree, o, "calibration-bundle")
}
