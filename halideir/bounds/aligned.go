package bounds

import (
	"slices"

	"gowarp/halideir"
)

// Aligned are the regions where some Funcs are computed from a multiple of a modulus on, so many points that they are a multiple too (Func::align_bounds): moduli by Func and argument, 1 for none. There
// are none (nil) where an input, or an output that is read, would be asked for more than the pipeline needs of it anyway, at the estimated sizes or at the others that Absorbs looks at. r are the regions as they are.
func (r *Regions) Aligned(p *halideir.Pipeline, moduli map[int][]int64) *Regions {
	out := r.alignedOnce(p, moduli)
	if out == nil {
		return nil
	}
	r.resize.Do(func() { r.others = otherSizes(p) })
	for _, o := range r.others {
		if o.regions.alignedOnce(o.p, moduli) == nil {
			return nil
		}
	}
	return out
}

// alignedOnce is Aligned at the sizes of one pipeline.
func (r *Regions) alignedOnce(p *halideir.Pipeline, moduli map[int][]int64) *Regions {
	out, err := Analyze(withAligned(p, moduli))
	if err != nil {
		return nil
	}
	for i := range out.Inputs {
		if !covers(r.Inputs[i], out.Inputs[i]) {
			return nil
		}
	}
	for _, id := range p.Outputs {
		if !covers(r.Funcs[id], out.Funcs[id]) {
			return nil
		}
	}
	return out
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
		f.Bounds = slices.Clone(f.Bounds)
		for k, m := range of {
			if m > 1 {
				f.Bounds = append(f.Bounds, halideir.Bound{Var: f.Args[k], Min: halideir.NoNode, Extent: halideir.NoNode, Modulus: number(m), Remainder: number(0)})
			}
		}
	}
	return &q
}
