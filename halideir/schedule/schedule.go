// Package schedule is a Halide schedule as data: flat directives, the kernels
// they make, and the forms in which people and programs read them (JSON,
// Halide C++, a loop-nest tree). It does not decide anything.
package schedule

// Version is the version of the schedule form that this package writes.
const Version = 1

// FormatName is the value of "format" in a schedule file.
const FormatName = "gowarp-schedule"

// Schedule is a whole schedule of one pipeline.
type Schedule struct {
	Outputs    []string
	Target     string
	Device     string
	Parameters map[string]string
	Funcs      []Shape // of the pipeline it was made for, its reductions factored; nil where they are not known
	Kernels    []Kernel
	Directives []Directive
}

// Do is the kind of a directive. Its value is the word in the JSON form.
type Do string

// The directives.
const (
	ComputeRoot Do = "compute_root"
	ComputeAt   Do = "compute_at"
	StoreAt     Do = "store_at"
	// ComputeWith runs a Func in the loops of another, from the outermost to the one named, each iteration's part of it behind the other's: one
	// kernel of two. Neither reads the other, and both have these loops.
	ComputeWith   Do = "compute_with"
	ComputeInline Do = "compute_inline"
	StoreIn       Do = "store_in"
	BoundStorage  Do = "bound_storage"
	BoundExtent   Do = "bound_extent"
	// GivenExtent is BoundExtent where Halide cannot prove that the extent does: what it leaves of that in the kernel only a lowering pass of gowarp's own
	// takes away, and with it the kernel does not run.
	GivenExtent     Do = "given_extent"
	AlignStorage    Do = "align_storage"
	AlignBounds     Do = "align_bounds"
	ReorderStorage  Do = "reorder_storage"
	Split           Do = "split"
	Fuse            Do = "fuse"
	Reorder         Do = "reorder"
	GPUBlocks       Do = "gpu_blocks"
	GPUThreads      Do = "gpu_threads"
	GPULanes        Do = "gpu_lanes"
	GPUSingleThread Do = "gpu_single_thread"
	Unroll          Do = "unroll"
	Vectorize       Do = "vectorize"
	Serial          Do = "serial"
	Atomic          Do = "atomic"
	// AllowRaceConditions has loops of an update run in parallel that Halide does not see to be so: that they are is for whoever says it to know.
	AllowRaceConditions Do = "allow_race_conditions"
	// NeverPartition has Halide make one piece of code of each loop of a stage, where it would make one of the middle and one of each edge.
	NeverPartition Do = "never_partition_all"
	// Specialize makes a special case of a stage of an output: that in every dimension of Vars its extent is a
	// multiple of the number in Multiples. Directives that are Special act on it, the others on all other cases.
	Specialize Do = "specialize"
	// AnySize has a special case whose points are split with ShiftInwards run wherever an output has as many points as it splits off: points of the last
	// group that are those of the one before too are stored by that alone. No schedule of Halide's holds it: a lowering pass of gowarp's own carries
	// it out where it finds the case in the form that it knows.
	AnySize Do = "any_size"
	// Demote keeps the first N registers of each lane that a Func takes in the scratch of its warp in shared memory,
	// from the byte Offset on. No schedule of Halide's holds it: a lowering pass of gowarp's own carries it out.
	Demote Do = "demote"
	// DemandOrder has the lanes of the kernel of an output, whose tile is in the registers of a warp, compute what a row of the tile needs just before that
	// row, of N points, in place of all rows of one Func after the other. No schedule of Halide's holds it: a lowering pass of gowarp's own carries it out.
	DemandOrder Do = "demand_order"
	// ChainAddresses has the kernels of a Func compute places in global memory that are strides apart from each other, up to N of them one from the other,
	// in place of each anew. No schedule of Halide's holds it: a lowering pass of gowarp's own carries it out in code for CUDA.
	ChainAddresses Do = "chain_addresses"
	// VectorAccess has the kernels of a Func load or store four neighbouring elements of 8, 16 or 32 bits at once where they access all four of them, wherever pointers, strides and
	// first elements are at multiples of four elements. No schedule of Halide's holds it: a lowering pass of gowarp's own carries it out in code for CUDA.
	VectorAccess Do = "vector_access"
	// UniformRows has the threads of a Func's kernels take the index of their row from the first lane of their warp, where rows are whole warps: ptxas then knows it to be the same for all
	// lanes. No schedule of Halide's holds it: a lowering pass of gowarp's own carries it out in code for CUDA.
	UniformRows Do = "uniform_rows"
	// WholeCells has the kernel of an output stand twice: once for an output that begins and ends at multiples of N along the dimension in Vars (and of what other such directives of the Func
	// say along others), whose points are known then to be even or odd when it is compiled, and once for any other; the host chooses. No schedule of Halide's holds it: a lowering pass of gowarp's
	// own carries it out.
	WholeCells Do = "whole_cells"
	// SharedOrGlobal has the kernels of a Func keep in global memory what they would have in shared memory, wherever a run's sizes make that more than N bytes a block: the host
	// chooses. No schedule of Halide's holds it: a lowering pass of gowarp's own carries it out.
	SharedOrGlobal Do = "shared_or_global"
	// ScanLanes has a warp run through the iterations of a stage that a thread would run through in order, each of which takes what the one before has stored (package scan): its
	// lanes compute 32 at a time. The threads of a block become its warps. No schedule of Halide's holds it: a lowering pass of gowarp's own carries it out in code for CUDA.
	ScanLanes Do = "scan_lanes"
	// ScanChunks has N threads run through the iterations of a stage that one would run through in order, as ScanLanes does, a chunk of them each and one chunk after the other: each from what
	// the chunks before come to, which they tell each other in shared memory. A block's threads are N times as many, in its second dimension. No schedule of Halide's holds it: a lowering pass of
	// gowarp's own carries it out in code for CUDA.
	ScanChunks Do = "scan_chunks"
	// LoadsFirst has the iterations of an update that stand one after the other in the code load before any of them stores: of its own Func the place that an iteration stores too where N
	// is 1, all that it reads where N is 2, which is then stored by none of them. No schedule of Halide's holds it: a lowering pass of gowarp's own carries it out.
	LoadsFirst Do = "loads_first"
	// AtomicAddition is Atomic for a sum in which Halide does not see one: whose place and addend share work, for which it would make a loop of compare-and-swap that loads the old
	// value without protection, or that subtracts. No schedule of Halide's holds it: a lowering pass of gowarp's own makes it an addition.
	AtomicAddition Do = "atomic_addition"
	// SomeLaunch has the host launch the kernel of an update over a domain only where that has a block: CUDA takes a launch of none for an error. No schedule of Halide's holds it: a lowering
	// pass of gowarp's own carries it out.
	SomeLaunch Do = "some_launch"
	// RFactor makes partial results of a reduction, side by side over the reduction variables in Vars: each whole where its number in Multiples is 0,
	// else over the inner part of a split by it. It makes two Funcs, which come before Func and move it and all behind it: the partial results and
	// their copy. It stands before all other directives.
	RFactor Do = "rfactor"
)

// Memory is where a Func is stored. Its value is the word in the JSON form.
type Memory string

// The kinds of storage.
const (
	MemoryAuto      Memory = "auto"
	MemoryHeap      Memory = "heap"
	MemoryStack     Memory = "stack"
	MemoryRegister  Memory = "register"
	MemoryGPUShared Memory = "gpu_shared"
)

// Tail is what a split does where the factor does not divide the extent.
type Tail string

// The tail strategies.
const (
	TailAuto         Tail = "auto"
	TailRoundUp      Tail = "round_up"
	TailGuardWithIf  Tail = "guard_with_if"
	TailShiftInwards Tail = "shift_inwards"
)

// Level names a loop of a stage at which another Func is computed.
type Level struct {
	Func  int
	Name  string // label of the Func
	Stage int
	Var   string // label of the loop
}

// Directive is one scheduling call on one stage of one Func. Vars are labels
// (FORMAT.md section 3).
type Directive struct {
	Do     Do
	Func   int
	Name   string // label of the Func
	Stage  int
	Vars   []string
	N      int64 // factor, extent, alignment, or registers of a lane
	Offset int64 // of Demote: in the scratch of a warp, in bytes
	Tail   Tail
	Memory Memory
	At     *Level
	// Multiples of Specialize, parallel to Vars.
	Multiples []int64
	Special   bool // acts on the special case
}

// Kernel is one GPU kernel (or one host loop nest) that the directives make,
// at the estimated sizes.
type Kernel struct {
	Func, Stage int
	Name        string // label of the Func, with ".update(N)" for updates
	Strategy    string
	Host        bool // runs on the host, with the reason in Note
	Note        string
	Blocks      [3]int64
	Threads     [3]int64
	SharedBytes int64
	Registers   int // estimated, a thread
	Occupancy   float64
	Limiters    []string
	Members     []Member
	Inlined     []string // labels
	Cost        Cost
}

// Member is a Func computed inside a kernel, besides the one that it is named for.
type Member struct {
	Func    int
	Name    string
	Level   string // "block", "warp" or "thread"
	Memory  Memory
	Extents []int64
	Bytes   int64
}

// Cost is a coster's price and its name.
type Cost struct {
	Name  string
	Value float64
}
