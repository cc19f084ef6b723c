package bounds

import (
	"slices"

	"gowarp/halideir"
)

// resized is a pipeline whose outputs have other sizes than estimated, with inputs as large as those
// ask for: what a bounds query gives a program.
type resized struct {
	p       *halideir.Pipeline
	regions *Regions
}

// otherSizes are the sizes at which something else than at the estimates may be what needs the most of an
// input: the smallest, where what does not depend on a size does; about half, of other parity; and a large
// one. What Halide cannot bound there is left out.
func otherSizes(p *halideir.Pipeline) []resized {
	out := []resized{}
	for _, size := range []func(extent int64) int64{
		func(int64) int64 { return 1 },
		func(n int64) int64 { return n/2 | 1 },
		func(n int64) int64 { return 4*n + 1 },
	} {
		q := withOutputs(p, size)
		asked, err := Analyze(q)
		if err != nil {
			continue
		}
		q = withInputs(q, asked)
		if asked, err = Analyze(q); err == nil {
			out = append(out, resized{q, asked})
		}
	}
	return out
}

// withOutputs is a pipeline with other estimates of its outputs; what the user fixed stays.
func withOutputs(p *halideir.Pipeline, size func(extent int64) int64) *halideir.Pipeline {
	q := *p
	q.Funcs = slices.Clone(p.Funcs)
	for _, id := range q.Outputs {
		f := &q.Funcs[id]
		f.Estimates = slices.Clone(f.Estimates)
		for i := range f.Estimates {
			f.Estimates[i].Extent = size(f.Estimates[i].Extent)
		}
	}
	return &q
}

// withInputs is a pipeline whose inputs are as large as asked for; what the user fixed stays.
func withInputs(p *halideir.Pipeline, asked *Regions) *halideir.Pipeline {
	q := *p
	q.Inputs = slices.Clone(p.Inputs)
	for i := range q.Inputs {
		in := &q.Inputs[i]
		in.Dims = slices.Clone(in.Dims)
		for k := range in.Dims {
			iv := asked.Inputs[i][k]
			if iv.IsEmpty() {
				continue
			}
			lo, n := iv.Lo, iv.Extent()
			in.Dims[k].MinEstimate, in.Dims[k].ExtentEstimate = &lo, &n
		}
	}
	return &q
}
