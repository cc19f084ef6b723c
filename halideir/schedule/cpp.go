package schedule

import (
	"fmt"
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
	w := cppWriter{p: p, used: map[string]bool{}, funcs: map[int]string{}, made: map[madeVar]string{}, scopes: map[[2]int]map[string]cppLoop{}}
	for _, word := range cppReserved {
		w.used[word] = true
	}
	for i := range p.Funcs {
		for _, a := range p.Funcs[i].Args {
			w.used[a] = true // Halide's name of an argument must not name a new loop
		}
	}
	w.found = w.allFound(s.Directives)
	if w.found {
		w.funcDecl = []string{
			"std::vector<::Halide::Internal::Function> outputs;",
			"for (const Func &f : pipeline.outputs()) {",
			"    outputs.push_back(f.function());",
			"}",
			"const auto found = ::Halide::Internal::called_funcs_in_order_found(outputs);",
		}
	}
	for i := range s.Directives {
		w.declare(&s.Directives[i])
	}
	var body strings.Builder
	for i := 0; i < len(s.Directives); {
		j := i + 1
		for j < len(s.Directives) && s.Directives[j].Func == s.Directives[i].Func && s.Directives[j].Stage == s.Directives[i].Stage {
			j++
		}
		w.chain(&body, s.Directives[i:j])
		i = j
	}
	out := strings.Join(append(append(w.funcDecl, w.loopDecl...), w.madeDecl...), "\n")
	if out != "" {
		out += "\n"
	}
	return out + body.String()
}

type madeVar struct {
	label string
	rvar  bool
}

type cppWriter struct {
	p        *halideir.Pipeline
	found    bool // Funcs are named by FoundIndex
	used     map[string]bool
	funcs    map[int]string
	made     map[madeVar]string
	scopes   map[[2]int]map[string]cppLoop
	funcDecl []string
	loopDecl []string
	madeDecl []string
}

// cppLoop is a loop's variable in the text.
type cppLoop struct {
	name string
	rvar bool
	decl string // written when the loop is first named
}

// identifier is a C++ name made from a label, unlike all others so far.
func (w *cppWriter) identifier(label string) string {
	var b strings.Builder
	for i := range len(label) {
		c := label[i]
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z', '0' <= c && c <= '9' && i > 0:
			b.WriteByte(c)
		case i > 0 && !strings.HasSuffix(b.String(), "_"): // two underscores are the compiler's
			b.WriteByte('_')
		}
	}
	name := b.String()
	if name == "" {
		name = "v"
	}
	unique := name
	for n := 2; w.used[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", strings.TrimSuffix(name, "_"), n)
	}
	w.used[unique] = true
	return unique
}

// fn is the variable of a Func, declared at its first use.
func (w *cppWriter) fn(f int) string {
	if name, ok := w.funcs[f]; ok {
		return name
	}
	def := &w.p.Funcs[f]
	name := w.identifier(def.Label)
	w.funcs[f] = name
	decl := fmt.Sprintf("Func %s = pipeline.get_func(%d);", name, def.PipelineIndex)
	switch {
	case w.found:
		decl = fmt.Sprintf("Func %s(found.at(%d));", name, def.FoundIndex)
	case def.PipelineIndex < 0:
		decl = fmt.Sprintf("#error %q", def.Label+" is a wrapper, which Pipeline::get_func does not reach")
	}
	w.funcDecl = append(w.funcDecl, decl)
	return name
}

// allFound reports whether every Func that the directives name has a FoundIndex.
func (w *cppWriter) allFound(ds []Directive) bool {
	for i := range ds {
		if w.p.Funcs[ds[i].Func].FoundIndex < 0 || ds[i].At != nil && w.p.Funcs[ds[i].At.Func].FoundIndex < 0 {
			return false
		}
	}
	return len(ds) > 0
}

// scope is the loops of a stage, by label.
func (w *cppWriter) scope(f, stage int) map[string]cppLoop {
	key := [2]int{f, stage}
	if s, ok := w.scopes[key]; ok {
		return s
	}
	s := map[string]cppLoop{}
	w.scopes[key] = s
	def := &w.p.Funcs[f]
	if len(def.Stages) == 0 { // extern
		return s
	}
	for _, l := range def.Stages[stage].Loops {
		if l.Arg >= 0 {
			s[l.Label] = cppLoop{decl: fmt.Sprintf("args().at(%d)", l.Arg)}
		} else {
			s[l.Label] = cppLoop{rvar: true, decl: fmt.Sprintf("rvars(%d).at(%d)", stage-1, l.RVar)}
		}
	}
	return s
}

// use is the variable of a loop, declared at its first use.
func (w *cppWriter) use(f, stage int, label string) string {
	s := w.scope(f, stage)
	l := s[label]
	if l.name == "" {
		fn := w.fn(f)
		// The arguments of a Func are the same in all its stages.
		if stage > 0 && !l.rvar {
			for k, o := range w.scope(f, 0) {
				if o.decl == l.decl {
					l.name = w.use(f, 0, k)
				}
			}
		}
		if l.name == "" {
			l.name = w.identifier(fn + "_" + label)
			w.loopDecl = append(w.loopDecl, fmt.Sprintf("%s %s = %s.%s;", varType(l.rvar), l.name, fn, l.decl))
		}
		s[label] = l
	}
	return l.name
}

func varType(rvar bool) string {
	if rvar {
		return "RVar"
	}
	return "Var"
}

// make is the variable of a new loop. Loops of one name in different stages
// share it. A loop that takes the name of an untouched one is that variable.
func (w *cppWriter) make(f, stage int, label string, rvar bool) {
	s := w.scope(f, stage)
	if l, ok := s[label]; ok && l.rvar == rvar {
		return
	}
	key := madeVar{label, rvar}
	name, ok := w.made[key]
	if !ok {
		name = w.identifier(label)
		w.made[key] = name
		w.madeDecl = append(w.madeDecl, fmt.Sprintf("%s %s(%q);", varType(rvar), name, name))
	}
	s[label] = cppLoop{name: name, rvar: rvar}
}

// declare meets the directives in order, so that new loops are known before a
// producer names them as its level.
func (w *cppWriter) declare(d *Directive) {
	w.fn(d.Func)
	if forms[d.Do].ofFunc {
		return
	}
	s := w.scope(d.Func, d.Stage)
	switch {
	case d.Do == Split:
		w.make(d.Func, d.Stage, d.Vars[1], s[d.Vars[0]].rvar)
		w.make(d.Func, d.Stage, d.Vars[2], s[d.Vars[0]].rvar)
	case d.Do == Fuse:
		w.make(d.Func, d.Stage, d.Vars[2], s[d.Vars[0]].rvar || s[d.Vars[1]].rvar)
	}
}

func (w *cppWriter) chain(b *strings.Builder, ds []Directive) {
	b.WriteString(stageLabel(w.fn(ds[0].Func), ds[0].Stage))
	for i := range ds {
		b.WriteString("\n    ." + w.call(&ds[i]))
	}
	b.WriteString(";\n")
}

func (w *cppWriter) call(d *Directive) string {
	vars := make([]string, len(d.Vars))
	for i, v := range d.Vars {
		vars[i] = w.use(d.Func, d.Stage, v)
	}
	args := strings.Join(vars, ", ")
	switch d.Do {
	case ComputeAt, StoreAt:
		// A LoopLevel that names the stage is not among the places that Halide 21
		// holds legal; without it the loop's name finds the stage.
		args = fmt.Sprintf("%s, %s", w.fn(d.At.Func), w.use(d.At.Func, d.At.Stage, d.At.Var))
	case StoreIn:
		args = "MemoryType::" + memories[d.Memory]
	case BoundStorage, BoundExtent, AlignStorage:
		args = fmt.Sprintf("%s, %d", args, d.N)
	case ReorderStorage:
		args = fmt.Sprintf("std::vector<Var>{%s}", args)
	case Reorder:
		args = fmt.Sprintf("std::vector<::Halide::VarOrRVar>{%s}", args)
	case Split:
		args = fmt.Sprintf("%s, %d, TailStrategy::%s", args, d.N, tails[d.Tail])
	}
	return fmt.Sprintf("%s(%s)", d.Do, args)
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
