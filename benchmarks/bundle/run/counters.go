package run

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/bundle"
)

// Profiler is NVIDIA's Nsight Compute, which comes with CUDA.
const Profiler = "ncu"

// What it is asked for: its own groups of metrics, whose names it knows best, and what the simulator counts too. Each kernel runs as often as
// that takes, with caches emptied before. Clocks are left alone: a machine is not ours alone.
var (
	sections = []string{"SpeedOfLight", "LaunchStats", "Occupancy", "WarpStateStats", "SchedulerStats", "ComputeWorkloadAnalysis", "MemoryWorkloadAnalysis"}
	metrics  = []string{
		"gpu__time_duration.sum", "smsp__inst_executed.sum", "sm__inst_executed_pipe_lsu.sum", "sm__inst_executed_pipe_alu.sum", "sm__inst_executed_pipe_fma.sum",
		"sm__inst_executed_pipe_xu.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
		"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "l1tex__data_pipe_lsu_wavefronts.sum",
		"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "lts__t_sectors.sum", "dram__bytes_read.sum", "dram__bytes_write.sum",
	}
)

// Counted are the profiler's counters of one launch.
type Counted struct {
	Schema    int    `json:"schema"`
	Device    Device `json:"device"`
	Bundle    string `json:"bundle"` // its id
	Made      string `json:"made_for"`
	Program   string `json:"program"`
	Size      string `json:"size"`
	Scheduler string `json:"scheduler"`
	Cap       int    `json:"register_cap"`
	Launch    int    `json:"launch"` // of the call, from 0
	Kernel    string `json:"kernel"`
	Grid      string `json:"grid"`
	Block     string `json:"block"`
	// Counters are by the profiler's names, in base units: nanoseconds, bytes, instructions of warps.
	Counters map[string]float64 `json:"counters"`
}

// count runs each cell once under the profiler and writes a line a launch. What it has no counters of is said, and the others go on.
func (r *runner) count(ctx context.Context) error {
	profiler, err := exec.LookPath(Profiler)
	if err != nil {
		return fmt.Errorf("run: --counters needs Nsight Compute: %w", err)
	}
	out, err := os.Create(r.Counters)
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	defer out.Close()
	encoder := json.NewEncoder(out)
	for _, p := range r.manifest.Programs {
		for _, size := range p.Sizes {
			if !asked(r.Programs, p.Name) || !asked(r.Sizes, size.Name) {
				continue
			}
			if err := (&group{runner: r, program: p, size: size}).count(ctx, profiler, encoder); err != nil {
				return err
			}
		}
	}
	return nil
}

// count is that of one program at one size.
func (g *group) count(ctx context.Context, profiler string, to *json.Encoder) error {
	defer g.clean()
	if err := g.files(); err != nil {
		return err
	}
	for _, g.cap = range g.Caps {
		for _, c := range g.cells() {
			if c.line.Outcome != bench.OK {
				continue
			}
			if g.over(ctx) {
				return ErrUnfinished
			}
			counted, err := g.counted(ctx, profiler, c)
			if err != nil {
				fmt.Fprintf(g.Log, "%s %s by %s: no counters: %v\n", g.program.Name, g.size.Name, c.about.Scheduler, err)
				continue
			}
			for i := range counted {
				if err := to.Encode(&counted[i]); err != nil {
					return fmt.Errorf("run: %w", err)
				}
			}
			fmt.Fprintf(g.Log, "%s %s by %s: %d launches counted\n", g.program.Name, g.size.Name, c.about.Scheduler, len(counted))
		}
	}
	return nil
}

// counted has the profiler run a cell's process, which calls the pipeline once.
func (g *group) counted(ctx context.Context, profiler string, c *cell) ([]Counted, error) {
	log := g.file("counters.csv")
	defer os.Remove(log)
	worker, err := filepath.Abs(filepath.Join(g.Dir, bundle.WorkerFile))
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	args := []string{"--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--log-file", log, "--force-overwrite", "--metrics", strings.Join(metrics, ",")}
	for _, s := range sections {
		args = append(args, "--section", s)
	}
	args = append(args, worker, "cuda", filepath.Join(g.Dir, c.about.Library), g.program.Function)
	w, err := startCommand(ctx, profiler, g.environment(), args...)
	if err != nil {
		return nil, err
	}
	// The profiler writes when the process has ended.
	err = w.arguments(g.left(g.Limit), g.size, g.inputs)
	if err == nil {
		err = w.ask(g.left(g.Limit), nil, "first")
	}
	w.quitIn(g.left(g.Limit))
	if err != nil {
		if said, bad := os.ReadFile(log); bad == nil {
			err = fmt.Errorf("%w; %s says %q", err, Profiler, tailOf(said))
		}
		return nil, err
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	all, err := parseCounters(string(text))
	if err != nil {
		return nil, fmt.Errorf("%w; %s says %q", err, Profiler, tailOf(text))
	}
	for i := range all {
		all[i].Schema, all[i].Device, all[i].Bundle, all[i].Made = bundle.Schema, g.device, g.manifest.ID, g.manifest.GPU
		all[i].Program, all[i].Size, all[i].Scheduler, all[i].Cap = g.program.Name, g.size.Name, c.about.Scheduler, g.cap
	}
	return all, nil
}

// tailOf is the end of what was said.
func tailOf(said []byte) string {
	t := &tail{}
	_, _ = t.Write(said)
	return t.String()
}

var errNoCounters = errors.New("no table of counters")

// parseCounters reads the profiler's table: behind lines of its own a heading, the units, and a row a launch. Columns that are not numbers are left out.
func parseCounters(text string) ([]Counted, error) {
	at := strings.Index(text, "\"ID\",")
	if at < 0 {
		return nil, errNoCounters
	}
	rows := csv.NewReader(strings.NewReader(text[at:]))
	rows.FieldsPerRecord = -1
	head, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoCounters, err)
	}
	if _, err := rows.Read(); err != nil { // units
		return nil, fmt.Errorf("%w: %w", errNoCounters, err)
	}
	var all []Counted
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil || len(row) != len(head) {
			return nil, fmt.Errorf("%w: row %d has %d columns of %d: %w", errNoCounters, len(all), len(row), len(head), err)
		}
		c := Counted{Launch: len(all), Counters: map[string]float64{}}
		for i, name := range head {
			switch name {
			case "Kernel Name":
				c.Kernel = row[i]
			case "Grid Size":
				c.Grid = row[i]
			case "Block Size":
				c.Block = row[i]
			default:
				if v, err := strconv.ParseFloat(strings.ReplaceAll(row[i], ",", ""), 64); err == nil && strings.Contains(name, "__") {
					c.Counters[name] = v
				}
			}
		}
		all = append(all, c)
	}
}
