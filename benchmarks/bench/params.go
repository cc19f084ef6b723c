package bench

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gowarp/benchmarks/harness"
)

// WrongParam is a GeneratorParam, or a value of one, that a program's generator does not know.
type WrongParam struct{ Program, Says string }

func (w *WrongParam) Error() string {
	return fmt.Sprintf("program %s: its generator says: %s", w.Program, w.Says)
}

// wrongParam is what a Halide generator says of a GeneratorParam that it does not have, or cannot be given that value.
var wrongParam = regexp.MustCompile(`Error: ((?:Generator \S+ has no GeneratorParam named|Unable to parse|Enumeration value not found|Cannot set the GeneratorParam).*)`)

// CheckParams asks a program's generator whether it has the parameters that were set; what else it does wrong is not
// this function's. The emission is that which counts the program's Funcs.
func CheckParams(tree *harness.Tree, p Program, target string, l Limits) error {
	if len(p.Params) == 0 {
		return nil
	}
	_, err := funcsOf(tree, p, target, l)
	var failed *harness.GeneratorFailure
	if !errors.As(err, &failed) {
		return nil
	}
	if said := wrongParam.FindStringSubmatch(failed.Text); said != nil {
		return &WrongParam{p.Label(), strings.TrimSpace(said[1])}
	}
	return nil
}

// funcsOf has a program scheduled with every Func at root, and lowers nothing.
func funcsOf(tree *harness.Tree, p Program, target string, l Limits) (*harness.Emission, error) {
	return tree.Emit(p.Generator(nil), harness.EmitOptions{Target: target, Scheduler: harness.RootGPU(), Outputs: []string{"schedule"}, CPUSeconds: l.CPUSeconds})
}
