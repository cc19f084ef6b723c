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

// Fill makes inputs for a description, of pictures and noise, and says which outputs there are and where buffers begin.
func Fill(tree *harness.Tree, args []harness.Argument) (in harness.Args, out, mins map[string][]int, err error) {
	a, err := fill(tree, args)
	if err != nil {
		return nil, nil, nil, err
	}
	return a.in, a.out, a.mins, nil
}

// fill makes inputs for a description, of pictures and noise.
func fill(tree *harness.Tree, args []harness.Argument) (*arguments, error) {
	a := &arguments{
		in: harness.Args{}, out: map[string][]int{}, mins: map[string][]int{},
		all: harness.OutputElements(args), compulsory: harness.CompulsoryBytes(args),
	}
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
			if a.size == nil {
				a.size = arg.Shape
			}
			a.out[arg.Name] = arg.Shape
		default:
			buffer, err := harness.Picture(arg, func(w, h int) (*harness.Array, error) { return tree.Photograph("coffee", w, h) })
			if err != nil {
				return nil, err
			}
			a.in[arg.Name] = buffer
		}
	}
	return a, nil
}
