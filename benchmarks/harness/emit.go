package harness

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gowarp/halideir"
)

// Scheduler says who schedules a pipeline, and how it is asked.
type Scheduler struct {
	name        string // the autoscheduler's registered name, "" for none
	plugin      func(*Tree) (string, error)
	environment bool // through HL_AUTOSCHEDULER and the preloaded library
	dumps       bool // it writes the pipeline where the parameter dump says
	params      map[string]string
}

// Name is the name that the autoscheduler is registered under.
func (s Scheduler) Name() string { return s.name }

// Unscheduled leaves the generator's own (usually absent) schedule. Reductions are
// then recomputed at every use: for small sizes only.
func Unscheduled() Scheduler { return Scheduler{} }

// Root computes every Func at root in plain loops: what the algorithm means, at
// a cost that is linear in its stages.
func Root() Scheduler { return Scheduler{name: "Root", plugin: (*Tree).rootPlugin} }

// RootGPU computes every Func at root, each stage in a kernel of its own: no schedule at all,
// on a GPU.
func RootGPU() Scheduler { return Scheduler{name: "RootGPU", plugin: (*Tree).rootGPUPlugin} }

// Gowarp asks for gowarp as generators do: -p plugin autoscheduler=gowarp. Its emissions hold the pipeline as well.
func Gowarp(params map[string]string) Scheduler {
	return Scheduler{name: "gowarp", plugin: (*Tree).gowarpPlugin, dumps: true, params: params}
}

// GowarpFrom is Gowarp with another library that holds an autoscheduler of that name.
func GowarpFrom(file string, params map[string]string) Scheduler {
	return Scheduler{name: "gowarp", plugin: func(*Tree) (string, error) { return file, nil }, params: params}
}

// GowarpByEnvironment asks for gowarp by HL_AUTOSCHEDULER=gowarp, with the generator's
// command line untouched.
func GowarpByEnvironment(params map[string]string) Scheduler {
	return Scheduler{name: "gowarp", plugin: (*Tree).gowarpPlugin, dumps: true, environment: true, params: params}
}

// Peer asks for one of the autoschedulers of the Halide wheel: "Mullapudi2016",
// "Li2018", "Adams2019" or "Anderson2021".
func Peer(name string, params map[string]string) Scheduler {
	return Scheduler{name: name, params: params, plugin: func(t *Tree) (string, error) {
		return t.Halide("lib64", "libautoschedule_"+strings.ToLower(name)+".so"), nil
	}}
}

// PluginFile is the library that holds the autoscheduler, "" for none.
func (t *Tree) PluginFile(s Scheduler) (string, error) {
	if s.plugin == nil {
		return "", nil
	}
	return s.plugin(t)
}

func (t *Tree) gowarpPlugin() (string, error) {
	if _, err := os.Stat(t.Plugin()); err != nil {
		return "", fmt.Errorf("harness: no plugin, run `make build`: %w", err)
	}
	return t.Plugin(), nil
}

// EmitOptions say what to emit and for what.
type EmitOptions struct {
	Target    string // Halide's target string
	Scheduler Scheduler
	Outputs   []string // what `-e` names; by default all that Emission's methods need
	Env       []string // more environment, "K=V"
	// Fresh runs the generator even if the same was emitted before, for a library that is whole; the caller calls Remove.
	// Others are without Halide's runtime, which takes most pipelines' generators longer than the pipeline does: Link adds it.
	Fresh bool
	// CPUSeconds, if not 0, is how much processor time the generator may take. How it fails
	// is then kept as results are: a peer that is slow is slow once.
	CPUSeconds int
}

// Emission is what a generator wrote.
type Emission struct {
	Name string // of the pipeline's C function
	Dir  string
	Log  string // what the generator printed
	// PeakBytes is the generator's largest resident set, 0 for a cached emission.
	PeakBytes int64
	// Wall and CPU are the generator's time, 0 for a cached emission.
	Wall, CPU time.Duration
	fresh     bool
	generator Generator
	runtime   string // the target whose runtime its library lacks, "" if it is whole
}

// noRuntime is the feature of a target whose libraries are without Halide's runtime.
const noRuntime = "-no_runtime"

// Emit runs a generator. Results are cached by content: of the generator, the
// plugin, the options.
func (t *Tree) Emit(g Generator, o EmitOptions) (*Emission, error) {
	exe, err := t.Compile(g)
	if err != nil {
		return nil, err
	}
	outputs := o.Outputs
	if outputs == nil {
		outputs = []string{"static_library", "registration", "stmt", "schedule"}
		if strings.Contains(o.Target, "cuda") {
			outputs = append(outputs, "device_code")
		}
	}
	target, runtime := o.Target, ""
	if slices.Contains(outputs, "static_library") && !o.Fresh && !strings.Contains(target, ",") && !strings.Contains(target, noRuntime) {
		target, runtime = o.Target+noRuntime, o.Target
	}
	args := slices.Concat([]string{"-g", g.Name, "-f", g.Name, "-e", strings.Join(outputs, ",")},
		[]string{"target=" + target}, pairs("", g.Params))
	env := slices.Clone(o.Env)
	k := t.newKey("emission")
	s := o.Scheduler
	if s.name != "" {
		plugin, err := s.plugin(t)
		if err != nil {
			return nil, err
		}
		if err := k.file(plugin); err != nil {
			return nil, fmt.Errorf("harness: %w", err)
		}
		if s.environment {
			if err := k.file(t.Preload()); err != nil {
				return nil, fmt.Errorf("harness: no preload library, run `make build`: %w", err)
			}
			// Relative to the directory in which the generator runs: the dynamic
			// linker splits LD_PRELOAD at blanks, which the checkout's path may hold.
			preload, err := filepath.Rel(t.Root, t.Preload())
			if err != nil {
				return nil, err
			}
			env = append(env, "LD_PRELOAD="+preload, "HL_AUTOSCHEDULER="+s.name)
		} else {
			args = append(args, "-p", plugin, "autoscheduler="+s.name)
		}
	}
	if err := k.file(exe); err != nil {
		return nil, fmt.Errorf("harness: %w", err)
	}
	k.text(args...)
	k.text(env...)
	k.text(pairs("", s.params)...)

	var took usage
	program, limited := exe, []string(nil)
	if o.CPUSeconds > 0 {
		// The soft limit, of which a process dies by a signal of its own.
		program, limited = "/bin/sh", []string{"-c", fmt.Sprintf(`ulimit -S -t %d && exec "$0" "$@"`, o.CPUSeconds), exe}
		k.text(limited[:2]...)
	}
	fill := func(dir string) error {
		params := map[string]string{}
		if s.dumps {
			params["dump"] = filepath.Join(dir, pipelineFile)
		}
		maps.Copy(params, s.params)
		env, args := slices.Clone(env), slices.Clone(args)
		if s.environment && len(params) > 0 {
			env = append(env, "HL_AUTOSCHEDULER_PARAMS="+strings.Join(pairs("", params), ","))
		} else {
			args = append(args, pairs("autoscheduler.", params)...)
		}
		log, u, err := t.measured(env, program, slices.Concat(limited, args, []string{"-o", dir})...)
		if err != nil {
			err = fmt.Errorf("emit %s for %s: %w", g.Name, o.Target, err)
			if f, ok := generatorFailure(err, o.CPUSeconds); ok {
				return f.write(dir)
			}
			return err
		}
		took = u
		return os.WriteFile(filepath.Join(dir, "log"), []byte(log), 0o666)
	}
	var dir string
	if o.Fresh {
		forgetPeak()
		if dir, err = tempDir(); err == nil {
			if err = fill(dir); err != nil {
				_ = os.RemoveAll(dir)
			}
		}
	} else {
		dir, err = t.once("emission", k, fill)
	}
	if err != nil {
		return nil, err
	}
	if err := readFailure(dir); err != nil {
		if o.Fresh {
			_ = os.RemoveAll(dir) // a temporary directory
		}
		return nil, err
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	return &Emission{Name: g.Name, Dir: dir, Log: string(log), PeakBytes: took.peakBytes, Wall: took.wall, CPU: took.cpu, fresh: o.Fresh, generator: g, runtime: runtime}, err
}

// Remove removes the files of an emission that was asked for Fresh.
func (e *Emission) Remove() error {
	if !e.fresh {
		return nil
	}
	return os.RemoveAll(e.Dir)
}

// File is the path of an emitted file: "a", "stmt", "schedule.h", "device_code".
func (e *Emission) File(ext string) string { return filepath.Join(e.Dir, e.Name+"."+ext) }

// pipelineFile is where an emission by gowarp holds the pipeline.
const pipelineFile = "pipeline.json"

// Pipeline is the pipeline as gowarp saw it.
func (e *Emission) Pipeline() (*halideir.Pipeline, error) {
	data, err := os.ReadFile(filepath.Join(e.Dir, pipelineFile))
	if err != nil {
		return nil, fmt.Errorf("harness: %s was emitted without gowarp: %w", e.Name, err)
	}
	return halideir.Decode(data)
}

// text reads an emitted text file.
func (e *Emission) text(ext string) (string, error) {
	b, err := os.ReadFile(e.File(ext))
	if err != nil {
		return "", fmt.Errorf("harness: %s was emitted without %s: %w", e.Name, ext, err)
	}
	return string(b), nil
}

// ScheduleTime is what the plugin reports of itself under HL_DEBUG_AUTOSCHEDULE=1: the
// time to export the pipeline, to schedule it and to apply the schedule, in ms.
type ScheduleTime struct{ Export, Schedule, Apply float64 }

var scheduleTime = regexp.MustCompile(`export ([0-9.]+) ms, schedule ([0-9.]+) ms, apply ([0-9.]+) ms`)

// ScheduleTime reads the emission's log.
func (e *Emission) ScheduleTime() (ScheduleTime, error) {
	m := scheduleTime.FindStringSubmatch(e.Log)
	if m == nil {
		return ScheduleTime{}, fmt.Errorf("harness: no times in what the generator printed; was it run with HL_DEBUG_AUTOSCHEDULE=1?\n%s", e.Log)
	}
	var ms [3]float64
	for i := range ms {
		var err error
		if ms[i], err = strconv.ParseFloat(m[i+1], 64); err != nil {
			return ScheduleTime{}, fmt.Errorf("harness: %q: %w", m[0], err)
		}
	}
	return ScheduleTime{ms[0], ms[1], ms[2]}, nil
}

// Total is the sum, in ms.
func (s ScheduleTime) Total() float64 { return s.Export + s.Schedule + s.Apply }
