package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/bundle"
	"gowarp/benchmarks/harness"
)

func benchBundleCommand() *cli.Command {
	flags := []cli.Flag{
		&cli.GenericFlag{Name: "scheduler", Value: &list{}, Usage: "a `SCHEDULER`, as gowarp bench list names them; more than one by more options (default: gowarp twice, and all others)"},
		&cli.StringFlag{Name: "gpu", Value: "h200", Usage: "the GPU to schedule for, a `NAME` of gowarp devices or sm_86"},
		&cli.StringFlag{Name: "out", Usage: "the `DIR` that is made anew (default: build/gpu-bundle)"},
		&cli.IntFlag{Name: "scale", Usage: "the large size is `N` times the estimated one, 1 for none (default: until a pipeline moves four times the L2)"},
		&cli.Float64Flag{Name: "max-mib", Value: bundle.MaxBytes >> 20, Usage: "fail if the bundle holds more `MIB`"},
	}
	for _, f := range benchFlags() {
		switch f.Names()[0] {
		case "size", "tolerance", "cpu-limit", "memory-limit", "jobs":
			flags = append(flags, f)
		}
	}
	return &cli.Command{
		Name:      "bundle",
		Usage:     "compile programs x schedulers into a directory that measures them on a machine with a GPU",
		ArgsUsage: "[PROGRAM | SOURCE.cc[:GENERATOR]][,KEY=VALUE...] ...",
		Description: `Makes DIR, with all that measuring needs: copy it to a machine that has an NVIDIA
GPU and its driver, and start DIR/run there. benchmarks/README.md says more.`,
		Flags:  flags,
		Action: benchBundle,
	}
}

// bundleOptions are what the options of a bundle say.
func bundleOptions(c *cli.Context, target bench.Target) bundle.Options {
	return bundle.Options{
		Dir: c.String("out"), Target: target, Scale: c.Int("scale"), Workers: c.Int("jobs"), Log: c.App.ErrWriter,
		Limits:    bench.Limits{CPUSeconds: c.Int("cpu-limit"), MemoryBytes: int64(c.Float64("memory-limit") * (1 << 30))},
		Tolerance: harness.Tolerance{Rel: c.Float64("tolerance"), Abs: c.Float64("tolerance")},
		MaxBytes:  int64(c.Float64("max-mib") * (1 << 20)),
	}
}

func benchBundle(c *cli.Context) error {
	target, err := bench.ParseTarget(c.String("gpu"))
	if err != nil {
		return usagef("bench bundle: --gpu: %w", err)
	}
	o := bundleOptions(c, target)
	switch {
	case o.Limits.CPUSeconds < 1 || o.Workers < 1 || o.Scale < 0:
		return usagef("bench bundle: --cpu-limit and --jobs are positive, --scale is not negative")
	case !(c.Float64("memory-limit") >= 1):
		return usagef("bench bundle: --memory-limit %v: a generator takes 1 GiB of address space at least", c.Float64("memory-limit"))
	case !(o.Tolerance.Rel >= 0):
		return usagef("bench bundle: --tolerance %v is negative", o.Tolerance.Rel)
	}
	if o.Schedulers, err = benchSchedulers(c, bundle.Schedulers()); err != nil {
		return usagef("bench bundle: %w", err)
	}
	if err := overBundle(o.Dir); err != nil {
		return err
	}
	tree, err := harness.Find()
	if err != nil {
		return fmt.Errorf("bench bundle: %w", err)
	}
	if o.Programs, err = benchPrograms(c, "bench", tree); err != nil {
		return err
	}
	return buildBundle(c, tree, o, "gpu-bundle")
}

// overBundle refuses to replace what is no bundle.
func overBundle(dir string) error {
	if dir == "" {
		return nil
	}
	if err := bundle.Replaceable(dir); err != nil {
		return usagef("bench: --out: %w", err)
	}
	return nil
}

// buildBundle makes a bundle and says what it holds.
func buildBundle(c *cli.Context, tree *harness.Tree, o bundle.Options, otherwise string) error {
	if o.Dir == "" {
		o.Dir = tree.Build(otherwise)
	}
	if err := bench.LimitMemory(o.Limits.MemoryBytes); err != nil {
		return fmt.Errorf("bench bundle: %w", err)
	}
	ctx, stop := signal.NotifyContext(c.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	size, err := bundle.Build(ctx, tree, o)
	if ctx.Err() != nil {
		return cli.Exit("bench bundle: interrupted; run it again, what was compiled is kept", exitInterrupted)
	}
	if err != nil {
		return benchError("bench", err)
	}
	m, err := bundle.Open(o.Dir)
	if err != nil {
		return fmt.Errorf("bench %w", err)
	}
	m.Print(c.App.Writer)
	fmt.Fprintf(c.App.Writer, "%s: %.1f MiB\n", o.Dir, float64(size)/(1<<20))
	if failed := m.Failing(); failed != nil {
		return fmt.Errorf("bench bundle: %s", failing(failed))
	}
	return nil
}
