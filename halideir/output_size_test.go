package halideir_test

import (
	"strings"
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/rfactor"
	"gowarp/internal/irtest"
)

// heldSum is a sum that reads its input within the rows of the output, which is Func 1.
func heldSum(rows int64) (p *halideir.Pipeline, last halideir.NodeID) {
	b := irtest.New()
	in := b.Input("in", irtest.I32, 100, rows)
	top := b.OutputSize("out", 1, 0, "min")
	bottom := top.Add(b.OutputSize("out", 1, 0, "extent")).Sub(1)
	f := b.Func("f", []string{"y"}, irtest.I32, func([]irtest.Expr) irtest.Expr { return b.Int(0) })
	f.Update([]irtest.RVar{{Name: "r$x", Extent: 100, Parallel: true}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return v, f.At(v[0]).Add(in.At(r[0], v[0].Min(bottom).Max(top)))
	})
	b.Output(b.Func("out", []string{"y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return f.At(v[0]) }), rows)
	return b.Build(), bottom.ID()
}

// TestOutputSize: the size of an output is its estimate, says whose it is, has to be an output's, and stays so when Funcs come before it.
func TestOutputSize(t *testing.T) {
	p, last := heldSum(7)
	if got, ok := p.EvalInt(last, halideir.Env{}); !ok || got != 6 {
		t.Errorf("the last row is %d %v, not 6", got, ok)
	}
	if text := p.Expr(last); text != "out.extent(0) + out.min(0) - 1" && text != "out.min(0) + out.extent(0) - 1" {
		t.Errorf("it is written %s", text)
	}
	q, err := rfactor.Apply(p, rfactor.Step{Func: 0, Stage: 1, Kept: []rfactor.Kept{{RVar: 0, Factor: 10}}, Lane: -1})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Verify(); err != nil {
		t.Error(err)
	}
	if got, ok := q.EvalInt(last, halideir.Env{}); !ok || got != 6 {
		t.Errorf("with partial results the last row is %d %v, not 6", got, ok)
	}
	for want, spoil := range map[string]func(n *halideir.Node){
		"Func 0 is no output":    func(n *halideir.Node) { n.Of = 0 },
		"Func 9 is no output":    func(n *halideir.Node) { n.Of = 9 },
		"with a dimension 1":     func(n *halideir.Node) { n.Dim = 1 },
		"is not min or extent":   func(n *halideir.Node) { n.Field = "stride" },
		"variable is an int32, ": func(n *halideir.Node) { n.Type.Bits = 64 },
	} {
		bad, _ := heldSum(7)
		for i := range bad.Nodes {
			if bad.Nodes[i].Kind == halideir.VarOutput {
				spoil(&bad.Nodes[i])
				break
			}
		}
		if err := bad.Verify(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
