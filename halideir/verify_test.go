package halideir_test

import (
	"bytes"
	"strings"
	"testing"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// TestVerify breaks one rule at a time in a pipeline with a stencil, an update
// and a lookup.
func TestVerify(t *testing.T) {
	type pipeline = halideir.Pipeline
	find := func(p *pipeline, op halideir.Op) *halideir.Node {
		for i := range p.Nodes {
			if p.Nodes[i].Op == op {
				return &p.Nodes[i]
			}
		}
		t.Fatalf("no %s", op)
		return nil
	}
	last := func(p *pipeline) halideir.NodeID { return halideir.NodeID(len(p.Nodes) - 1) }
	for _, c := range []struct {
		name  string
		spoil func(p *pipeline)
		want  string
	}{
		{"cycle", func(p *pipeline) { find(p, halideir.OpAdd).Args[0] = last(p) }, "does not come before it"},
		{"dangling operand", func(p *pipeline) { find(p, halideir.OpAdd).Args[0] = 1 << 30 }, "does not come before it"},
		{"negative operand", func(p *pipeline) { find(p, halideir.OpAdd).Args[0] = -5 }, "does not come before it"},
		{"dangling value", func(p *pipeline) { p.Funcs[0].Stages[0].Values[0] = 1 << 30 }, "Func 0 (hist): value 0: node 1073741824 does not exist"},
		{"arity", func(p *pipeline) { n := find(p, halideir.OpAdd); n.Args = n.Args[:1] }, "1 operands, want 2"},
		{"operand types", func(p *pipeline) { find(p, halideir.OpAdd).Type = irtest.F64 }, "they must be equal"},
		{"bool minimum", func(p *pipeline) { find(p, halideir.OpMin).Type = halideir.Bool }, "(min, used by Func 2 (equalised))"},
		{"call type", func(p *pipeline) { p.Funcs[0].Types[0] = irtest.I32 }, "component 0 of hist a int32"},
		{"value type", func(p *pipeline) { p.Funcs[2].Types[0] = irtest.I32 }, "Func 2 (equalised): value 0"},
		{"call arity", func(p *pipeline) { n := find(p, halideir.OpCall); n.Args = n.Args[:1] }, "which has 2 dimensions"},
		{"no such input", func(p *pipeline) { find(p, halideir.OpCall).Input = 7 }, "input 7 is not a buffer"},
		{"producer after consumer", func(p *pipeline) {
			for i := range p.Nodes {
				if n := &p.Nodes[i]; n.Op == halideir.OpCall && n.Func == 0 {
					n.Func = 1
				}
			}
		}, "calls Func 1, which is not computed before it"},
		{"self call in a pure definition", func(p *pipeline) { p.Funcs[1].Stages[0].Values[0] = p.Funcs[1].Stages[1].Values[0] }, "uses reduction variable 0, beyond the last"},
		{"argument beyond", func(p *pipeline) { find(p, halideir.OpVar).Index = 5 }, "argument 5"},
		{"loop missing", func(p *pipeline) { s := &p.Funcs[2].Stages[0]; s.Loops = s.Loops[:1] }, `no loop runs over argument "y"`},
		{"loop twice", func(p *pipeline) { s := &p.Funcs[2].Stages[0]; s.Loops[1] = s.Loops[0] }, "two loops"},
		{"loop over nothing", func(p *pipeline) { p.Funcs[2].Stages[0].Loops[0].Arg = 9 }, "runs over no argument"},
		{"rvar without loop", func(p *pipeline) { s := &p.Funcs[0].Stages[1]; s.Loops = s.Loops[:1] }, "no loop runs over reduction variable"},
		{"left-hand side", func(p *pipeline) { s := &p.Funcs[2].Stages[0]; s.Args[0], s.Args[1] = s.Args[1], s.Args[0] }, "not the argument itself"},
		{"restated values", func(p *pipeline) {
			s := &p.Funcs[0].Stages[1]
			s.Restated = append(s.Restated, s.Values[0], s.Values[0])
		}, "2 restated values for 1"},
		{"dangling restated value", func(p *pipeline) { p.Funcs[0].Stages[1].Restated = []halideir.NodeID{1 << 30} }, "restated value 0: node 1073741824 does not exist"},
		{"restated type", func(p *pipeline) { s := &p.Funcs[0].Stages[1]; s.Restated = append(s.Restated, s.Args[0]) }, "restated value 0 (node"},
		{"arg_extreme of nothing", func(p *pipeline) { p.Funcs[0].Stages[1].ArgExtreme = &halideir.ArgExtreme{Value: 1, Places: []int{0}} }, "arg_extreme needs"},
		{"arg_extreme without places", func(p *pipeline) { p.Funcs[0].Stages[1].ArgExtreme = &halideir.ArgExtreme{} }, "arg_extreme needs"},
		{"a place that is compared", func(p *pipeline) { p.Funcs[0].Stages[1].ArgExtreme = &halideir.ArgExtreme{Places: []int{0}} }, "place 0 is value 0"},
		{"predicate", func(p *pipeline) { p.Funcs[0].Stages[1].Predicate = 0 }, "predicate"},
		{"no definition", func(p *pipeline) { p.Funcs[0].Stages = nil }, "Func 0 (hist): it has no definition"},
		{"outputs", func(p *pipeline) { p.Outputs[0] = 9 }, "outputs[0]: Func 9 does not exist"},
		{"no outputs", func(p *pipeline) { p.Outputs = nil }, "the pipeline has none"},
		{"output flag", func(p *pipeline) { p.Funcs[0].Output = true }, "Func 0 (hist): output is true"},
		{"edge backwards", func(p *pipeline) { p.Edges[0].Func, p.Edges[0].Input = 2, -1 }, "not computed before it"},
		{"no edge", func(p *pipeline) { p.Edges = p.Edges[1:] }, "and edges has none between them"},
		{"edge of no stage", func(p *pipeline) { p.Edges[0].Stage = 4 }, "hist has no stage 4"},
		{"edge of both", func(p *pipeline) { p.Edges[0].Func, p.Edges[0].Input = 0, 0 }, "not both"},
		{"box too short", func(p *pipeline) { p.Edges[0].Box = p.Edges[0].Box[:1] }, "the box has 1 dimensions"},
		{"box over arguments", func(p *pipeline) { p.Edges[0].Box[0].Lo = p.Funcs[2].Stages[0].Args[0] }, "uses argument 0"},
		{"estimate of nothing", func(p *pipeline) { p.Funcs[2].Estimates[0].Var = "z" }, `"z", which is no argument`},
		{"negative extent", func(p *pipeline) { p.Funcs[2].Estimates[0].Extent = -1 }, "negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := irtest.Equalise(64, 48)
			c.spoil(p)
			if err := p.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestPrintLarge: 2^60 paths and 20,000 levels print in lines of readable length.
func TestPrintLarge(t *testing.T) {
	type expr = irtest.Expr
	for name, def := range map[string]func(x expr) expr{
		"shared": func(x expr) expr {
			for i := range 60 {
				x = x.Mul(x).Add(i)
			}
			return x
		},
		"deep to the left": func(x expr) expr {
			for i := range 20_000 {
				x = x.Add(i)
			}
			return x
		},
		"deep to the right": func(x expr) expr {
			y := x
			for range 20_000 {
				y = x.Sub(y)
			}
			return y
		},
		"lets": func(x expr) expr {
			var in func(v expr, n int) expr
			in = func(v expr, n int) expr {
				if n == 0 {
					return v
				}
				return v.Add(1).Let("t"+strings.Repeat("i", n), func(w expr) expr { return in(w, n-1).Add(n) })
			}
			return in(x, 300)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := irtest.New()
			f := b.Func("f", []string{"x"}, irtest.I32, func(v []expr) expr { return def(v[0]) })
			b.Output(f, 10)
			p := b.Build()
			var out bytes.Buffer
			if err := p.Print(&out); err != nil {
				t.Fatal(err)
			}
			if out.Len() > 200_000 {
				t.Errorf("%d bytes", out.Len())
			}
			for _, line := range strings.Split(out.String(), "\n") {
				if len(line) > 4000 {
					t.Fatalf("a line of %d bytes: %.200s", len(line), line)
				}
			}
			if s := p.Expr(p.Funcs[0].Stages[0].Values[0]); len(s) > 300 {
				t.Errorf("Expr: %d bytes", len(s))
			}
		})
	}
}

func TestLabels(t *testing.T) {
	p := irtest.Equalise(64, 48)
	p.Funcs[0].Name, p.Funcs[1].Name, p.Funcs[2].Name = "input$3", "9lives$1", "out.put$2"
	s := &p.Funcs[0].Stages[1]
	s.Loops[0].Name, s.Loops[1].Name = "r12$x", "r12$x$4"
	p.SetLabels()
	got := []string{p.Inputs[0].Label, p.Funcs[0].Label, p.Funcs[1].Label, p.Funcs[2].Label, s.Loops[0].Label, s.Loops[1].Label}
	want := []string{"input", "input_2", "v", "out.put", "r.x", "r"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("label %d is %s, want %s", i, got[i], want[i])
		}
	}
}

func TestTypes(t *testing.T) {
	for _, s := range []string{"int8", "uint1", "int32", "float16", "bfloat16", "handle64", "float32x4", "uint1x16"} {
		ty, err := halideir.ParseType(s)
		if err != nil || ty.String() != s {
			t.Errorf("%s reads as %s, %v", s, ty, err)
		}
	}
	for _, s := range []string{"", "int", "32", "int33", "float32x", "float32x1", "float32x04", "x4", "int032", "float32x99999999999999999999", "int32x65537", "INT32", "int-8"} {
		if ty, err := halideir.ParseType(s); err == nil {
			t.Errorf("%q reads as %s", s, ty)
		}
	}
}
