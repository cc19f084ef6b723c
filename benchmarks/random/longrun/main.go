// Command longrun runs random pipelines by the thousand; `make random N=2000 SEED=1` calls it.
//
// It goes on where a run of the same seeds with the same build stopped, prints a line for
// each failure as it comes, shrinks it, and ends with a table of outcomes by kind of stage.
// Its exit code is 1 if something failed.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/rows"
	"gowarp/benchmarks/random"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "random:", err)
		os.Exit(1)
	}
}

// record is a line of the file of results.
type record struct {
	random.Result
	Target string
	Kinds  []string
}

type campaign struct {
	make   func(seed uint64) *random.Pipeline
	runner *random.Runner
	budget int    // pipelines tried to shrink one that fails
	dir    string // of results and of failures
	mu     sync.Mutex
	out    *os.File
	done   map[uint64]record
	seen   map[string]int // failures by signature
	start  time.Time
	before int // done when it began
}

func run() error {
	first := flag.Uint64("seed", 1, "the first seed")
	n := flag.Int("n", 2000, "how many seeds")
	workers := flag.Int("workers", 1, "processes at a time")
	budget := flag.Int("shrink", 300, "pipelines tried to shrink one that fails; 0 leaves it as it is")
	replay := flag.String("pipeline", "", "run this pipeline, written by an earlier run, instead")
	again := flag.Bool("again", false, "run seeds that were run already")
	show := flag.Bool("show", false, "print the pipeline of -seed and do nothing")
	stencils := flag.Bool("stencils", false, "pipelines of stencils, scheduled with a tile a warp")
	columns := flag.Bool("columns", false, "pipelines of scans, and of sums into bins")
	windows := flag.Bool("windows", false, "pipelines of windows, most of which are combined from parts")
	also := flag.String("params", "", "gowarp's parameters for every pipeline besides its own, `KEY=VALUE,...`")
	flag.Parse()
	make, folder := random.Generate, "random"
	if *stencils {
		make, folder = random.Stencils, "stencils"
	}
	if *columns {
		make, folder = random.Columns, "columns"
	}
	if *windows {
		make, folder = random.Windows, "windows"
	}
	if *also != "" {
		make = random.With(make, strings.Split(*also, ",")...)
		folder += "-" + strings.ReplaceAll(*also, "/", "_")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	tree, err := harness.Find()
	if err != nil {
		return err
	}
	if *show {
		p := make(*first)
		fmt.Print(p.Cxx())
		fmt.Println("//", p)
		return nil
	}
	runner, err := random.NewRunner(tree)
	if err != nil {
		return err
	}
	// Kernels of thousands of pipelines are not worth keeping.
	pocl, err := os.MkdirTemp("", "gowarp-pocl-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(pocl)
	runner.Env = append(runner.Env, "POCL_CACHE_DIR="+pocl)
	if *replay != "" {
		return replayed(ctx, runner, *replay)
	}
	id, err := identity(runner)
	if err != nil {
		return err
	}
	c := &campaign{runner: runner, budget: *budget, make: make, dir: tree.Build(folder), done: map[uint64]record{}, seen: map[string]int{}, start: time.Now()}
	if err := c.open(id); err != nil {
		return err
	}
	if *again {
		clear(c.done)
	}
	defer c.out.Close()
	err = c.seeds(ctx, *first, *n, *workers)
	failed := c.summary(*first, *n)
	switch {
	case err != nil && ctx.Err() == nil:
		return err
	case failed > 0:
		return fmt.Errorf("%d pipelines failed; see %s", failed, c.dir)
	}
	return nil
}

// identity is a hash of what results depend on.
func identity(r *random.Runner) (string, error) {
	h := sha256.New()
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	for _, path := range []string{r.Program, r.Plugin, filepath.Join(r.Drivers, "gowarp-gpusim"), self} {
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("%w; run `make build`", err)
		}
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:12], nil
}

// open reads the results of an earlier run with the same build.
func (c *campaign) open(id string) error {
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	path := filepath.Join(c.dir, "results-"+id+".jsonl")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	c.out = f
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var r record
		if json.Unmarshal(s.Bytes(), &r) == nil { // the last line may be cut short
			c.done[r.Number] = r
		}
	}
	return s.Err()
}

func (c *campaign) seeds(ctx context.Context, first uint64, n, workers int) error {
	const batch = 20
	var todo []uint64
	for seed := first; seed < first+uint64(n); seed++ {
		if _, ok := c.done[seed]; !ok {
			todo = append(todo, seed)
		}
	}
	c.before = n - len(todo)
	if c.before > 0 {
		fmt.Printf("%d of %d are done already\n", c.before, n)
	}
	batches := make(chan []uint64)
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for seeds := range batches {
				if errs[w] == nil {
					errs[w] = c.batch(ctx, seeds, n)
				}
			}
		})
	}
	for part := range slices.Chunk(todo, batch) {
		batches <- part
	}
	close(batches)
	wait.Wait()
	return errors.Join(errs...)
}

func (c *campaign) batch(ctx context.Context, seeds []uint64, n int) error {
	var jobs []random.Job
	for _, s := range seeds {
		jobs = append(jobs, random.Job{Number: s, Pipeline: c.make(s)})
	}
	results, err := c.runner.Run(ctx, jobs)
	for i, r := range results {
		if e := c.add(record{r, jobs[i].Pipeline.Target, jobs[i].Pipeline.Kinds}); e != nil {
			return e
		}
		if r.Outcome.Failed() {
			if e := c.failure(ctx, jobs[i].Pipeline, r); e != nil {
				return e
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Printf("%s  %d of %d, %d failed\n", time.Since(c.start).Round(time.Second), len(c.done), n, c.failed())
	return err
}

func (c *campaign) failed() int {
	n := 0
	for _, r := range c.done {
		if r.Outcome.Failed() {
			n++
		}
	}
	return n
}

func (c *campaign) add(r record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done[r.Number] = r
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = c.out.Write(append(b, '\n'))
	return err
}

// failure prints a failure, and shrinks it if it is not like two before.
func (c *campaign) failure(ctx context.Context, p *random.Pipeline, r random.Result) error {
	c.mu.Lock()
	c.seen[r.Signature()]++
	often := c.seen[r.Signature()]
	c.mu.Unlock()
	fmt.Printf("seed %d %s %s\n", r.Number, r.Outcome, r.Text[:min(len(r.Text), 500)])
	if c.budget == 0 || often > 2 {
		return nil
	}
	small, last, err := c.runner.Shrink(ctx, p, r, c.budget)
	if err != nil {
		return err
	}
	path := filepath.Join(c.dir, fmt.Sprintf("failure-%d.json", r.Number))
	b, err := json.Marshal(small)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append(b, '\n'), 0o666); err != nil {
		return err
	}
	text := fmt.Sprintf("seed %d shrunk: %s %s\n%srepeat it: go run ./benchmarks/random/longrun -pipeline %s\n", r.Number, last.Outcome, last.Text, small.Cxx(), path)
	fmt.Print(text)
	return os.WriteFile(strings.TrimSuffix(path, ".json")+".txt", []byte(text), 0o666)
}

func replayed(ctx context.Context, runner *random.Runner, path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var p random.Pipeline
	if err := json.Unmarshal(b, &p); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := p.Check(); err != nil {
		return err
	}
	fmt.Print(p.Cxx())
	results, err := runner.Run(ctx, []random.Job{{Number: 0, Pipeline: &p}})
	if err != nil {
		return err
	}
	fmt.Println(results[0].Outcome, results[0].Text)
	if results[0].Outcome.Failed() {
		return errors.New("it fails")
	}
	return nil
}

// summary prints how it went by kind of stage and by target, and returns the failures.
func (c *campaign) summary(first uint64, n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := map[string]map[random.Outcome]int{}
	all := map[random.Outcome]int{}
	count := func(row string, o random.Outcome) {
		if lines[row] == nil {
			lines[row] = map[random.Outcome]int{}
		}
		lines[row][o]++
	}
	failed, ran := 0, 0
	for seed := first; seed < first+uint64(n); seed++ {
		r, ok := c.done[seed]
		if !ok {
			continue
		}
		ran++
		all[r.Outcome]++
		if r.Outcome.Failed() {
			failed++
		}
		count(r.Target, r.Outcome)
		slices.Sort(r.Kinds)
		for _, k := range slices.Compact(r.Kinds) {
			count(k, r.Outcome)
		}
	}
	if err := keep(c.done, first, n); err != nil {
		fmt.Fprintln(os.Stderr, "random:", err)
	}
	outcomes := slices.Sorted(maps.Keys(all))
	line := func(name string, of map[random.Outcome]int) {
		fmt.Printf("%-30s", name)
		for _, o := range outcomes {
			fmt.Printf(" %8d", of[o])
		}
		fmt.Println()
	}
	fmt.Printf("%-30s", "pipelines with a stage that is")
	for _, o := range outcomes {
		fmt.Printf(" %8s", o)
	}
	fmt.Println()
	for _, k := range slices.Sorted(maps.Keys(lines)) {
		line(k, lines[k])
	}
	line("all", all)
	fmt.Printf("%d pipelines of seeds %d to %d: %d failed\n", ran, first, first+uint64(n)-1, failed)
	return failed
}

// keep records the outcomes by target, for `make table`.
func keep(done map[uint64]record, first uint64, n int) error {
	byTarget := map[string]*rows.Row{}
	for seed := first; seed < first+uint64(n); seed++ {
		r, ok := done[seed]
		if !ok || r.Outcome == random.Skip {
			continue
		}
		row := byTarget[r.Target]
		if row == nil {
			row = &rows.Row{Program: fmt.Sprintf("seeds %d to %d, %s", first, first+uint64(n)-1, r.Target), Scheduler: "gowarp", Check: rows.Random, Outcome: rows.OK, Figures: map[string]float64{}}
			byTarget[r.Target] = row
		}
		row.Figures["ran"]++
		if r.Outcome.Failed() {
			row.Outcome = "wrong"
		} else {
			row.Figures["right"]++
		}
	}
	for _, t := range slices.Sorted(maps.Keys(byTarget)) {
		if err := rows.Record(*byTarget[t]); err != nil {
			return err
		}
	}
	return nil
}
