package autoscheduler

import (
	"slices"
	"strings"
	"testing"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// TestRequire: of a Func that is on the host for a require() alone the author hears what to do.
func TestRequire(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 512, 512)
	b.Output(b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return in.At(v[0], v[1]).Call("stands for it", in.At(v[0], v[1]))
	}), 512, 512)
	p := b.Build()
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Name == "stands for it" {
			n.Name, n.Call = "require", halideir.CallPureIntrinsic
		}
	}
	r, err := Run(p, DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	if w := r.Warnings(); !slices.ContainsFunc(w, func(s string) bool {
		return strings.Contains(s, "out runs on the host") && strings.Contains(s, "require()") && strings.Contains(s, "leave it away")
	}) {
		t.Errorf("warnings %q", w)
	}
}
