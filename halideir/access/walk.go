package access

import (
	"slices"

	"gowarp/halideir"
)

// walker analyses stage after stage. Its tables are as long as the pipeline's
// nodes and are valid where stamp is that of the stage.
type walker struct {
	a      *Analysis
	p      *halideir.Pipeline
	placed []place // see repeats.go
	stamp  []int32 // the stage that last saw the node, times 2, plus 1 once its value is used
	form   []form
	now    int32
	order  []halideir.NodeID
	loopOf struct{ dim, rvar []int }
}

func newWalker(a *Analysis) *walker {
	return &walker{a: a, p: a.p, stamp: make([]int32, len(a.p.Nodes)), form: make([]form, len(a.p.Nodes))}
}

func (w *walker) stage(f *halideir.Func, j int) Stage {
	hs := &f.Stages[j]
	s := Stage{Func: f.ID, Stage: j, pointwise: map[producer]bool{}, Bytes: f.Bytes()}
	w.now += 2
	w.order = w.order[:0]
	w.loops(f, hs)

	roots := slices.Clone(hs.Values)
	if hs.Predicate != halideir.NoNode {
		roots = append(roots, hs.Predicate)
	}
	w.mark(roots, 1)
	values := len(w.order)
	w.mark(hs.Args, 0)
	w.addresses(values)

	// Forms want operands first, and canonical operands have smaller ids.
	sorted := slices.Clone(w.order)
	slices.Sort(sorted)
	var value []halideir.NodeID
	loads := map[halideir.NodeID]int{} // in s.Loads
	for _, id := range sorted {
		w.form[id] = w.formOf(id)
		n := &w.p.Nodes[id]
		ops := &s.Address
		if w.isValue(id) {
			ops = &s.Value
			value = append(value, id)
			switch f := &w.form[id]; {
			case f.Loops == 0 && !f.DataDependent:
				s.Uniform.count(w.p, n)
			case s.Stage == 0:
				s.moving(f.Loops).count(w.p, n)
			}
		}
		ops.count(w.p, n)
		if l, ok := w.load(id, n); ok {
			l.InAddress = !w.isValue(id)
			s.Loads, loads[id] = appendTap(s.Loads, l)
		}
	}
	for _, id := range hs.Values {
		if n := &w.p.Nodes[w.a.canonical[id]]; narrows(w.p, n) {
			s.Value.Stored += max(n.Type.Lanes, 1)
		}
	}
	all := uint64(0)
	for l := range hs.Loops {
		all |= LoopBit(l)
	}
	s.Moving = slices.DeleteFunc(s.Moving, func(m Moving) bool { return m.Loops == all || m.Ops.Total() == 0 })
	s.Sums = w.join(value, s.Loads, loads)
	s.Repeats = w.repeats(value, len(hs.Loops))
	for _, id := range hs.Args {
		s.Store = append(s.Store, w.form[w.a.canonical[id]].Index)
	}
	for _, l := range s.Loads {
		key := producer{id: l.Func}
		if l.Func < 0 {
			key = producer{true, l.Input}
		}
		before, seen := s.pointwise[key]
		s.pointwise[key] = (before || !seen) && OwnPoint(hs, s.Store, l.Index)
	}
	s.Copy = w.isCopy(hs)
	w.again(&s, hs.Values, value) // last: it marks anew
	s.PlacesFromData = FromData(s.Store) || slices.ContainsFunc(s.Loads, func(l Load) bool { return FromData(l.Index) })
	return s
}

// again counts what several values have in common, among all nodes that they are made of.
func (w *walker) again(s *Stage, values, of []halideir.NodeID) {
	if len(values) < 2 {
		return
	}
	in := map[halideir.NodeID]int{} // of how many values a node is a part
	for _, v := range values {
		w.now += 2
		w.order = w.order[:0]
		w.mark([]halideir.NodeID{v}, 1)
		for _, id := range w.order {
			in[id]++
		}
	}
	for _, id := range of {
		n := &w.p.Nodes[id]
		for range in[id] - 1 {
			s.Again.count(w.p, n)
			if isLoad(n) {
				s.LoadedAgain++
			}
		}
	}
}

// moving are the operations that these loops have a part in.
func (s *Stage) moving(loops uint64) *Ops {
	i := slices.IndexFunc(s.Moving, func(m Moving) bool { return m.Loops == loops })
	if i < 0 {
		i = len(s.Moving)
		s.Moving = append(s.Moving, Moving{Loops: loops})
	}
	return &s.Moving[i].Ops
}

// loops maps arguments and reduction variables to positions in the loops.
func (w *walker) loops(f *halideir.Func, s *halideir.Stage) {
	fill := func(n int) []int {
		list := make([]int, n)
		for i := range list {
			list[i] = -1
		}
		return list
	}
	w.loopOf.dim, w.loopOf.rvar = fill(len(f.Args)), fill(len(s.RVars))
	for k, l := range s.Loops {
		switch {
		case l.Arg >= 0:
			w.loopOf.dim[l.Arg] = k
		case l.RVar >= 0:
			w.loopOf.rvar[l.RVar] = k
		}
	}
}

// mark visits what is reachable, indices of loads excepted, and appends it to
// order. A node seen for its value keeps that mark.
func (w *walker) mark(roots []halideir.NodeID, value int32) {
	stack := make([]halideir.NodeID, 0, 64)
	push := func(id halideir.NodeID) {
		id = w.a.canonical[id]
		if w.stamp[id] < w.now {
			w.stamp[id] = w.now + value
			w.order = append(w.order, id)
			stack = append(stack, id)
		}
	}
	// In reverse, so that a definition is walked from left to right.
	for i := len(roots) - 1; i >= 0; i-- {
		push(roots[i])
	}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n := &w.p.Nodes[id]; value == 0 || !isLoad(n) {
			for _, a := range n.Args {
				push(a)
			}
		}
	}
}

// addresses visits the indices of the loads among the first n nodes of order.
func (w *walker) addresses(n int) {
	for i := range n {
		if node := &w.p.Nodes[w.order[i]]; isLoad(node) {
			w.mark(node.Args, 0)
		}
	}
}

func (w *walker) isValue(id halideir.NodeID) bool { return w.stamp[id] == w.now+1 }

func isLoad(n *halideir.Node) bool {
	return n.Op == halideir.OpLoad || n.ReadsBuffer()
}

func (w *walker) load(id halideir.NodeID, n *halideir.Node) (Load, bool) {
	if n.Op != halideir.OpCall || !isLoad(n) {
		return Load{}, false
	}
	l := Load{Func: -1, Input: -1, Out: n.Out, Type: n.Type, Node: id}
	if n.Call == halideir.CallHalide {
		l.Func = n.Func
	} else {
		l.Input = n.Input
	}
	for _, a := range n.Args {
		l.Index = append(l.Index, w.form[w.a.canonical[a]].Index)
	}
	return l, true
}

// appendTap adds a load unless an equal tap is there, and says which it is. Equal expressions are
// one node already; this finds x+1+1 and x+2.
func appendTap(loads []Load, l Load) ([]Load, int) {
	known := true
	for _, x := range l.Index {
		known = known && x.Kind != Unknown
	}
	if known {
		for i := range loads {
			o := &loads[i]
			if o.Func == l.Func && o.Input == l.Input && o.Out == l.Out && slices.Equal(o.Index, l.Index) {
				o.InAddress = o.InAddress && l.InAddress
				return loads, i
			}
		}
	}
	return append(loads, l), len(loads)
}

// OwnPoint reports whether a load of some index reads where the stage stores, each argument of which is its own loop.
func OwnPoint(s *halideir.Stage, store, index []Index) bool {
	if len(store) != len(index) {
		return false
	}
	for k, x := range index {
		loop := store[k].Loop
		if loop < 0 || s.Loops[loop].Arg != k || !store[k].IsLoop(loop) || !x.IsLoop(loop) {
			return false
		}
	}
	return true
}

// isCopy reports whether all values are loads, constants or choices between
// them by conditions that load nothing.
func (w *walker) isCopy(s *halideir.Stage) bool {
	if s.Predicate != halideir.NoNode {
		return false
	}
	loads := false
	seen := map[halideir.NodeID]bool{}
	stack := slices.Clone(s.Values)
	for len(stack) > 0 {
		id := w.a.canonical[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		switch n := &w.p.Nodes[id]; {
		case isLoad(n):
			loads = true
		case n.Op == halideir.OpInt || n.Op == halideir.OpUint || n.Op == halideir.OpFloat:
		case n.Op == halideir.OpVar && n.Kind.Given():
		case n.Op == halideir.OpSelect:
			if w.form[w.a.canonical[n.Args[0]]].DataDependent {
				return false
			}
			stack = append(stack, n.Args[1], n.Args[2])
		case transparent(n) >= 0:
			stack = append(stack, n.Args[transparent(n)])
		default:
			return false
		}
	}
	return loads
}

// formOf is a node as an index, from its operands' forms.
func (w *walker) formOf(id halideir.NodeID) form {
	n := &w.p.Nodes[id]
	arg := func(k int) form { return w.form[w.a.canonical[n.Args[k]]] }
	all := func() form {
		f := unknown()
		for k := range n.Args {
			f.inherit(arg(k))
		}
		return f
	}
	switch n.Op {
	case halideir.OpInt, halideir.OpUint:
		if n.Op == halideir.OpUint && n.Int < 0 {
			return unknown()
		}
		return constantForm(n.Int)
	case halideir.OpVar:
		return w.variable(id, n)
	case halideir.OpCall:
		switch k := transparent(n); {
		case isLoad(n):
			f := all()
			f.DataDependent = true
			f.FromData = f.FromData || n.Op != halideir.OpCall || n.Call != halideir.CallHalide || !w.a.Table(n.Func)
			return f
		case k >= 0:
			f := arg(k)
			f.likely = f.likely || n.IsLikely()
			return f
		}
		return all()
	case halideir.OpCast:
		// An int32 keeps its value in int64; narrower types may wrap.
		if f := arg(0); wide(n.Type) && w.p.Nodes[n.Args[0]].Type.IsInt() && n.Type.Bits >= w.p.Nodes[n.Args[0]].Type.Bits {
			return f
		}
		return all()
	case halideir.OpSelect:
		return choose(arg(0), arg(1), arg(2))
	}
	if !wide(n.Type) || len(n.Args) != 2 {
		return all()
	}
	switch n.Op {
	case halideir.OpAdd:
		return combine(arg(0), arg(1), 1)
	case halideir.OpSub:
		return combine(arg(0), arg(1), -1)
	case halideir.OpMul:
		return multiply(arg(0), arg(1))
	case halideir.OpDiv:
		return divide(arg(0), arg(1))
	case halideir.OpMin:
		return clamp(arg(0), arg(1), false)
	case halideir.OpMax:
		return clamp(arg(0), arg(1), true)
	}
	return all()
}

// wide reports a type in which indices do not wrap.
func wide(t halideir.Type) bool { return t.Code == halideir.Int && t.Bits >= 32 && t.Lanes == 1 }

// loopIndex is the position of the loop whose variable a node is; -1 where it is none's.
func (w *walker) loopIndex(n *halideir.Node) int {
	switch {
	case n.Kind == halideir.VarDim && n.Index < len(w.loopOf.dim):
		return w.loopOf.dim[n.Index]
	case n.Kind == halideir.VarRVar && n.Index < len(w.loopOf.rvar):
		return w.loopOf.rvar[n.Index]
	}
	return -1
}

func (w *walker) variable(id halideir.NodeID, n *halideir.Node) form {
	loop := w.loopIndex(n)
	if loop < 0 && n.Kind.Given() {
		if v, ok := w.p.EvalInt(id, halideir.Env{}); ok {
			f := constantForm(v)
			f.Estimated = true
			return f
		}
	}
	if loop < 0 {
		return unknown()
	}
	return form{Index: Index{Kind: Affine, Loop: loop, Num: 1, Den: 1, Loops: LoopBit(loop)}}
}

// arg is an operand, of equal ones the first, behind lets.
func (w *walker) arg(n *halideir.Node, i int) *halideir.Node {
	return &w.p.Nodes[w.a.canonical[n.Args[i]]]
}
