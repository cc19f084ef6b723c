package random

import (
	"slices"
	"testing"
)

const sample = 300

// TestSeedsAreStable: a seed in a report must give the same pipeline later.
func TestSeedsAreStable(t *testing.T) {
	for seed := uint64(0); seed < 50; seed++ {
		if a, b := Generate(seed).String(), Generate(seed).String(); a != b {
			t.Fatalf("seed %d gives\n%s\nand\n%s", seed, a, b)
		}
	}
}

func TestEveryKindIsMade(t *testing.T) {
	seen := map[string]int{}
	for seed := uint64(0); seed < sample; seed++ {
		p := Generate(seed)
		for _, k := range p.Kinds {
			seen[k]++
		}
		seen[p.Target]++
		for _, in := range p.Inputs {
			seen[string(in.Type)]++
			if len(in.Layout.Order) > 0 {
				seen["layout"]++
			}
			if !in.Auto() && !slices.Equal(in.Estimate, in.Run) {
				seen["other size"]++
			}
		}
		for _, o := range p.Outputs {
			if len(o.Run) == 0 {
				seen["0-dimensional output"]++
			}
			if len(o.Run) > 3 {
				seen["output of 4 dimensions"]++
			}
		}
		if len(p.Outputs) > 1 {
			seen["several outputs"]++
		}
		if len(p.Wraps) > 0 {
			seen["wrapper"]++
		}
	}
	want := []string{"host-opencl", "host-cuda-cuda_capability_50", "host-cuda-cuda_capability_75", "host-cuda-cuda_capability_86",
		"layout", "other size", "0-dimensional output", "output of 4 dimensions", "several outputs", "wrapper"}
	for _, k := range kinds {
		want = append(want, k.name)
	}
	for _, typ := range valueTypes {
		if typ != "u64" { // no input is
			want = append(want, string(typ))
		}
	}
	for _, w := range want {
		if seen[w] < 3 {
			t.Errorf("%s: %d times in %d pipelines", w, seen[w], sample)
		}
	}
}

// TestCheckRefuses: what Halide leaves undefined, or floats would round, is no pipeline.
func TestCheckRefuses(t *testing.T) {
	i32 := func(n float64) *Expr { return konst("i32", n) }
	f32 := func(n float64) *Expr { return konst("f32", n) }
	op := func(op string, args ...*Expr) *Expr { return &Expr{Op: op, Args: args} }
	for _, c := range []struct {
		e  *Expr
		ok bool
	}{
		{op("*", i32(1<<15), i32(1<<14)), true},
		{op("*", i32(1<<15), i32(1<<16)), false},
		{op("*", konst("u32", 1<<20), konst("u32", 1<<20)), true}, // wraps around
		{op("+", f32(1<<23), f32(1)), true},
		{op("+", f32(1<<24), f32(0.5)), false},
		{op("/", f32(3), f32(4)), true},
		{op("/", f32(3), f32(3)), false},
		{op("+", i32(1), f32(1)), false},
		{op("<", i32(1), i32(2)), false}, // a Func of bool
		{&Expr{Op: "cast", Type: "u8", Args: []*Expr{f32(-1)}}, false},
		{&Expr{Op: "cast", Type: "u8", Args: []*Expr{i32(-1)}}, true},
		{&Expr{Op: "cast", Type: "u8", Args: []*Expr{op("+", i32(0), i32(-1))}}, true},
		{&Expr{Op: "cast", Type: "u8", Args: []*Expr{op("+", i32(0), &Expr{Op: "cast", Type: "i32", Args: []*Expr{f32(-1)}})}}, false},
		{&Expr{Op: "call", Name: "g"}, false},
	} {
		p := &Pipeline{Funcs: []*Func{{Name: "f", Values: []*Expr{c.e}}}}
		if err := p.Check(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.e, err)
		}
	}
	sum := &Func{Name: "s", Values: []*Expr{i32(0)}, Updates: []*Update{{Values: []*Expr{
		op("+", &Expr{Op: "call", Name: "s"}, op("*", &Expr{Op: "rvar", Name: "r"}, i32(1<<10)))}}}}
	below := func(n float64) []*Expr { return []*Expr{op("<", &Expr{Op: "rvar", Name: "r"}, i32(n))} }
	for n, ok := range map[float64]bool{3: true, 2: false} { // over 2 ... 11
		p := &Pipeline{Funcs: []*Func{sum}, Domains: []*Domain{{Name: "r", Spans: [][2]*Expr{{i32(2), i32(10)}}, Where: below(n)}}}
		if err := p.Check(); (err == nil) != ok {
			t.Errorf("a sum where r < %g: %v", n, err)
		}
	}
	for by, ok := range map[Type]bool{"u8": true, "u16": false} { // of values that all fit
		square := op("*", &Expr{Op: "cast", Type: "f32", Args: []*Expr{konst(by, 3)}}, &Expr{Op: "cast", Type: "f32", Args: []*Expr{konst(by, 3)}})
		p := &Pipeline{Funcs: []*Func{{Name: "f", Values: []*Expr{{Op: "cast", Type: "i32", Args: []*Expr{square}}}}}}
		if err := p.Check(); (err == nil) != ok {
			t.Errorf("an integer of %s: %v", square, err)
		}
	}
	for n, ok := range map[float64]bool{100: true, 5000: false} {
		p := &Pipeline{Funcs: []*Func{sum}, Domains: []*Domain{{Name: "r", Spans: [][2]*Expr{{i32(0), i32(n)}}}}}
		if err := p.Check(); (err == nil) != ok {
			t.Errorf("a sum of %g: %v", n, err)
		}
	}
}

// TestSmallerIsSound: whatever shrinking tries is a pipeline, lighter than before, and
// what it starts from stays as it is.
func TestSmallerIsSound(t *testing.T) {
	for seed := uint64(0); seed < 4; seed++ {
		p := Generate(seed)
		before := p.String()
		for from := 0; ; {
			jobs, edits := smaller(p, from)
			if len(jobs) == 0 {
				if from == 0 && len(p.Funcs) > 1 {
					t.Errorf("seed %d: nothing is smaller", seed)
				}
				break
			}
			for _, j := range jobs {
				if err := j.Pipeline.Check(); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				if j.Pipeline.weight() >= p.weight() {
					t.Errorf("seed %d: an edit made it heavier", seed)
				}
			}
			from = edits[len(edits)-1] + 1
		}
		if p.String() != before {
			t.Errorf("seed %d: shrinking changed the original", seed)
		}
	}
}
