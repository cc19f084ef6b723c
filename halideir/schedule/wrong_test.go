package schedule

import (
	"strings"
	"testing"

	"gowarp/internal/irtest"
)

// TestWrongForms: each form that Halide 21 gets wrong is found by its own rule and no other, and
// its right neighbour passes.
func TestWrongForms(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1024, 1024)
	args := []string{"x", "y"}
	f := b.Func("f", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0) })
	out := b.Func("out", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return f.At(v[0], v[1]).Add(f.At(v[0].Add(1), v[1])) })
	b.Output(out, 1000, 1000)
	p := b.Build()
	d := func(fn int, do Do, n int64, vars ...string) Directive {
		return Directive{Do: do, Func: fn, Name: p.Funcs[fn].Label, Vars: vars, N: n}
	}
	at := func(loop string, memory Memory) []Directive {
		return []Directive{
			{Do: ComputeAt, Func: f.ID, Name: "f", At: &Level{Func: out.ID, Name: "out", Var: loop}},
			{Do: StoreIn, Func: f.ID, Name: "f", Memory: memory},
		}
	}
	tile := func(lanes int64) []Directive {
		return []Directive{d(out.ID, ComputeRoot, 0), d(out.ID, Split, lanes, "x", "xo", "xi"), d(out.ID, Split, 4, "y", "yo", "yi"), d(out.ID, Reorder, 0, "xi", "yi", "xo", "yo")}
	}
	join := func(parts ...[]Directive) []Directive {
		var all []Directive
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	blocks := d(out.ID, GPUBlocks, 0, "xo", "yo")
	warps := []Directive{blocks, d(out.ID, GPUThreads, 0, "yi"), d(out.ID, GPULanes, 0, "xi")}
	for _, c := range []struct {
		name string
		list []Directive
		rule string // empty: it is right
	}{
		{"a tile a block", join(tile(32), []Directive{blocks, d(out.ID, GPUThreads, 0, "xi", "yi")}, at("xo", MemoryGPUShared), []Directive{d(f.ID, GPUThreads, 0, "x", "y")}), ""},
		{"a tile a warp, in registers", join(tile(32), warps, at("yi", MemoryRegister), []Directive{d(f.ID, GPULanes, 0, "x")}), ""},
		{"three loops of threads and lanes", join(tile(32), []Directive{d(out.ID, Split, 2, "yi", "yio", "yii"), d(out.ID, Split, 2, "yo", "yoo", "yoi"), d(out.ID, Reorder, 0, "xi", "yii", "yio", "yoi", "xo", "yoo"),
			d(out.ID, GPUBlocks, 0, "xo", "yoo"), d(out.ID, GPUThreads, 0, "yii", "yio", "yoi"), d(out.ID, GPULanes, 0, "xi")}), "thread-dimensions"},
		{"one lane", join(tile(1), warps, at("yi", MemoryRegister), []Directive{d(f.ID, GPULanes, 0, "x")}), "one-lane"},
		{"values of 64 bits in lanes", join(tile(32), warps, at("yi", MemoryRegister), []Directive{d(f.ID, GPULanes, 0, "x")}), "wide-in-lanes"},
		{"registers of lanes in the scratch", join(tile(32), warps, at("yi", MemoryRegister), []Directive{d(f.ID, GPULanes, 0, "x"), d(f.ID, Demote, 1)}), ""},
		{"registers of a thread in the scratch", join(tile(32), []Directive{blocks, d(out.ID, GPUThreads, 0, "xi", "yi")}, at("xi", MemoryRegister), []Directive{d(f.ID, Demote, 1)}), "demoted"},
		{"shared memory in the scratch", join(tile(32), []Directive{blocks, d(out.ID, GPUThreads, 0, "xi", "yi")}, at("xo", MemoryGPUShared), []Directive{d(f.ID, GPUThreads, 0, "x", "y"), d(f.ID, Demote, 1)}), "demoted"},
		{"lanes in the order of demand", join(tile(32), warps, []Directive{d(out.ID, DemandOrder, 1)}, at("yi", MemoryRegister), []Directive{d(f.ID, GPULanes, 0, "x")}), ""},
		{"threads in the order of demand", join(tile(32), []Directive{blocks, d(out.ID, GPUThreads, 0, "xi", "yi"), d(out.ID, DemandOrder, 1)}, at("xi", MemoryRegister)), "demand-order"},
		{"a scratch and the order of demand", join(tile(32), warps, []Directive{d(out.ID, DemandOrder, 1)}, at("yi", MemoryRegister), []Directive{d(f.ID, GPULanes, 0, "x"), d(f.ID, Demote, 1)}), "demand-order"},
		{"64 lanes", join(tile(64), warps), "lanes-width"},
		{"a warp's tile in shared memory", join(tile(32), warps, at("yi", MemoryGPUShared), []Directive{d(f.ID, GPULanes, 0, "x")}), "shared-in-thread"},
		{"registers over threads", join(tile(32), []Directive{blocks, d(out.ID, GPUThreads, 0, "xi", "yi")}, at("xo", MemoryRegister), []Directive{d(f.ID, GPUThreads, 0, "x", "y")}), "register-over-threads"},
		{"shared memory in a serial loop around lanes", join(tile(32), []Directive{blocks, d(out.ID, GPULanes, 0, "xi")}, at("yi", MemoryGPUShared), []Directive{d(f.ID, GPULanes, 0, "x")}), "shared-over-lanes"},
	} {
		s := &Schedule{Directives: c.list}
		if err := s.Check(p); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		p.Funcs[f.ID].Types[0].Bits = 32
		if c.rule == "wide-in-lanes" {
			p.Funcs[f.ID].Types[0].Bits = 64
		}
		err := s.CheckForms(p)
		if (err == nil) != (c.rule == "") || err != nil && !strings.HasPrefix(err.Error(), "schedule: "+c.rule+": ") {
			t.Errorf("%s: %v; want the rule %q", c.name, err, c.rule)
		}
	}
}

// TestReadOutput: the inner part of a guarded split may be split again, but not of an output that another Func reads.
func TestReadOutput(t *testing.T) {
	for _, both := range []bool{false, true} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1024, 1024)
		args := []string{"x", "y"}
		small := b.Func("small", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0) })
		big := b.Func("big", args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return small.At(v[0], v[1].Div(2)) })
		if both {
			b.Output(small, 1000, 500)
		}
		b.Output(big, 1000, 1000)
		p := b.Build()
		split := func(old, outer, inner string, n int64, tail Tail) Directive {
			return Directive{Do: Split, Func: small.ID, Name: "small", Vars: []string{old, outer, inner}, N: n, Tail: tail}
		}
		root := Directive{Do: ComputeRoot, Func: small.ID, Name: "small"}
		for _, c := range []struct {
			name  string
			list  []Directive
			wrong bool
		}{
			{"once", []Directive{root, split("y", "yo", "yi", 4, TailGuardWithIf)}, false},
			{"the outer part", []Directive{root, split("y", "yt", "yp", 2, TailGuardWithIf), split("yt", "yo", "yi", 2, TailGuardWithIf)}, false},
			{"the inner part", []Directive{root, split("y", "yo", "yt", 4, TailGuardWithIf), split("yt", "yq", "yi", 2, TailGuardWithIf)}, both},
			{"the inner part, rounded", []Directive{root, split("y", "yo", "yt", 4, TailGuardWithIf), split("yt", "yq", "yi", 2, TailRoundUp)}, both},
		} {
			err := (&Schedule{Directives: c.list}).CheckForms(p)
			if (err != nil) != c.wrong || err != nil && !strings.HasPrefix(err.Error(), "schedule: read-output: small ") {
				t.Errorf("small is an output: %t, %s split again: %v", both, c.name, err)
			}
		}
	}
}
