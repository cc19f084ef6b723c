package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/coster"
	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/calibration"
	"gowarp/benchmarks/csvfile"
	"gowarp/benchmarks/harness"
	"gowarp/halideir"
	"gowarp/internal/plan"
	"gowarp/internal/ptxas"
	"gowarp/occupancy"
)

// line is a benchmark's line with what may have been measured of a kernel.
type line struct {
	bench.Record
	Kernels []struct {
		bench.Kernel
		TimeUS float64 `json:"time_us"`
	} `json:"kernels"`
}

// collect lays out again every kernel of gowarp's in the lines and puts what was counted beside its terms. Kernels that
// come out otherwise today, by grid, block or shared memory, are dropped.
func collect(lines, pipelines string) (kernels []Kernel, dropped int, err error) {
	f, err := os.Open(lines)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	gpu, known := "", map[string]*halideir.Pipeline{}
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(text) == 0 {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, 0, fmt.Errorf("%s, line %d: %w", lines, n, err)
		}
		name, _, _ := strings.Cut(l.Scheduler, ":")
		if name != "gowarp" || l.Outcome != bench.OK || l.Counted == nil {
			continue
		}
		if gpu == "" {
			gpu = l.GPU
		}
		if l.GPU != gpu {
			return nil, 0, fmt.Errorf("%s, line %d: it is of %s, those before of %s; weights are of one GPU", lines, n, l.GPU, gpu)
		}
		p, ok := known[l.Program]
		if !ok {
			p, err = pipeline(pipelines, &l)
			known[l.Program] = p
		}
		if errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(os.Stderr, "algorithm2: %s is left out: %v\n", l.Program, err)
			continue
		}
		if p == nil && err == nil {
			continue // said before
		}
		if err != nil {
			return nil, 0, err
		}
		ks, missed, err := l.kernels(p)
		if err != nil {
			return nil, 0, fmt.Errorf("%s, line %d: %s: %w", lines, n, l.Program, err)
		}
		kernels, dropped = append(kernels, ks...), dropped+missed
	}
	return once(kernels), dropped, nil
}

// pipeline is a line's: NAME.json of a folder, or as its generator exports it.
func pipeline(folder string, l *line) (*halideir.Pipeline, error) {
	if folder != "" {
		data, err := os.ReadFile(filepath.Join(folder, l.Program+".json"))
		if err != nil {
			return nil, err
		}
		return halideir.Decode(data)
	}
	tree, err := harness.Find()
	if err != nil {
		return nil, err
	}
	p, err := bench.FindProgram(tree, tree.Root, l.Program)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	t, err := bench.ParseTarget(l.GPU)
	if err != nil {
		return nil, err
	}
	return calibration.Export(tree, p, t, 0)
}

// kernels are those of one line.
func (l *line) kernels(p *halideir.Pipeline) (out []Kernel, dropped int, err error) {
	prm, err := autoscheduler.ParseParams(l.With)
	if err != nil {
		return nil, 0, err
	}
	r, err := autoscheduler.Run(p, prm)
	if err != nil {
		return nil, 0, err
	}
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if k.Host {
				continue
			}
			at := l.match(p, k)
			if at < 0 {
				dropped++
				continue
			}
			out = append(out, l.row(r.Problem, k, at))
		}
	}
	return out, dropped, nil
}

// match is the kernel of the line that a laid out one is.
func (l *line) match(p *halideir.Pipeline, k *plan.Kernel) int {
	return slices.IndexFunc(l.Kernels, func(m struct {
		bench.Kernel
		TimeUS float64 `json:"time_us"`
	}) bool {
		return ptxas.Of(m.Name, p.Funcs[k.Out.Func].Name, k.Out.Stage) && m.Count != nil && m.Count.Blocks > 0 && m.Blocks == k.Grid && m.Threads == k.Block && m.SharedBytes == k.SharedBytes
	})
}

func (l *line) row(pr *plan.Problem, k *plan.Kernel, at int) Kernel {
	m := &l.Kernels[at]
	view := k.View(pr)
	out := Kernel{Program: l.Program, Schedule: strings.TrimPrefix(l.Scheduler, "gowarp:"), Name: pr.P.Funcs[k.Out.Func].Label + ".s" + strconv.Itoa(k.Out.Stage)}
	out.Terms = coster.Features(view, k)
	out.Literal = coster.Algorithm2{}.Price(view, k, coster.Grouping).Cost
	out.Tiles = float64(k.Tiles() * k.ThreadsPerBlock() / plan.WarpLanes)
	each := float64(k.Tiles()) / float64(m.Count.Blocks)
	out.Instructions = each * float64(m.Count.WarpInstructions)
	out.Sectors = each * float64(m.Count.Sectors())
	out.Microseconds = m.TimeUS
	if m.TimeUS == 0 {
		out.Microseconds = counted(pr.Device, k, m.Kernel, each)
	}
	return out
}

// counted is the time that the counts of a kernel come to: the larger of issuing and traffic with a part of the smaller, as
// cost=issue has it, with the occupancy that ptxas leaves and whole waves of blocks.
func counted(d *occupancy.Device, k *plan.Kernel, m bench.Kernel, each float64) float64 {
	c := m.Count
	cycles := each * max(float64(c.WarpInstructions)/plan.SchedulersPerSM, float64(c.Requests()))
	slots := float64(d.SMs) * float64(max(m.ActiveBlocks, 1))
	waves := float64(k.Tiles()) / slots
	resident := m.Occupancy * min(1, waves)
	busy := min(1, float64(k.Tiles())/float64(d.SMs)) * min(1, max(resident, float64(k.ThreadsPerBlock())/float64(d.MaxThreadsPerSM))/plan.FullOccupancy)
	compute := cycles / (float64(d.SMs) * d.ClockHz * busy) * 1e6
	traffic := each * float64(c.ColdBytes) / (d.DRAMBandwidth * coster.ReachedBandwidth) * 1e6
	time := max(compute, traffic) + coster.Unhidden*min(compute, traffic)
	if waves > 1 {
		time *= math.Ceil(waves) / waves
	}
	return time
}

// once drops kernels that several schedules of a program have alike.
func once(kernels []Kernel) []Kernel {
	seen := map[Kernel]bool{}
	return slices.DeleteFunc(kernels, func(k Kernel) bool {
		k.Schedule = ""
		again := seen[k]
		seen[k] = true
		return again
	})
}

func head() []string {
	h := []string{"program", "schedule", "kernel"}
	for _, t := range coster.FittedTerms {
		h = append(h, strings.ReplaceAll(t, " ", "_"))
	}
	return append(h, "algorithm2", "warps", "warp_instructions", "sectors", "time_us")
}

func (k *Kernel) numbers() []*float64 {
	var out []*float64
	for i := range k.Terms {
		out = append(out, &k.Terms[i])
	}
	return append(out, &k.Literal, &k.Tiles, &k.Instructions, &k.Sectors, &k.Microseconds)
}

func write(file string, kernels []Kernel) error {
	var rows [][]string
	for i := range kernels {
		k := &kernels[i]
		row := []string{k.Program, k.Schedule, k.Name}
		for _, x := range k.numbers() {
			row = append(row, strconv.FormatFloat(*x, 'g', 6, 64))
		}
		rows = append(rows, row)
	}
	return csvfile.Write(file, head(), rows)
}

func read(file string) ([]Kernel, error) {
	rows, err := csvfile.Read(file, head(), "-collect")
	if err != nil {
		return nil, err
	}
	var out []Kernel
	for i, row := range rows {
		k := Kernel{Program: row[0], Schedule: row[1], Name: row[2]}
		for j, x := range k.numbers() {
			if *x, err = strconv.ParseFloat(row[3+j], 64); err != nil || math.IsNaN(*x) || math.IsInf(*x, 0) {
				return nil, fmt.Errorf("%s, line %d, %s: %q is no number", file, i+2, head()[3+j], row[3+j])
			}
		}
		out = append(out, k)
	}
	return out, nil
}
