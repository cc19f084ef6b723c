package bench

import (
	"math/rand/v2"

	"gowarp/benchmarks/harness"
)

// arguments are a pipeline's arguments with something in them.
type arguments struct {
	in   harness.Args
	out  map[string][]int
	mins map[string][]int
	size []int // of the first output
	all  int64 // elements of all outputs
	// compulsory are the bytes of all inputs and outputs: what a pipeline moves at least.
	compulsory int64
}

// fill makes inputs for a description: buffers of two dimensions and more show a
// photograph, in the range that its type is used for: 0 to 1 for floats, all of it for 8
// and 16 bits; buffers of one dimension are noise from a fixed seed in the same range.
func fill(tree *harness.Tree, args []harness.Argument) (*arguments, error) {
	a := &arguments{in: harness.Args{}, out: map[string][]int{}, mins: map[string][]int{}}
	for _, arg := range args {
		for _, m := range arg.Mins {
			if m != 0 {
				a.mins[arg.Name] = arg.Mins
			}
		}
		switch arg.Kind {
		case harness.Scalar:
			a.in[arg.Name] = arg.Value
		case harness.Output:
			n := product(arg.Shape)
			if a.size == nil {
				a.size = arg.Shape
			}
			a.all += n
			a.compulsory += n * int64(arg.Type.Size())
			a.out[arg.Name] = arg.Shape
		default:
			buffer, err := picture(tree, arg)
			if err != nil {
				return nil, err
			}
			a.in[arg.Name] = buffer
			a.compulsory += int64(len(buffer.Data))
		}
	}
	return a, nil
}

// elements are those of all outputs.
func elements(args []harness.Argument) (n int64) {
	for _, arg := range args {
		if arg.Kind == harness.Output {
			n += product(arg.Shape)
		}
	}
	return n
}

func product(shape []int) int64 {
	n := int64(1)
	for _, e := range shape {
		n *= int64(e)
	}
	return n
}

func picture(tree *harness.Tree, arg harness.Argument) (*harness.Array, error) {
	out := harness.NewArray(arg.Type, arg.Shape...)
	n := out.Len()
	data := make([]byte, 0, len(out.Data))
	if len(arg.Shape) < 2 {
		random := rand.New(rand.NewPCG(2020, 9))
		for range n {
			data = harness.AppendElement(data, arg.Type, level(arg.Type, random.IntN(256)))
		}
		out.Data = data
		return out, nil
	}
	x, y := imageDimensions(arg.Shape)
	photo, err := tree.Photograph("coffee", arg.Shape[x], arg.Shape[y])
	if err != nil {
		return nil, err
	}
	w, h := photo.Shape[0], photo.Shape[1]
	at := make([]int, len(arg.Shape))
	for range n {
		// The other dimensions together choose the colour.
		c := 0
		for d, i := range at {
			if d != x && d != y {
				c = c*arg.Shape[d] + i
			}
		}
		data = harness.AppendElement(data, arg.Type, level(arg.Type, int(photo.Data[c%3*w*h+at[y]*w+at[x]])))
		for d := range at {
			if at[d]++; at[d] < arg.Shape[d] {
				break
			}
			at[d] = 0
		}
	}
	out.Data = data
	return out, nil
}

// imageDimensions are the first two dimensions that are longer than a few channels or taps,
// or the first two.
func imageDimensions(shape []int) (x, y int) {
	const few = 16
	var long []int
	for d, n := range shape {
		if n > few {
			long = append(long, d)
		}
	}
	if len(long) < 2 {
		return 0, 1
	}
	return long[0], long[1]
}

// level is a grey level from 0 to 255 in the range of a type.
func level(t harness.DType, v int) float64 {
	switch {
	case t.Float():
		return float64(v) / 255
	case t == harness.I8:
		return float64(v / 2)
	case t == harness.U16:
		return float64(v * 257)
	case t == harness.I16:
		return float64(v * 128)
	}
	return float64(v)
}
