package rfactor

import "gowarp/halideir"

// none are the values that those of any element take the place of, and that never take that of others.
func (w *writer) none(a *halideir.ArgExtreme, types []halideir.Type) []halideir.NodeID {
	values := make([]halideir.NodeID, len(types))
	for k, t := range types {
		values[k] = w.neutral(t, halideir.OpAdd, "")
	}
	extreme := halideir.OpMin
	if a.Greatest {
		extreme = halideir.OpMax
	}
	values[a.Value] = w.neutral(types[a.Value], extreme, "")
	for _, k := range a.Places {
		values[k] = w.neutral(types[k], halideir.OpMin, "") // behind all places
	}
	return values
}

// choose are the values of other where they are the better ones, otherwise those of self.
func (w *writer) choose(a *halideir.ArgExtreme, self, other []halideir.NodeID) []halideir.NodeID {
	better := w.better(a, self, other)
	values := make([]halideir.NodeID, len(self))
	for k := range self {
		n := node(halideir.OpSelect, w.p.Nodes[self[k]].Type)
		n.Args = []halideir.NodeID{better, other[k], self[k]}
		values[k] = w.add(n)
	}
	return values
}

func (w *writer) better(a *halideir.ArgExtreme, self, other []halideir.NodeID) halideir.NodeID {
	less, more := other[a.Value], self[a.Value]
	if a.Greatest {
		less, more = more, less
	}
	is := w.logical(halideir.OpLT, less, more)
	if !a.Ties {
		return is
	}
	var before halideir.NodeID
	for n := len(a.Places) - 1; n >= 0; n-- {
		x, y := other[a.Places[n]], self[a.Places[n]]
		this := w.logical(halideir.OpLT, x, y)
		if n < len(a.Places)-1 {
			this = w.logical(halideir.OpOr, this, w.logical(halideir.OpAnd, w.logical(halideir.OpEQ, x, y), before))
		}
		before = this
	}
	return w.logical(halideir.OpOr, is, w.logical(halideir.OpAnd, w.logical(halideir.OpEQ, less, more), before))
}
