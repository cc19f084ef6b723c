// Package irrun runs pipelines of integers point by point, in the order of their loops: what a pipeline that was changed has to compute, in tests.
package irrun

import (
	"fmt"

	"gowarp/halideir"
	"gowarp/halideir/bounds"
)

// bits is what an intrinsic makes of integers.
func bits(name string, a []int64) int64 {
	switch name {
	case "bitwise_and":
		return a[0] & a[1]
	case "bitwise_or":
		return a[0] | a[1]
	case "bitwise_xor":
		return a[0] ^ a[1]
	case "bitwise_not":
		return ^a[0]
	case "shift_left":
		return a[0] << uint64(a[1])
	}
	panic("no integers' intrinsic: " + name)
}

// machine runs a pipeline of integers point by point, in the order of the loops.
type machine struct {
	p      *halideir.Pipeline
	input  func(point []int64) int64
	stored []map[string][]int64 // by Func and point: its values
	env    halideir.Env
	lets   map[string]int64
}

// Run is what the first output has at each of its points, by their names, where input is what there is at a point of an input.
func Run(p *halideir.Pipeline, input func(point []int64) int64) (map[string][]int64, error) {
	regions, err := bounds.Analyze(p)
	if err != nil {
		return nil, err
	}
	m := &machine{p: p, input: input, lets: map[string]int64{}}
	for id := range p.Funcs {
		m.stored = append(m.stored, map[string][]int64{})
		for st := range p.Funcs[id].Stages {
			box, err := regions.Loops(p, id, st)
			if err != nil {
				return nil, err
			}
			m.stage(id, &p.Funcs[id].Stages[st], box)
		}
	}
	return m.stored[p.Outputs[0]], nil
}

// stage runs a nest of loops, the first the innermost.
func (m *machine) stage(fn int, st *halideir.Stage, box bounds.Box) {
	m.env = halideir.Env{Dim: make([]int64, len(m.p.Funcs[fn].Args)), RVar: make([]int64, len(st.RVars))}
	var nest func(l int)
	nest = func(l int) {
		if l < 0 {
			if st.Predicate == halideir.NoNode || m.eval(st.Predicate) != 0 {
				values := m.all(st.Values) // of all before any is stored
				m.stored[fn][fmt.Sprint(m.all(st.Args))] = values
			}
			return
		}
		at := &m.env.Dim
		k := st.Loops[l].Arg
		if k < 0 {
			at, k = &m.env.RVar, st.Loops[l].RVar
		}
		for x := box[l].Lo; x <= box[l].Hi; x++ {
			(*at)[k] = x
			nest(l - 1)
		}
	}
	nest(len(st.Loops) - 1)
}

func (m *machine) all(ids []halideir.NodeID) []int64 {
	out := make([]int64, len(ids))
	for i, id := range ids {
		out[i] = m.eval(id)
	}
	return out
}

// eval is an expression's value, in its type.
func (m *machine) eval(id halideir.NodeID) int64 {
	n := &m.p.Nodes[id]
	if n.Op == halideir.OpLet {
		m.lets[n.Name] = m.eval(n.Args[0])
		return m.eval(n.Args[1])
	}
	if n.Op == halideir.OpVar {
		switch n.Kind {
		case halideir.VarDim:
			return m.env.Dim[n.Index]
		case halideir.VarRVar:
			return m.env.RVar[n.Index]
		case halideir.VarLet:
			return m.lets[n.Name]
		case halideir.VarBound, halideir.VarOutput:
			if v, ok := m.p.EvalInt(id, m.env); ok { // by the estimates
				return v
			}
		}
	}
	a := m.all(n.Args)
	truth := map[bool]int64{true: 1}
	less := func(x, y int64) bool { // of the operands
		if p := m.p.Nodes[n.Args[0]].Type; p.Code == halideir.UInt {
			return uint64(x) < uint64(y)
		}
		return x < y
	}
	var v int64
	switch n.Op {
	case halideir.OpInt, halideir.OpUint:
		v = n.Int
	case halideir.OpCast:
		v = a[0]
	case halideir.OpAdd:
		v = a[0] + a[1]
	case halideir.OpSub:
		v = a[0] - a[1]
	case halideir.OpMul:
		v = a[0] * a[1]
	case halideir.OpMod:
		v = ((a[0] % a[1]) + a[1]) % a[1]
	case halideir.OpDiv: // rounded down, as Halide does, by what is positive
		v = (a[0] - ((a[0]%a[1])+a[1])%a[1]) / a[1]
	case halideir.OpMin:
		v = a[0]
		if less(a[1], v) {
			v = a[1]
		}
	case halideir.OpMax:
		v = a[0]
		if less(v, a[1]) {
			v = a[1]
		}
	case halideir.OpEQ:
		v = truth[a[0] == a[1]]
	case halideir.OpNE:
		v = truth[a[0] != a[1]]
	case halideir.OpLT:
		v = truth[less(a[0], a[1])]
	case halideir.OpLE:
		v = truth[!less(a[1], a[0])]
	case halideir.OpGT:
		v = truth[less(a[1], a[0])]
	case halideir.OpGE:
		v = truth[!less(a[0], a[1])]
	case halideir.OpNot:
		v = 1 - a[0]
	case halideir.OpSelect:
		v = a[2]
		if a[0] != 0 {
			v = a[1]
		}
	case halideir.OpAnd:
		v = a[0] & a[1]
	case halideir.OpOr:
		v = a[0] | a[1]
	case halideir.OpCall:
		if n.Call == halideir.CallPureIntrinsic {
			v = bits(n.Name, a)
			break
		}
		if n.Call == halideir.CallImage {
			v = m.input(a)
			break
		}
		values, ok := m.stored[n.Func][fmt.Sprint(a)]
		if !ok {
			panic(fmt.Sprintf("%s%v is read and not computed", n.Name, a))
		}
		v = values[n.Out]
	default:
		panic(fmt.Sprint("no integers' operator: ", n.Op))
	}
	switch t := n.Type; {
	case t.Code == halideir.Int && t.Bits < 64:
		return v << (64 - t.Bits) >> (64 - t.Bits)
	case t.Bits < 64:
		return int64(uint64(v) << (64 - t.Bits) >> (64 - t.Bits))
	}
	return v
}
