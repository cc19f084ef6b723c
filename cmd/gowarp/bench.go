package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/bench/report"
	"gowarp/benchmarks/harness"
	"gowarp/internal/suggest"
)

// exitInterrupted is what a shell gives for a program that SIGINT ended.
const exitInterrupted = 128 + int(syscall.SIGINT)

func benchCommand() *cli.Command {
	c := &cli.Command{
		Name:      "bench",
		Usage:     "build programs x schedulers x GPUs and record what comes of each",
		ArgsUsage: "[PROGRAM | SOURCE.cc[:GENERATOR]][,KEY=VALUE...] ...",
		Description: `Runs in a checkout of gowarp, after make build. Each program (by default all of
benchmarks/programs) is scheduled by each scheduler for each GPU, compiled by
ptxas and run on the simulator, in a process of its own with limits of time and
memory. A line of JSON for each goes to DIR/GPU.jsonl. A run that was interrupted
goes on where it stopped; what has not changed is not run again. In the end the
table is printed. benchmarks/README.md explains every column.

  gowarp bench --up-to static                    # all programs and schedulers
  gowarp bench --scheduler root --gpu h200 harris my/blur.cc,width=4096
  gowarp bench report                            # tables and plots of all lines
  gowarp bench guard                             # what changed for the worse
  gowarp bench bundle                            # all of it, to be measured on a GPU
  gowarp bench calibration                       # schedules at random: predictions and counts
  gowarp bench warp                              # every form of a warp's tile beside the paper's
  gowarp bench list                              # programs and schedulers

A scheduler is NAME or NAME:KEY=VALUE,...; of all lines that the command line
asks for, those that fail are lines too. The exit code is 0 unless the benchmark
itself fails, or a program does, whoever schedules it.`,
		OnUsageError: onUsage,
		Flags:        benchFlags(),
		Action:       benchRun,
		Subcommands: []*cli.Command{
			benchReportCommand(),
			benchGuardCommand(),
			benchBundleCommand(),
			benchCalibrationCommand(),
			benchWarpCommand(),
			{Name: "list", Usage: "list the programs, schedulers and stages", Action: benchList},
			{Name: "cell", Hidden: true, Usage: "run one cell, as standard input says", Action: func(c *cli.Context) error { return bench.Cell(os.Stdin, os.Stdout) }},
		},
	}
	for _, s := range c.Subcommands {
		s.HideHelpCommand, s.OnUsageError = true, onUsage
	}
	return c
}

func benchFlags() []cli.Flag {
	return []cli.Flag{
		// Not a slice flag, whose values cli cuts at commas; and without a short form, which
		// cli would give the printed value.
		&cli.GenericFlag{Name: "scheduler", Value: &list{}, Usage: "a `SCHEDULER`, as gowarp bench list names them; more than one by more options (default: all)"},
		&cli.StringSliceFlag{Name: "gpu", Usage: "the GPU to schedule for, a `NAME` of gowarp devices or sm_75; more than one by more options (default: sm_75)"},
		&cli.StringFlag{Name: "up-to", Value: bench.UpToSimulate, Usage: "how far a cell goes: `STAGE` is one of " + strings.Join(bench.Stages, ", ")},
		&cli.StringFlag{Name: "size", Usage: "the estimated size, `WIDTHxHEIGHT`, for programs with GeneratorParams width and height, or size (default: the program's)"},
		&cli.StringFlag{Name: "counted-size", Usage: "the size at which kernels are run and counted, `WIDTHxHEIGHT` (default: that at which the program's expert was counted, else 768x512)"},
		&cli.Float64Flag{Name: "tolerance", Value: harness.Default.Rel, Usage: "how far a float may be off the CPU's, relative or absolute, `E`"},
		&cli.Int64Flag{Name: "off-by", Usage: "how far an integer may be off the CPU's, `N`: 1 where floats are rounded to integers; as it is they have to be equal"},
		&cli.StringFlag{Name: "results", Usage: "the `DIR` of the lines (default: benchmarks/results)"},
		&cli.IntFlag{Name: "cpu-limit", Value: 60, Usage: "processor time a generator may take, in `SECONDS`"},
		&cli.IntFlag{Name: "cell-limit", Value: 300, Usage: "time a cell may take, in `SECONDS`"},
		&cli.Float64Flag{Name: "memory-limit", Value: 8, Usage: "memory that each process of a cell may take, in `GIB`"},
		&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Value: runtime.NumCPU(), Usage: "run `N` cells at a time; times are of a machine that does so"},
		&cli.StringFlag{Name: "against", Usage: "in place of the table list what changed from the lines of a `FILE` or folder, as gowarp bench guard does; without --scheduler and programs run gowarp on those that these lines have"},
		&cli.BoolFlag{Name: "again", Usage: "run every cell, changed or not"},
	}
}

// list is an option that may be given again, its values as they are.
type list []string

func (l *list) Set(v string) error { *l = append(*l, v); return nil }
func (l *list) String() string     { return strings.Join(*l, " ") }

func benchRun(c *cli.Context) error {
	plan, tree, err := benchHere(c, bench.Schedulers(), "benchmarks", "results")
	if err != nil {
		return err
	}
	if plan.Programs, err = benchPrograms(c, "bench", tree); err != nil {
		return err
	}
	var old []bench.Record
	if against := c.String("against"); against != "" {
		if old, err = readRecords(c, against); err != nil {
			return fmt.Errorf("bench: --against: %w", err)
		}
		if len(*c.Generic("scheduler").(*list)) == 0 {
			if plan.Schedulers, err = bench.Own(old, plan.Targets[0].Device.Name); err != nil {
				return fmt.Errorf("bench: --against: %w", err)
			}
			if len(plan.Schedulers) == 0 {
				return fmt.Errorf("bench: --against %s: no line there is of gowarp for %s", against, plan.Targets[0].Device.Name)
			}
		}
		if err := withLines(c, plan, old); err != nil {
			return fmt.Errorf("bench: --against %s: %w", against, err)
		}
	}
	sum, err := benchExecute(c, tree, plan)
	if sum == nil {
		return err
	}
	if old == nil {
		if err := report.Markdown(c.App.Writer, sum.Records); err != nil {
			return fmt.Errorf("bench: the tables: %w", err)
		}
	}
	if err != nil {
		return err
	}
	if old != nil {
		return guard(c, old, sum.Records)
	}
	return nil
}

// withLines leaves those programs to a plan that older lines know, and says of others that were asked for that they do not.
func withLines(c *cli.Context, plan *bench.Plan, old []bench.Record) error {
	known := func(p bench.Program) bool {
		return slices.ContainsFunc(old, func(r bench.Record) bool {
			return r.Program == p.Label() && r.UpTo == plan.UpTo && slices.ContainsFunc(plan.Targets, func(t bench.Target) bool { return t.Device.Name == r.GPU }) &&
				slices.ContainsFunc(plan.Schedulers, func(s bench.Scheduler) bool { return s.Label() == r.Scheduler })
		})
	}
	var unknown []string
	plan.Programs = slices.DeleteFunc(plan.Programs, func(p bench.Program) bool {
		if known(p) {
			return false
		}
		unknown = append(unknown, p.Label())
		return true
	})
	what := fmt.Sprintf("no line there is of %s, up to %s, by these schedulers for %s", strings.Join(unknown, ", "), plan.UpTo, plan.Targets[0].Device.Name)
	if len(plan.Programs) == 0 {
		return errors.New(what)
	}
	if c.Args().Present() && unknown != nil {
		fmt.Fprintf(c.App.ErrWriter, "%s: not run, for there is nothing to compare with\n", what)
	}
	return nil
}

// benchHere is the plan that the options ask for, in this checkout, where lines go into a folder of it if the options name none.
func benchHere(c *cli.Context, schedulers []bench.Scheduler, results ...string) (*bench.Plan, *harness.Tree, error) {
	plan, err := benchPlan(c, schedulers)
	if err != nil {
		return nil, nil, err
	}
	tree, err := harness.Find()
	if err != nil {
		return nil, nil, fmt.Errorf("bench: %w", err)
	}
	if plan.Results == "" {
		plan.Results = tree.Path(results...)
	}
	return plan, tree, nil
}

// benchExecute runs a plan and says what came of it. A summary with an error is one of cells in which the benchmark failed.
func benchExecute(c *cli.Context, tree *harness.Tree, plan *bench.Plan) (*bench.Summary, error) {
	for _, file := range []string{tree.Plugin(), tree.Build("gpusim", "libcuda.so"), tree.Build("gpusim", "gowarp-gpusim")} {
		if !exists(file) {
			return nil, fmt.Errorf("bench: %s is not there; run `make build`", file)
		}
	}
	ctx, stop := signal.NotifyContext(c.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	start := time.Now()
	sum, err := bench.Run(ctx, tree, *plan)
	if ctx.Err() != nil {
		if sum == nil {
			sum = &bench.Summary{}
		}
		return nil, cli.Exit(fmt.Sprintf("bench: interrupted; %d cells of %d are recorded, run it again to go on", sum.Kept+sum.Run, sum.Cells), exitInterrupted)
	}
	if err != nil {
		return nil, benchError("bench:", err)
	}
	if sum.Cells == 0 {
		return nil, errors.New("bench: there is nothing to run: no such program has a GeneratorParam schedule, which --scheduler expert sets to expert; --scheduler own takes what a generator does without an autoscheduler")
	}
	fmt.Fprintf(c.App.ErrWriter, "%d cells run, %d had their lines already, in %s; the lines are in %s\n", sum.Run, sum.Kept, time.Since(start).Round(time.Second), plan.Results)
	if len(sum.Broken) > 0 {
		err = fmt.Errorf("bench: it failed itself in %d cells, of which nothing is known:\n  %s", len(sum.Broken), strings.Join(sum.Broken, "\n  "))
	}
	if len(sum.Failing) > 0 {
		err = errors.Join(err, fmt.Errorf("bench: %s", failing(sum.Failing)))
	}
	return sum, err
}

// benchError is an error of a run, behind a prefix: of its usage, if the command line is what is wrong.
func benchError(prefix string, err error) error {
	var wrong *bench.WrongParam
	if errors.As(err, &wrong) {
		return usagef("bench: %w", wrong)
	}
	return fmt.Errorf("%s %w", prefix, err)
}

// failing lists programs that fail by themselves.
func failing(programs []string) string {
	return fmt.Sprintf("%d of the programs cannot be measured, whoever schedules them:\n  %s", len(programs), strings.Join(programs, "\n  "))
}

// benchPlan reads all options but those that need a checkout; schedulers are those of who names none.
func benchPlan(c *cli.Context, schedulers []bench.Scheduler) (*bench.Plan, error) {
	wrong := func(err error) (*bench.Plan, error) { return nil, usagef("bench: %w", err) }
	plan := &bench.Plan{
		UpTo:      c.String("up-to"),
		Workers:   c.Int("jobs"),
		Again:     c.Bool("again"),
		Results:   c.String("results"),
		Log:       c.App.ErrWriter,
		Tolerance: harness.Tolerance{Rel: c.Float64("tolerance"), Abs: c.Float64("tolerance"), Int: c.Int64("off-by")},
		Limits:    bench.Limits{CPUSeconds: c.Int("cpu-limit"), CellSeconds: c.Int("cell-limit"), MemoryBytes: int64(c.Float64("memory-limit") * (1 << 30))},
		Command:   cellProcess,
	}
	switch {
	case !slices.Contains(bench.Stages, plan.UpTo):
		return nil, usagef("bench: --up-to %s: it is one of %s%s", plan.UpTo, strings.Join(bench.Stages, ", "), suggest.Nearest(plan.UpTo, bench.Stages))
	case plan.Workers < 1:
		return nil, usagef("bench: --jobs %d: at least 1", plan.Workers)
	case plan.Limits.CPUSeconds < 1 || plan.Limits.CellSeconds < 1:
		return nil, usagef("bench: a limit of time is 1 second at least")
	case !(c.Float64("memory-limit") >= 1):
		return nil, usagef("bench: --memory-limit %v: a generator takes 1 GiB of address space at least", c.Float64("memory-limit"))
	case !(plan.Tolerance.Rel >= 0):
		return nil, usagef("bench: --tolerance %v is negative", plan.Tolerance.Rel)
	case plan.Tolerance.Int < 0:
		return nil, usagef("bench: --off-by %d is negative", plan.Tolerance.Int)
	}
	counted, err := parseSize(c.String("counted-size"))
	if err != nil {
		return wrong(fmt.Errorf("--counted-size %w", err))
	}
	plan.Counted = func(p bench.Program) [2]int {
		if counted != [2]int{} {
			return counted
		}
		return bench.CountedSize(p.Name)
	}
	if plan.Schedulers, err = benchSchedulers(c, schedulers); err != nil {
		return wrong(err)
	}
	gpus := c.StringSlice("gpu")
	if len(gpus) == 0 {
		gpus = []string{"sm_75"}
	}
	for _, w := range gpus {
		t, err := bench.ParseTarget(w)
		if err != nil {
			return wrong(fmt.Errorf("--gpu: %w", err))
		}
		plan.Targets = append(plan.Targets, t)
	}
	return plan, nil
}

// benchSchedulers are those that are asked for, else the others.
func benchSchedulers(c *cli.Context, others []bench.Scheduler) ([]bench.Scheduler, error) {
	asked := *c.Generic("scheduler").(*list)
	if len(asked) == 0 {
		return others, nil
	}
	var all []bench.Scheduler
	for _, w := range asked {
		s, err := bench.ParseScheduler(w)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// benchPrograms finds the programs, by default all of the checkout, in the size asked for. of is the command that says what is wrong with them.
func benchPrograms(c *cli.Context, of string, tree *harness.Tree) ([]bench.Program, error) {
	estimated, err := parseSize(c.String("size"))
	if err != nil {
		return nil, usagef("%s: --size %w", of, err)
	}
	words := c.Args().Slice()
	if len(words) == 0 {
		if words, err = bench.Programs(tree); err != nil {
			return nil, err
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var programs []bench.Program
	for _, w := range words {
		p, err := bench.FindProgram(tree, dir, w)
		if err != nil {
			var subcommands []string
			for _, s := range c.Command.Subcommands {
				subcommands = append(subcommands, s.Name)
			}
			if hint := suggest.Nearest(w, subcommands); hint != "" {
				return nil, usagef("%s: there is no program or command %q%s", of, w, hint)
			}
			return nil, usagef("%s: %w", of, err)
		}
		if estimated != [2]int{} {
			sized, ok := p.Sized(estimated[0], estimated[1])
			if !ok {
				return nil, usagef("%s: --size: the program %s has no GeneratorParams width and height, nor size", of, p.Name)
			}
			p = sized
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// cellProcess is this program again.
func cellProcess(ctx context.Context) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	return exec.CommandContext(ctx, self, "bench", "cell"), nil
}

// parseSize reads WIDTHxHEIGHT; "" is the zero size.
func parseSize(text string) ([2]int, error) {
	var s [2]int
	if text == "" {
		return s, nil
	}
	var rest string
	n, err := fmt.Sscanf(text+" .", "%dx%d %s", &s[0], &s[1], &rest)
	if err != nil || n != 3 || rest != "." || s[0] < 1 || s[1] < 1 || s[0] > 1<<20 || s[1] > 1<<20 {
		return s, errors.New(text + ": WIDTHxHEIGHT is wanted, as 1536x2560")
	}
	return s, nil
}

func benchList(c *cli.Context) error {
	tree, err := harness.Find()
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	programs, err := bench.Programs(tree)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	w := c.App.Writer
	fmt.Fprintln(w, "programs:")
	for _, name := range programs {
		p, err := bench.FindProgram(tree, tree.Root, name)
		if err != nil {
			return fmt.Errorf("bench: %w", err)
		}
		fmt.Fprintf(w, "  %-20s %s\n", name, strings.Join(p.Takes, ", "))
	}
	fmt.Fprintln(w, "\nschedulers of the table:")
	for _, s := range bench.Schedulers() {
		fmt.Fprintln(w, " ", s.Label())
	}
	fmt.Fprintf(w, "\nschedulers: %s; each but expert, own and root with :KEY=VALUE,...\n", strings.Join(bench.SchedulerNames(), ", "))
	fmt.Fprintf(w, "stages: %s\n", strings.Join(bench.Stages, ", "))
	return nil
}
