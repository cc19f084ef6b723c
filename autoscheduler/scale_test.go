package autoscheduler

import (
	"fmt"
	"testing"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// chain is a pipeline of n 3x3 stencils one after the other.
func chain(n int) *halideir.Pipeline {
	b := irtest.New()
	type source interface{ At(...any) irtest.Expr }
	var last source = b.Input("in", irtest.F32, 1536, 2560)
	var out *irtest.Func
	for i := range n {
		src := last
		out = b.Func(fmt.Sprintf("f%d", i), []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			at := func(dx, dy int) irtest.Expr { return src.At(v[0].Add(dx), v[1].Add(dy)) }
			return at(-1, 0).Add(at(1, 0)).Add(at(0, -1)).Add(at(0, 1)).Mul(0.25).Add(at(0, 0))
		})
		last = out
	}
	b.Output(out, 1024, 1024)
	return b.Build()
}

// BenchmarkChain is the cost against the number of stages.
func BenchmarkChain(b *testing.B) {
	for _, n := range []int{10, 30, 100, 300, 1000, 3000} {
		p := chain(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Schedule(p, DefaultParams()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
