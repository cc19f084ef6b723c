package halideir

// Declared is the range that the pipeline's author gives to argument k of a Func: what
// Func::bound fixes, or else the estimate; of several the last holds, as in Halide. Where a bound
// fixes the extent alone, the first point is the estimate's, or 0. The extent may be
// anything that an author can write.
func (p *Pipeline) Declared(f *Func, k int) (lo, extent int64, ok bool) {
	if k >= len(f.Args) {
		return 0, 0, false
	}
	if e, estimated := f.Estimated(k); estimated {
		lo, extent, ok = e.Min, e.Extent, true
	}
	for _, b := range f.Bounds {
		if b.Var != f.Args[k] {
			continue
		}
		n, known := p.EvalInt(b.Extent, Env{})
		if !known {
			continue
		}
		extent, ok = n, true
		if m, known := p.EvalInt(b.Min, Env{}); known {
			lo = m
		}
	}
	return lo, extent, ok
}

// Estimated is the estimate of argument k of a Func that the author gave last, which holds.
func (f *Func) Estimated(k int) (last Estimate, ok bool) {
	for _, e := range f.Estimates {
		if e.Var == f.Args[k] {
			last, ok = e, true
		}
	}
	return last, ok
}

// InNumbers is the range that a bound fixes with a first point and an extent that are written as numbers.
func (p *Pipeline) InNumbers(b *Bound) (lo, extent int64, ok bool) {
	number := func(id NodeID) bool { return id != NoNode && p.Nodes[id].Op == OpInt }
	if b.Modulus != NoNode || !number(b.Min) || !number(b.Extent) {
		return 0, 0, false
	}
	return p.Nodes[b.Min].Int, p.Nodes[b.Extent].Int, true
}
