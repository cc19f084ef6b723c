package irtest

import (
	"fmt"

	"gowarp/halideir"
)

// Synthetic are pipelines of any number of stages, for what is asked of size. Every one
// ends in an output of 1024x1024.
var Synthetic = map[string]func(stages int) *halideir.Pipeline{"chain": StencilChain, "ladder": Ladder}

// StencilChain is n 3x3 stencils one after the other.
func StencilChain(n int) *halideir.Pipeline {
	b := New()
	type source interface{ At(...any) Expr }
	var last source = b.Input("in", F32, 1536, 2560)
	var out *Func
	for i := range n {
		src := last
		out = b.Func(fmt.Sprintf("f%d", i), []string{"x", "y"}, F32, func(v []Expr) Expr { return cross(src.At, v) })
		last = out
	}
	b.Output(out, 1024, 1024)
	return b.Build()
}

// Ladder is n stages of which each blurs the one before and adds the one before that, at one
// point: every stage has two readers.
func Ladder(n int) *halideir.Pipeline {
	b := New()
	type source interface{ At(...any) Expr }
	in := b.Input("in", F32, 1536, 2560)
	var last, before source = in, in
	var out *Func
	for i := range n {
		p, q := last, before
		out = b.Func(fmt.Sprintf("f%d", i), []string{"x", "y"}, F32, func(v []Expr) Expr {
			return cross(p.At, v).Add(q.At(v[0], v[1]))
		})
		last, before = out, p
	}
	b.Output(out, 1024, 1024)
	return b.Build()
}

// cross is a stencil of five points.
func cross(src func(...any) Expr, v []Expr) Expr {
	at := func(dx, dy int) Expr { return src(v[0].Add(dx), v[1].Add(dy)) }
	return at(-1, 0).Add(at(1, 0)).Add(at(0, -1)).Add(at(0, 1)).Mul(0.25).Add(at(0, 0))
}

// PointwiseChain is n stages of which each adds one to the stage before at the same point; the output is the sum of so many neighbours of the last.
func PointwiseChain(n, taps int) *halideir.Pipeline {
	b := New()
	type source interface{ At(...any) Expr }
	var last source = b.Input("in", F32, 1536, 2560)
	for i := range n {
		src := last
		last = b.Func(fmt.Sprintf("f%d", i), []string{"x", "y"}, F32, func(v []Expr) Expr { return src.At(v[0], v[1]).Add(1) })
	}
	out := b.Func("out", []string{"x", "y"}, F32, func(v []Expr) Expr {
		sum := last.At(v[0], v[1])
		for k := 1; k < taps; k++ {
			sum = sum.Add(last.At(v[0].Add(k), v[1]))
		}
		return sum.Mul(2)
	})
	b.Output(out, 1024, 1024)
	return b.Build()
}

// ClampedChain is n stages of three neighbours in a row, each clamped to an image of 300 points.
func ClampedChain(n int) *halideir.Pipeline {
	b := New()
	const width = 300
	type source interface{ At(...any) Expr }
	var last source = b.Input("in", U16, width, 200)
	var out *Func
	for i := range n {
		src, name := last, fmt.Sprintf("f%d", i)
		if i == n-1 {
			name = "out"
		}
		out = b.Func(name, []string{"x", "y"}, U16, func(v []Expr) Expr {
			return src.At(v[0], v[1]).Add(src.At(v[0].Add(1).Min(width-1), v[1])).Add(src.At(v[0].Sub(1).Max(0), v[1])).Div(3)
		})
		last = out
	}
	b.Output(out, width, 200)
	return b.Build()
}
