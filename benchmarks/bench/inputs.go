package bench

import "gowarp/benchmarks/harness"

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

// fill makes inputs for a description, of pictures and noise.
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
			buffer, err := harness.Picture(arg, func(w, h int) (*harness.Array, error) { return tree.Photograph("coffee", w, h) })
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
