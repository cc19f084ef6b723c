package suite

import (
	"fmt"
	"os"
	"testing"

	"gowarp/benchmarks/harness"
)

// Scale is another size that a program is scheduled for.
type Scale struct {
	Size   [2]int
	Params map[string]string // the GeneratorParams that put this size into the estimates
}

// AllEnv asks for what `make test` leaves out: every size for every capability.
const AllEnv = "GOWARP_TEST_ALL"

// wantsAll reports whether somebody asks for it.
func wantsAll() bool { return os.Getenv(AllEnv) != "" }

// Sampled is every fourth of a test's cases, beginning with the first, and all of them with AllEnv: for tests that go through types times forms, whose order says which are tried first.
func Sampled[T any](cases []T) []T {
	if wantsAll() {
		return cases
	}
	var out []T
	for i := 0; i < len(cases); i += 4 {
		out = append(out, cases[i])
	}
	return out
}

// scales schedules the program for its other sizes. ptxas has to accept the kernels, every GPU
// to be able to launch them, and they have to be those that were predicted. Without AllEnv it
// does so for one capability and the first size, and only schedules for the others, for half of the programs.
func (p Program) scales(t *testing.T, tree *harness.Tree) {
	all := wantsAll()
	for i, scale := range p.Scales {
		t.Run(fmt.Sprintf("%dx%d", scale.Size[0], scale.Size[1]), func(t *testing.T) {
			at := p.withParams(scale.Params)
			at.unrecorded, at.Estimated, at.Sizes = true, scale.Size, nil
			if all {
				for _, sm := range capabilities {
					t.Run(fmt.Sprintf("sm_%d", sm), func(t *testing.T) { at.cuda(t, tree, sm) })
				}
			} else if i == 0 {
				at.cuda(t, tree, tabulated)
			} else if p.drawn()%2 == 0 {
				at.onlyScheduled(t, tree)
			}
		})
	}
}

// onlyScheduled runs the plugin and no compiler behind it. The plugin lowers its schedule in
// a copy and holds it against what it predicted.
func (p Program) onlyScheduled(t *testing.T, tree *harness.Tree) {
	e, err := tree.Emit(p.Generator, harness.EmitOptions{Target: fmt.Sprintf("host-cuda-cuda_capability_%d", tabulated), Scheduler: p.scheduler(nil), Outputs: []string{"schedule"}})
	if err != nil {
		t.Fatal(err)
	}
	if e.Log != "" {
		t.Errorf("not quiet by default, the generator printed:\n%s", e.Log)
	}
}

// withParams is the program with more GeneratorParams.
func (p Program) withParams(more map[string]string) Program {
	p.Generator.Params = with(p.Generator.Params, more)
	return p
}
