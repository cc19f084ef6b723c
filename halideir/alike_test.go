package halideir_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir"
	_ "gowarp/internal/fixedseed"
)

// TestAlike: two expressions, each with lets of its own for some of its parts, are alike exactly if they are the same written out.
func TestAlike(t *testing.T) {
	const leaves = 3
	rapid.Check(t, func(t *rapid.T) {
		p := &halideir.Pipeline{}
		i32 := halideir.Type{Code: halideir.Int, Bits: 32, Lanes: 1}
		add := func(n halideir.Node) halideir.NodeID {
			n.Type = i32
			p.Nodes = append(p.Nodes, n)
			return halideir.NodeID(len(p.Nodes) - 1)
		}
		for i := range leaves {
			add(halideir.Node{Op: halideir.OpVar, Kind: halideir.VarDim, Index: i, Name: fmt.Sprint("x", i)})
		}
		lets := 0
		// expr is an expression and how it is written out.
		var expr func(depth int) (halideir.NodeID, string)
		expr = func(depth int) (halideir.NodeID, string) {
			if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
				i := rapid.IntRange(0, leaves-1).Draw(t, "which")
				return halideir.NodeID(i), fmt.Sprint("x", i)
			}
			op := rapid.SampledFrom([]halideir.Op{halideir.OpAdd, halideir.OpMul}).Draw(t, "op")
			a, as := expr(depth - 1)
			if rapid.Bool().Draw(t, "twice") {
				both := fmt.Sprintf("(%s %v %s)", as, op, as)
				if !rapid.Bool().Draw(t, "named") {
					return add(halideir.Node{Op: op, Args: []halideir.NodeID{a, a}}), both
				}
				name := fmt.Sprint("t", lets)
				lets++
				v := add(halideir.Node{Op: halideir.OpVar, Kind: halideir.VarLet, Name: name})
				sum := add(halideir.Node{Op: op, Args: []halideir.NodeID{v, v}})
				return add(halideir.Node{Op: halideir.OpLet, Name: name, Args: []halideir.NodeID{a, sum}}), both
			}
			b, bs := expr(depth - 1)
			return add(halideir.Node{Op: op, Args: []halideir.NodeID{a, b}}), fmt.Sprintf("(%s %v %s)", as, op, bs)
		}
		a, as := expr(2)
		b, bs := expr(2)
		if got, want := p.Alike(a, b, p.Lets(a, b)), as == bs; got != want {
			t.Fatalf("%s and %s: alike is %v", as, bs, got)
		}
	})
}

// TestAlikeAmbiguous: a name that two lets give to different values is like none but itself.
func TestAlikeAmbiguous(t *testing.T) {
	i32 := halideir.Type{Code: halideir.Int, Bits: 32, Lanes: 1}
	p := &halideir.Pipeline{Nodes: []halideir.Node{
		{Op: halideir.OpVar, Kind: halideir.VarDim, Name: "x", Type: i32},
		{Op: halideir.OpVar, Kind: halideir.VarDim, Name: "y", Index: 1, Type: i32},
		{Op: halideir.OpVar, Kind: halideir.VarLet, Name: "t", Type: i32},
		{Op: halideir.OpLet, Name: "t", Args: []halideir.NodeID{0, 2}, Type: i32},
		{Op: halideir.OpLet, Name: "t", Args: []halideir.NodeID{1, 2}, Type: i32},
	}}
	if p.Alike(3, 0, p.Lets(3, 4)) || p.Alike(4, 1, p.Lets(3, 4)) || p.Alike(3, 4, p.Lets(3, 4)) {
		t.Error("a name of two values is taken for one of them")
	}
	if !p.Alike(3, 0, p.Lets(3)) {
		t.Error("a let is not looked through")
	}
}
