package schedule

import (
	"fmt"
	"slices"
	"strings"

	"gowarp/halideir"
)

type madeVar struct {
	label string
	rvar  bool
}

// dialect is what the languages of Halide's bindings do not share.
type dialect interface {
	funcDecl(name string, f *halideir.Func) string
	arg(k int) string          // of a Func: its argument k
	rvar(update, k int) string // of a Func: reduction variable k of an update
	loopDecl(rvar bool, name, fn, at string) string
	madeDecl(rvar bool, name string) string
	call(d *Directive, vars []string, atFunc, atVar string) string
	chain(b *strings.Builder, stage string, calls []string)
	// specialize is the line that makes the special case of an output's stage, in a new variable. It hides from
	// Halide 21 that extents are multiples: what the simplifier learns of that spoils its bounds of loops.
	specialize(name, fn string, dims []int, multiples []int64) string
	// factor is the lines that factor a reduction of fn, in new variables for what that makes.
	factor(intm, parts, fn string, f *Factoring) []string
}

// sourceWriter writes directives as source, in any dialect.
type sourceWriter struct {
	dialect
	p      *halideir.Pipeline
	used   map[string]bool
	funcs  map[int]string
	made   map[madeVar]string
	scopes map[[2]int]map[string]sourceLoop
	// special are the variables of special cases.
	special map[int]string
	// Declarations, in the order in which they must stand.
	funcLines, factorLines, loopLines, madeLines []string
}

// sourceLoop is a loop's variable in the text.
type sourceLoop struct {
	name string
	rvar bool
	decl string // written when the loop is first named
}

// writeSource is the source of the directives: the declarations that it needs, and the calls. Names
// in reserved are not used for anything.
func writeSource(d dialect, p *halideir.Pipeline, ds []Directive, reserved []string) (declarations []string, calls string) {
	factorings := factorings(p, ds)
	p, _ = factored(p, ds) // Check has found no fault
	w := sourceWriter{dialect: d, p: p, used: map[string]bool{}, funcs: map[int]string{}, made: map[madeVar]string{}, scopes: map[[2]int]map[string]sourceLoop{}, special: map[int]string{}}
	for _, word := range reserved {
		w.used[word] = true
	}
	for i := range p.Funcs {
		for _, a := range p.Funcs[i].Args {
			w.used[a] = true // Halide's name of an argument must not name a new loop
		}
	}
	w.factor(factorings)
	ds = slices.DeleteFunc(slices.Clone(ds), func(d Directive) bool {
		return forms[d.Do].ofPass && !forms[d.Do].call || d.Do == RFactor
	})
	for i := range ds {
		w.declare(&ds[i])
	}
	var body strings.Builder
	for i := 0; i < len(ds); {
		j := i + 1
		for j < len(ds) && ds[j].Func == ds[i].Func && ds[j].Stage == ds[i].Stage && ds[j].Special == ds[i].Special &&
			ds[j].Do != Specialize && ds[i].Do != Specialize {
			j++
		}
		w.stageCalls(&body, ds[i:j])
		i = j
	}
	return slices.Concat(w.funcLines, w.factorLines, w.loopLines, w.madeLines), body.String()
}

// identifier is a name made from a label, unlike all others so far.
func (w *sourceWriter) identifier(label string) string {
	var b strings.Builder
	for i := range len(label) {
		c := label[i]
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z', '0' <= c && c <= '9' && i > 0:
			b.WriteByte(c)
		case i > 0 && !strings.HasSuffix(b.String(), "_"): // two underscores are a C++ compiler's
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
func (w *sourceWriter) fn(f int) string {
	if name, ok := w.funcs[f]; ok {
		return name
	}
	def := &w.p.Funcs[f]
	name := w.identifier(def.Label)
	w.funcs[f] = name
	w.funcLines = append(w.funcLines, w.funcDecl(name, def))
	return name
}

// factor writes the lines that factor reductions.
func (w *sourceWriter) factor(all []Factoring) {
	for _, f := range all {
		fn := w.fn(f.Func)
		intm, parts := w.identifier(w.p.Funcs[f.Partial].Label), w.identifier(w.p.Funcs[f.Copy].Label)
		w.funcs[f.Partial], w.funcs[f.Copy] = intm, parts
		w.factorLines = append(w.factorLines, w.dialect.factor(intm, parts, fn, &f)...)
	}
}

// scope is the loops of a stage, by label.
func (w *sourceWriter) scope(f, stage int) map[string]sourceLoop {
	key := [2]int{f, stage}
	if s, ok := w.scopes[key]; ok {
		return s
	}
	s := map[string]sourceLoop{}
	w.scopes[key] = s
	def := &w.p.Funcs[f]
	if len(def.Stages) == 0 { // extern
		return s
	}
	for _, l := range def.Stages[stage].Loops {
		if l.Arg >= 0 {
			s[l.Label] = sourceLoop{decl: w.arg(l.Arg)}
		} else {
			s[l.Label] = sourceLoop{rvar: true, decl: w.rvar(stage-1, l.RVar)}
		}
	}
	return s
}

// use is the variable of a loop, declared at its first use.
func (w *sourceWriter) use(f, stage int, label string) string {
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
			w.loopLines = append(w.loopLines, w.loopDecl(l.rvar, l.name, fn, l.decl))
		}
		s[label] = l
	}
	return l.name
}

// make is the variable of a new loop. Loops of one name in different stages
// share it. A loop that takes the name of an untouched one is that variable.
func (w *sourceWriter) make(f, stage int, label string, rvar bool) {
	s := w.scope(f, stage)
	if l, ok := s[label]; ok && l.rvar == rvar {
		return
	}
	key := madeVar{label, rvar}
	name, ok := w.made[key]
	if !ok {
		name = w.identifier(label)
		w.made[key] = name
		w.madeLines = append(w.madeLines, w.madeDecl(rvar, name))
	}
	s[label] = sourceLoop{name: name, rvar: rvar}
}

// declare meets the directives in order, so that new loops are known before a
// producer names them as its level.
func (w *sourceWriter) declare(d *Directive) {
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

// stageCalls writes what is said of one stage in a row.
func (w *sourceWriter) stageCalls(b *strings.Builder, ds []Directive) {
	if d := &ds[0]; d.Do == Specialize {
		w.special[d.Func] = w.identifier(w.fn(d.Func) + "_whole")
		dims := make([]int, len(d.Vars))
		for i, v := range d.Vars {
			dims[i] = argument(&w.p.Funcs[d.Func], v)
		}
		b.WriteString(w.specialize(w.special[d.Func], w.fn(d.Func), dims, d.Multiples))
		return
	}
	calls := make([]string, len(ds))
	for i := range ds {
		d := &ds[i]
		vars := make([]string, len(d.Vars))
		for j, v := range d.Vars {
			vars[j] = w.use(d.Func, d.Stage, v)
		}
		atFunc, atVar := "", ""
		if d.At != nil {
			atFunc, atVar = w.fn(d.At.Func), w.use(d.At.Func, d.At.Stage, d.At.Var)
		}
		calls[i] = w.call(d, vars, atFunc, atVar)
	}
	stage := StageLabel(w.fn(ds[0].Func), ds[0].Stage)
	if ds[0].Special {
		stage = w.special[ds[0].Func]
	}
	w.chain(b, stage, calls)
}

// remainder is at most 0 where the extents of an output's dimensions are multiples: the
// largest of what is left, in a form in which Halide sees no divisibility.
func remainder(maximum, buffer string, dims []int, multiples []int64) string {
	extent := func(k int) string { return fmt.Sprintf("%s.dim(%d).extent()", buffer, k) }
	rest := ""
	for i, k := range dims {
		term := fmt.Sprintf("%s %% %d", extent(k), multiples[i])
		if rest == "" {
			rest = term
		} else {
			rest = fmt.Sprintf("%s(%s, %s)", maximum, rest, term)
		}
	}
	if len(dims) == 1 {
		rest = fmt.Sprintf("%s(%s, %d - %s)", maximum, rest, multiples[0], extent(dims[0]))
	}
	return rest
}

// otherSource says in words how the pipeline that a schedule is for differs from what its user has, a line each.
func otherSource(p *halideir.Pipeline) []string {
	var lines, names, unconditional, updates []string
	for i := range p.Funcs {
		if p.Funcs[i].WrittenOut > 0 {
			names = append(names, p.Funcs[i].Label)
		}
		if f := &p.Funcs[i]; f.Unconditional {
			unconditional = append(unconditional, f.Label)
			for k := 1; k < len(f.Stages); k++ {
				updates = append(updates, update(p, f, k, f.Stages[k].Values)+withoutConditions)
			}
		}
	}
	if unconditional != nil {
		lines = append(lines, "This is for a pipeline in which updates of these store under no condition that reads something, but what was there where it does not hold: "+strings.Join(unconditional, ", ")+". Have them so in the source before this is applied:")
		lines = append(lines, updates...)
	}
	if parts := separated(Shapes(p)); parts != nil {
		lines = append(lines, "This is for a pipeline with Funcs that combine parts of windows: "+strings.Join(parts, ", ")+". `gowarp ir` shows what they are, of a dump. Have them in the source, and what reads them, or schedule with separate=0, before this is applied.")
	}
	if reads := readingWithin(Shapes(p)); reads != nil {
		lines = append(lines, "This is for a pipeline in which these read inputs within what is needed of them alone, by the sizes of the outputs: "+strings.Join(reads, ", ")+". `gowarp ir` shows how, of a dump. Have them do so in the source, or schedule with hold_reads=0, before this is applied.")
	}
	if held := heldFor(p); held != nil {
		lines = append(lines, "This is for a pipeline with Funcs that hold a reduction each, which another copies: "+strings.Join(held, ", ")+". Have them in the source, or schedule with cache_write=0, before this is applied.")
	}
	if names == nil {
		return lines
	}
	return append(lines, "This is for a pipeline in which these are defined by the sums that their first updates make: "+strings.Join(names, ", ")+". Have them so in the source, or schedule with write_out=0, before this is applied.")
}

// heldFor are the Funcs that hold a reduction, each with the one that copies it.
func heldFor(p *halideir.Pipeline) (all []string) {
	for i := range p.Funcs {
		if !p.Funcs[i].Local {
			continue
		}
		text := p.Funcs[i].Label
		for j := range p.Funcs {
			if f := &p.Funcs[j]; len(f.Stages) == 1 {
				if n := &p.Nodes[f.Stages[0].Values[0]]; n.ReadsFunc() && n.Func == i {
					text += " (of " + f.Label + ")"
					break
				}
			}
		}
		all = append(all, text)
	}
	return all
}

// beyondSource says in words what directives ask for that no schedule of Halide's expresses, a line each.
func beyondSource(ds []Directive) []string {
	var registers, ordered, special, given, chained, vectors, uniform, sized, cells, scanned, chunks, first, additions, some []string
	for i := range ds {
		switch d := &ds[i]; d.Do {
		case Demote:
			registers = append(registers, fmt.Sprintf("%s: the first %d registers of each lane, from byte %d of its warp's scratch on", d.Name, d.N, d.Offset))
		case DemandOrder:
			ordered = append(ordered, d.Name)
		case AnySize:
			special = append(special, d.Name)
		case ChainAddresses:
			chained = append(chained, d.Name)
		case VectorAccess:
			vectors = append(vectors, d.Name)
		case UniformRows:
			uniform = append(uniform, d.Name)
		case WholeCells:
			if !slices.Contains(cells, d.Name) {
				cells = append(cells, d.Name)
			}
		case SharedOrGlobal:
			sized = append(sized, d.Name)
		case ScanLanes:
			scanned = append(scanned, StageLabel(d.Name, d.Stage))
		case ScanChunks:
			chunks = append(chunks, fmt.Sprintf("%s by %d", StageLabel(d.Name, d.Stage), d.N))
		case LoadsFirst:
			first = append(first, StageLabel(d.Name, d.Stage))
		case AtomicAddition:
			additions = append(additions, StageLabel(d.Name, d.Stage))
		case SomeLaunch:
			some = append(some, StageLabel(d.Name, d.Stage))
		case GivenExtent:
			if !slices.Contains(given, d.Name) {
				given = append(given, d.Name)
			}
		}
	}
	if !slices.ContainsFunc(ds, func(d Directive) bool { return forms[d.Do].ofPass }) {
		return nil
	}
	same := "results are the same."
	if additions != nil {
		same = "results are the same, but for what atomic operations add up (below)."
	}
	lines := []string{"This is not all of the schedule: lowering passes of gowarp's own do what no call of Halide's asks for. Without them the", same}
	if registers != nil {
		lines = append(append(lines, "These registers are in shared memory:"), registers...)
	}
	if ordered != nil {
		lines = append(lines, "Lanes compute what a row of these needs just before it, and hold less at once: "+strings.Join(ordered, ", "))
	}
	if given != nil {
		lines = append(lines, "The extents of these are known, where Halide sizes them at run time: "+strings.Join(given, ", "))
	}
	if special != nil {
		lines = append(lines, "Special cases for whole groups of points run at all sizes of a group at least: "+strings.Join(special, ", "))
	}
	if first != nil {
		lines = append(lines, "Iterations that stand one after the other in the code load before any of them stores: "+strings.Join(first, ", "))
	}
	if scanned != nil {
		lines = append(lines, "The lanes of a warp run together through what a thread runs through in order: "+strings.Join(scanned, ", "))
	}
	if chunks != nil {
		lines = append(lines, "Several threads run together through what one runs through in order, a chunk each: "+strings.Join(chunks, ", "))
	}
	if chained != nil {
		lines = append(lines, "Addresses that are strides apart are computed from each other in the kernels of these: "+strings.Join(chained, ", "))
	}
	if vectors != nil {
		lines = append(lines, "Four neighbours in aligned rows are loaded at once in the kernels of these: "+strings.Join(vectors, ", "))
	}
	if uniform != nil {
		lines = append(lines, "ptxas knows the row of threads that a warp is to be the same for its lanes in the kernels of these: "+strings.Join(uniform, ", "))
	}
	if cells != nil {
		lines = append(lines, "The kernels of these stand once more for outputs that begin and end at whole cells of points that alternate, where each point is of one kind: "+strings.Join(cells, ", "))
	}
	if sized != nil {
		lines = append(lines, "Of these what does not fit a block's shared memory in some run is in global memory then, where a launch would fail: "+strings.Join(sized, ", "))
	}
	if additions != nil {
		lines = append(lines, "Halide sees an addition in the atomic operations of these, where without the pass it makes loops that load the old value without protection, so that results may be wrong: "+strings.Join(additions, ", "))
	}
	if some != nil {
		lines = append(lines, "These are not launched where a run leaves their domain empty, where a launch of nothing would fail: "+strings.Join(some, ", "))
	}
	return append(lines, "gowarp does the whole again with autoscheduler.schedule=FILE, where FILE is what gowarp schedule --format json writes.")
}
