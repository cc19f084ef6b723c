// Package plan holds the words that the passes share: the problem (a pipeline
// with its analyses and a device), groups, and Layouts, from which resources,
// traffic and directives are all derived. It decides nothing.
package plan

import (
	"math/bits"
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/occupancy"
)

// Problem is a pipeline with everything that the passes know about it. It is
// read-only once the passes before grouping have run.
type Problem struct {
	P       *halideir.Pipeline
	Access  *access.Analysis
	Regions *bounds.Regions
	Fits    *bounds.Fits
	Device  *occupancy.Device
	Limits  Limits

	Inlined  []bool    // by Func id: computed where it is used
	Folded   []bool    // by Func id: inlined only where the compiler knows its arguments, and so its values
	Expand   []*Expand // by stage index (see StageIndex): the stage with inlined Funcs in place; never changed, but replaced
	Dims     []Dims    // by stage index: which loops are tiled
	Host     []string  // by Func id: why it runs on the host; empty if it runs on the GPU
	Apart    []bool    // by Func id: it shares no kernel with another Func
	Unproven []bool    // by Func id: Halide could not prove that the extents which it was given do (see Given)

	// WholeGroups says that the points of a thread have to divide an output's extents: see Nest.Whole.
	WholeGroups bool

	// Vectors says that neighbours in memory are loaded and stored by one instruction where a thread accesses VectorLanes of them side by side.
	Vectors bool

	// RowsLast says that blocks may go through loops that are not tiled before they go to the next row of tiles.
	RowsLast bool

	// LongTurns says that a thread may run through more of a dimension that is not tiled than colours have, where members do not move with it.
	LongTurns bool

	// LaneScans says that lanes of a warp may run through scans together; InOrder that sums of floats are added in the order of their domain.
	LaneScans, InOrder bool

	// Profile is what a profile says of each stage by itself, by stage index; nil without one.
	Profile []StageProfile

	// Cells are what stages compute whose threads begin at whole cells of points that alternate; nil where none do.
	Cells *Cells

	// Kept is what other packages work out once for a problem, each under a key of its own.
	Kept *Kept

	funcBytes, inputBytes []float64 // see BufferBytes
	first                 []int     // Func id -> index of its stage 0
}

// StageProfile is what was counted of a stage by itself, with nothing inlined. The zero value: nothing.
type StageProfile struct {
	Registers int     // a thread
	Cycles    float64 // an iteration
}

// Limits is what no launch may exceed.
type Limits struct {
	SharedBytes       int64 // a block
	ThreadsPerBlock   int64
	RegistersPerBlock int64
	MaxRegisters      int // a thread: what the runtime lets the compiler use
}

// Dims says which loops of a stage become threads. Loops are those of the
// untouched stage.
type Dims struct {
	Tiled  []int   // loops split into blocks and threads, innermost first, at most 3
	Tiles  []Tiles // parallel to Tiled: the tiles that are tried
	Extent []int64 // of every loop at the estimates
	// Atomic says that the stage's store becomes an atomic operation, so that loops which
	// would have to run in order are parallel too.
	Atomic bool
	// Carrying are the loops of an update that the host runs, a launch an iteration, innermost first, so that those Within are parallel that would have to run in order (package carried).
	Carrying, Within []int
	// Held are short loops over a dimension that stages before this one read across: a thread has all of it, and so all of theirs.
	Held []int
	// Across are short loops, tiled before all others, along which all points need the same part of what comes before: tiles are to have them whole.
	Across []int
}

// OfDomain reports whether loops of the domain that would have to run in order are parallel.
func (d *Dims) OfDomain() bool { return d.Atomic || len(d.Carrying) > 0 }

// Tiles are the least and the largest tile of a loop.
type Tiles struct{ Min, Max int64 }

// Parallel reports whether a loop of a stage may run over blocks and threads.
func (pr *Problem) Parallel(fn, stage, loop int) bool {
	d := &pr.Dims[pr.StageIndex(fn, stage)]
	return d.Atomic || pr.P.Funcs[fn].Stages[stage].Loops[loop].Kind.Parallel() || slices.Contains(d.Within, loop)
}

// NewProblem numbers the stages of a pipeline.
func NewProblem(p *halideir.Pipeline) *Problem {
	pr := &Problem{P: p, Inlined: make([]bool, len(p.Funcs)), Folded: make([]bool, len(p.Funcs)), Host: make([]string, len(p.Funcs)), Apart: make([]bool, len(p.Funcs)), Unproven: make([]bool, len(p.Funcs)), Kept: NewKept(), first: make([]int, len(p.Funcs)+1)}
	n := 0
	for i := range p.Funcs {
		pr.first[i] = n
		n += max(1, len(p.Funcs[i].Stages))
	}
	pr.first[len(p.Funcs)] = n
	none := make([]Expand, n)
	for i := range none {
		pr.Expand = append(pr.Expand, &none[i])
	}
	pr.Host = HostReasons(p)
	return pr
}

// StageIndex numbers all stages of the pipeline densely. An extern Func counts
// as one stage.
func (pr *Problem) StageIndex(fn, stage int) int { return pr.first[fn] + stage }

// NumStages is the number of stage indices.
func (pr *Problem) NumStages() int { return pr.first[len(pr.first)-1] }

// Stored reports whether a Func is computed into memory of its own.
func (pr *Problem) Stored(fn int) bool { return !pr.Inlined[fn] }

// Reads reports whether any stage of a Func loads the producer, with inlined Funcs in
// place.
func (pr *Problem) Reads(fn, producer int) bool {
	for s := range pr.P.Funcs[fn].Stages {
		if pr.StageReads(fn, s, producer) {
			return true
		}
	}
	return false
}

// StageReads is Reads for one stage.
func (pr *Problem) StageReads(fn, stage, producer int) bool {
	return slices.Contains(pr.Expand[pr.StageIndex(fn, stage)].Reads, producer)
}

// Affected is every Func that reaches id through inlined Funcs, ascending.
func (pr *Problem) Affected(id int) []int {
	seen := map[int]bool{}
	var out []int
	work := []int{id}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range pr.Access.Consumers(f) {
			if seen[c.Func] {
				continue
			}
			seen[c.Func] = true
			out = append(out, c.Func)
			if pr.Inlined[c.Func] {
				work = append(work, c.Func)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Bytes is the storage of one point of a Func, all tuple components together.
func (pr *Problem) Bytes(fn int) int64 { return pr.P.Funcs[fn].Bytes() }

// SetRegions notes the regions, and the sizes of buffers that follow from them.
func (pr *Problem) SetRegions(r *bounds.Regions) {
	pr.Regions, pr.Fits = r, bounds.NewFits(pr.P, r)
	pr.funcBytes = make([]float64, len(r.Funcs))
	for id := range r.Funcs {
		pr.funcBytes[id] = float64(r.Funcs[id].Points()) * float64(pr.Bytes(id))
	}
	pr.inputBytes = make([]float64, len(r.Inputs))
	for id := range r.Inputs {
		pr.inputBytes[id] = float64(r.Inputs[id].Points()) * float64(pr.P.Inputs[id].Type.Bytes())
	}
}

// BufferBytes is the size of all that is read of a Func or, where fn is negative, of an
// input; 0 where both are.
func (pr *Problem) BufferBytes(fn, input int) float64 {
	switch {
	case fn >= 0:
		return pr.funcBytes[fn]
	case input >= 0:
		return pr.inputBytes[input]
	}
	return 0
}

// VectorLanes is how many elements of 32 bits one instruction loads or stores where neighbours are (16 bytes; Halide 21 makes it of no other
// number for CUDA).
const VectorLanes = 4

// MorePoints is how many points beyond the end of a dimension a group's output may be computed
// to: more than any thread computes side by side.
const MorePoints = 8

// Absorbs reports whether up to MorePoints more of a Func ask no input for more than it has.
func (pr *Problem) Absorbs(fn int) bool { return pr.Regions.Absorbs(pr.P, fn, MorePoints) }

// MultipleAlong reports whether a Func has, in every run, a multiple of n points along a loop of a stage, one over an argument, so that whole groups of n are no more than are needed: the 8 rows of a block of a transform, say.
func (pr *Problem) MultipleAlong(fn, stage, loop int, n int64) bool {
	arg := pr.P.Funcs[fn].Stages[stage].Loops[loop].Arg
	if arg < 0 {
		return false
	}
	iv, ok := pr.Regions.Constant(pr.P, fn, arg)
	return ok && iv.Extent()%n == 0
}

// Roundable reports whether a member in shared memory may be computed to whole groups of up to MorePoints points: no other member, whose storage would
// have to be larger, is read by it, and no input is asked for more than it has, also where the group's output is rounded up itself.
func (pr *Problem) Roundable(members []int, fn int) bool {
	return !slices.ContainsFunc(members, func(m int) bool { return m != fn && pr.Reads(fn, m) }) && pr.Regions.Absorbs(pr.P, fn, 2*MorePoints)
}

// Given reports whether a schedule says the extent of a dimension of a member in shared memory, that of the largest tile. Where it is read at scaled
// places (x / 2) tiles need now one point more and now one less: Halide would size and compute it at run time, with strides that are variables. It may
// be computed larger where no input is asked for more than it has: at the end of the output by nearly the whole extent.
func (pr *Problem) Given(fn int, g bounds.Growth, extent int64) bool {
	more := int64(1) << bits.Len64(uint64(extent)) // few sizes, so that few regions are looked at
	return g.Known && g.Fixed && !pr.Unproven[fn] && pr.Regions.Absorbs(pr.P, fn, more)
}

// PureLoops reports whether every argument of the stage's left-hand side is the
// argument itself: the stage writes each point of a region once a pass.
func (pr *Problem) PureLoops(fn, stage int) bool {
	f := &pr.P.Funcs[fn]
	st := &f.Stages[stage]
	n := 0
	for _, l := range st.Loops {
		if l.Kind == halideir.LoopPure {
			n++
		}
	}
	return n == len(f.Args)
}
