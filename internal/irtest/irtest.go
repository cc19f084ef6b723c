// Package irtest builds small pipelines for tests, without Halide: Funcs with
// definitions, updates and estimates, and the boxes that Halide would export
// for affine accesses. It is for tests only: misuse panics with what is wrong.
//
//	b := irtest.New()
//	in := b.Input("in", irtest.F32, 1536, 2560)
//	blur := b.Func("blur", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
//		x, y := v[0], v[1]
//		return in.At(x, y).Add(in.At(x.Add(1), y)).Mul(0.5)
//	})
//	b.Output(blur, 1535, 2560)
//	p := b.Build()
package irtest

import (
	"fmt"

	"gowarp/halideir"
)

// The types that tests want most.
var (
	Bool = halideir.Bool
	U8   = halideir.Type{Code: halideir.UInt, Bits: 8, Lanes: 1}
	U16  = halideir.Type{Code: halideir.UInt, Bits: 16, Lanes: 1}
	U32  = halideir.Type{Code: halideir.UInt, Bits: 32, Lanes: 1}
	I8   = halideir.Type{Code: halideir.Int, Bits: 8, Lanes: 1}
	I16  = halideir.Type{Code: halideir.Int, Bits: 16, Lanes: 1}
	I32  = halideir.Type{Code: halideir.Int, Bits: 32, Lanes: 1}
	I64  = halideir.Type{Code: halideir.Int, Bits: 64, Lanes: 1}
	F16  = halideir.Type{Code: halideir.Float, Bits: 16, Lanes: 1}
	F32  = halideir.Type{Code: halideir.Float, Bits: 32, Lanes: 1}
	F64  = halideir.Type{Code: halideir.Float, Bits: 64, Lanes: 1}
)

// Builder collects a pipeline. Funcs are defined after those that they call.
type Builder struct {
	p    *halideir.Pipeline
	seen map[string]halideir.NodeID // equal nodes are one node
}

// New is an empty pipeline for CUDA 7.5.
func New() *Builder {
	return &Builder{
		p: &halideir.Pipeline{
			Halide: "21.0.0",
			Target: halideir.Target{
				String: "x86-64-linux-cuda-cuda_capability_75", Arch: "x86", OS: "linux", Bits: 64,
				API: "cuda", CUDACapability: 75, Features: []string{"cuda", "cuda_capability_75"},
			},
		},
		seen: map[string]halideir.NodeID{},
	}
}

// Target sets the target's string, API and CUDA capability.
func (b *Builder) Target(s, api string, capability int) {
	b.p.Target.String, b.p.Target.API, b.p.Target.CUDACapability = s, api, capability
}

// Input is an image parameter or a scalar.
type Input struct {
	b  *Builder
	ID int
}

// Input adds an image parameter with estimates 0..extent-1 in each dimension,
// and the stride 1 that Halide fixes for the first.
func (b *Builder) Input(name string, t halideir.Type, extents ...int64) *Input {
	in := b.input(name, halideir.InputBuffer, t)
	zero := int64(0)
	for k, e := range extents {
		d := halideir.InputDim{
			Min: halideir.NoNode, Extent: halideir.NoNode, Stride: halideir.NoNode,
			MinEstimate: &zero, ExtentEstimate: &e,
		}
		if k == 0 {
			d.Stride = b.Int(1).id
		}
		b.p.Inputs[in.ID].Dims = append(b.p.Inputs[in.ID].Dims, d)
	}
	return in
}

// Scalar adds a scalar parameter; estimate is nil, an int or a float64.
func (b *Builder) Scalar(name string, t halideir.Type, estimate any) Expr {
	in := b.input(name, halideir.InputScalar, t)
	if estimate != nil {
		b.p.Inputs[in.ID].Estimate = b.expr(estimate, t).id
	}
	return b.node(halideir.Node{Op: halideir.OpVar, Type: t, Kind: halideir.VarScalar, Index: in.ID, Name: name})
}

func (b *Builder) input(name string, kind halideir.InputKind, t halideir.Type) *Input {
	id := len(b.p.Inputs)
	none := halideir.NoNode
	b.p.Inputs = append(b.p.Inputs, halideir.Input{
		ID: id, Name: name, Kind: kind, Type: t, Estimate: none, Min: none, Max: none, Value: none,
	})
	return &Input{b, id}
}

// At is a load; indices are Exprs or ints.
func (in *Input) At(index ...any) Expr {
	def := &in.b.p.Inputs[in.ID]
	n := halideir.Node{Op: halideir.OpCall, Type: def.Type, Name: def.Name, Call: halideir.CallImage, Input: in.ID, Func: -1}
	return in.b.callNode(n, index, len(def.Dims))
}

// Bound is the input's own "min", "extent", "stride" or "max" in a dimension.
func (in *Input) Bound(dim int, field string) Expr {
	name := fmt.Sprintf("%s.%s.%d", in.b.p.Inputs[in.ID].Name, field, dim)
	return in.b.node(halideir.Node{Op: halideir.OpVar, Type: I32, Kind: halideir.VarBound, Of: in.ID, Dim: dim, Field: field, Name: name})
}

// OutputSize is the "min" or "extent" of a dimension of an output, which may be a Func that comes later.
func (b *Builder) OutputSize(name string, fn, dim int, field string) Expr {
	return b.node(halideir.Node{Op: halideir.OpVar, Type: I32, Kind: halideir.VarOutput, Of: fn, Dim: dim, Field: field, Name: fmt.Sprintf("%s.%s.%d", name, field, dim)})
}

// Func is a Func under construction.
type Func struct {
	b  *Builder
	ID int
}

// Func defines a Func of one value.
func (b *Builder) Func(name string, args []string, t halideir.Type, def func(v []Expr) Expr) *Func {
	return b.Tuple(name, args, []halideir.Type{t}, func(v []Expr) []Expr { return []Expr{def(v)} })
}

// Tuple defines a Func of several values.
func (b *Builder) Tuple(name string, args []string, types []halideir.Type, def func(v []Expr) []Expr) *Func {
	f := b.newFunc(name, args, types)
	v := f.vars()
	s := halideir.Stage{Predicate: halideir.NoNode, Associative: false}
	for k, e := range v {
		s.Args = append(s.Args, e.id)
		s.Loops = append(s.Loops, halideir.Loop{Name: args[k], Kind: halideir.LoopPure, Arg: k, RVar: -1})
	}
	s.Values = b.values(name, types, def(v))
	f.addStage(s)
	return f
}

// Extern defines a Func computed by foreign code from whole Funcs and inputs.
func (b *Builder) Extern(name string, args []string, t halideir.Type, from ...any) *Func {
	f := b.newFunc(name, args, []halideir.Type{t})
	ext := &halideir.Extern{Name: name + "_extern", Mangling: "c", DeviceAPI: "none"}
	for _, a := range from {
		arg := halideir.ExternArg{Func: -1, Input: -1, Expr: halideir.NoNode}
		e := halideir.Edge{Consumer: f.ID, Func: -1, Input: -1}
		switch a := a.(type) {
		case *Func:
			arg.Func, e.Func = a.ID, a.ID
		case *Input:
			arg.Input, e.Input = a.ID, a.ID
		default:
			arg.Expr = b.expr(a, I32).id
		}
		ext.Args = append(ext.Args, arg)
		if arg.Expr == halideir.NoNode {
			b.p.Edges = append(b.p.Edges, e)
		}
	}
	b.p.Funcs[f.ID].Extern = ext
	return f
}

func (b *Builder) newFunc(name string, args []string, types []halideir.Type) *Func {
	id := len(b.p.Funcs)
	b.p.Funcs = append(b.p.Funcs, halideir.Func{
		ID: id, Name: name, Types: types, Args: args, Memory: "auto", PipelineIndex: id, FoundIndex: -1,
	})
	return &Func{b, id}
}

func (f *Func) vars() []Expr {
	var v []Expr
	for k, a := range f.def().Args {
		v = append(v, f.b.node(halideir.Node{Op: halideir.OpVar, Type: I32, Kind: halideir.VarDim, Index: k, Name: a}))
	}
	return v
}

func (b *Builder) values(name string, types []halideir.Type, values []Expr) []halideir.NodeID {
	if len(values) != len(types) {
		panic(fmt.Sprintf("irtest: %s: %d values for %d types", name, len(values), len(types)))
	}
	var ids []halideir.NodeID
	for k, e := range values {
		if e.Type() != types[k] {
			e = e.Cast(types[k])
		}
		ids = append(ids, e.id)
	}
	return ids
}

// RVar is one reduction variable: Name as Halide has it ("r$x").
type RVar struct {
	Name        string
	Min, Extent int64
	Parallel    bool // Halide knows the iterations to be independent
}

// Update adds an update definition of one value. def gets the Func's arguments
// and the reduction variables, and returns the left-hand side and the value.
func (f *Func) Update(r []RVar, def func(v, r []Expr) (lhs []Expr, value Expr)) *Func {
	return f.UpdateTuple(r, func(v, r []Expr) ([]Expr, []Expr) {
		lhs, value := def(v, r)
		return lhs, []Expr{value}
	})
}

// UpdateTuple adds an update definition of all values of a Tuple.
func (f *Func) UpdateTuple(r []RVar, def func(v, r []Expr) (lhs, values []Expr)) *Func {
	b := f.b
	var rv []Expr
	s := halideir.Stage{Predicate: halideir.NoNode}
	for k, x := range r {
		rv = append(rv, b.node(halideir.Node{Op: halideir.OpVar, Type: I32, Kind: halideir.VarRVar, Index: k, Name: x.Name}))
		s.RVars = append(s.RVars, halideir.RVar{Name: x.Name, Min: b.Int(x.Min).id, Extent: b.Int(x.Extent).id})
		kind := halideir.LoopImpureRVar
		if x.Parallel {
			kind = halideir.LoopPureRVar
		}
		s.Loops = append(s.Loops, halideir.Loop{Name: x.Name, Kind: kind, Arg: -1, RVar: k})
	}
	v := f.vars()
	lhs, values := def(v, rv)
	if len(lhs) != len(v) {
		panic(fmt.Sprintf("irtest: %s: %d arguments on the left-hand side, want %d", f.def().Name, len(lhs), len(v)))
	}
	var ids []any
	for k, e := range lhs {
		s.Args = append(s.Args, e.id)
		ids = append(ids, e)
		if e.id == v[k].id {
			s.Loops = append(s.Loops, halideir.Loop{Name: f.def().Args[k], Kind: halideir.LoopPure, Arg: k, RVar: -1})
		}
	}
	s.Values = b.values(f.def().Name, f.def().Types, values)
	s.Associative = true
	for out, v := range s.Values {
		s.Associative = s.Associative && b.combines(v, f.AtOut(out, ids...).id)
	}
	s.Commutative = s.Associative
	f.addStage(s)
	return f
}

// combines reports whether the value is the old one plus, times, or the
// smaller or larger of it and something.
func (b *Builder) combines(value, old halideir.NodeID) bool {
	n := &b.p.Nodes[value]
	switch n.Op {
	case halideir.OpAdd, halideir.OpMul, halideir.OpMin, halideir.OpMax:
		return n.Args[0] == old || n.Args[1] == old
	}
	return false
}

// At is a load of the Func's first value; indices are Exprs or ints.
func (f *Func) At(index ...any) Expr { return f.AtOut(0, index...) }

// AtOut is a load of one tuple component.
func (f *Func) AtOut(out int, index ...any) Expr {
	def := f.def()
	n := halideir.Node{Op: halideir.OpCall, Type: def.Types[out], Name: def.Name, Call: halideir.CallHalide, Func: f.ID, Input: -1, Out: out}
	return f.b.callNode(n, index, len(def.Args))
}

// Bound promises the range of an argument, like Func::bound.
func (f *Func) Bound(arg string, minimum, extent int64) *Func {
	f.def().Bounds = append(f.def().Bounds, halideir.Bound{
		Var: arg, Min: f.b.Int(minimum).id, Extent: f.b.Int(extent).id, Modulus: halideir.NoNode, Remainder: halideir.NoNode,
	})
	return f
}

// Output makes the Func an output with estimates from 0; without extents it
// has none.
func (b *Builder) Output(f *Func, extents ...int64) {
	b.p.Outputs = append(b.p.Outputs, f.ID)
	f.def().Output = true
	for k, e := range extents {
		f.def().Estimates = append(f.def().Estimates, halideir.Estimate{Var: f.def().Args[k], Extent: e})
	}
}

func (f *Func) def() *halideir.Func { return &f.b.p.Funcs[f.ID] }

// Build is the finished, verified pipeline.
func (b *Builder) Build() *halideir.Pipeline {
	b.p.SetLabels()
	if err := b.p.Verify(); err != nil {
		panic("irtest: " + err.Error())
	}
	return b.p
}
