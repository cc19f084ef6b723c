package autoscheduler

import (
	"slices"

	"gowarp/halideir"
	"gowarp/internal/plan"
)

// readsOnHost reports whether Halide 21 may read on the host what a kernel reads. Where a clamp or a choice of boundary conditions (what is marked as likely) hangs on a value that is the same at
// every point, such as a Func without dimensions, Halide works out on the host up to which block it holds, and reads the value there; but which buffers to copy from the device it has
// decided before that. Loops that are not partitioned have no such ends.
func (s *state) readsOnHost(k *plan.Kernel) bool {
	view := k.View(s.problem)
	reads := func(n *plan.Nest) bool {
		h := hostReader{s: s, view: view, seen: map[hostCall]bool{}, values: map[hostCall]bool{}}
		h.stage(n.Func, n.Stage, hostCall{})
		return h.found
	}
	if reads(&k.Out) {
		return true
	}
	return slices.ContainsFunc(k.Members, func(m plan.Member) bool {
		return slices.ContainsFunc(m.Nests, func(n plan.Nest) bool { return reads(&n) })
	})
}

// hostCall is a definition that is walked over: which of its arguments are the same at every point and which hang on loads that are, by bits, and whether its value decides where something marked
// holds.
type hostCall struct {
	fn          int
	same, loads uint64
	decides     bool
}

// hostReader looks for loads of which every index is the same at every point, in what decides where something marked holds.
type hostReader struct {
	s      *state
	view   *plan.Problem
	seen   map[hostCall]bool
	values map[hostCall]bool // whether they hang on such loads
	found  bool
}

func (h *hostReader) stage(fn, stage int, c hostCall) {
	f := &h.s.p.Funcs[fn]
	if stage >= len(f.Stages) {
		return // extern
	}
	st := &f.Stages[stage]
	roots := slices.Concat(st.Values, st.Args, []halideir.NodeID{st.Predicate})
	d := h.definition(c, roots)
	for _, id := range roots {
		d.walk(id, c.decides || id == st.Predicate && d.likely(id))
	}
}

// value reports whether an inlined definition's values hang on a load that is the same at every point.
func (h *hostReader) value(c hostCall) bool {
	if loads, known := h.values[c]; known {
		return loads
	}
	values := h.s.p.Funcs[c.fn].Stages[0].Values
	loads := slices.ContainsFunc(values, h.definition(c, values).hangs)
	h.values[c] = loads
	return loads
}

func (h *hostReader) definition(c hostCall, roots []halideir.NodeID) *definition {
	return &definition{
		hostReader: h, call: c, lets: h.s.p.Lets(roots...),
		visited: map[visit]bool{}, same: map[halideir.NodeID]bool{}, loads: map[halideir.NodeID]bool{}, marks: map[halideir.NodeID]bool{},
	}
}

// definition is one that a hostReader walks over.
type definition struct {
	*hostReader
	call    hostCall
	lets    map[string]halideir.NodeID
	visited map[visit]bool
	same    map[halideir.NodeID]bool // everywhere
	loads   map[halideir.NodeID]bool // hangs
	marks   map[halideir.NodeID]bool // likely
}

type visit struct {
	id      halideir.NodeID
	decides bool
}

func (d *definition) walk(id halideir.NodeID, decides bool) {
	at := visit{id, decides}
	if id == halideir.NoNode || d.found || d.visited[at] {
		return
	}
	d.visited[at] = true
	n := &d.s.p.Nodes[id]
	if d.inlined(n) {
		d.enter(n, decides)
		return
	}
	if decides && d.source(id) {
		d.found = true
		return
	}
	if isLet(n) {
		d.walk(d.let(n), decides)
	}
	decides = decides || captures(n) && slices.ContainsFunc(n.Args, d.likely)
	for _, a := range n.Args {
		d.walk(a, decides)
	}
}

// enter goes into an inlined definition.
func (d *definition) enter(n *halideir.Node, decides bool) {
	for _, a := range n.Args {
		d.walk(a, decides)
	}
	if c := d.callOf(n, decides); !d.seen[c] {
		d.seen[c] = true
		d.stage(n.Func, 0, c)
	}
}

func (d *definition) inlined(n *halideir.Node) bool {
	return n.ReadsBuffer() && n.Call == halideir.CallHalide && d.view.Inlined[n.Func]
}

func (d *definition) callOf(n *halideir.Node, decides bool) hostCall {
	c := hostCall{fn: n.Func, decides: decides}
	for i, a := range n.Args {
		if d.everywhere(a) {
			c.same |= 1 << i
		}
		if d.hangs(a) {
			c.loads |= 1 << i
		}
	}
	return c
}

// source reports whether an expression is a load that is the same at every point, or an argument that hangs on one.
func (d *definition) source(id halideir.NodeID) bool {
	n := &d.s.p.Nodes[id]
	return n.ReadsBuffer() && !d.inlined(n) && d.everywhere(id) || n.Op == halideir.OpVar && n.Kind == halideir.VarDim && d.call.loads>>n.Index&1 == 1
}

// hangs reports whether an expression hangs on a load that is the same at every point.
func (d *definition) hangs(id halideir.NodeID) bool {
	if id == halideir.NoNode {
		return false
	}
	if loads, known := d.loads[id]; known {
		return loads
	}
	n := &d.s.p.Nodes[id]
	loads := d.source(id) || isLet(n) && d.hangs(d.let(n)) || slices.ContainsFunc(n.Args, d.hangs) || d.inlined(n) && d.value(d.callOf(n, false))
	d.loads[id] = loads
	return loads
}

// everywhere reports whether an expression is the same at every point of the kernel.
func (d *definition) everywhere(id halideir.NodeID) bool {
	if id == halideir.NoNode {
		return true
	}
	if same, known := d.same[id]; known {
		return same
	}
	n := &d.s.p.Nodes[id]
	same := true
	switch {
	case isLet(n):
		same = d.everywhere(d.let(n))
	case n.Op == halideir.OpVar && n.Kind.Given():
	case n.Op == halideir.OpVar:
		same = n.Kind == halideir.VarDim && d.call.same>>n.Index&1 == 1
	default:
		same = !slices.ContainsFunc(n.Args, func(a halideir.NodeID) bool { return !d.everywhere(a) })
	}
	d.same[id] = same
	return same
}

// likely reports whether an expression is marked outside of choices and bounds that are parts of it.
func (d *definition) likely(id halideir.NodeID) bool {
	if id == halideir.NoNode {
		return false
	}
	if marked, known := d.marks[id]; known {
		return marked
	}
	n := &d.s.p.Nodes[id]
	marked := false
	switch {
	case n.IsLikely():
		marked = true
	case n.ReadsBuffer() || captures(n):
	case isLet(n):
		marked = d.likely(d.let(n))
	default:
		marked = slices.ContainsFunc(n.Args, d.likely)
	}
	d.marks[id] = marked
	return marked
}

// captures reports whether an expression is one of those that Halide makes simpler where what is marked in it holds.
func captures(n *halideir.Node) bool {
	return n.Op == halideir.OpMin || n.Op == halideir.OpMax || n.Op == halideir.OpSelect || n.Op == halideir.OpCall && n.Name == "if_then_else"
}

func isLet(n *halideir.Node) bool { return n.Op == halideir.OpVar && n.Kind == halideir.VarLet }

// let is the value of a let variable; NoNode where its name has several.
func (d *definition) let(n *halideir.Node) halideir.NodeID {
	if value, known := d.lets[n.Name]; known {
		return value
	}
	return halideir.NoNode
}
