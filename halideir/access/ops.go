package access

import (
	"gowarp/halideir"
	"strings"
)

// Class is a class of operation with about one cost on a GPU.
type Class int

// The classes.
const (
	AddSub Class = iota
	Mul
	Div
	Mod
	MinMax // min, max, abs, absd
	Compare
	Logic // and, or, not of conditions
	Select
	Cast
	Bitwise // bitwise operations and shifts of integers
	Special // a function by name: exp, sin, pow, sqrt, …
	Other
	NumClasses
)

var classNames = [NumClasses]string{"add/sub", "mul", "div", "mod", "min/max", "compare", "logic", "select", "cast", "bitwise", "special", "other"}

func (c Class) String() string { return classNames[c] }

// Kind is a type as the arithmetic units see it: signed and unsigned alike.
type Kind int

// The kinds.
const (
	Bool Kind = iota
	Int8
	Int16
	Int32
	Int64
	Float16 // and bfloat16
	Float32
	Float64
	Handle
	NumKinds
)

var kindNames = [NumKinds]string{"bool", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "handle"}

func (k Kind) String() string { return kindNames[k] }

// KindOf is the kind of a type's lanes.
func KindOf(t halideir.Type) Kind {
	switch {
	case t.Code == halideir.Handle:
		return Handle
	case t.IsFloat() && t.Bits == 16:
		return Float16
	case t.IsFloat() && t.Bits == 32:
		return Float32
	case t.IsFloat():
		return Float64
	case t.Bits == 1:
		return Bool
	case t.Bits == 8:
		return Int8
	case t.Bits == 16:
		return Int16
	case t.Bits == 32:
		return Int32
	}
	return Int64
}

// Ops counts operations a point. A vector operation counts once a lane.
type Ops struct {
	Count   [NumClasses][NumKinds]int
	Special map[string]int // by name, without the suffix of the type
	Shifts  int            // of the divisions and remainders, those by a literal power of two
	Unknown int            // of those of integers, those by what only a run knows
	Apart   int            // of the minima and maxima, absolute differences of integers
	Fused   int            // of the sums and differences of floats, those that a product stands in
	Scaled  int            // of the divisions of floats, those by a literal
	Chosen  int            // of the minima and maxima of floats, those of no literal: with a NaN on either side they are a comparison and a choice
	// Of integers: sums and differences that a product stands in; divisions and remainders of numbers without a sign by literals that are no power of two; casts of integers to others, but for loaded ones to wider ones; those of loaded ones that a product widens.
	FusedInts, Unsigned, Widths, Wide int
	Extended                          int // casts of loaded integers to others of more bits: a load extends what it loads
	Stored                            int // of Widths, those to fewer bits whose result is the value of the definition: a store takes the bits that it needs
	Plain                             int // of Unknown, those of numbers without a sign
}

// Total is the number of all operations.
func (o *Ops) Total() int {
	n := 0
	for c := range o.Count {
		n += o.Class(Class(c))
	}
	return n
}

// Class is the number of operations of one class.
func (o *Ops) Class(c Class) int {
	n := 0
	for _, k := range o.Count[c] {
		n += k
	}
	return n
}

func (o *Ops) add(c Class, t halideir.Type) { o.Count[c][KindOf(t)] += max(t.Lanes, 1) }

// count adds one node. Constants, variables and loads compute nothing.
func (o *Ops) count(p *halideir.Pipeline, n *halideir.Node) {
	operand := n.Type
	if len(n.Args) > 0 {
		operand = p.Nodes[n.Args[0]].Type
	}
	switch n.Op {
	case halideir.OpAdd, halideir.OpSub:
		o.add(AddSub, n.Type)
		if n.Type.IsFloat() && (p.Nodes[n.Args[0]].Op == halideir.OpMul || p.Nodes[n.Args[1]].Op == halideir.OpMul) {
			o.Fused += max(n.Type.Lanes, 1)
		} else if p.Nodes[n.Args[0]].Op == halideir.OpMul || p.Nodes[n.Args[1]].Op == halideir.OpMul {
			o.FusedInts += max(n.Type.Lanes, 1)
		}
	case halideir.OpMul:
		o.add(Mul, n.Type)
		for _, a := range n.Args {
			if widened(p, a) {
				o.Wide += max(n.Type.Lanes, 1)
			}
		}
	case halideir.OpDiv, halideir.OpMod:
		if n.Op == halideir.OpDiv {
			o.add(Div, n.Type)
		} else {
			o.add(Mod, n.Type)
		}
		if shifts(p, n) {
			o.Shifts += max(n.Type.Lanes, 1)
		} else if by := p.Nodes[n.Args[1]].Op; n.Type.Code == halideir.UInt && (by == halideir.OpInt || by == halideir.OpUint) {
			o.Unsigned += max(n.Type.Lanes, 1)
		}
		if by := &p.Nodes[n.Args[1]]; !n.Type.IsFloat() && by.Op != halideir.OpInt && by.Op != halideir.OpUint {
			o.Unknown += max(n.Type.Lanes, 1)
			if n.Type.Code == halideir.UInt {
				o.Plain += max(n.Type.Lanes, 1)
			}
		} else if n.Type.IsFloat() && by.Op == halideir.OpFloat {
			o.Scaled += max(n.Type.Lanes, 1)
		}
	case halideir.OpMin, halideir.OpMax:
		o.add(MinMax, n.Type)
		if n.Type.IsFloat() && p.Nodes[n.Args[0]].Op != halideir.OpFloat && p.Nodes[n.Args[1]].Op != halideir.OpFloat {
			o.Chosen += max(n.Type.Lanes, 1)
		}
	case halideir.OpEQ, halideir.OpNE, halideir.OpLT, halideir.OpLE, halideir.OpGT, halideir.OpGE:
		o.add(Compare, operand)
	case halideir.OpAnd, halideir.OpOr, halideir.OpNot:
		o.add(Logic, n.Type)
	case halideir.OpSelect:
		o.add(Select, n.Type)
	case halideir.OpCast:
		// Signed and unsigned of one width are the same bits.
		if KindOf(n.Type) != KindOf(operand) {
			o.add(Cast, n.Type)
			if !n.Type.IsFloat() && !operand.IsFloat() {
				if n.Type.Bits < operand.Bits || !p.Nodes[n.Args[0]].ReadsBuffer() {
					o.Widths += max(n.Type.Lanes, 1)
				} else {
					o.Extended += max(n.Type.Lanes, 1)
				}
			}
		}
	case halideir.OpVectorReduce:
		o.add(reduceClass(n.Name), operand)
	case halideir.OpCall:
		o.call(p, n)
	}
}

// narrows reports whether a node is a cast of an integer to one of fewer bits.
func narrows(p *halideir.Pipeline, n *halideir.Node) bool {
	if n.Op != halideir.OpCast {
		return false
	}
	from := p.Nodes[n.Args[0]].Type
	return !n.Type.IsFloat() && !from.IsFloat() && n.Type.Bits < from.Bits
}

// shifts reports whether a division or a remainder is by a literal power of two, hence a shift or a mask.
func shifts(p *halideir.Pipeline, n *halideir.Node) bool {
	by := &p.Nodes[n.Args[1]]
	return (by.Op == halideir.OpInt || by.Op == halideir.OpUint) && by.Int > 0 && by.Int&(by.Int-1) == 0
}

func reduceClass(name string) Class {
	switch name {
	case "add", "saturating_add":
		return AddSub
	case "mul":
		return Mul
	case "min", "max":
		return MinMax
	}
	return Logic
}

func (o *Ops) call(p *halideir.Pipeline, n *halideir.Node) {
	if n.ReadsBuffer() || transparent(n) >= 0 {
		return
	}
	name := FunctionName(n)
	switch name {
	case "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "shift_left", "shift_right",
		"widening_shift_left", "widening_shift_right", "rounding_shift_left", "rounding_shift_right", "popcount", "count_leading_zeros", "count_trailing_zeros":
		o.add(Bitwise, n.Type)
	case "strict_add", "strict_sub":
		o.add(AddSub, n.Type)
	case "strict_mul":
		o.add(Mul, n.Type)
	case "strict_div":
		o.add(Div, n.Type)
	case "strict_eq", "strict_le", "strict_lt":
		o.add(Compare, p.Nodes[n.Args[0]].Type)
	case "mux":
		for range len(n.Args) - 2 { // an index and the values: one choice less than values
			o.add(Select, n.Type)
		}
	case "abs", "absd", "strict_min", "strict_max":
		o.add(MinMax, n.Type)
		if name == "absd" && !n.Type.IsFloat() {
			o.Apart += max(n.Type.Lanes, 1)
		}
	case "if_then_else":
		o.add(Select, n.Type)
	case "div_round_to_zero":
		o.add(Div, n.Type)
	case "mod_round_to_zero":
		o.add(Mod, n.Type)
	case "widening_add", "widening_sub", "widen_right_add", "widen_right_sub", "halving_add", "halving_sub",
		"rounding_halving_add", "saturating_add", "saturating_sub", "sorted_avg":
		o.add(AddSub, n.Type)
	case "widening_mul", "widen_right_mul", "mul_shift_right", "rounding_mul_shift_right":
		o.add(Mul, n.Type)
	case "saturating_cast":
		o.add(Cast, n.Type)
	case "undef", "make_struct", "stringify", "size_of_halide_buffer_t", "signed_integer_overflow":
		o.add(Other, n.Type)
	default:
		o.add(Special, n.Type)
		if o.Special == nil {
			o.Special = map[string]int{}
		}
		o.Special[name] += max(n.Type.Lanes, 1)
	}
}

// FunctionName is a call's name without the suffix of its type: exp for
// exp_f32.
func FunctionName(n *halideir.Node) string {
	for _, suffix := range []string{"_f16", "_f32", "_f64"} {
		if s, ok := strings.CutSuffix(n.Name, suffix); ok {
			return s
		}
	}
	return n.Name
}

// transparent is the operand whose value the call has unchanged, or -1.
func transparent(n *halideir.Node) int {
	if n.Op != halideir.OpCall {
		return -1
	}
	k := -1
	switch n.Name {
	case "likely", "likely_if_innermost", "promise_clamped", "unsafe_promise_clamped", "memoize_expr":
		k = 0
	case "return_second", "require": // require has a condition, the value and a message
		k = 1
	}
	if k >= len(n.Args) {
		return -1
	}
	return k
}

// widened reports whether a node makes a loaded integer of up to 16 bits wider: a product of such has an instruction of its own, which no sum is a part of.
func widened(p *halideir.Pipeline, id halideir.NodeID) bool {
	n := &p.Nodes[id]
	if n.Op != halideir.OpCast || n.Type.IsFloat() {
		return false
	}
	of := &p.Nodes[n.Args[0]]
	return of.ReadsBuffer() && !of.Type.IsFloat() && of.Type.Bits <= 16 && n.Type.Bits > of.Type.Bits
}
