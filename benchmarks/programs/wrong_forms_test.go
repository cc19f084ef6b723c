//go:build halide

package programs

import (
	"strconv"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestWrongForms: each form of a schedule that the gate refuses (halideir/schedule/wrong.go) is wrong indeed. Halide compiles it without a
// word and the simulator sees another result or a fault, or Halide refuses it when the code is made. The forms beside them are right. A form that
// a newer Halide gets right fails here, and its rule can go.
func TestWrongForms(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	const sm, w, h = 86, 95, 18
	source := func(form, rows string) harness.Generator {
		return harness.Generator{Source: "benchmarks/programs/testdata/wrong_forms.cc", Name: "wrong_forms", Params: map[string]string{"form": form, "rows": rows}}
	}
	in := harness.Args{"input": suite.Map(suite.Photograph(t, tree, w, h), harness.I32, 0, func(r, g, b, _ int) float64 { return float64(r + 256*g) })}
	out := map[string][]int{"output": {w, h}}
	link := func(t *testing.T, g harness.Generator, target string) (*harness.Program, error) {
		e, err := tree.Emit(g, harness.EmitOptions{Target: target, Scheduler: harness.Unscheduled()})
		if err != nil {
			return nil, err
		}
		return tree.Link(e)
	}
	want := map[string]*harness.Array{} // with rows and without
	for _, rows := range []string{"false", "true"} {
		cpu, err := link(t, source("none", rows), "host")
		if err != nil {
			t.Fatal(err)
		}
		results, err := cpu.Run(in, out)
		if err != nil {
			t.Fatal(err)
		}
		want[rows] = results["output"]
	}
	for form, refusal := range map[string]string{
		"block_shared": right, "lanes_registers": right, "lanes_registers/rows": right, "one_warp_shared": right,
		"shared_in_thread": wrong, "register_over_threads": wrong, "shared_over_lanes": wrong, "one_lane/rows": wrong,
		"wide_in_lanes": "Warp shuffles of 64-bit types", "thread_dimensions": "The maximum number of nested GPU thread or lane loops is 3", "lanes_width": "extent of at most 32",
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			form, _, ok := strings.Cut(form, "/")
			rows := strconv.FormatBool(ok)
			program, err := link(t, source(form, rows), "host-cuda-cuda_capability_86")
			if refusal != right && refusal != wrong {
				if err == nil || !strings.Contains(err.Error(), refusal) {
					t.Errorf("%v; Halide is to refuse it: %s", err, refusal)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			s, err := program.Simulate(in, out, sm)
			if err != nil {
				t.Fatal(err)
			}
			var seen []string
			if s.Failure != nil {
				seen = append(seen, s.Failure.Error())
			} else if err := harness.Compare(s.Results["output"], want[rows], harness.Tolerance{}); err != nil {
				seen = append(seen, err.Error())
			}
			if s.Report != nil {
				for _, f := range s.Report.Findings {
					if !f.Kind.Note() {
						seen = append(seen, f.String())
					}
				}
			}
			if (len(seen) == 0) != (refusal == right) {
				t.Errorf("it is to be %s; seen: %q", refusal, seen)
			} else if len(seen) > 0 {
				t.Logf("%d faults, such as %s", len(seen), seen[0])
			}
		})
	}
}

// What is to be seen of a form that Halide compiles.
const (
	right = "right"
	wrong = "wrong"
)
