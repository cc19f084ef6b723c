package rfactor_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir"
	"gowarp/halideir/bounds"
	"gowarp/halideir/rfactor"
	"gowarp/internal/irtest"
)

// machine runs a pipeline of integers point by point, in the order of the loops.
type machine struct {
	p      *halideir.Pipeline
	input  func(point []int64) int64
	stored []map[string][]int64 // by Func and point: its values
	env    halideir.Env
	lets   map[string]int64
}

// run is what the output has at each of its points, by their names.
func run(t interface{ Fatal(...any) }, p *halideir.Pipeline, input func([]int64) int64) map[string][]int64 {
	regions, err := bounds.Analyze(p)
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{p: p, input: input, lets: map[string]int64{}}
	for id := range p.Funcs {
		m.stored = append(m.stored, map[string][]int64{})
		for st := range p.Funcs[id].Stages {
			box, err := regions.Loops(p, id, st)
			if err != nil {
				t.Fatal(err)
			}
			m.stage(id, &p.Funcs[id].Stages[st], box)
		}
	}
	return m.stored[p.Outputs[0]]
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
		}
	}
	a := m.all(n.Args)
	truth := map[bool]int64{true: 1}
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
	case halideir.OpMin:
		v = min(a[0], a[1])
	case halideir.OpMax:
		v = max(a[0], a[1])
	case halideir.OpLT:
		v = truth[a[0] < a[1]]
	case halideir.OpAnd:
		v = a[0] & a[1]
	case halideir.OpOr:
		v = a[0] | a[1]
	case halideir.OpCall:
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

// several is a reduction of values of those types by those operators at once, over an image of bytes, into a point for each of three c.
func several(width, height int64, ops []string, types []halideir.Type) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.U8, width+4, height+1, 3)
	f := b.Tuple("f", []string{"c"}, types, func([]irtest.Expr) []irtest.Expr {
		var init []irtest.Expr
		for i, t := range types {
			v := b.Int(int64(3 * i)).Cast(t)
			if t == irtest.Bool {
				v = b.Int(int64(i % 2)).LT(1)
			}
			init = append(init, v)
		}
		return init
	})
	f.UpdateTuple([]irtest.RVar{{Name: "r$x", Min: 4, Extent: width}, {Name: "r$y", Extent: height}}, func(v, r []irtest.Expr) (lhs, values []irtest.Expr) {
		for i, op := range ops {
			old := f.AtOut(i, v[0])
			x := in.At(r[0], r[1].Add(1), v[0])
			y := x.Cast(types[i])
			if types[i] == irtest.Bool {
				y = b.Int(int64(40 * i)).LT(x.Cast(irtest.I32))
			}
			values = append(values, map[string]func() irtest.Expr{
				"add":     func() irtest.Expr { return old.Add(y) },
				"swapped": func() irtest.Expr { return y.Add(old) },
				"let": func() irtest.Expr {
					return y.Add(b.Const(types[i], 1)).Let("t0", func(v irtest.Expr) irtest.Expr { return old.Add(v.Mul(v)) })
				},
				"mul": func() irtest.Expr { return old.Mul(y.Add(y).Add(b.Const(types[i], 1))) },
				"min": func() irtest.Expr { return old.Min(y) },
				"max": func() irtest.Expr { return y.Max(old) },
				"and": func() irtest.Expr { return old.And(y) },
				"or":  func() irtest.Expr { return y.Or(old) },
			}[op]())
		}
		return v, values
	})
	out := b.Tuple("out", []string{"c"}, types, func(v []irtest.Expr) (all []irtest.Expr) {
		for i := range types {
			all = append(all, f.AtOut(i, v[0]))
		}
		return all
	})
	b.Output(out, 3)
	return b.Build()
}

// TestApplyRuns: whatever the values of a Tuple are, and whatever is kept, a factored reduction computes what the one in order does; and so does
// the reduction of its partial results once that is factored.
func TestApplyRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.Int64Range(1, 17).Draw(t, "width"), rapid.Int64Range(1, 9).Draw(t, "height")
		var ops []string
		var types []halideir.Type
		for range rapid.IntRange(1, 4).Draw(t, "values") {
			op := rapid.SampledFrom([]string{"add", "swapped", "let", "mul", "min", "max", "and", "or"}).Draw(t, "op")
			of := []halideir.Type{irtest.U8, irtest.U16, irtest.U32, irtest.I8, irtest.I16, irtest.I32, irtest.I64}
			if op == "and" || op == "or" {
				of = []halideir.Type{irtest.Bool}
			}
			ops, types = append(ops, op), append(types, rapid.SampledFrom(of).Draw(t, "type"))
		}
		p := several(width, height, ops, types)
		st := &p.Funcs[0].Stages[1]
		st.Associative, st.Commutative = true, true // also of what irtest does not know
		seed := rapid.Int64().Draw(t, "seed")
		input := func(at []int64) int64 {
			v := seed
			for _, x := range at {
				v = (v ^ x) * 0x5851F42D4C957F2D
				v ^= int64(uint64(v) >> 29)
			}
			return v & 255
		}
		want := run(t, p, input)
		q := p
		for level := range rapid.IntRange(1, 2).Draw(t, "levels") {
			s := rapid.SampledFrom([]rfactor.Kept{{RVar: 0}, {RVar: 0, Factor: 1}, {RVar: 0, Factor: 4}, {RVar: 0, Factor: 7}}).Draw(t, "kept")
			var err error
			q, err = rfactor.Apply(q, rfactor.Step{Func: level * rfactor.Made, Stage: 1, Kept: []rfactor.Kept{s}, Lane: -1})
			if err == nil {
				err = q.Verify()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		got := run(t, q, input)
		for at, values := range want {
			if !slices.Equal(got[at], values) {
				t.Fatalf("%v of %v: %v at %s, want %v", ops, types, got[at], at, values)
			}
		}
		if len(got) != len(want) || len(got) != 3 {
			t.Fatalf("%d points, want %d", len(got), len(want))
		}
	})
}
