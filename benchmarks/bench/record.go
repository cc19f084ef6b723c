package bench

import (
	"strconv"
	"strings"

	"gowarp/gpusim/count"
)

// Schema is the version of the lines.
const Schema = 1

// What can come of a cell.
const (
	OK              = "ok"
	FailsToSchedule = "fails-to-schedule"
	FailsToLower    = "fails-to-lower"
	CannotLaunch    = "cannot-launch"
	FailsToRun      = "fails-to-run" // it launches, and the program stops: a constraint on sizes, an error of the driver
	WrongResult     = "wrong-result"
	Faulty          = "faulty" // the result is right, and the simulator found a race or an access that is wrong
	TimedOut        = "timed-out"
	OutOfMemory     = "out-of-memory"
	ProgramFails    = "program-fails" // whoever schedules it: it does not compile, fails with every Func at root on the CPU, has no estimates
	Broken          = "broken"        // the benchmark itself failed: nothing is said of the scheduler
)

// Record is a line: a cell and what came of it.
type Record struct {
	Schema int    `json:"schema"`
	Key    string `json:"key"` // hash of all that the line follows from

	Program   string            `json:"program"` // with the parameters that were set, as on the command line
	Source    string            `json:"source"`
	Params    map[string]string `json:"params,omitempty"`
	Size      []int             `json:"size,omitempty"` // extents of the first output, as estimated
	Funcs     int               `json:"funcs,omitempty"`
	Scheduler string            `json:"scheduler"`                  // as on the command line
	With      map[string]string `json:"scheduler_params,omitempty"` // what it was called with
	GPU       string            `json:"gpu"`
	Target    string            `json:"target"`
	UpTo      string            `json:"up_to"`
	Versions  map[string]string `json:"versions"`
	Commit    string            `json:"commit,omitempty"`
	Machine   Machine           `json:"machine"`
	Time      string            `json:"time"`
	Limits    Limits            `json:"limits"`

	Outcome string `json:"outcome"`
	Phase   string `json:"phase,omitempty"` // where it ended, if not ok
	Reason  string `json:"reason,omitempty"`
	// CellSeconds is how long the whole cell took.
	CellSeconds float64 `json:"cell_seconds"`

	// Times of the generator's process, wall and processor. To schedule: it writes the
	// schedule and lowers nothing. To lower: the rest, where it also lowers, generates code
	// and writes the library.
	ScheduleSeconds    float64            `json:"schedule_seconds,omitempty"`
	ScheduleCPUSeconds float64            `json:"schedule_cpu_seconds,omitempty"`
	LowerSeconds       float64            `json:"lower_seconds,omitempty"`
	LowerCPUSeconds    float64            `json:"lower_cpu_seconds,omitempty"`
	PluginMS           map[string]float64 `json:"plugin_ms,omitempty"` // gowarp's own account: export, schedule, apply
	PeakBytes          int64              `json:"peak_bytes,omitempty"`

	// Unplanned says why kernels have no Strategy, though gowarp made them.
	Unplanned string `json:"unplanned,omitempty"`

	Launches int      `json:"launches,omitempty"` // at the estimated size
	Kernels  []Kernel `json:"kernels,omitempty"`

	// Checked is the run on the simulator with all checks, Counted the one whose counts are here.
	Checked *Simulated `json:"checked,omitempty"`
	Counted *Simulated `json:"counted,omitempty"`
}

// Kernel is what a kernel uses and does.
type Kernel struct {
	Name string `json:"name"`
	// At the estimated size. Of several launches it is the one with the most threads.
	Launches    int      `json:"launches,omitempty"`
	Blocks      [3]int64 `json:"blocks"`
	Threads     [3]int64 `json:"threads"`
	SharedBytes int64    `json:"shared_bytes"`
	// As ptxas compiles it under the cap of 64 registers of Halide's CUDA runtime.
	Registers  int `json:"registers,omitempty"`
	SpillBytes int `json:"spill_bytes"` // stores and loads
	StackBytes int `json:"stack_bytes,omitempty"`
	// Of the device, by registers, shared memory and threads.
	ActiveBlocks int      `json:"active_blocks"`
	Occupancy    float64  `json:"occupancy"`
	Limiters     []string `json:"limiters,omitempty"`
	// Strategy is how a kernel of gowarp's is done, as its parameter tiling names it.
	Strategy string `json:"strategy,omitempty"`
	// Of a kernel of gowarp's, at the estimated size: OwnPoints are those that are needed of its output and of
	// the Funcs that it stores, HaloPoints those that it computes beyond them, since tiles overlap or stand over the edge.
	OwnPoints  int64 `json:"own_points,omitempty"`
	HaloPoints int64 `json:"halo_points,omitempty"`
	// Count is of all launches of Record.Counted.
	Count *count.Kernel `json:"count,omitempty"`
	// DRAMBytes is the estimate with the device's L2, 0 where only some blocks ran.
	DRAMBytes int64 `json:"dram_bytes,omitempty"`
}

// Simulated is a run on the simulator.
type Simulated struct {
	Size     []int   `json:"size"`     // of the first output
	Elements int64   `json:"elements"` // of all outputs
	Seconds  float64 `json:"seconds"`
	Blocks   int     `json:"blocks_sampled,omitempty"` // the most that ran of a launch, 0 for all
	Launches int     `json:"launches,omitempty"`
	// CompulsoryBytes are those of all inputs and outputs, once each.
	CompulsoryBytes int64 `json:"compulsory_bytes,omitempty"`
	// Total is of all kernels; Per32 for 32 output elements.
	Total *count.Kernel      `json:"total,omitempty"`
	Per32 map[string]float64 `json:"per_32_elements,omitempty"`
}

// Machine is what the times were taken on.
type Machine struct {
	CPU         string `json:"cpu"`
	Cores       int    `json:"cores"`
	MemoryBytes int64  `json:"memory_bytes"`
	OS          string `json:"os"`
}

// Limits of a cell.
type Limits struct {
	CPUSeconds  int   `json:"cpu_seconds"`  // of one run of the generator
	CellSeconds int   `json:"cell_seconds"` // wall time of the whole cell
	MemoryBytes int64 `json:"memory_bytes"` // address space of each process
}

// Extents writes a shape as 768x512.
func Extents(shape []int) string {
	var words []string
	for _, n := range shape {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, "x")
}

// cell is what a line is about, whatever it follows from.
func (r *Record) cell() [4]string { return [4]string{r.Program, r.Scheduler, r.GPU, r.UpTo} }
