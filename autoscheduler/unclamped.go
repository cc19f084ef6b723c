package autoscheduler

import (
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
)

// unclamped tells of each Func whether a clamp around it would be lost in an index: Halide 21's simplifier takes away that half of a clamp which a bitwise xor cannot
// exceed, and its analysis of regions knows no more of one than its type. clamp((x % 97) ^ 5, 0, 15) then reaches down to -32768.
// Of an xor that may have any value of its type, as those of hashes may, the simplifier knows no more either (see highBits).
func unclamped(p *halideir.Pipeline) []bool {
	out := access.Places(p)
	for id, place := range out {
		if !place {
			continue
		}
		out[id] = false
		for _, st := range p.Funcs[id].Stages {
			h := highBits{p: p, lets: p.Lets(st.Values...), known: map[halideir.NodeID]bool{}}
			p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
				out[id] = out[id] || isXor(n) && !slices.ContainsFunc(n.Args, h.any)
			}, st.Values...)
		}
	}
	return out
}

func isXor(n *halideir.Node) bool {
	return n.Op == halideir.OpCall && access.FunctionName(n) == "bitwise_xor"
}

// highBits says of values of a stage what Halide's simplifier knows of their highest bits.
type highBits struct {
	p     *halideir.Pipeline
	lets  map[string]halideir.NodeID
	known map[halideir.NodeID]bool // what any said
}

// any reports whether the simplifier knows nothing of the highest bit of an unsigned value of 32 bits, and so no bounds of it either: of a
// product with a constant that has this bit set (it is 0 or the constant where it does not overflow, and where it may the simplifier takes the bounds of
// the type), of one of such a value with a constant but 0, and of an xor with such a value.
func (h *highBits) any(id halideir.NodeID) bool {
	if id == halideir.NoNode {
		return false
	}
	is, known := h.known[id]
	if !known {
		is = h.anyOf(&h.p.Nodes[id])
		h.known[id] = is
	}
	return is
}

func (h *highBits) anyOf(n *halideir.Node) bool {
	times := func(arg halideir.NodeID) uint64 { // the constant; 0 for what is none
		if h.p.Nodes[arg].Op != halideir.OpUint {
			return 0
		}
		return uint64(h.p.Nodes[arg].Int)
	}
	switch {
	case n.Type.Code != halideir.UInt || n.Type.Bits != 32:
		return false
	case n.Op == halideir.OpVar && n.Kind == halideir.VarLet:
		value, bound := h.lets[n.Name]
		return bound && h.any(value)
	case n.Op == halideir.OpLet:
		return h.any(n.Args[1])
	case n.Op == halideir.OpMul:
		a, b := n.Args[0], n.Args[1]
		return times(a)>>31 == 1 || times(b)>>31 == 1 || times(a) > 0 && h.any(b) || times(b) > 0 && h.any(a)
	}
	return isXor(n) && slices.ContainsFunc(n.Args, h.any)
}
