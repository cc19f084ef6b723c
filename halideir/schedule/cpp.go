package schedule

import (
	"fmt"
	"slices"
	"strings"

	"gowarp/halideir"
)

// CPlusPlus is the schedule as the body of the function that Halide writes
// around it (apply_schedule_NAME(::Halide::Pipeline pipeline, ::Halide::Target
// target), with Func, Var, RVar, TailStrategy and MemoryType in scope).
//
// Funcs and loops are taken from the pipeline by position, so the text holds
// when names change. Where the pipeline gives them, positions are those in
// which Halide finds the Funcs; else those of Pipeline::get_func, which sorts
// what a Func calls by name, so that only the $N may change. A schedule that
// fails Check becomes an #error with the reason.
func (s *Schedule) CPlusPlus(p *halideir.Pipeline) string {
	if err := s.Check(p); err != nil {
		return fmt.Sprintf("#error %q\n", err)
	}
	d := cplusplus{found: allFound(p, s.Directives)}
	var lines []string
	for _, l := range slices.Concat(otherSource(p), otherForms(p, s.Directives), beyondSource(s.Directives)) {
		lines = append(lines, "// "+l)
	}
	if d.found {
		lines = append(lines,
			"std::vector<::Halide::Internal::Function> outputs;",
			"for (const Func &f : pipeline.outputs()) {",
			"    outputs.push_back(f.function());",
			"}",
			"const auto found = ::Halide::Internal::called_funcs_in_order_found(outputs);",
		)
	}
	declarations, calls := writeSource(d, p, s.Directives, cppReserved)
	lines = append(lines, declarations...)
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return strings.Join(lines, "\n") + calls
}

// allFound reports whether every Func that the directives name has a FoundIndex.
func allFound(p *halideir.Pipeline, ds []Directive) bool {
	p, _ = factored(p, ds) // Check has found no fault
	lacks := func(fn int) bool { return p.Funcs[fn].FoundIndex < 0 && !p.Funcs[fn].Partial }
	for i := range ds {
		if ds[i].Do != RFactor && (lacks(ds[i].Func) || ds[i].At != nil && lacks(ds[i].At.Func)) {
			return false
		}
	}
	return len(ds) > 0
}

// cplusplus is the dialect of Halide's C++.
type cplusplus struct {
	found bool // Funcs are named by FoundIndex
}

func (c cplusplus) funcDecl(name string, f *halideir.Func) string {
	switch {
	case c.found:
		return fmt.Sprintf("Func %s(found.at(%d));", name, f.FoundIndex)
	case f.PipelineIndex < 0:
		return fmt.Sprintf("#error %q", f.Label+" is a wrapper, which Pipeline::get_func does not reach")
	}
	return fmt.Sprintf("Func %s = pipeline.get_func(%d);", name, f.PipelineIndex)
}

func (cplusplus) arg(k int) string          { return fmt.Sprintf("args().at(%d)", k) }
func (cplusplus) rvar(update, k int) string { return fmt.Sprintf("rvars(%d).at(%d)", update, k) }

func (cplusplus) loopDecl(rvar bool, name, fn, at string) string {
	return fmt.Sprintf("%s %s = %s.%s;", varType(rvar), name, fn, at)
}

func (cplusplus) madeDecl(rvar bool, name string) string {
	return fmt.Sprintf("%s %s(%q);", varType(rvar), name, name)
}

func varType(rvar bool) string {
	if rvar {
		return "RVar"
	}
	return "Var"
}

func (cplusplus) chain(b *strings.Builder, stage string, calls []string) {
	b.WriteString(stage)
	for _, c := range calls {
		b.WriteString("\n    ." + c)
	}
	b.WriteString(";\n")
}

func (cplusplus) specialize(name, fn string, dims []int, multiples []int64) string {
	return fmt.Sprintf("::Halide::Stage %s = %s.specialize(%s <= 0);\n", name, fn, remainder("::Halide::max", fn+".output_buffers().at(0)", dims, multiples))
}

func (cplusplus) call(d *Directive, vars []string, atFunc, atVar string) string {
	args := strings.Join(vars, ", ")
	switch d.Do {
	case ComputeAt, StoreAt, ComputeWith:
		// A LoopLevel that names the stage is not among the places that Halide 21
		// holds legal; without it the loop's name finds the stage.
		args = atFunc + ", " + atVar
	case StoreIn:
		args = "MemoryType::" + memories[d.Memory]
	case BoundStorage, BoundExtent, AlignStorage, AlignBounds:
		args = fmt.Sprintf("%s, %d", args, d.N)
	case ReorderStorage:
		args = fmt.Sprintf("std::vector<Var>{%s}", args)
	case Reorder:
		args = fmt.Sprintf("std::vector<::Halide::VarOrRVar>{%s}", args)
	case AtomicAddition:
		return "atomic(true)"
	case Split:
		args = fmt.Sprintf("%s, %d, TailStrategy::%s", args, d.N, tails[d.Tail])
	}
	return fmt.Sprintf("%s(%s)", d.Do, args)
}

func (cplusplus) factor(intm, parts, fn string, f *Factoring) []string {
	call, pairs := f.call(fn, "", "TailStrategy::GuardWithIf", "{%s, %s}")
	lines := []string{fmt.Sprintf("Func %s = %s.rfactor(std::vector<std::pair<RVar, Var>>{%s});", intm, call, pairs)}
	for _, o := range f.orders(intm, fn, cplusplus{}) {
		lines = append(lines, fmt.Sprintf("%s.reorder(std::vector<::Halide::VarOrRVar>{%s});", o.update, strings.Join(o.loops, ", ")))
	}
	return append(lines, fmt.Sprintf("Func %s = %s.in();", parts, intm))
}

// cppReserved are C++'s keywords, and the names around the text.
var cppReserved = strings.Fields(`
	alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await
	co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
	double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
	new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return
	short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef
	typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
	pipeline target outputs found f Func Var RVar TailStrategy MemoryType Halide std linux unix errno stdin stdout stderr NULL EOF assert`)
