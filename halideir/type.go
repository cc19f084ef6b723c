package halideir

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

// Type is a Halide type, such as int32 or float32x4.
type Type struct {
	Code  Code
	Bits  int
	Lanes int
}

// Bytes is the storage of one element of one lane: a bool takes one byte.
func (t Type) Bytes() int64 { return int64((t.Bits+7)/8) * int64(max(t.Lanes, 1)) }
