package bundle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/harness"
)

// program makes a program's libraries.
func (o Options) program(ctx context.Context, tree *harness.Tree, p bench.Program) (*Program, error) {
	made := &Program{Name: p.Label(), Function: p.Name, Tolerance: o.Tolerance, Reference: o.library(p, "cpu")}
	all, err := o.common(tree, p, made)
	schedulers := slices.DeleteFunc(slices.Clone(all), func(s bench.Scheduler) bool { return !s.Does(p) })
	for _, s := range schedulers {
		made.Cells = append(made.Cells, Cell{Scheduler: s.Label(), With: s.Resolved(o.Target.Device)})
	}
	if outcome, reason, ok := bench.Fault(err, o.Limits); ok {
		return made, o.fails(made, outcome, reason)
	}
	if err != nil {
		return nil, err
	}
	var wait sync.WaitGroup
	failed := make([]error, len(schedulers))
	limit := make(chan struct{}, max(1, o.Workers))
	for i, s := range schedulers {
		wait.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			if failed[i] = ctx.Err(); failed[i] == nil {
				failed[i] = o.cell(tree, p, s, &made.Cells[i])
			}
		})
	}
	wait.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	for _, c := range made.Cells {
		if c.Outcome != bench.OK {
			fmt.Fprintf(o.Log, "bundle: %s by %s: %s: %s\n", p.Label(), c.Scheduler, c.Outcome, c.Reason)
		}
	}
	return made, nil
}

// common makes what a program's cells share, and says which schedulers have one.
func (o Options) common(tree *harness.Tree, p bench.Program, made *Program) ([]bench.Scheduler, error) {
	all := o.Schedulers
	if o.Draw != nil {
		all = []bench.Scheduler{{Name: "gowarp", As: "draws"}} // until they are known
	}
	cpu, err := bench.Plain(tree, p, Host+"-no_runtime", harness.RootParallel(), o.Limits, "static_library")
	if err != nil {
		return all, err
	}
	if err := tree.SharedLibrary(cpu, filepath.Join(o.Dir, made.Reference)); err != nil {
		return all, err
	}
	// Who describes has a runtime.
	root, err := bench.Plain(tree, p, "host", harness.Root(), o.Limits)
	if err != nil {
		return all, err
	}
	if made.Sizes, err = o.sizes(tree, root); err != nil || o.Draw == nil {
		return all, err
	}
	drawn, err := o.Draw(p)
	if err != nil {
		return all, err
	}
	return drawn, nil
}

// fails makes each cell of a program a row that says why none can be measured.
func (o Options) fails(made *Program, outcome, reason string) error {
	if outcome != bench.ProgramFails {
		reason = "compiled for the CPU, to compare with: " + reason
	}
	fmt.Fprintf(o.Log, "bundle: %s by any scheduler: %s: %s\n", made.Name, outcome, reason)
	if err := os.RemoveAll(filepath.Dir(filepath.Join(o.Dir, made.Reference))); err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	made.Fails, made.Reference = fmt.Sprintf("%s: %s", outcome, reason), ""
	made.Sizes = []Size{{Name: "estimate"}} // whatever it is
	for i := range made.Cells {
		made.Cells[i].Outcome, made.Cells[i].Reason = outcome, reason
	}
	return nil
}

func (o Options) cell(tree *harness.Tree, p bench.Program, s bench.Scheduler, c *Cell) error {
	e, outcome, reason, err := bench.Emit(tree, p, s, o.Target.Device, o.HalideTarget(), o.Limits)
	if err != nil {
		return err
	}
	c.Outcome, c.Reason = outcome, reason
	if outcome != bench.OK {
		return nil
	}
	library := o.library(p, c.Scheduler)
	if err := tree.SharedLibrary(e, filepath.Join(o.Dir, library)); err != nil {
		if _, reason, ok := bench.Fault(err, o.Limits); ok {
			c.Outcome, c.Reason = bench.FailsToLower, reason
			return nil
		}
		return err
	}
	c.Library = library
	return nil
}

var unfit = regexp.MustCompile(`[^\w.=-]+`)

// library is the file of a program as something made it.
func (o Options) library(p bench.Program, by string) string {
	word := func(s string) string { return unfit.ReplaceAllString(s, "_") }
	return filepath.Join(LibrariesDir, word(p.Label()), word(by)+".so")
}
