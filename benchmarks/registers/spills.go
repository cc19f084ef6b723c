package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gowarp/autoscheduler"
	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/harness"
	"gowarp/halideir"
	"gowarp/internal/ptxas"
)

// spillSeed is of the schedules that are drawn.
const spillSeed = 10

// spilling is a kernel's spills, of a thread: the estimate, of every turn of its loops, and what ptxas writes into the code under the cap of Halide's runtime.
type spilling struct {
	Schedule, Kernel, Strategy string
	Choice                     string
	Estimate, Ptxas            int // bytes
}

// spilled is a kernel as ptxas sees it, of two copies the one that spills more.
func spilled(uses []ptxas.Use, fn string, stage int) (bytes int, found bool) {
	for i := range uses {
		if u := &uses[i]; ptxas.Of(u.Kernel, fn, stage) {
			bytes, found = max(bytes, u.SpillBytes()), true
		}
	}
	return bytes, found
}

// spillsOf compares the kernels of a program's default and of so many drawn schedules.
func spillsOf(tree *harness.Tree, p bench.Program, t bench.Target, draws int) ([]spilling, error) {
	pipeline, err := exported(tree, p, t)
	if err != nil {
		return nil, err
	}
	params, err := autoscheduler.CheckParams(map[string]string{"mode": "gowarp", "gpu": t.Device.Name})
	if err != nil {
		return nil, err
	}
	r, err := autoscheduler.Run(pipeline, params)
	if err != nil {
		return nil, err
	}
	out, err := compare(tree, p, t, "default", r)
	if err != nil {
		return nil, err
	}
	for n := range draws {
		if r, err = autoscheduler.Draw(pipeline, params, spillSeed, uint64(n)); err != nil {
			return nil, err
		}
		name := fmt.Sprintf("draw-%02d", n)
		drawn, err := compare(tree, p, t, name, r)
		var late *harness.GeneratorFailure
		switch {
		case errors.As(err, &late): // code that takes Halide too long tells nothing of registers
			fmt.Fprintf(os.Stderr, "registers: %s, %s: %s\n", p.Label(), name, firstLine(late.Text))
		case err != nil:
			return nil, err
		}
		out = append(out, drawn...)
	}
	return out, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// exported is a program's pipeline, written once for each state of the generator and of what exports it.
func exported(tree *harness.Tree, p bench.Program, t bench.Target) (*halideir.Pipeline, error) {
	file, err := kept(tree, p, "pipeline", t.Halide())
	if err != nil {
		return nil, err
	}
	if data, err := os.ReadFile(file); err == nil {
		return halideir.Decode(data)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return nil, err
	}
	e, err := tree.Emit(p.Generator(nil), harness.EmitOptions{
		Target: t.Halide(), Outputs: []string{"schedule"}, Fresh: true,
		Scheduler: harness.Gowarp(map[string]string{"mode": "autogpu", "gpu": t.Device.Name, "check": "0", "dump": file}),
	})
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err := errors.Join(err, e.Remove()); err != nil {
		return nil, err
	}
	return halideir.Decode(data)
}

// emitSeconds is how much processor time Halide may take for a schedule.
const emitSeconds = 120

// compare compiles a schedule, once for each state of the lowering passes.
func compare(tree *harness.Tree, p bench.Program, t bench.Target, name string, r *autoscheduler.Result) ([]spilling, error) {
	text := r.Schedule.JSON()
	sm := max(t.Capability, t.Device.Capability) // what a driver compiles the code for
	file, err := kept(tree, p, "uses", t.Halide(), strconv.Itoa(sm), string(text))
	if err != nil {
		return nil, err
	}
	var uses []ptxas.Use
	if data, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(data, &uses); err != nil {
			return nil, fmt.Errorf("%s: %w; remove it", file, err)
		}
	} else if uses, err = compiled(tree, p, t, sm, strings.TrimSuffix(file, ".json"), text); err != nil {
		return nil, fmt.Errorf("%s of %s: %w", name, p.Label(), err)
	} else if data, err := json.Marshal(uses); err != nil {
		return nil, err
	} else if err := keep(file, data); err != nil {
		return nil, err
	}
	var out []spilling
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			fn := &r.Problem.P.Funcs[k.Out.Func]
			if bytes, found := spilled(uses, fn.Name, k.Out.Stage); found && !k.Host {
				out = append(out, spilling{
					Schedule: name, Kernel: strings.TrimSuffix(ptxas.Prefix(fn.Name, k.Out.Stage), "_"), Strategy: k.Strategy, Choice: chosen(k.Choice.Points, k.Choice.Windows, k.Warp != nil, [3]int64{k.Choice.Warp.Points, k.Choice.Warp.Rows, k.Choice.Warp.Layers}),
					Estimate: k.SpillBytes, Ptxas: bytes,
				})
			}
		}
	}
	return out, nil
}

// chosen is what of a choice a thread's registers hang on.
func chosen(points []int64, windows int, lanes bool, warp [3]int64) string {
	if lanes {
		return fmt.Sprintf("%dx%dx%d", warp[0], warp[1], max(warp[2], 1))
	}
	return fmt.Sprintf("%s, %d windows", strings.Trim(strings.ReplaceAll(fmt.Sprint(points), " ", "x"), "[]"), windows)
}

// compiled is what ptxas says of a program under a schedule, which lies in a file beside its answer.
func compiled(tree *harness.Tree, p bench.Program, t bench.Target, sm int, file string, text []byte) ([]ptxas.Use, error) {
	if err := keep(file+".schedule", text); err != nil {
		return nil, err
	}
	e, err := tree.Emit(p.Generator(nil), harness.EmitOptions{
		Target: t.Halide(), Outputs: []string{"device_code"}, CPUSeconds: emitSeconds,
		Scheduler: harness.Gowarp(map[string]string{"schedule": file + ".schedule", "check": "0", "gpu": t.Device.Name}),
	})
	if err != nil {
		return nil, err
	}
	ptx, err := e.PTX()
	if err != nil {
		return nil, err
	}
	if err := keep(file+".ptx", []byte(ptx)); err != nil {
		return nil, err
	}
	return tree.Ptxas(ptx, sm, ptxas.MaxRegisters)
}

// kept is the file of something that is made of a program, of the code that lowers it and of texts.
func kept(tree *harness.Tree, p bench.Program, kind string, texts ...string) (string, error) {
	lowering, err := filepath.Glob(tree.Path("bridge", "halidecc", "*"))
	if err != nil {
		return "", err
	}
	lowering = slices.DeleteFunc(lowering, func(f string) bool { return !slices.Contains([]string{".cc", ".cpp", ".h"}, filepath.Ext(f)) })
	key, err := tree.ContentKey(kind, append(lowering, tree.Path(p.Source)), append(texts, p.Label())...)
	if err != nil {
		return "", err
	}
	return tree.Build("registers", kind, fmt.Sprintf("%s-%s.json", p.Name, key)), nil
}

func keep(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}

// little is how many bytes of spills are nothing: some stores and loads of a kernel of hundreds of instructions.
const little = 64

// confusion counts kernels by what is estimated and what ptxas does.
type confusion struct {
	kernels, none, missed, invented, seen int
	estimated, real                       int // bytes of all
	near                                  int // of those seen, within a factor of two
}

func (c *confusion) add(s *spilling) {
	c.kernels++
	c.estimated, c.real = c.estimated+s.Estimate, c.real+s.Ptxas
	switch does, said := s.Ptxas > little, s.Estimate > little; {
	case !does && !said:
		c.none++
	case !said:
		c.missed++
	case !does:
		c.invented++
	default:
		c.seen++
		if s.Estimate <= 2*s.Ptxas && s.Ptxas <= 2*s.Estimate {
			c.near++
		}
	}
}

func (c *confusion) line(name string) string {
	return fmt.Sprintf("%-16s %5d %6d %6d %6d %8d %6d %10d %10d", name, c.kernels, c.none, c.seen, c.near, c.invented, c.missed, c.estimated, c.real)
}

// reportSpills writes a line a program and, of kernels that spill or are said to, one each.
func reportSpills(w io.Writer, tree *harness.Tree, programs []bench.Program, t bench.Target, draws int, kernels bool) error {
	fmt.Fprintf(w, "%-16s %5s %6s %6s %6s %8s %6s %10s %10s\n", fmt.Sprintf("above %d B", little), "all", "none", "seen", "near", "invented", "missed", "estimate B", "ptxas B")
	byDefault, drawn := confusion{}, confusion{}
	for _, p := range programs {
		all, err := spillsOf(tree, p, t, draws)
		if err != nil {
			return err
		}
		c := confusion{}
		for i := range all {
			s := &all[i]
			c.add(s)
			if s.Schedule == "default" {
				byDefault.add(s)
			} else {
				drawn.add(s)
			}
			if kernels && max(s.Ptxas, s.Estimate) > 0 {
				fmt.Fprintf(w, "  %-8s %-44s %-15s %-24s estimate %5d, ptxas %5d\n", s.Schedule, s.Kernel, s.Strategy, s.Choice, s.Estimate, s.Ptxas)
			}
		}
		fmt.Fprintln(w, c.line(p.Label()))
	}
	fmt.Fprintln(w, byDefault.line("by default"))
	fmt.Fprintln(w, drawn.line("drawn"))
	return nil
}
