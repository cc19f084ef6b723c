package harness

import (
	"encoding/binary"
	"fmt"
	"math"

	"gowarp/internal/half"
)

// DType is an element type, named as NumPy names it.
type DType string

// The element types of Halide buffers that .npy files hold.
const (
	Bool DType = "b1" // a byte that is 0 or 1
	U8   DType = "u1"
	U16  DType = "u2"
	U32  DType = "u4"
	U64  DType = "u8"
	I8   DType = "i1"
	I16  DType = "i2"
	I32  DType = "i4"
	I64  DType = "i8"
	F16  DType = "f2"
	F32  DType = "f4"
	F64  DType = "f8"
)

// Size is the number of bytes of an element, or 0 for an unknown type.
func (d DType) Size() int {
	switch d {
	case Bool, U8, I8:
		return 1
	case U16, I16, F16:
		return 2
	case U32, I32, F32:
		return 4
	case U64, I64, F64:
		return 8
	}
	return 0
}

// Float reports whether the type is a floating-point type.
func (d DType) Float() bool { return d == F16 || d == F32 || d == F64 }

// Array is a dense array. Shape is in Halide's order: dimension 0 (x) is contiguous.
type Array struct {
	Type  DType
	Shape []int
	Data  []byte // little endian
}

// NewArray returns an array of zeros.
func NewArray(t DType, shape ...int) *Array {
	n := t.Size()
	for _, s := range shape {
		n *= s
	}
	return &Array{Type: t, Shape: shape, Data: make([]byte, n)}
}

// AppendElement appends a value as an element of that type.
func AppendElement(b []byte, t DType, v float64) []byte {
	switch t {
	case F16:
		return binary.LittleEndian.AppendUint16(b, half.Round(v))
	case F32:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	case F64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return append(b, binary.LittleEndian.AppendUint64(nil, uint64(int64(v)))[:t.Size()]...)
}

// Len is the number of elements.
func (a *Array) Len() int { return len(a.Data) / a.Type.Size() }

// Int is element i of an integer array as an int64 (the bits, for u8).
func (a *Array) Int(i int) int64 {
	le := binary.LittleEndian
	switch a.Type {
	case Bool, U8:
		return int64(a.Data[i])
	case I8:
		return int64(int8(a.Data[i]))
	case U16:
		return int64(le.Uint16(a.Data[2*i:]))
	case I16:
		return int64(int16(le.Uint16(a.Data[2*i:])))
	case U32:
		return int64(le.Uint32(a.Data[4*i:]))
	case I32:
		return int64(int32(le.Uint32(a.Data[4*i:])))
	case U64, I64:
		return int64(le.Uint64(a.Data[8*i:]))
	}
	panic(fmt.Sprintf("harness: Int of an array of %s", a.Type))
}

// Float is element i as a float64.
func (a *Array) Float(i int) float64 {
	le := binary.LittleEndian
	switch a.Type {
	case F16:
		return half.Value(le.Uint16(a.Data[2*i:]))
	case F32:
		return float64(math.Float32frombits(le.Uint32(a.Data[4*i:])))
	case F64:
		return math.Float64frombits(le.Uint64(a.Data[8*i:]))
	case U64:
		return float64(le.Uint64(a.Data[8*i:]))
	}
	return float64(a.Int(i))
}

// Index is the coordinates of element i.
func (a *Array) Index(i int) []int {
	at := make([]int, len(a.Shape))
	for d, n := range a.Shape {
		at[d], i = i%n, i/n
	}
	return at
}

// Crop returns the corner of a that starts at 0 in every dimension. Extents that
// are left out stay whole.
func (a *Array) Crop(shape ...int) (*Array, error) {
	full := append([]int(nil), a.Shape...)
	if len(shape) > len(full) {
		return nil, fmt.Errorf("harness: crop of %d dimensions of an array of %d", len(shape), len(full))
	}
	for d, n := range shape {
		if n < 1 || n > full[d] {
			return nil, fmt.Errorf("harness: crop to %d of %d in dimension %d", n, full[d], d)
		}
		full[d] = n
	}
	out := NewArray(a.Type, full...)
	size := a.Type.Size()
	row := full[0] * size
	for o := 0; o < len(out.Data); o += row {
		at, from, stride := out.Index(o/size), 0, 1
		for d, i := range at {
			from += i * stride
			stride *= a.Shape[d]
		}
		copy(out.Data[o:o+row], a.Data[from*size:])
	}
	return out, nil
}
