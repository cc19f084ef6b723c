package bounds

import (
	"slices"

	"gowarp/halideir"
)

// Aligned are the regions where some Funcs are computed from a multiple of a modulus on, so many points that they are a multiple too (Func::align_bounds): moduli by Func and argument, 1 for none. An output
// of the pipeline is where its caller has it, and does not grow. There are none (nil) where an input, or an output that is read, would be asked for more than the pipeline needs of it anyway, wherever regions
// begin and end: at the estimated sizes and at the others that Absorbs looks at a modulus less one more at both ends is not. r are the regions as they are.
func (r *Regions) Aligned(p *halideir.Pipeline, moduli map[int][]int64) *Regions {
	more := map[int][]int64{}
	for id, of := range moduli {
		if p.Funcs[id].Output {
			continue
		}
		for _, m := range of {
			more[id] = append(more[id], m-1)
		}
	}
	if !r.suffices(p, more) {
		return nil
	}
	r.resize.Do(func() { r.others = otherSizes(p) })
	for _, o := range r.others {
		if !o.regions.suffices(o.p, more) {
			return nil
		}
	}
	out, err := Analyze(withAligned(p, moduli))
	if err != nil {
		return nil
	}
	return out
}

// suffices reports whether the inputs, and the outputs that are read, are as large as is needed where so many more points of some Funcs are computed at both ends.
func (r *Regions) suffices(p *halideir.Pipeline, more map[int][]int64) bool {
	out, err := analyzeMore(p, more)
	if err != nil {
		return false
	}
	for i := range out.Inputs {
		if !covers(r.Inputs[i], out.Inputs[i]) {
			return false
		}
	}
	for _, id := range p.Outputs {
		if !covers(r.Funcs[id], out.Funcs[id]) {
			return false
		}
	}
	return true
}

// withAligned is a pipeline whose user aligns some Funcs.
func withAligned(p *halideir.Pipeline, moduli map[int][]int64) *halideir.Pipeline {
	q := *p
	q.Funcs, q.Nodes = slices.Clone(p.Funcs), slices.Clone(p.Nodes)
	number := func(n int64) halideir.NodeID {
		q.Nodes = append(q.Nodes, halideir.Node{Op: halideir.OpInt, Type: halideir.Type{Code: halideir.Int, Bits: 32, Lanes: 1}, Int: n})
		return halideir.NodeID(len(q.Nodes) - 1)
	}
	for id, of := range moduli {
		f := &q.Funcs[id]
		if f.Output {
			continue
		}
		f.Bounds = slices.Clone(f.Bounds)
		for k, m := range of {
			if m > 1 {
				f.Bounds = append(f.Bounds, halideir.Bound{Var: f.Args[k], Min: halideir.NoNode, Extent: halideir.NoNode, Modulus: number(m), Remainder: number(0)})
			}
		}
	}
	return &q
}
