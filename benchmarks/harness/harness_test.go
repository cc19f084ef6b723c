//go:build halide

package harness

import (
	"strings"
	"testing"
)

var harris = Generator{Source: "benchmarks/programs/harris/harris.cc", Name: "harris"}

func find(t *testing.T) *Tree {
	t.Helper()
	tree, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// The harness itself, with schedulers that do not depend on gowarp.
func TestSchedulersAgreeOnCPU(t *testing.T) {
	tree := find(t)
	photo, err := tree.Photograph("chelsea", 451, 300)
	if err != nil {
		t.Fatal(err)
	}
	shape := map[string][]int{"output": {451, 300}}
	results := map[string]*Array{}
	for name, s := range map[string]Scheduler{"unscheduled": Unscheduled(), "root": Root(), "Mullapudi2016": Peer("Mullapudi2016", nil)} {
		e, err := tree.Emit(harris, EmitOptions{Target: "host", Scheduler: s})
		if err != nil {
			t.Fatal(err)
		}
		p, err := tree.Link(e)
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Run(Args{"input": photo}, shape)
		if err != nil {
			t.Fatal(err)
		}
		results[name] = out["output"]
	}
	for name, got := range results {
		if err := Compare(got, results["unscheduled"], Tolerance{Rel: 1e-5, Abs: 1e-6}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLaunchesAreRecorded(t *testing.T) {
	tree := find(t)
	e, err := tree.Emit(harris, EmitOptions{Target: "host-cuda-cuda_capability_75", Scheduler: Peer("Li2018", nil)})
	if err != nil {
		t.Fatal(err)
	}
	uses, err := tree.CheckPTX(e, 75)
	if err != nil {
		t.Fatal(err)
	}
	p, err := tree.Link(e)
	if err != nil {
		t.Fatal(err)
	}
	launches, err := p.Launches(Args{"input": NewArray(U8, 640, 128, 3)}, map[string][]int{"output": {640, 128}})
	if err != nil {
		t.Fatal(err)
	}
	if len(launches) != len(uses) {
		t.Errorf("%d launches of %d kernels", len(launches), len(uses))
	}
	for _, l := range launches {
		if err := l.Check(); err != nil {
			t.Error(err)
		}
		if points := l.Blocks[0] * l.Blocks[1] * l.Blocks[2] * l.Threads[0] * l.Threads[1]; points < 640*128/64 {
			t.Errorf("launch %+v covers %d points of 640x128", l, points)
		}
	}
}

func TestRunnerRefuses(t *testing.T) {
	tree := find(t)
	e, err := tree.Emit(harris, EmitOptions{Target: "host"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := tree.Link(e)
	if err != nil {
		t.Fatal(err)
	}
	photo := NewArray(U8, 8, 8, 3)
	for _, c := range []struct {
		want string
		in   Args
		out  map[string][]int
	}{
		{"argument input is missing", Args{}, map[string][]int{"output": {8, 8}}},
		{"no argument sigma", Args{"input": photo, "sigma": 1}, map[string][]int{"output": {8, 8}}},
		{"output output has 2 dimensions", Args{"input": photo}, map[string][]int{"output": {8, 8, 1}}},
		{"of float32", Args{"input": NewArray(F32, 8, 8, 3)}, map[string][]int{"output": {8, 8}}},
	} {
		if _, err := p.Run(c.in, c.out); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// TestInterleaved: a pipeline gets its elements in memory in the order that it insists on; arrays keep theirs. Widths below three would lie between the colours if strides alone were compared.
func TestInterleaved(t *testing.T) {
	tree := find(t)
	e, err := tree.Emit(Generator{Source: "benchmarks/harness/testdata/interleaved.cc", Name: "interleaved"}, EmitOptions{Target: "host"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := tree.Link(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{1, 2, 3, 7} {
		const height, colours = 5, 3
		in := NewArray(U8, width, height, colours)
		for i := range in.Data {
			in.Data[i] = byte(7*i + 3)
		}
		shape := []int{width, height, colours}
		got, err := p.Run(Args{"in": in}, map[string][]int{"out": shape, "planar": shape})
		if err != nil {
			t.Fatal(err)
		}
		plane := width * height
		for i := range in.Data {
			other := (colours-1-i/plane)*plane + i%plane
			if got, want := got["out"].Int(i), in.Int(other); got != want {
				t.Fatalf("width %d: out at %v is %d, not %d", width, in.Index(i), got, want)
			}
			if got, want := got["planar"].Int(i), in.Int(i)+in.Int(other); got != want {
				t.Fatalf("width %d: planar at %v is %d, not %d", width, in.Index(i), got, want)
			}
		}
	}
}
