package random

import (
	"math"
	"strconv"
)

// Type is a type by its short name: u8, i32, f16, or b for what a comparison gives.
type Type string

func (t Type) float() bool  { return t[0] == 'f' }
func (t Type) signed() bool { return t[0] == 'i' }
func (t Type) bits() int {
	if t == "b" {
		return 1
	}
	n, err := strconv.Atoi(string(t[1:]))
	if err != nil {
		panic("random: no type " + string(t))
	}
	return n
}

// wraps reports whether overflow of the type is defined, in Halide, to wrap around.
func (t Type) wraps() bool { return t[0] == 'u' || t == "i8" || t == "i16" }

// mantissa is how many bits a float's integers may have to be exact.
func (t Type) mantissa() int { return map[Type]int{"f16": 11, "f32": 24, "f64": 53}[t] }

// cxx is the name in C++.
func (t Type) cxx() string {
	switch {
	case t == "b":
		return "bool"
	case t == "f16":
		return "float16_t"
	case t == "f32":
		return "float"
	case t == "f64":
		return "double"
	case t.signed():
		return "int" + string(t[1:]) + "_t"
	}
	return "uint" + string(t[1:]) + "_t"
}

// Range is the values that an expression can take: multiples of 2^-Frac in [Lo, Hi].
type Range struct {
	Lo, Hi float64
	Frac   int
	Cut    bool    // of an integer: it may be a float cut to one, and nothing more
	Typed  float64 // of a float: the magnitude that types allow it, infinite if any
}

// whole is all of an integer type.
func (t Type) whole() Range {
	n := float64(t.bits())
	if t.signed() {
		return Range{Lo: -math.Exp2(n - 1), Hi: math.Exp2(n-1) - 1, Frac: 0}
	}
	return Range{Lo: 0, Hi: math.Exp2(n) - 1, Frac: 0}
}

// holds reports whether every value of the range is one of the type's, with room to
// spare where overflow is undefined.
func (t Type) holds(r Range) bool {
	m := max(math.Abs(r.Lo), math.Abs(r.Hi))
	switch {
	case t.float():
		limit := t.mantissa()
		if t == "f16" {
			limit-- // up to 2048 with all below; sums of two are still exact
		}
		return m*math.Exp2(float64(r.Frac)) <= math.Exp2(float64(limit))
	case r.Frac != 0:
		return false
	case t.wraps() || t == "b":
		w := t.whole()
		return r.Lo >= w.Lo && r.Hi <= w.Hi
	}
	return m <= math.Exp2(float64(t.bits()-2))
}

func (r Range) union(o Range) Range {
	return Range{Lo: min(r.Lo, o.Lo), Hi: max(r.Hi, o.Hi), Frac: max(r.Frac, o.Frac), Cut: r.Cut || o.Cut, Typed: max(r.Typed, o.Typed)}
}

func (r Range) within(o Range) bool { return r.Lo >= o.Lo && r.Hi <= o.Hi && r.Frac <= o.Frac }
