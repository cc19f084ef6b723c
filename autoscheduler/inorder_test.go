package autoscheduler

import (
	"strings"
	"testing"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// TestInOrder: who looks is told of each reduction that few threads run through in order, why, and what would help; and of no other.
func TestInOrder(t *testing.T) {
	type expr = irtest.Expr
	reduced := func(points int64, change func(p *halideir.Pipeline, st *halideir.Stage), op func(f *irtest.Func, c, x expr, r []expr) expr) *halideir.Pipeline {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1000, 500)
		f := b.Func("f", []string{"c"}, irtest.F32, func([]expr) expr { return b.Int(0).Cast(irtest.F32) })
		f.Update([]irtest.RVar{{Name: "r$x", Extent: 1000}, {Name: "r$y", Extent: 500}}, func(v, r []expr) ([]expr, expr) { return v, op(f, v[0], in.At(r[0], r[1]), r) })
		b.Output(f, points)
		p := b.Build()
		if change != nil {
			change(p, &p.Funcs[0].Stages[1])
		}
		return p
	}
	reducedOver := func(places int, op func(old, v expr) expr) *halideir.Pipeline {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1000, 500)
		f := b.Func("f", []string{"c"}, irtest.F32, func([]expr) expr { return b.Int(0).Cast(irtest.F32) })
		f.Update([]irtest.RVar{{Name: "r$x", Extent: 1000}, {Name: "r$y", Extent: 500}}, func(_, r []expr) ([]expr, expr) {
			at := in.At(r[0], r[1]).Cast(irtest.I32).Clamp(0, places-1)
			return []expr{at}, op(f.At(at), in.At(r[0], r[1]))
		})
		b.Output(f, 10)
		return b.Build()
	}
	rows := func(width int64) *halideir.Pipeline {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 100, 2000)
		f := b.Func("f", []string{"x", "y"}, irtest.F32, func([]expr) expr { return b.Int(0).Cast(irtest.F32) })
		f.Update([]irtest.RVar{{Name: "r$x", Extent: width}, {Name: "r$y", Min: 1, Extent: 1999}}, func(_, r []expr) ([]expr, expr) {
			return []expr{r[0], r[1]}, f.At(r[0].Sub(1), r[1].Sub(1)).Min(f.At(r[0], r[1].Sub(1))).Add(in.At(r[0], r[1]))
		})
		b.Output(f, width, 2000)
		return b.Build()
	}
	reducedTo := func(op func(old, v expr) expr) *halideir.Pipeline { return reducedOver(10, op) }
	sum := func(f *irtest.Func, c, x expr, _ []expr) expr { return f.At(c).Add(x) }
	difference := func(f *irtest.Func, c, x expr, _ []expr) expr { return f.At(c).Sub(x) }
	for name, c := range map[string]struct {
		p      *halideir.Pipeline
		params map[string]string
		want   string
	}{
		"a sum":           {p: reduced(1, nil, sum)},
		"a sum in order":  {reduced(1, nil, sum), map[string]string{"reassociate": "0"}, "f.update(0) runs through 500000 iterations in order in one thread: reassociate=0"},
		"the papers'":     {p: reduced(1, nil, sum), params: map[string]string{"mode": "autogpu"}},
		"a difference":    {reduced(3, nil, difference), nil, "f.update(0) runs through 500000 iterations in order in 3 threads: it is not seen that any order gives the same"},
		"parallel enough": {p: reduced(100000, nil, difference)},
		"narrow rows":     {rows(8), nil, "each iteration of its outer loops reads what the ones before have stored; those within one are independent, but so few"},
		"rows":            {p: rows(90)},
		"other places":    {reduced(1, nil, func(f *irtest.Func, c, x expr, _ []expr) expr { return f.At(c.Sub(1)).Add(x) }), nil, "it reads its own results at other places; where no iteration needs"},
		"a condition": {p: reduced(1, func(p *halideir.Pipeline, st *halideir.Stage) {
			p.Nodes = append(p.Nodes, halideir.Node{Op: halideir.OpUint, Type: halideir.Bool, Int: 1, Func: -1, Input: -1})
			st.Predicate = halideir.NodeID(len(p.Nodes) - 1)
		}, sum)},
		"a condition that reads": {reduced(1, func(p *halideir.Pipeline, st *halideir.Stage) {
			read := p.Nodes[st.Values[0]].Args[1] // the image
			p.Nodes = append(p.Nodes, halideir.Node{Op: halideir.OpEQ, Type: halideir.Bool, Args: []halideir.NodeID{read, read}, Func: -1, Input: -1})
			st.Predicate = halideir.NodeID(len(p.Nodes) - 1)
		}, sum), nil, "its domain has a condition that reads something; over the whole domain it is a tree, of select("},
		"a condition that reads the result": {reduced(1, func(p *halideir.Pipeline, st *halideir.Stage) {
			old := p.Nodes[st.Values[0]].Args[0]
			p.Nodes = append(p.Nodes, halideir.Node{Op: halideir.OpEQ, Type: halideir.Bool, Args: []halideir.NodeID{old, old}, Func: -1, Input: -1})
			st.Predicate = halideir.NodeID(len(p.Nodes) - 1)
		}, sum), nil, "the condition of its domain reads its own results, which another order changes; where it only hangs"},
		"a scatter":                      {reducedTo(func(h, v expr) expr { return v.Sub(h) }), nil, "f.update(0) runs through 500000 iterations in order in one thread: it is not seen that any order gives the same"},
		"a scatter that is factored":     {p: reducedTo(func(h, v expr) expr { return h.Max(v) })},
		"a scatter over many places":     {reducedOver(10000000, func(h, v expr) expr { return h.Add(v) }), nil, "f.update(0) runs through 500000 iterations in order in one thread: it has more than eight times as many places as points"},
		"a scatter over fewer":           {p: reducedOver(300000, func(h, v expr) expr { return h.Add(v) })},
		"a scatter in order":             {reducedTo(func(h, v expr) expr { return h.Add(v) }), map[string]string{"reassociate": "0"}, "in order in one thread: reassociate=0"},
		"a scatter of atomic operations": {p: histogramOf(irtest.U32, 300, 200, 256, func(x expr) expr { return x })},
	} {
		kv, err := ParseParams(c.params)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(c.p, kv)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		said := ""
		for _, text := range r.Remarks() {
			if strings.Contains(text, "in order in ") {
				said += text
			}
		}
		if (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}

// TestNotSplit: of an update whose domain has a condition that reads at places of long parallel loops it is said that those are not split, and what would help; of one without, or whose condition reads elsewhere, nothing is.
func TestNotSplit(t *testing.T) {
	type expr = irtest.Expr
	for name, c := range map[string]struct {
		condition func(in *irtest.Input, f *irtest.Func, r []expr) expr
		want      string
	}{
		"none":       {nil, ""},
		"the image":  {func(in *irtest.Input, f *irtest.Func, r []expr) expr { return in.At(r[0], r[1]).LT(in.At(r[1], r[0])) }, "along r.x and r.y: "},
		"the result": {func(in *irtest.Input, f *irtest.Func, r []expr) expr { return f.At(r[0], r[1]).LT(in.At(r[0], r[1])) }, "along r.x and r.y: "},
		"a row": {func(in *irtest.Input, f *irtest.Func, r []expr) expr {
			return in.At(r[1], r[1]).LT(in.At(r[1], r[1].Add(1)))
		}, "along r.y: "},
		"their index": {func(in *irtest.Input, f *irtest.Func, r []expr) expr { return r[0].LT(r[1]) }, ""},
	} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 400, 400)
		f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []expr) expr { return in.At(v[0], v[1]) })
		var condition expr
		f.Update([]irtest.RVar{{Name: "r$x", Extent: 400, Parallel: true}, {Name: "r$y", Extent: 400, Parallel: true}}, func(_, r []expr) ([]expr, expr) {
			if c.condition != nil {
				condition = c.condition(in, f, r)
			}
			return r, f.At(r[0], r[1]).Mul(in.At(r[0], r[1]))
		})
		b.Output(f, 400, 400)
		p := b.Build()
		if c.condition != nil {
			p.Funcs[f.ID].Stages[1].Predicate = condition.ID()
		}
		prm, err := ParseParams(nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(p, prm)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		said := ""
		for _, text := range r.Remarks() {
			if strings.Contains(text, "is not split along") {
				said += text
			}
		}
		if (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}
