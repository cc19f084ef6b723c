package halideir_test

import (
	"testing"

	"gowarp/halideir"
)

// What an author says twice, or contradicts, has one meaning: bounds before estimates, the last
// of each.
func TestDeclared(t *testing.T) {
	p := &halideir.Pipeline{Nodes: []halideir.Node{
		{Op: halideir.OpInt, Type: halideir.Type{Code: halideir.Int, Bits: 32, Lanes: 1}, Int: 3},
		{Op: halideir.OpInt, Type: halideir.Type{Code: halideir.Int, Bits: 32, Lanes: 1}, Int: 100},
		{Op: halideir.OpInt, Type: halideir.Type{Code: halideir.Int, Bits: 32, Lanes: 1}, Int: -5},
	}}
	const none = halideir.NoNode
	estimate := func(lo, n int64) []halideir.Estimate { return []halideir.Estimate{{Var: "x", Min: lo, Extent: n}} }
	for _, c := range []struct {
		name   string
		f      halideir.Func
		lo, n  int64
		wanted bool
	}{
		{"nothing", halideir.Func{}, 0, 0, false},
		{"another argument's", halideir.Func{Estimates: []halideir.Estimate{{Var: "y", Extent: 9}}}, 0, 0, false},
		{"an estimate", halideir.Func{Estimates: estimate(7, 20)}, 7, 20, true},
		{"the last of two estimates", halideir.Func{Estimates: append(estimate(7, 20), estimate(8, 30)...)}, 8, 30, true},
		{"a bound", halideir.Func{Bounds: []halideir.Bound{{Var: "x", Min: 0, Extent: 1, Modulus: none, Remainder: none}}}, 3, 100, true},
		{"a bound against an estimate", halideir.Func{Estimates: estimate(7, 20), Bounds: []halideir.Bound{{Var: "x", Min: 0, Extent: 1, Modulus: none, Remainder: none}}}, 3, 100, true},
		{"an extent alone keeps the estimate's first point", halideir.Func{Estimates: estimate(7, 20), Bounds: []halideir.Bound{{Var: "x", Min: none, Extent: 1, Modulus: none, Remainder: none}}}, 7, 100, true},
		{"an alignment says nothing", halideir.Func{Estimates: estimate(7, 20), Bounds: []halideir.Bound{{Var: "x", Min: none, Extent: none, Modulus: 1, Remainder: 0}}}, 7, 20, true},
		{"nonsense is handed on", halideir.Func{Bounds: []halideir.Bound{{Var: "x", Min: 0, Extent: 2, Modulus: none, Remainder: none}}}, 3, -5, true},
	} {
		c.f.Args = []string{"x"}
		if c.name == "another argument's" {
			c.f.Args = []string{"x", "y"}
		}
		if lo, n, ok := p.Declared(&c.f, 0); lo != c.lo || n != c.n || ok != c.wanted {
			t.Errorf("%s: %d, %d, %v; want %d, %d, %v", c.name, lo, n, ok, c.lo, c.n, c.wanted)
		}
	}
	if _, _, ok := p.Declared(&halideir.Func{}, 3); ok {
		t.Error("an argument that does not exist has a range")
	}
}
