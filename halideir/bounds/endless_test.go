package bounds

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// readWithoutEnd has a Func read another over a range without an end.
func readWithoutEnd(p *halideir.Pipeline, fn, consumer int) {
	for i := range p.Edges {
		if e := &p.Edges[i]; e.Func == fn && e.Consumer == consumer {
			e.Box[0].Lo, e.Box[0].Hi = halideir.NoNode, halideir.NoNode
		}
	}
}

// TestEndless: a Func that is read over a range without an end is computed where it is read, and
// so is what it reads, down to the clamp.
func TestEndless(t *testing.T) {
	for _, stored := range []bool{false, true} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 100)
		edge := b.Func("edge", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0].Clamp(0, 99)) })
		slope := b.Func("slope", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return edge.At(v[0].Add(1)).Sub(edge.At(v[0])) })
		if stored {
			slope.Update(nil, func(v, _ []irtest.Expr) ([]irtest.Expr, irtest.Expr) { return v, slope.At(v[0]).Mul(2.0) })
		}
		out := b.Func("out", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return slope.At(v[0]) })
		b.Output(out, 50)
		p := b.Build()
		readWithoutEnd(p, slope.ID, out.ID)
		r, err := Analyze(p)
		if stored {
			if err == nil {
				t.Error("a Func with an update is taken for one that is computed where it is read")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		want := make([]bool, len(p.Funcs))
		want[edge.ID], want[slope.ID] = true, true
		if diff := cmp.Diff(want, r.Endless); diff != "" {
			t.Error(diff)
		}
		if got := r.Inputs[0][0]; got != (Interval{0, 99}) {
			t.Errorf("of the input %v is needed", got)
		}
	}
}

// TestUnboundedBehindACopy: of a read without an end that goes through a Func which is computed where it is read the message is about that read, as the user wrote it, not about the Func behind.
func TestUnboundedBehindACopy(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 100)
	behind := b.Func("behind", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0].Clamp(0, 99)) })
	behind.Update(nil, func(v, _ []irtest.Expr) ([]irtest.Expr, irtest.Expr) { return v, behind.At(v[0]).Mul(2.0) })
	sum := b.Func("sum", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return behind.At(v[0]) })
	near := b.Func("near", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return sum.At(v[0]) })
	out := b.Func("out", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return sum.At(v[0].Add(1)).Sub(near.At(v[0])) })
	b.Output(out, 50)
	p := b.Build()
	readWithoutEnd(p, sum.ID, out.ID)
	_, err := Analyze(p)
	if words := "out reads sum over an unbounded range of dimension 0; clamp the index"; err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("the error is %v, not that %s", err, words)
	}
}
