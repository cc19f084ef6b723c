package harness

import (
	"fmt"
	"strconv"
	"strings"
)

// What an argument of a pipeline is.
const (
	Input  = "input"
	Output = "output"
	Scalar = "scalar"
)

// Argument is an argument of a pipeline.
type Argument struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Type  DType  `json:"type"`
	Mins  []int  `json:"mins,omitempty"`  // of a buffer, a dimension each; dimension 0 is contiguous
	Shape []int  `json:"shape,omitempty"` // of a buffer
	Value string `json:"value,omitempty"` // of a scalar: its estimate, else its default, else 0
}

// Elements are those of a buffer; 1 for a scalar.
func (a Argument) Elements() int64 {
	n := int64(1)
	for _, e := range a.Shape {
		n *= int64(e)
	}
	return n
}

// Bytes are those of all elements.
func (a Argument) Bytes() int64 { return a.Elements() * int64(a.Type.Size()) }

// OutputElements are those of all outputs.
func OutputElements(args []Argument) (n int64) {
	for _, a := range args {
		if a.Kind == Output {
			n += a.Elements()
		}
	}
	return n
}

// CompulsoryBytes are those of all inputs and outputs, once each: what a pipeline moves at
// least.
func CompulsoryBytes(args []Argument) (n int64) {
	for _, a := range args {
		if a.Kind != Scalar {
			n += a.Bytes()
		}
	}
	return n
}

// Describe asks a pipeline emitted for the CPU for its arguments and for the regions of its
// buffers: with outputs of the estimated extents, or scaled so that the first is
// width x height. 0 is the estimate.
func (t *Tree) Describe(e *Emission, width, height int) ([]Argument, error) {
	program, err := t.linkWith("describe", e)
	if err != nil {
		return nil, err
	}
	var size []string
	if width > 0 {
		size = []string{strconv.Itoa(width), strconv.Itoa(height)}
	}
	text, err := t.run(nil, program, size...)
	if err != nil {
		return nil, err
	}
	return parseDescription(text)
}

func parseDescription(text string) ([]Argument, error) {
	var args []Argument
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) != 4 {
			return nil, fmt.Errorf("harness: description %q", line)
		}
		a := Argument{Kind: words[0], Name: words[1], Type: DType(words[2])}
		if a.Type.Size() == 0 {
			return nil, unfitError(fmt.Sprintf("harness: the argument %s is of a type that arrays cannot have here (bfloat16 and handles)", a.Name))
		}
		switch {
		case a.Kind == Scalar:
			a.Value = words[3]
		case words[3] == "-": // a buffer without dimensions
		default:
			for dim := range strings.SplitSeq(words[3], ",") {
				var lo, n int
				if _, err := fmt.Sscanf(dim, "%d:%d", &lo, &n); err != nil {
					return nil, fmt.Errorf("harness: description %q: %w", line, err)
				}
				a.Mins, a.Shape = append(a.Mins, lo), append(a.Shape, n)
			}
		}
		args = append(args, a)
	}
	return args, nil
}
