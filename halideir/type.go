package halideir

import (
	"fmt"
	"strconv"
	"strings"
)

// Code is the class of a Halide type.
type Code uint8

// The classes of type.
const (
	Int Code = iota
	UInt
	Float
	BFloat
	Handle
)

var codeNames = [...]string{Int: "int", UInt: "uint", Float: "float", BFloat: "bfloat", Handle: "handle"}

// Type is a Halide type, such as int32 or float32x4.
type Type struct {
	Code  Code
	Bits  int
	Lanes int
}

// Bool is the type of conditions: an unsigned integer of one bit.
var Bool = Type{Code: UInt, Bits: 1, Lanes: 1}

// maxLanes is far above any vector that Halide makes; a larger number is a
// damaged file.
const maxLanes = 1 << 16

// Bytes is the storage of one element of one lane: a bool takes one byte.
func (t Type) Bytes() int64 { return int64((t.Bits+7)/8) * int64(max(t.Lanes, 1)) }

// Bytes is the storage of one point of a Func, all tuple components together.
func (f *Func) Bytes() int64 {
	n := int64(0)
	for _, t := range f.Types {
		n += t.Bytes()
	}
	return n
}

// IsBool reports whether t is a truth value, of any number of lanes.
func (t Type) IsBool() bool { return t.Code == UInt && t.Bits == 1 }

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return t.Code == Float || t.Code == BFloat }

// IsInt reports whether t is a signed or unsigned integer or a bool.
func (t Type) IsInt() bool { return t.Code == Int || t.Code == UInt }

// WithLanes is t with another number of lanes.
func (t Type) WithLanes(lanes int) Type { t.Lanes = lanes; return t }

// String is the type as the JSON form writes it.
func (t Type) String() string {
	s := "?"
	if int(t.Code) < len(codeNames) {
		s = codeNames[t.Code]
	}
	s += strconv.Itoa(t.Bits)
	if t.Lanes > 1 {
		s += "x" + strconv.Itoa(t.Lanes)
	}
	return s
}

// ParseType reads a type as the JSON form writes it: int32, uint1, float32x4.
func ParseType(s string) (Type, error) {
	name := strings.TrimRight(s, "0123456789")
	rest := s[len(name):]
	lanes := 1
	if base, ok := strings.CutSuffix(name, "x"); ok {
		// The digits so far were the lanes; the bits stand before the x.
		n, err := strconv.Atoi(rest)
		if err != nil || n < 2 || n > maxLanes || rest[0] == '0' {
			return Type{}, fmt.Errorf("%q is not a type: bad number of lanes", s)
		}
		lanes = n
		name = strings.TrimRight(base, "0123456789")
		rest = base[len(name):]
	}
	for code, n := range codeNames {
		if n != name {
			continue
		}
		bits, err := strconv.Atoi(rest)
		if err != nil || !validBits(Code(code), bits) || rest[0] == '0' {
			return Type{}, fmt.Errorf("%q is not a type: bad number of bits", s)
		}
		return Type{Code: Code(code), Bits: bits, Lanes: lanes}, nil
	}
	return Type{}, fmt.Errorf("%q is not a type", s)
}

func validBits(c Code, bits int) bool {
	switch c {
	case Int:
		return bits == 8 || bits == 16 || bits == 32 || bits == 64
	case UInt:
		return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64
	case Float:
		return bits == 16 || bits == 32 || bits == 64
	case BFloat:
		return bits == 16
	default:
		return bits == 64
	}
}
