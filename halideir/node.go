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

// opNames are the words of the JSON form.
var opNames = [numOps]string{
	OpInt: "int", OpUint: "uint", OpFloat: "float", OpString: "string", OpCast: "cast", OpReinterpret: "reinterpret",
	OpVar: "var", OpAdd: "add", OpSub: "sub", OpMul: "mul", OpDiv: "div", OpMod: "mod", OpMin: "min", OpMax: "max",
	OpEQ: "eq", OpNE: "ne", OpLT: "lt", OpLE: "le", OpGT: "gt", OpGE: "ge", OpAnd: "and", OpOr: "or", OpNot: "not",
	OpSelect: "select", OpCall: "call", OpLet: "let", OpRamp: "ramp", OpBroadcast: "broadcast",
	OpShuffle: "shuffle", OpVectorReduce: "vector_reduce", OpLoad: "load",
}

// String is the word of the JSON form.
func (o Op) String() string {
	if o < numOps && o != OpInvalid {
		return opNames[o]
	}
	return "invalid"
}

// IsCompare reports whether o compares two values.
func (o Op) IsCompare() bool { return o >= OpEQ && o <= OpGE }

// IsBinary reports whether o is arithmetic on two values of one type.
func (o Op) IsBinary() bool { return o >= OpAdd && o <= OpMax }

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
	VarOutput
	VarLo
	VarHi
)

var varKindNames = [...]string{
	VarFree: "free", VarDim: "dim", VarRVar: "rvar", VarLet: "let", VarScalar: "scalar", VarBound: "bound", VarOutput: "output",
	VarLo: "lo", VarHi: "hi",
}

// Given reports whether a variable of this kind has one value in a run: a scalar, or a size of an input or an output.
func (k VarKind) Given() bool { return k == VarScalar || k == VarBound || k == VarOutput }

// String is the word of the JSON form.
func (k VarKind) String() string {
	if int(k) < len(varKindNames) {
		return varKindNames[k]
	}
	return "invalid"
}

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

var callTypeNames = [...]string{
	CallHalide: "halide", CallImage: "image", CallIntrinsic: "intrinsic", CallPureIntrinsic: "pure_intrinsic",
	CallExtern: "extern", CallExternCPlusPlus: "extern_cplusplus", CallPureExtern: "pure_extern",
}

// String is the word of the JSON form.
func (c CallType) String() string {
	if int(c) < len(callTypeNames) {
		return callTypeNames[c]
	}
	return "invalid"
}

// ReadsBuffer reports whether the node is a load from a Func or an input.
func (n *Node) ReadsBuffer() bool {
	return n.Op == OpCall && (n.Call == CallHalide || n.Call == CallImage)
}

// ReadsFunc reports whether a node is a load of a Func.
func (n *Node) ReadsFunc() bool { return n.Op == OpCall && n.Call == CallHalide }

// IsLikely reports whether the node marks its operand as what holds inside an image.
func (n *Node) IsLikely() bool {
	return n.Op == OpCall && (n.Name == "likely" || n.Name == "likely_if_innermost")
}

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
	Of    int    // VarBound: the input; VarOutput: the Func
	Field string // VarBound: min, extent, stride or max; VarOutput: min or extent
	Dim   int    // VarBound, VarOutput: the dimension

	// Calls.
	Call  CallType
	Func  int // CallHalide: the Func; else -1
	Input int // CallImage: the input; else -1
	Out   int // CallHalide: the tuple component

	Lanes   int   // OpRamp, OpBroadcast
	Indices []int // OpShuffle
}
