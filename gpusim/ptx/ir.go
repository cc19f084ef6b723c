package ptx

import (
	"fmt"
	"strings"
)

// Space is a PTX state space.
type Space uint8

// The state spaces. Generic addresses fall into windows of the others.
const (
	Generic Space = iota
	Reg
	Param
	Global
	Shared
	Local
	Const
)

var spaceNames = [...]string{"generic", "reg", "param", "global", "shared", "local", "const"}

func (s Space) String() string { return spaceNames[s] }

func spaceByName(name string) (Space, bool) {
	for s, n := range spaceNames {
		if s != int(Generic) && n == name {
			return Space(s), true
		}
	}
	return 0, false
}

// Type is a PTX scalar type: a kind and a width.
type Type struct {
	Kind TypeKind
	Bits uint8 // 1 for predicates
}

// TypeKind is how the bits of a value are read.
type TypeKind uint8

// The kinds of types.
const (
	NoType   TypeKind = iota
	Untyped           // .b8 to .b64
	Signed            // .s8 to .s64
	Unsigned          // .u8 to .u64
	Float             // .f16, .f32, .f64
	Pred              // .pred
	Packed            // .f16x2: two halves in 32 bits
)

// Bytes is the width of the type in memory.
func (t Type) Bytes() int { return int(t.Bits) / 8 }

func (t Type) String() string {
	switch t.Kind {
	case NoType:
		return "none"
	case Pred:
		return "pred"
	case Packed:
		return "f16x2"
	}
	return fmt.Sprintf("%c%d", " bsuf"[t.Kind], t.Bits)
}

var types = func() map[string]Type {
	m := map[string]Type{"pred": {Pred, 1}, "f16x2": {Packed, 32}}
	for _, bits := range []uint8{8, 16, 32, 64} {
		for _, k := range []TypeKind{Untyped, Signed, Unsigned, Float} {
			if t := (Type{k, bits}); t != (Type{Float, 8}) {
				m[t.String()] = t
			}
		}
	}
	return m
}()

// Module is one PTX text.
type Module struct {
	Version   [2]int // of the PTX language: .version 7.1 is {7, 1}
	Target    string // "sm_86"
	Vars      []*Var // .const, .global and .shared variables, in order
	Functions []*Function
}

// Capability is the target's compute capability, 86 for sm_86.
func (m *Module) Capability() int {
	var n int
	_, _ = fmt.Sscanf(m.Target, "sm_%d", &n) // verified by the parser
	return n
}

// Function finds a function by name.
func (m *Module) Function(name string) *Function {
	for _, f := range m.Functions {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Var is a variable in memory, or a parameter.
type Var struct {
	Name  string
	Space Space
	Type  Type
	Count int // elements; 1 for a scalar, 0 for an extern array
	Align int // bytes
	Init  []byte
	Line  int
}

// Bytes is the variable's size.
func (v *Var) Bytes() int { return v.Count * v.Type.Bytes() }

// Function is an .entry (a kernel) or a .func.
type Function struct {
	Name    string
	Entry   bool
	Params  []*Var
	Returns []*Var
	Regs    []Register
	Vars    []*Var // variables of the body: .local, .shared, and .param of calls
	Code    []Inst
	Line    int
	// EndLine is the line of the closing brace.
	EndLine int
	// MaxThreads is the product of .maxntid, 0 if it is not there.
	MaxThreads int
}

// Register is a virtual register. Inner scopes may reuse a name; each
// declaration is a register of its own.
type Register struct {
	Name string
	Type Type
}

// Inst is an instruction.
type Inst struct {
	Line     int
	Guard    int  // the predicate register that guards it, -1 for none
	GuardNot bool // run where the guard is false
	Op       string
	Mods     []string // modifiers that are not types or state spaces, in order: "lo", "rn", "ftz"
	Space    Space
	Types    []Type
	Vec      int // elements moved by ld or st: 1, 2 or 4
	Args     []Operand
	// Pair says that the first two operands are written p|q: two destinations.
	Pair bool
	Text string // the opcode as written: "mad.lo.s32"
}

// Has reports whether the instruction has a modifier.
func (i *Inst) Has(mod string) bool {
	for _, m := range i.Mods {
		if m == mod {
			return true
		}
	}
	return false
}

// Type is the n-th type suffix, or none.
func (i *Inst) Type(n int) Type {
	if n < len(i.Types) {
		return i.Types[n]
	}
	return Type{}
}

func (i *Inst) String() string {
	args := make([]string, len(i.Args))
	for k, a := range i.Args {
		args[k] = a.String()
	}
	return i.Text + " " + strings.Join(args, ", ")
}

// OperandKind tells what an operand is.
type OperandKind uint8

// The kinds of operands.
const (
	ArgReg     OperandKind = iota // Reg
	ArgImm                        // Bits, and Float if it was written as one
	ArgAddr                       // [Reg+Offset], [Var+Offset] or [Offset]
	ArgVar                        // a variable's address as a value
	ArgSpecial                    // %tid.x and its like, by Name
	ArgList                       // {a, b}: Elems
	ArgLabel                      // Target, an index into Code
	ArgFunc                       // a function's name
	ArgSink                       // _
	ArgNames                      // (a, b) of a call: Elems
)

// Operand is an operand of an instruction.
type Operand struct {
	Kind   OperandKind
	Reg    int // of ArgReg, or the base of ArgAddr; -1 for none
	Neg    bool
	Bits   uint64 // of an immediate: sign-extended integer, or the float's pattern
	Float  uint8  // 32 or 64 if the immediate was written 0f… or 0d…
	Offset int64
	Var    *Var
	Name   string
	Elems  []Operand
	Target int
}

func (o Operand) String() string {
	switch o.Kind {
	case ArgReg:
		return fmt.Sprintf("r%d", o.Reg)
	case ArgImm:
		return fmt.Sprintf("%#x", o.Bits)
	case ArgAddr:
		base := ""
		if o.Var != nil {
			base = o.Var.Name
		} else if o.Reg >= 0 {
			base = fmt.Sprintf("r%d", o.Reg)
		}
		return fmt.Sprintf("[%s%+d]", base, o.Offset)
	case ArgVar:
		return o.Var.Name
	case ArgLabel:
		return fmt.Sprintf("@%d", o.Target)
	case ArgSink:
		return "_"
	case ArgList, ArgNames:
		parts := make([]string, len(o.Elems))
		for i, e := range o.Elems {
			parts[i] = e.String()
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return o.Name
}

// Error is a mistake in a PTX text.
type Error struct {
	Line int
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("ptx: line %d: %s", e.Line, e.Msg) }

// VersionError says that the text is of a PTX version that is newer than what is
// known, which a driver reports apart from mistakes.
type VersionError struct {
	Line, Major, Minor int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("ptx: line %d: PTX version %d.%d is not known here (7.8 is the newest); compile for a lower cuda_capability", e.Line, e.Major, e.Minor)
}
