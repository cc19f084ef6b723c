//go:build halide

package harness

import (
	"strings"
	"testing"
)

// TestOclgrind: harris is clean and right; without its barriers there are races. Both are seen
// of unoptimised code too.
func TestOclgrind(t *testing.T) {
	tree, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	harris := Generator{Source: "benchmarks/programs/harris/harris.cc", Name: "harris"}
	e, err := tree.Emit(harris, EmitOptions{Target: "host-opencl", Scheduler: Gowarp(map[string]string{"mode": "autogpu"})})
	if err != nil {
		t.Fatal(err)
	}
	program, err := tree.Link(e)
	if err != nil {
		t.Fatal(err)
	}
	photo, err := tree.Photograph("coffee", 33, 9)
	if err != nil {
		t.Fatal(err)
	}
	in, out := Args{"input": photo}, map[string][]int{"output": {33, 9}}
	want, err := program.Run(in, out)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ options, complaint string }{
		{fullFence, ""},
		{"-Dbarrier(fence)=", "data race"},
		{fullFence + unoptimised, ""},
		{"-Dbarrier(fence)=" + unoptimised, "data race"},
	} {
		got, complaints, err := program.oclgrind(in, out, c.options, true)
		if err != nil {
			t.Fatal(err)
		}
		if (complaints == "") != (c.complaint == "") || !strings.Contains(complaints, c.complaint) {
			t.Errorf("with %s Oclgrind says: %.2000s", c.options, complaints)
		}
		if err := Compare(got["output"], want["output"], Tolerance{Rel: 1e-5, Abs: 1e-6}); err != nil && c.complaint == "" {
			t.Error(err)
		}
	}
}
