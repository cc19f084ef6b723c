// Package halideir is a Halide pipeline as data: the JSON that bridge writes,
// decoded, verified and printed. It knows nothing of GPUs, costs or schedules'
// merits; package schedule below it holds what a schedule is.
//
// FORMAT.md describes the JSON form field by field.
package halideir

// Version is the version of the pipeline form that this package reads.
const Version = 1

// FormatName is the value of "format" in a pipeline file.
const FormatName = "gowarp-pipeline"

// NodeID indexes Pipeline.Nodes. NoNode stands for an absent expression.
type NodeID int32

// NoNode is the absent expression.
const NoNode NodeID = -1

// Pipeline is a whole pipeline. Funcs come producers first; an id is an index.
type Pipeline struct {
	Halide  string
	Target  Target
	GPU     string    // of a dump: the device that the user had named; "" for none
	Checked []Checked // of a dump: what came of the schedules before the one that was taken, which is the last; none where the first was
	Outputs []int     // Func ids
	Inputs  []Input
	Funcs   []Func
	Edges   []Edge
	Nodes   []Node
}

// Target is what Halide compiles for.
type Target struct {
	String         string
	Arch, OS       string
	Bits           int
	API            string // "cuda", "opencl", …; "none" without a GPU
	CUDACapability int    // 75 for 7.5; 0 when not named
	Features       []string
}

// InputKind says where an input comes from.
type InputKind string

// The kinds of input.
const (
	InputBuffer   InputKind = "buffer"   // an image parameter
	InputScalar   InputKind = "scalar"   // a scalar parameter
	InputConstant InputKind = "constant" // an embedded buffer
)

// Input is something from outside the pipeline.
type Input struct {
	ID            int
	Name          string // Halide's
	Label         string // FORMAT.md section 3
	Kind          InputKind
	Type          Type
	Dims          []InputDim
	HostAlignment int
	Estimate      NodeID // scalars
	Min, Max      NodeID
	Value         NodeID
}

// InputDim is one dimension of a buffer.
type InputDim struct {
	Min, Extent, Stride         NodeID // what the user or the buffer fixed
	MinEstimate, ExtentEstimate *int64
}

// The windows of which Funcs combine parts (Func.Separated).
const (
	Equal    = "equal"    // no weights, or the same for each value
	Weighted = "weighted" // some have others
)

// Func is one Halide Func.
type Func struct {
	ID            int
	Name          string   // Halide's, with its $N
	Label         string   // unique in the pipeline, without $N
	Types         []Type   // one a tuple component
	Args          []string // Halide's names of the pure arguments
	Output        bool
	Stages        []Stage // the pure definition, then the updates; none for an extern Func
	Extern        *Extern
	Bounds        []Bound
	Estimates     []Estimate
	Wrappers      []Wrapper
	Memory        string
	Scheduled     []string // directives already on it
	PipelineIndex int      // i of Pipeline::get_func(i), -1 where that does not reach it
	FoundIndex    int      // position in called_funcs_in_order_found, -1 where not given
	WrittenOut    int      // updates of the user's that its definition has taken over before it was exported
	Separated     string   // Equal or Weighted: it combines parts of windows, and was made before the pipeline was exported; "": it was not
	Local         bool     // it holds a reduction that a Func of the user's copies, and was made before the pipeline was exported
	FusedInit     bool     // its first update has taken over its pure definition, which is computed elsewhere alone, before it was exported
	HeldReads     bool     // places that it reads are held within what is needed of it, since before it was exported
	Unconditional bool     // conditions of its updates that read something have become part of their values before it was exported

	// Partial says that package rfactor made the Func of a reduction: it holds partial results, of which neighbouring threads
	// should compute those that are neighbours along the argument Lane (-1: along any). Neither is in the JSON form.
	Partial bool
	Lane    int
}

// Extern is the definition of an extern stage.
type Extern struct {
	Name, Mangling, DeviceAPI string
	Args                      []ExternArg
}

// ExternArg is a Func, an input or an expression; the others are -1.
type ExternArg struct {
	Func, Input int
	Expr        NodeID
}

// Bound is a promise of the user's about one argument (Func::bound, …).
type Bound struct {
	Var                             string
	Min, Extent, Modulus, Remainder NodeID
}

// Estimate is the user's estimate of one argument's range.
type Estimate struct {
	Var         string
	Min, Extent int64
}

// Wrapper says that calls from Func In go to Func Wrapper; In is -1 for all.
type Wrapper struct{ In, Wrapper int }

// LoopKind says what may be done with a loop of a stage.
type LoopKind string

// The kinds of loop.
const (
	LoopPure       LoopKind = "pure"        // over an argument: parallel
	LoopPureRVar   LoopKind = "pure_rvar"   // over a reduction variable Halide knows to be parallel
	LoopImpureRVar LoopKind = "impure_rvar" // must run in order
)

// Parallel reports whether the loop's iterations are independent.
func (k LoopKind) Parallel() bool { return k != LoopImpureRVar }

// Loop is a loop of an untouched stage.
type Loop struct {
	Name  string // Halide's
	Label string // unique in the stage
	Kind  LoopKind
	Arg   int // index of the Func's argument, or -1
	RVar  int // index of the stage's reduction variable, or -1
}

// RVar is a reduction variable with its range.
type RVar struct {
	Name        string
	Min, Extent NodeID
}

// Stage is one definition of a Func.
type Stage struct {
	Args, Values             []NodeID
	Predicate                NodeID
	RVars                    []RVar
	Loops                    []Loop // innermost first
	Associative, Commutative bool
	// Restated are the values as old value, operator, other value, for an update that is a reduction in another form, or whose operator Halide's
	// prover does not know; nil for others.
	Restated []NodeID
	// ArgExtreme is how an update looks for the least or greatest with its place, if it does so in a form of which partial results, taken together, give
	// what it gives in order; nil for others.
	ArgExtreme *ArgExtreme
}

// ArgExtreme is an update of a Tuple (argmin, argmax) that takes all values of another element where that has a lesser, or greater, one: of
// equal elements the first in the domain stays.
type ArgExtreme struct {
	Value    int   // which of the Func's values is compared
	Greatest bool  // the greatest is looked for, not the least
	Places   []int // values that are variables of the domain, all that there are, the outermost loop's first
	// Ties is set where elements do not come in their order, as partial results: of equal ones that with the first place is taken. It is no part of the
	// format.
	Ties bool
}

// Edge is the box of a producer that a box of a consumer stage's loops needs.
type Edge struct {
	Consumer, Stage int
	Func, Input     int // the producer; the other is -1
	Box             []Range
}

// Range is one dimension of a box; an end is NoNode where unbounded.
type Range struct{ Lo, Hi NodeID }
