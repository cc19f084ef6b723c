package autoscheduler

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gowarp/autoscheduler/strategy"
	"gowarp/internal/suggest"
	"gowarp/occupancy"
)

// Params are the parameters of the autoscheduler, as a user gives them with
// autoscheduler.KEY=VALUE. Table lists them.
type Params struct {
	Mode              string
	Fusion            string
	Grouping          string
	Tiling            string
	WarpTile          string // points, rows and warps, as 2x4x4; "": searched for
	FracReg           string // of warp-hybrid, from 0 to 1; "": the default
	Cost              string
	Effort            string
	Search            string
	Registers         string // file of a profile; "": estimates
	Weights           string // file of weights; "": those of an RTX 2080 Ti
	Machine           string // file of what was measured of the device; "": its data sheet
	GPU               string
	Parallelism       int // SMs; 0: the device's
	SharedMemoryLimit int // KiB a block; 0: the device's
	MaxRegisters      int // a thread
	AnySize           string
	Reassociate       string
	WriteOut          string
	FuseInit          string
	CacheWrite        string
	HoldReads         string
	Separate          string
	Align             string
	Check             string
	Dump              string
	Save              string
	Schedule          string // file of a saved schedule
}

// Judged reports whether something else than the cost decides among the best few ways to run each kernel.
func (p *Params) Judged() bool { return p.Search == "ptxas" || p.Search == "sim" }

// presets are what a mode stands for: other defaults than those of Table, which are the mode gowarp's.
var presets = map[string]map[string]string{
	"gowarp":   {},
	"autogpu":  {"grouping": "greedy", "tiling": "block", "cost": "listing1", "write_out": "0", "fuse_init": "0", "cache_write": "0", "hold_reads": "0", "separate": "0"},
	"polymage": {"grouping": "dpfusion", "tiling": "warp", "cost": "algorithm2", "write_out": "0", "fuse_init": "0", "cache_write": "0", "hold_reads": "0", "separate": "0"},
}

// Param is a row of the table of parameters.
type Param struct {
	Key     string
	Default string
	Values  []string // the words it takes; nil for free text and numbers
	Help    string
	notes   noted // when Map has it
	get     func(*Params) string
	set     func(*Params, string) error
}

// noted is when a parameter in force is told with a schedule.
type noted uint8

const (
	always  noted = iota // where it has a value
	changed              // where that is not the default: with the default a schedule is as it was before there was the parameter
	never                // it names a file of the run, says what is done with a schedule, or the directives show it themselves
)

// Table is every parameter. The command line, the user's guide and the plugin read it.
var Table = []Param{
	word("mode", "gowarp", []string{"gowarp", "autogpu", "polymage"}, "preset of grouping, tiling and cost, each of which may be given besides: gowarp is what follows; autogpu is Sioutas et al. 2020, tiling=block cost=listing1; polymage is Jangda and Guha 2020, grouping=dpfusion tiling=warp cost=algorithm2", func(p *Params) *string { return &p.Mode }),
	word("fusion", "nested", []string{"none", "overlap", "nested", "auto"}, "none: a kernel a Func; overlap: overlapped tiles in shared memory; nested: the same, and members whose points no two threads share are computed in the threads; auto: nested only in groups with severe resource needs", func(p *Params) *string { return &p.Fusion }),
	word("grouping", "auto", []string{"auto", "greedy", "dpfusion", "interval", "polymage-auto", "none"}, "which Funcs are computed together. auto: interval for up to eight stored Funcs, greedy for more; greedy: merge by merge, the one that gains most first; dpfusion: the cheapest of all valid fusions, with a bound on the size of groups where there are too many (Jangda and Guha 2020); interval: the cheapest cuts of several topological orders, then Funcs moved between groups, within a budget that follows effort; polymage-auto: by the overlap of tiles, with one tile for all kernels, whichever costs least (PolyMage's autotuner)", func(p *Params) *string { return &p.Grouping }),
	word("tiling", "all", []string{"block", "block-window", "warp-registers", "warp-shared", "warp-hybrid", "warp", "all"}, "the strategies allowed for a group. block: a tile a block, in shared memory, a point a thread; block-window: the same with several points a thread, unrolled, and stages in each thread's registers, where a group can be run so; warp-registers: a tile a warp, in registers that its lanes exchange (CUDA), likewise; warp-shared: the same in shared memory of each warp's own; warp-hybrid: a part of it there, as frac_reg says; warp: a tile a warp, where there is one, or a tile a block, whichever costs less; all: whichever of all costs less, among them strategies without a word of their own (scans by the lanes of a warp, histograms and columns of a block's own)", func(p *Params) *string { return &p.Tiling }),
	warpTile("warp_tile", "of tiles of warps, instead of a search: points of a row a lane, rows a lane and warps a block, as 2x4x4; in three dimensions also layers of rows a lane, as 1x2x4x2; 2x4x4:strided has the points of a lane a warp apart", func(p *Params) *string { return &p.WarpTile }),
	fraction("frac_reg", "of warp-hybrid: the fraction of each stage's tile that stays in registers, from 0 to 1 (0.5); the rest is in shared memory", func(p *Params) *string { return &p.FracReg }),
	word("cost", "time", []string{"listing1", "listing1-prose", "issue", "time", "algorithm2", "algorithm2-fitted"}, "what prices a group: listing 1 of Sioutas et al. 2020 as printed, or as their text describes it (memory undivided while grouping); issue: the time that instructions, requests and traffic take; time: seconds, as the longest of nine bounds; algorithm2: algorithm 2 of Jangda and Guha 2020 as printed, with their weights for the GTX 1080 Ti, or for the V100 from compute capability 7.0 on; algorithm2-fitted: its terms as microseconds of the whole kernel, with weights fitted to counted work", func(p *Params) *string { return &p.Cost }),
	word("effort", "normal", []string{"fast", "normal", "thorough"}, "how many candidates a group has. normal: tiles in powers of two while grouping, then in steps of two, of which a coster sees those that issue least where a strategy has many; fast: powers of two all the way; thorough: steps of two while grouping, then every candidate of every strategy", func(p *Params) *string { return &p.Effort }),
	word("search", "model", []string{"model", "ptxas", "sim"}, "who decides among the best few ways to run each kernel. model: the cost alone; ptxas: the cost with the registers and spills that NVIDIA's ptxas reports of them, each compiled by Halide first, which takes seconds; sim: the cost with the instructions, requests and sectors that gowarp's simulator counts of them, each compiled and run at the estimated sizes, which takes seconds too; CUDA only, and only within Halide", func(p *Params) *string { return &p.Search }),
	aside(text("registers", "of cost=algorithm2: the file of gowarp profile with the registers and the time of each stage by itself, instead of estimates", func(p *Params) *string { return &p.Registers })),
	text("weights", "of cost=algorithm2-fitted: a file of weights for the device, as benchmarks/algorithm2 fits them, instead of those fitted for an RTX 2080 Ti", func(p *Params) *string { return &p.Weights }),
	aside(text("machine", "of cost=time: a file of what a bundle measured of the device (run --micro FILE), in place of its data sheet", func(p *Params) *string { return &p.Machine })),
	text("gpu", "the device to schedule for: a name such as h200, or sm_86; by default the representative of the target's CUDA capability (7.5 if it names none), generic for OpenCL", func(p *Params) *string { return &p.GPU }),
	number("parallelism", 0, 1, 1<<16, "number of SMs, in place of the device's", func(p *Params) *int { return &p.Parallelism }),
	number("shared_memory_limit_kb", 0, 1, 227, "shared memory a block may use, in KiB; 48 is the most that Halide's CUDA runtime launches", func(p *Params) *int { return &p.SharedMemoryLimit }),
	number("max_registers", 64, 16, 255, "registers a thread may use; Halide's CUDA runtime caps them at 64 unless HL_CUDA_JIT_MAX_REGISTERS says otherwise", func(p *Params) *int { return &p.MaxRegisters }),
	aside(word("any_size", "1", []string{"0", "1"}, "1: special cases for whole groups of points run at all other sizes too, by a lowering pass of gowarp's own; 0: what a schedule of Halide's alone can say", func(p *Params) *string { return &p.AnySize })),
	ifChanged(word("reassociate", "1", []string{"0", "1"}, "1: sums and products of floats that leave the device idle are computed as trees, like those of integers, which rounds differently; 0: in the order of the reduction domain; of mode=gowarp", func(p *Params) *string { return &p.Reassociate })),
	ifChanged(word("write_out", "1", []string{"0", "1"}, "1: a stencil that adds up over a short domain of literal bounds is defined by its sum, which readers may inline and threads and warps keep in registers like any other definition; 0: it stays an update. 0 with mode=autogpu and mode=polymage, whose papers do not. Of pipelines that Halide hands over, not of those in a file", func(p *Params) *string { return &p.WriteOut })),
	ifChanged(word("fuse_init", "1", []string{"0", "1"}, "1: an update that changes every point of its domain once, a scan for instance, computes the pure definition itself, so that what it begins from is not stored and read again; 0: it reads it. 0 with mode=autogpu and mode=polymage, whose papers do not. Of pipelines that Halide hands over, not of those in a file", func(p *Params) *string { return &p.FuseInit })),
	ifChanged(word("cache_write", "1", []string{"0", "1"}, "1: a reduction that is an output, that several Funcs read, or that one reads elsewhere than point by point is held by a Func of its own, in the registers of the threads of a kernel that stores it once; 0: its update loads and stores it in every iteration. 0 with mode=autogpu and mode=polymage, whose papers do not. Of pipelines that Halide hands over, not of those in a file", func(p *Params) *string { return &p.CacheWrite })),
	ifChanged(word("hold_reads", "1", []string{"0", "1"}, "1: a reduction of products and the like that is no output reads inputs within what is needed of it, by the sizes of the outputs, where no border holds it, so that threads may compute several of its points whatever an input has; 0: as it is written. 0 with mode=autogpu and mode=polymage, whose papers do not. Of pipelines that Halide hands over, not of those in a file", func(p *Params) *string { return &p.HoldReads })),
	ifChanged(word("separate", "1", []string{"0", "1", "all"}, "1: where it is predicted to be faster, sums over boxes with weights that are products of a factor along each dimension, minima and maxima over boxes, and four and more equal terms in a row, written as terms or as reductions, are combined from parts that neighbours share, in Funcs of their own (of floats only with reassociate=1, since sums round differently); all: wherever that is possible; 0: as they are written. 0 with mode=autogpu and mode=polymage, whose papers do not. Of pipelines that Halide hands over, not of those in a file", func(p *Params) *string { return &p.Separate })),
	ifChanged(word("align", "1", []string{"0", "1"}, "1: a stored Func whose points alternate in what they compute (x % 2, x / 2) begins at a whole cell of them, so that each point of a thread that has several is of one kind when it is compiled; 0: every point computes all kinds. Of mode=gowarp, CUDA", func(p *Params) *string { return &p.Align })),
	aside(word("check", "1", []string{"0", "1"}, "1: the schedule is lowered in a forked process first, and another is taken if Halide makes something else of it than is expected", func(p *Params) *string { return &p.Check })),
	aside(text("dump", "write the pipeline as JSON to this file", func(p *Params) *string { return &p.Dump })),
	aside(text("save", "write the schedule that was applied as JSON to this file, after any check, to be replayed by schedule", func(p *Params) *string { return &p.Save })),
	aside(text("schedule", "replay the schedule in this file, as save or gowarp schedule --format json writes it, instead of searching for one", func(p *Params) *string { return &p.Schedule })),
}

// aside is a row that is not told with a schedule.
func aside(row Param) Param {
	row.notes = never
	return row
}

// ifChanged is a row that is told with a schedule only where it is not the default.
func ifChanged(row Param) Param {
	row.notes = changed
	return row
}

func word(key, def string, values []string, help string, at func(*Params) *string) Param {
	return Param{Key: key, Default: def, Values: values, Help: help,
		get: func(p *Params) string { return *at(p) },
		set: func(p *Params, v string) error {
			if !slices.Contains(values, v) {
				return fmt.Errorf("%s=%s: %s is one of %s%s", key, v, key, strings.Join(values, ", "), suggest.Nearest(v, values))
			}
			*at(p) = v
			return nil
		}}
}

func text(key, help string, at func(*Params) *string) Param {
	return Param{Key: key, Help: help,
		get: func(p *Params) string { return *at(p) },
		set: func(p *Params, v string) error {
			if v == "" {
				return fmt.Errorf("%s= is empty", key)
			}
			*at(p) = v
			return nil
		}}
}

// warpTile is three or four numbers between crosses, and maybe a word.
func warpTile(key, help string, at func(*Params) *string) Param {
	row := text(key, help, at)
	row.set = func(p *Params, v string) error {
		if _, err := strategy.ParseWarpChoice(v); err != nil {
			return fmt.Errorf("%s=%s: %w", key, v, err)
		}
		*at(p) = v
		return nil
	}
	return row
}

// fraction is a number from 0 to 1.
func fraction(key, help string, at func(*Params) *string) Param {
	row := text(key, help, at)
	row.set = func(p *Params, v string) error {
		if f, err := strconv.ParseFloat(v, 64); err != nil || !(f >= 0 && f <= 1) {
			return fmt.Errorf("%s=%s: a number from 0 to 1 is wanted, as 0.5", key, v)
		}
		*at(p) = v
		return nil
	}
	return row
}

// number is a parameter in [lo, hi]; a default of 0 means that the device decides.
func number(key string, def, lo, hi int, help string, at func(*Params) *int) Param {
	row := Param{Key: key, Help: help,
		get: func(p *Params) string {
			if *at(p) == 0 {
				return ""
			}
			return strconv.Itoa(*at(p))
		},
		set: func(p *Params, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < lo || n > hi {
				return fmt.Errorf("%s=%s: a whole number from %d to %d is wanted", key, v, lo, hi)
			}
			*at(p) = n
			return nil
		}}
	if def != 0 {
		row.Default = strconv.Itoa(def)
	}
	return row
}

// DefaultParams are the parameters of a user who gives none.
func DefaultParams() Params {
	p, err := ParseParams(nil)
	if err != nil {
		panic(err) // the table contradicts itself; a test reads every row
	}
	return p
}

// ParseParams reads parameters. An unknown key is an error that suggests the nearest.
func ParseParams(kv map[string]string) (Params, error) {
	given := kv
	kv = withPreset(given)
	var p Params
	keys := make([]string, 0, len(kv))
	for k := range kv {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		i := slices.IndexFunc(Table, func(r Param) bool { return r.Key == k })
		if i < 0 {
			return p, fmt.Errorf("autoscheduler: unknown parameter %s%s; the parameters are %s", k, suggest.Nearest(k, tableKeys()), strings.Join(tableKeys(), ", "))
		}
		if err := Table[i].set(&p, kv[k]); err != nil {
			return p, fmt.Errorf("autoscheduler: %w", err)
		}
	}
	if err := contradictions(given, kv); err != nil {
		return p, fmt.Errorf("autoscheduler: %w", err)
	}
	return p, nil
}

// withPreset is the parameters with the defaults, which are the mode's where it has some.
func withPreset(kv map[string]string) map[string]string {
	all := map[string]string{}
	for _, row := range Table {
		if row.Default != "" {
			all[row.Key] = row.Default
		}
	}
	maps.Copy(all, presets[kv["mode"]])
	maps.Copy(all, kv)
	return all
}

// CheckParams is ParseParams for who has no pipeline yet to schedule: the device has to be known too.
func CheckParams(kv map[string]string) (Params, error) {
	p, err := ParseParams(kv)
	if err == nil && p.GPU != "" {
		_, err = occupancy.Lookup(p.GPU)
	}
	return p, err
}

// Map is the parameters in force, as strings, that are told with a schedule; those that the device decides are left out.
func (p Params) Map() map[string]string {
	m := map[string]string{}
	for i := range Table {
		row := &Table[i]
		v := row.get(&p)
		if v == "" || row.notes == never || row.notes == changed && v == row.Default {
			continue
		}
		m[row.Key] = v
	}
	return m
}

func tableKeys() []string {
	keys := make([]string, len(Table))
	for i, row := range Table {
		keys[i] = row.Key
	}
	return keys
}
