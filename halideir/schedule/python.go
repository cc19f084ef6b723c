package schedule

import (
	"fmt"
	"slices"
	"strings"

	"gowarp/halideir"
)

// Python is the schedule as a Python module with one function, schedule(pipeline), for Halide's
// Python bindings. It finds the Funcs by Pipeline.get_func, which sorts what a Func calls by
// name: the positions hold until a Func is renamed, and the module compares each Func's name
// so that another pipeline is refused rather than scheduled wrongly. Wrappers (Func.in_) are
// out of get_func's reach; those have to be handed in. It is an error if the schedule fails Check.
func (s *Schedule) Python(p *halideir.Pipeline) (string, error) {
	if err := s.Check(p); err != nil {
		return "", err
	}
	declarations, calls := writeSource(python{}, p, s.Directives, pythonReserved)
	var b strings.Builder
	// In a docstring nothing may end it, nor escape.
	device := strings.NewReplacer(`"`, "", `\`, "", "\n", " ", "\r", " ").Replace(s.Device)
	if device == "" {
		device = "a device that it does not name"
	}
	fmt.Fprintf(&b, "\"\"\"A Halide schedule, made by gowarp for %s: schedule(pipeline) applies it.\"\"\"\n\n", device)
	b.WriteString("import halide as hl\n\n\n")
	b.WriteString(pythonFind)
	if strings.Contains(strings.Join(declarations, "\n"), "= wrappers[") {
		b.WriteString("\n\ndef schedule(pipeline, wrappers):\n")
		b.WriteString("    \"\"\"Schedules an untouched pipeline. wrappers: the Funcs that in_() made, by their names without $, or _2 and so on where two are alike.\"\"\"\n")
	} else {
		b.WriteString("\n\ndef schedule(pipeline):\n    \"\"\"Schedules an untouched pipeline.\"\"\"\n")
	}
	for _, l := range slices.Concat(otherSource(p), otherForms(p, s.Directives), beyondSource(s.Directives)) {
		b.WriteString("    # " + l + "\n")
	}
	for _, d := range declarations {
		b.WriteString("    " + d + "\n")
	}
	b.WriteString(calls)
	if calls == "" {
		b.WriteString("    pass\n")
	}
	return b.String(), nil
}

// pythonFind is how the module finds a Func.
const pythonFind = `def _func(pipeline, index, name):
    func = pipeline.get_func(index)
    if func.name().split("$")[0] != name:
        raise ValueError(f"Func {index} of the pipeline is {func.name()} and not {name}: the schedule was made for another pipeline")
    return func
`

// python is the dialect of Halide's Python bindings.
type python struct{}

func (python) funcDecl(name string, f *halideir.Func) string {
	if f.PipelineIndex < 0 {
		return fmt.Sprintf("%s = wrappers[%s]", name, pythonString(f.Label))
	}
	halide, _, _ := strings.Cut(f.Name, "$")
	return fmt.Sprintf("%s = _func(pipeline, %d, %s)", name, f.PipelineIndex, pythonString(halide))
}

func (python) arg(k int) string          { return fmt.Sprintf("args()[%d]", k) }
func (python) rvar(update, k int) string { return fmt.Sprintf("rvars(%d)[%d]", update, k) }

func (python) loopDecl(_ bool, name, fn, at string) string {
	return fmt.Sprintf("%s = %s.%s", name, fn, at)
}

func (python) madeDecl(rvar bool, name string) string {
	return fmt.Sprintf("%s = hl.%s(%s)", name, varType(rvar), pythonString(name))
}

func (python) specialize(name, fn string, dims []int, multiples []int64) string {
	return fmt.Sprintf("    %s = %s.specialize(%s <= 0)\n", name, fn, remainder("hl.max", fn+".output_buffers()[0]", dims, multiples))
}

func (python) factor(intm, parts, fn string, f *Factoring) []string {
	call, pairs := f.call(fn, "hl.", "hl.TailStrategy.GuardWithIf", "(%s, %s)")
	lines := []string{fmt.Sprintf("%s = %s.rfactor([%s])", intm, call, pairs)}
	for _, o := range f.orders(intm, fn, python{}) {
		lines = append(lines, fmt.Sprintf("%s.reorder(%s)", o.update, strings.Join(o.loops, ", ")))
	}
	return append(lines, fmt.Sprintf("%s = %s.in_()", parts, intm))
}

func (python) call(d *Directive, vars []string, atFunc, atVar string) string {
	args := vars
	switch d.Do {
	case ComputeAt, StoreAt, ComputeWith:
		args = []string{atFunc, atVar}
	case StoreIn:
		args = []string{"hl.MemoryType." + memories[d.Memory]}
	case BoundStorage, BoundExtent, AlignStorage, AlignBounds:
		args = append(args, fmt.Sprint(d.N))
	case AtomicAddition:
		return "atomic(True)"
	case Split:
		args = append(args, fmt.Sprint(d.N), "hl.TailStrategy."+tails[d.Tail])
	}
	return fmt.Sprintf("%s(%s)", d.Do, strings.Join(args, ", "))
}

func (python) chain(b *strings.Builder, stage string, calls []string) {
	b.WriteString("    (\n        " + stage + "\n")
	for _, c := range calls {
		b.WriteString("        ." + c + "\n")
	}
	b.WriteString("    )\n")
}

// pythonString is a literal that Python reads as s. Labels and Halide's names are printable
// ASCII as a rule; what is not is escaped as Python and Go both write it.
func pythonString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// pythonReserved are Python's keywords, and the names around the text.
var pythonReserved = strings.Fields(`
	False None True and as assert async await break case class continue def del elif else except finally for from global
	if import in is lambda match nonlocal not or pass raise return try type while with yield
	hl pipeline wrappers schedule print _func`)
