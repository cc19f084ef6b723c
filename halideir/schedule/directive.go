package schedule

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// form is what a directive must have.
type form struct {
	minVars, maxVars int
	number           bool // N
	memory, at       bool
	ofFunc           bool // acts on the Func, not on one stage
	multiples        bool // one for each of Vars
	offset           bool // it may have one
	ofPass           bool // a lowering pass of gowarp's own carries it out
	call             bool // of a pass: it is a call of Halide's besides
}

var forms = map[Do]form{
	ComputeRoot:         {ofFunc: true},
	ComputeAt:           {at: true, ofFunc: true},
	StoreAt:             {at: true, ofFunc: true},
	ComputeWith:         {at: true, ofFunc: true},
	ComputeInline:       {ofFunc: true},
	StoreIn:             {memory: true, ofFunc: true},
	BoundStorage:        {minVars: 1, maxVars: 1, number: true, ofFunc: true},
	BoundExtent:         {minVars: 1, maxVars: 1, number: true, ofFunc: true},
	GivenExtent:         {minVars: 1, maxVars: 1, number: true, ofFunc: true, ofPass: true},
	AlignStorage:        {minVars: 1, maxVars: 1, number: true, ofFunc: true},
	AlignBounds:         {minVars: 1, maxVars: 1, number: true, ofFunc: true},
	ReorderStorage:      {minVars: 1, maxVars: math.MaxInt, ofFunc: true},
	Split:               {minVars: 3, maxVars: 3, number: true},
	Fuse:                {minVars: 3, maxVars: 3},
	Reorder:             {minVars: 1, maxVars: math.MaxInt},
	GPUBlocks:           {minVars: 1, maxVars: 3},
	GPUThreads:          {minVars: 1, maxVars: 3},
	GPULanes:            {minVars: 1, maxVars: 1},
	GPUSingleThread:     {},
	Unroll:              {minVars: 1, maxVars: 1},
	Vectorize:           {minVars: 1, maxVars: 1},
	Serial:              {minVars: 1, maxVars: 1},
	Atomic:              {},
	AllowRaceConditions: {},
	NeverPartition:      {},
	Specialize:          {minVars: 1, maxVars: math.MaxInt, multiples: true},
	AnySize:             {ofFunc: true, ofPass: true},
	Demote:              {number: true, ofFunc: true, offset: true, ofPass: true},
	DemandOrder:         {number: true, ofFunc: true, ofPass: true},
	ChainAddresses:      {number: true, ofFunc: true, ofPass: true},
	VectorAccess:        {ofFunc: true, ofPass: true},
	UniformRows:         {ofFunc: true, ofPass: true},
	WholeCells:          {minVars: 1, maxVars: 1, number: true, ofFunc: true, ofPass: true},
	SharedOrGlobal:      {number: true, ofFunc: true, ofPass: true},
	ScanLanes:           {ofPass: true},
	ScanChunks:          {number: true, ofPass: true},
	LoadsFirst:          {number: true, ofPass: true},
	AtomicAddition:      {ofPass: true, call: true},
	SomeLaunch:          {ofPass: true},
	RFactor:             {minVars: 1, maxVars: math.MaxInt, multiples: true},
}

// OfPasses are the directives that no source says: passes of gowarp's own carry them out.
func OfPasses() []Do {
	var out []Do
	for do, f := range forms {
		if f.ofPass {
			out = append(out, do)
		}
	}
	slices.Sort(out)
	return out
}

// tails are the words of the JSON form with Halide's names.
var tails = map[Tail]string{
	"":                        "Auto",
	TailAuto:                  "Auto",
	TailRoundUp:               "RoundUp",
	TailGuardWithIf:           "GuardWithIf",
	TailShiftInwards:          "ShiftInwards",
	"predicate":               "Predicate",
	"predicate_loads":         "PredicateLoads",
	"predicate_stores":        "PredicateStores",
	"shift_inwards_and_blend": "ShiftInwardsAndBlend",
	"round_up_and_blend":      "RoundUpAndBlend",
}

// memories are the words of the JSON form with Halide's names.
var memories = map[Memory]string{
	MemoryAuto:      "Auto",
	MemoryHeap:      "Heap",
	MemoryStack:     "Stack",
	MemoryRegister:  "Register",
	MemoryGPUShared: "GPUShared",
	"gpu_texture":   "GPUTexture",
}

// MaxChunks is the most threads that run through a scan together by chunks: with a warp of columns a block has no more.
const MaxChunks = 32

// ChunkIterations is how many iterations of a scan a chunk has (ScanChunks; bridge/halidecc/scanchunks.h).
const ChunkIterations = 12

func (m Memory) known() bool { return memories[m] != "" }

// Of the scratch of a warp in shared memory, in bytes: the most that a block of any device has, and what all parts of
// it begin at a multiple of, a row of 32 lanes of the narrowest values.
const (
	MaxScratch  = 227 << 10
	ScratchStep = 32
)

// shape checks a directive by itself: the words, and that it has what its
// kind needs and nothing else.
func (d *Directive) shape() error {
	f, ok := forms[d.Do]
	switch {
	case !ok:
		return fmt.Errorf("there is no directive %q", d.Do)
	case d.Func < 0 || d.Stage < 0:
		return fmt.Errorf("there is no Func %d with a stage %d", d.Func, d.Stage)
	case f.ofFunc && d.Stage != 0:
		return fmt.Errorf("it acts on a whole Func, not on stage %d", d.Stage)
	case len(d.Vars) < f.minVars || len(d.Vars) > f.maxVars:
		return fmt.Errorf("it has %d vars, want %s", len(d.Vars), between(f.minVars, f.maxVars))
	case f.number && (d.N < 1 || d.N > math.MaxInt32):
		return fmt.Errorf("n is %d, want 1..%d", d.N, math.MaxInt32)
	case !f.number && d.N != 0:
		return fmt.Errorf("n is %d, but it takes no number", d.N)
	case d.Offset != 0 && (!f.offset || d.Offset < 0 || d.Offset > MaxScratch || d.Offset%ScratchStep != 0):
		return fmt.Errorf("the offset is %d, want a multiple of %d, %d at the most, and of a demotion alone", d.Offset, ScratchStep, MaxScratch)
	case d.Do == LoadsFirst && d.N > 2:
		return fmt.Errorf("n is %d, want 1 or 2", d.N)
	case d.Do == ScanChunks && (d.N < 2 || d.N > MaxChunks):
		return fmt.Errorf("n is %d, want 2..%d", d.N, MaxChunks)
	case f.offset && d.N > MaxScratch/ScratchStep:
		return fmt.Errorf("n is %d, want 1..%d", d.N, MaxScratch/ScratchStep)
	case tails[d.Tail] == "" || d.Tail != "" && d.Do != Split:
		return fmt.Errorf("the tail %q is unknown, or not a split's", d.Tail)
	case f.memory != (d.Memory != "") || f.memory && !d.Memory.known():
		return fmt.Errorf("the memory is %q", d.Memory)
	case f.multiples && len(d.Multiples) != len(d.Vars) || !f.multiples && len(d.Multiples) != 0:
		return fmt.Errorf("it has %d multiples for %d vars", len(d.Multiples), len(d.Vars))
	case slices.ContainsFunc(d.Multiples, func(n int64) bool { return n < 1 && !(n == 0 && d.Do == RFactor) || n > math.MaxInt32 }):
		return fmt.Errorf("the multiples are %d, want 1..%d", d.Multiples, math.MaxInt32)
	case d.Special && (f.ofFunc || f.multiples || d.Stage != 0):
		return fmt.Errorf("it does not act on the special case of a pure definition")
	case d.Do == RFactor && d.Stage == 0:
		return fmt.Errorf("a pure definition is no reduction")
	case d.Do == Specialize && d.Stage != 0:
		return fmt.Errorf("only a pure definition has a special case, not stage %d", d.Stage)
	case f.at != (d.At != nil):
		return fmt.Errorf("it and its loop level do not go together")
	case f.at && (d.At.Func < 0 || d.At.Stage < 0 || d.At.Var == ""):
		return fmt.Errorf("the level is Func %d stage %d var %q", d.At.Func, d.At.Stage, d.At.Var)
	}
	seen := map[string]bool{}
	for i, v := range d.Vars {
		// A split or fuse may give a new loop the name of one that it takes away.
		if v == "" || seen[v] && !(d.Do == Split && v == d.Vars[0] || d.Do == Fuse && i == 2) {
			return fmt.Errorf("the var %q occurs twice, or is empty", v)
		}
		seen[v] = true
	}
	if d.Do == Split && d.Vars[1] == d.Vars[2] {
		return fmt.Errorf("both parts are named %q", d.Vars[1])
	}
	return nil
}

func between(lo, hi int) string {
	switch {
	case lo == hi:
		return fmt.Sprint(lo)
	case hi == math.MaxInt:
		return fmt.Sprintf("at least %d", lo)
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}

// String is the directive for people: gray.update(0).split(x, x_o, x_i, 32).
func (d *Directive) String() string {
	var args []string
	if d.At != nil {
		args = append(args, StageLabel(d.At.Name, d.At.Stage), d.At.Var)
	}
	for i, v := range d.Vars {
		if d.Do == RFactor && i < len(d.Multiples) && d.Multiples[i] > 0 {
			v = fmt.Sprintf("%s by %d", v, d.Multiples[i])
		} else if i < len(d.Multiples) && d.Do == Specialize {
			v = fmt.Sprintf("%s %% %d == 0", v, d.Multiples[i])
		}
		args = append(args, v)
	}
	if d.N != 0 {
		args = append(args, fmt.Sprint(d.N))
	}
	if d.Do == Demote {
		args = append(args, fmt.Sprint(d.Offset))
	}
	if d.Tail != "" {
		args = append(args, string(d.Tail))
	}
	if d.Memory != "" {
		args = append(args, string(d.Memory))
	}
	label := StageLabel(d.Name, d.Stage)
	if d.Special {
		label += "[special]"
	}
	return fmt.Sprintf("%s.%s(%s)", label, d.Do, strings.Join(args, ", "))
}

// StageLabel is a stage for people: gray, or gray.update(0).
func StageLabel(name string, stage int) string {
	if stage == 0 {
		return name
	}
	return fmt.Sprintf("%s.update(%d)", name, stage-1)
}
