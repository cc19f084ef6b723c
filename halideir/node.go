package halideir

// Op is the kind of an expression node.
type Op uint8

// The expression nodes that Halide 21 has.
const (
	OpInvalid Op = iota
	OpInt
	OpUint
	OpFloat
	OpString
	OpCast
	OpReinterpret
	OpVar
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpMod
	OpMin
	OpMax
	OpEQ
	OpNE
	OpLT
	OpLE
	OpGT
	OpGE
	OpAnd
	OpOr
	OpNot
	OpSelect
	OpCall
	OpLet
	OpRamp
	OpBroadcast
	OpShuffle
	OpVectorReduce
	OpLoad
	numOps
)

// VarKind says what a variable stands for.
type VarKind uint8

// The kinds of variable (FORMAT.md).
const (
	VarFree VarKind = iota
	VarDim
	VarRVar
	VarLet
	VarScalar
	VarBound
	VarLo
	VarHi
)

// CallType is Halide's kind of call.
type CallType uint8

// The kinds of call.
const (
	CallHalide CallType = iota
	CallImage
	CallIntrinsic
	CallPureIntrinsic
	CallExtern
	CallExternCPlusPlus
	CallPureExtern
)

// Node is one expression. Its operands have smaller ids than its own.
type Node struct {
	Op   Op
	Type Type
	Args []NodeID

	Int   int64   // OpInt; the bits of OpUint
	Float float64 // OpFloat
	Name  string  // variables, calls, lets, loads; the text of OpString; the operator of OpVectorReduce

	// Variables.
	Kind  VarKind
	Index int    // argument, reduction variable, scalar input or loop
	Of    int    // VarBound: the input
	Field string // VarBound: min, extent, stride or max
	Dim   int    // VarBound: the dimension

	// Calls.
	Call  CallType
	Func  int // CallHalide: the Func; else -1
	Input int // CallImage: the input; else -1
	Out   int // CallHalide: the tuple component

	Lanes   int   // OpRamp, OpBroadcast
	Indices []int // OpShuffle
}
