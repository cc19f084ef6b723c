package halideir

import (
	"math"
	"math/bits"
	"strings"
)

// fold is the value of one node from those of its first three operands.
func (p *Pipeline) fold(n *Node, args []value) value {
	if n.Type.Lanes > 1 {
		return value{}
	}
	switch n.Op {
	case OpInt:
		return intValue(n.Int)
	case OpUint:
		// Beyond int64 is beyond what the analyses count in.
		return value{i: n.Int, ok: n.Int >= 0}
	case OpFloat:
		return floatResult(n.Type, n.Float)
	}
	if n.Op != OpAnd && n.Op != OpOr {
		for _, a := range args {
			if !a.ok {
				return value{}
			}
		}
	}
	switch {
	case n.Op.IsBinary() && n.Type.IsFloat():
		return floatResult(n.Type, foldFloat(n.Op, args[0].f, args[1].f))
	case n.Op.IsBinary():
		r, ok := foldInt(n.Op, args[0].i, args[1].i)
		if !ok {
			return value{}
		}
		return intResult(n.Type, r)
	case n.Op.IsCompare() && args[0].flt:
		return boolValue(compare(n.Op, args[0].f, args[1].f))
	case n.Op.IsCompare():
		return boolValue(compare(n.Op, args[0].i, args[1].i))
	}
	switch n.Op {
	case OpAnd, OpOr:
		// One operand can decide alone.
		decides := boolValue(n.Op == OpOr)
		switch {
		case args[0] == decides || args[1] == decides:
			return decides
		case args[0].ok && args[1].ok:
			return boolValue(n.Op == OpAnd)
		}
	case OpNot:
		return boolValue(args[0].i == 0)
	case OpCast:
		return convert(n.Type, args[0])
	case OpCall:
		return p.foldCall(n, args)
	}
	return value{}
}

// DivEuclid is Halide's integer division: the remainder is in 0..|b|-1, and
// division by zero gives zero. It is not ok where the quotient overflows.
func DivEuclid(a, b int64) (int64, bool) {
	switch {
	case b == 0:
		return 0, true
	case b == -1:
		return -a, a != math.MinInt64
	}
	q := a / b
	if a%b < 0 {
		if b > 0 {
			q--
		} else {
			q++
		}
	}
	return q, true
}

// GCD is the greatest common divisor of two numbers, the second of which is not negative.
func GCD(a, b int64) int64 {
	a = max(a, -a)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// ModEuclid is Halide's remainder, never negative; by zero it gives zero.
func ModEuclid(a, b int64) int64 {
	if b == 0 || b == -1 {
		return 0
	}
	r := a % b
	if r < 0 {
		if b > 0 {
			r += b
		} else {
			r -= b // b may be the least int64, whose negation overflows
		}
	}
	return r
}

func foldInt(op Op, a, b int64) (int64, bool) {
	switch op {
	case OpAdd:
		return addOverflow(a, b)
	case OpSub:
		d := a - b
		return d, (a >= b) == (d >= 0)
	case OpMul:
		return mulOverflow(a, b)
	case OpDiv:
		return DivEuclid(a, b)
	case OpMod:
		return ModEuclid(a, b), true
	case OpMin:
		return min(a, b), true
	case OpMax:
		return max(a, b), true
	}
	return 0, false
}

func addOverflow(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}

func mulOverflow(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	hi, lo := bits.Mul64(abs64(a), abs64(b))
	limit := uint64(math.MaxInt64)
	if (a < 0) != (b < 0) {
		limit++
	}
	return a * b, hi == 0 && lo <= limit
}

func abs64(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func foldFloat(op Op, a, b float64) float64 {
	switch op {
	case OpAdd:
		return a + b
	case OpSub:
		return a - b
	case OpMul:
		return a * b
	case OpDiv:
		return a / b
	case OpMod:
		return a - b*math.Floor(a/b)
	case OpMin:
		return min(a, b)
	case OpMax:
		return max(a, b)
	}
	return math.NaN()
}

func compare[T int64 | float64](op Op, a, b T) bool {
	switch op {
	case OpEQ:
		return a == b
	case OpNE:
		return a != b
	case OpLT:
		return a < b
	case OpLE:
		return a <= b
	case OpGT:
		return a > b
	}
	return a >= b
}

// intResult is r as a value of t: narrow and unsigned types wrap, as in
// Halide; int32 and int64 do not, overflow being undefined there.
func intResult(t Type, r int64) value {
	if t.Code == Int && t.Bits >= 32 {
		return value{i: r, ok: t.Bits == 64 || r == int64(int32(r))}
	}
	return wrap(t, r)
}

func wrap(t Type, r int64) value {
	if t.Bits >= 64 {
		// What an uint64 above the largest int64 is, nobody here needs.
		return value{i: r, ok: t.Code == Int || r >= 0}
	}
	r &= 1<<t.Bits - 1
	if t.Code == Int && r>>(t.Bits-1) != 0 {
		r -= 1 << t.Bits
	}
	return intValue(r)
}

// floatResult rounds to the type. Half precision is left unknown: no bound or
// index is computed in it.
func floatResult(t Type, f float64) value {
	switch t.Bits {
	case 64:
		return value{f: f, flt: true, ok: true}
	case 32:
		return value{f: float64(float32(f)), flt: true, ok: true}
	}
	return value{}
}

func convert(t Type, v value) value {
	switch {
	case t.IsFloat() && v.flt:
		return floatResult(t, v.f)
	case t.IsFloat():
		return floatResult(t, float64(v.i))
	case !t.IsInt():
		return value{}
	case t.IsBool() && v.flt:
		return boolValue(v.f != 0)
	case t.IsBool():
		return boolValue(v.i != 0)
	case v.flt:
		// Towards zero; outside the type it is undefined.
		f := math.Trunc(v.f)
		if !(f >= -math.MaxInt64 && f < math.MaxInt64) {
			return value{}
		}
		if w := wrap(t, int64(f)); w.ok && w.i == int64(f) {
			return w
		}
		return value{}
	}
	return wrap(t, v.i)
}

// foldCall knows the functions that occur in bounds and indices.
func (p *Pipeline) foldCall(n *Node, args []value) value {
	name := n.Name
	for _, suffix := range []string{"_f32", "_f64"} {
		name = strings.TrimSuffix(name, suffix)
	}
	if len(args) == 0 {
		return value{}
	}
	x := args[0]
	switch name {
	case "likely", "likely_if_innermost", "promise_clamped", "unsafe_promise_clamped", "strict_float":
		return x
	case "return_second":
		if len(args) > 1 {
			return args[1]
		}
	case "abs":
		if x.flt {
			return floatResult(n.Type, math.Abs(x.f))
		}
		return value{i: max(x.i, -x.i), ok: x.i != math.MinInt64}
	case "shift_left", "shift_right":
		if len(args) > 1 {
			return shift(n.Type, x.i, args[1].i, name == "shift_left")
		}
	case "if_then_else":
		switch {
		case len(args) > 1 && x.i != 0:
			return args[1]
		case len(args) > 2:
			return args[2]
		}
	}
	if !x.flt || !n.Type.IsFloat() {
		return value{}
	}
	switch name {
	case "floor":
		return floatResult(n.Type, math.Floor(x.f))
	case "ceil":
		return floatResult(n.Type, math.Ceil(x.f))
	case "trunc":
		return floatResult(n.Type, math.Trunc(x.f))
	case "round":
		return floatResult(n.Type, math.RoundToEven(x.f)) // halves go to even, as on every target of Halide 21
	case "sqrt":
		return floatResult(n.Type, math.Sqrt(x.f))
	}
	return value{}
}

// shift follows Halide: a negative amount shifts the other way.
func shift(t Type, x, by int64, left bool) value {
	if by < 0 {
		by, left = -by, !left
	}
	switch {
	case by >= int64(t.Bits) || by < 0:
		return value{}
	case !left:
		return intResult(t, x>>by)
	}
	r, ok := mulOverflow(x, 1<<min(by, 62))
	if !ok || by > 62 {
		return value{}
	}
	return intResult(t, r)
}
