package halideir

// nodes checks each node's operands and types, and sums up what it reaches.
func (v *verifier) nodes() error {
	v.reaches = make([]reach, len(v.p.Nodes))
	for i := range v.p.Nodes {
		id := NodeID(i)
		r := reachNone
		for k, a := range v.p.Nodes[i].Args {
			if a < 0 || a >= id {
				return v.node(id, "operand %d is node %d, which does not come before it", k, a)
			}
			r.add(v.reaches[a])
		}
		if err := v.shape(id); err != nil {
			return err
		}
		switch n := &v.p.Nodes[i]; {
		case n.Op == OpVar && n.Kind == VarDim:
			r.dim = max(r.dim, int32(n.Index))
		case n.Op == OpVar && n.Kind == VarRVar:
			r.rvar = max(r.rvar, int32(n.Index))
		case n.Op == OpVar && (n.Kind == VarLo || n.Kind == VarHi):
			r.loop = max(r.loop, int32(n.Index))
		case n.Op == OpCall && n.Call == CallHalide:
			r.fn = max(r.fn, int32(n.Func))
		}
		v.reaches[i] = r
	}
	return nil
}

// arity is the number of operands of each op, -1 where any number will do.
var arity = [numOps]int{
	OpCast: 1, OpReinterpret: 1,
	OpAdd: 2, OpSub: 2, OpMul: 2, OpDiv: 2, OpMod: 2, OpMin: 2, OpMax: 2,
	OpEQ: 2, OpNE: 2, OpLT: 2, OpLE: 2, OpGT: 2, OpGE: 2, OpAnd: 2, OpOr: 2, OpNot: 1,
	OpSelect: 3, OpCall: -1, OpLet: 2, OpRamp: 2, OpBroadcast: 1, OpShuffle: -1, OpVectorReduce: 1, OpLoad: 2,
}

// shape checks one node by itself, its operands being checked already.
func (v *verifier) shape(id NodeID) error {
	n := &v.p.Nodes[id]
	if n.Op == OpInvalid || n.Op >= numOps {
		return v.node(id, "the op is unknown")
	}
	if n.Type.Lanes < 1 || !validBits(n.Type.Code, n.Type.Bits) {
		return v.node(id, "%s is not a type", n.Type)
	}
	if want := arity[n.Op]; want >= 0 && len(n.Args) != want {
		return v.node(id, "%d operands, want %d", len(n.Args), want)
	}
	operand := func(k int) Type { return v.p.Nodes[n.Args[k]].Type }
	switch {
	case n.Op == OpInt && n.Type.Code != Int,
		n.Op == OpUint && n.Type.Code != UInt,
		n.Op == OpFloat && !n.Type.IsFloat():
		return v.node(id, "a constant of another type, %s", n.Type)
	case n.Op == OpVar:
		return v.variable(id)
	case n.Op == OpCall:
		return v.call(id)
	case n.Op == OpCast && operand(0).Lanes != n.Type.Lanes:
		return v.node(id, "a cast of %s to %s changes the lanes", operand(0), n.Type)
	case n.Op.IsBinary() && (operand(0) != operand(1) || n.Type != operand(0)):
		return v.node(id, "operands of types %s and %s, result %s: they must be equal", operand(0), operand(1), n.Type)
	case n.Op.IsCompare() && operand(0) != operand(1):
		return v.node(id, "a comparison of %s with %s", operand(0), operand(1))
	case n.Op.IsCompare() && n.Type != Bool.WithLanes(operand(0).Lanes):
		return v.node(id, "the result is %s, not a bool of as many lanes as the operands", n.Type)
	case n.Op == OpAnd || n.Op == OpOr || n.Op == OpNot:
		for k := range n.Args {
			if !operand(k).IsBool() || n.Type != operand(k) {
				return v.node(id, "operand %d is %s, the result %s: both must be bools", k, operand(k), n.Type)
			}
		}
	case n.Op == OpSelect && (!operand(0).IsBool() || operand(0).Lanes != 1 && operand(0).Lanes != n.Type.Lanes):
		return v.node(id, "the condition is %s, not a bool", operand(0))
	case n.Op == OpSelect && (operand(1) != n.Type || operand(2) != n.Type):
		return v.node(id, "it chooses between %s and %s, but is %s", operand(1), operand(2), n.Type)
	case n.Op == OpLet && (n.Type != operand(1) || n.Name == ""):
		return v.node(id, "a let of %q in %s is %s", n.Name, operand(1), n.Type)
	case n.Op == OpBroadcast && (n.Lanes < 2 || n.Type != operand(0).WithLanes(operand(0).Lanes*n.Lanes)):
		return v.node(id, "%d lanes of %s are not %s", n.Lanes, operand(0), n.Type)
	case n.Op == OpRamp && (n.Lanes < 2 || operand(0) != operand(1) || n.Type != operand(0).WithLanes(operand(0).Lanes*n.Lanes)):
		return v.node(id, "%d lanes from %s by %s are not %s", n.Lanes, operand(0), operand(1), n.Type)
	case n.Op == OpShuffle:
		return v.shuffle(id)
	case n.Op == OpVectorReduce && (n.Type.WithLanes(1) != operand(0).WithLanes(1) || operand(0).Lanes%n.Type.Lanes != 0):
		return v.node(id, "%s does not reduce to %s", operand(0), n.Type)
	}
	return nil
}

func (v *verifier) variable(id NodeID) error {
	n := &v.p.Nodes[id]
	if n.Index < 0 || n.Of < 0 || n.Dim < 0 {
		return v.node(id, "a negative index")
	}
	switch n.Kind {
	case VarDim, VarRVar, VarLo, VarHi, VarBound, VarOutput:
		if n.Type != (Type{Code: Int, Bits: 32, Lanes: 1}) {
			return v.node(id, "a %s variable is an int32, not a %s", n.Kind, n.Type)
		}
	}
	switch n.Kind {
	case VarScalar:
		if n.Index >= len(v.p.Inputs) || v.p.Inputs[n.Index].Kind != InputScalar {
			return v.node(id, "input %d is not a scalar", n.Index)
		}
		if t := v.p.Inputs[n.Index].Type; t != n.Type {
			return v.node(id, "a %s, but the scalar input is a %s", n.Type, t)
		}
	case VarBound:
		if n.Of >= len(v.p.Inputs) || n.Dim >= len(v.p.Inputs[n.Of].Dims) {
			return v.node(id, "input %d has no dimension %d", n.Of, n.Dim)
		}
		switch n.Field {
		case "min", "extent", "stride", "max":
		default:
			return v.node(id, "the field %q is not min, extent, stride or max", n.Field)
		}
	case VarOutput:
		if n.Of >= len(v.p.Funcs) || !v.p.Funcs[n.Of].Output || n.Dim >= len(v.p.Funcs[n.Of].Args) {
			return v.node(id, "Func %d is no output with a dimension %d", n.Of, n.Dim)
		}
		if n.Field != "min" && n.Field != "extent" {
			return v.node(id, "the field %q of an output is not min or extent", n.Field)
		}
	case VarLet, VarFree:
		if n.Name == "" {
			return v.node(id, "a variable without a name")
		}
	}
	return nil
}

func (v *verifier) call(id NodeID) error {
	n := &v.p.Nodes[id]
	switch n.Call {
	case CallHalide:
		if n.Func < 0 || n.Func >= len(v.p.Funcs) {
			return v.node(id, "Func %d does not exist; there are %d", n.Func, len(v.p.Funcs))
		}
		f := &v.p.Funcs[n.Func]
		if len(n.Args) != len(f.Args) {
			return v.node(id, "a call with %d arguments of %s, which has %d", len(n.Args), f.Label, len(f.Args))
		}
		if n.Out < 0 || n.Out >= len(f.Types) {
			return v.node(id, "%s has no tuple component %d", f.Label, n.Out)
		}
		if n.Type != f.Types[n.Out] {
			return v.node(id, "it is a %s, component %d of %s a %s", n.Type, n.Out, f.Label, f.Types[n.Out])
		}
	case CallImage:
		if n.Input < 0 || n.Input >= len(v.p.Inputs) || v.p.Inputs[n.Input].Kind == InputScalar {
			return v.node(id, "input %d is not a buffer", n.Input)
		}
		in := &v.p.Inputs[n.Input]
		if len(n.Args) != len(in.Dims) {
			return v.node(id, "a call with %d arguments of input %s, which has %d dimensions", len(n.Args), in.Label, len(in.Dims))
		}
		if n.Type != in.Type {
			return v.node(id, "it is a %s, input %s a %s", n.Type, in.Label, in.Type)
		}
	default:
		if n.Name == "" {
			return v.node(id, "a call of nothing")
		}
		return nil
	}
	for k, a := range n.Args {
		if t := v.p.Nodes[a].Type; !t.IsInt() {
			return v.node(id, "index %d is a %s", k, t)
		}
	}
	return nil
}

func (v *verifier) shuffle(id NodeID) error {
	n := &v.p.Nodes[id]
	total := 0
	for k, a := range n.Args {
		t := v.p.Nodes[a].Type
		if t.WithLanes(1) != n.Type.WithLanes(1) {
			return v.node(id, "vector %d is a %s, the result a %s", k, t, n.Type)
		}
		total += t.Lanes
	}
	if len(n.Indices) != n.Type.Lanes {
		return v.node(id, "%d indices for %d lanes", len(n.Indices), n.Type.Lanes)
	}
	for _, i := range n.Indices {
		if i < 0 || i >= total {
			return v.node(id, "index %d of %d lanes", i, total)
		}
	}
	return nil
}
