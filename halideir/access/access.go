// Package access says what each stage of a pipeline computes and reads: its
// operations by class and type, its loads with their indices as functions of
// one loop each, and who consumes whom. It knows nothing of tiles, GPUs or
// schedules.
package access

import (
	"slices"

	"gowarp/halideir"
)

// Analysis is what Analyze found; it never changes afterwards.
type Analysis struct {
	p         *halideir.Pipeline
	stages    [][]Stage
	consumers [][]StageRef
	producers [][]int
	ofInput   [][]StageRef
	inputsOf  [][]int

	canonical []halideir.NodeID // the first node equal to each
	first     map[key]halideir.NodeID
	lets      lets
	extended  bool      // first and lets are those of the nodes behind another's
	tables    []bool    // by Func id
	products  []product // by Func id
}

// Table reports whether the values of a Func hang on its arguments alone: where those are constants, so are they.
func (a *Analysis) Table(fn int) bool { return a.tables[fn] }

// table reports of a Func, after all that it reads, whether it is one.
func (a *Analysis) table(f *halideir.Func) bool {
	if f.Extern != nil || len(f.Stages) != 1 || len(f.Args) == 0 {
		return false
	}
	is := true
	a.p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
		switch {
		case n.Op == halideir.OpLoad, n.Op == halideir.OpVar && n.Kind != halideir.VarDim && n.Kind != halideir.VarLet:
			is = false
		case n.Op == halideir.OpCall:
			is = is && (n.Call == halideir.CallPureIntrinsic || n.Call == halideir.CallPureExtern || n.Call == halideir.CallHalide && n.Func < f.ID && a.tables[n.Func])
		}
	}, f.Stages[0].Roots()...)
	return is
}

// StageRef names a stage of a Func. Extern Funcs have no stages; their
// references say stage 0.
type StageRef struct{ Func, Stage int }

// Stage is what one stage computes for one point of its loops. Expressions
// that are equal count once, as after common-subexpression elimination.
type Stage struct {
	Func, Stage int
	Value       Ops      // what the values and the predicate compute
	Uniform     Ops      // of Value, what no loop and no load has a part in
	Again       Ops      // what several values of a tuple have in common of Value, once for each of them but one
	LoadedAgain int      // loads among that
	Moving      []Moving // of Value, in a pure definition, by which loops have a part in it, but what all have a part in
	Address     Ops      // what only indices of loads and of the store compute
	Loads       []Load   // distinct, in the order in which the definition has them
	Repeats     []Repeat // of Value, what points side by side may have in common
	Sums        []Sum    // of floats, those with terms that may be joined
	// Bytes is what one point stores: all tuple components.
	Bytes int64
	// Copy reports that nothing is computed: every value is a load, a
	// constant, or a choice between such by conditions on indices alone.
	Copy           bool
	PlacesFromData bool // it stores or loads at a place that hangs on values that are loaded
	// Store is the left-hand side, one index per dimension of the Func.
	Store []Index

	pointwise map[producer]bool
}

// Moving is what some loops and no others have a part in.
type Moving struct {
	Loops uint64 // as Index.Loops
	Ops   Ops
}

// Load is one distinct tap on a producer.
type Load struct {
	Func  int // the Func read, -1 for an input
	Input int // the input read, -1 for a Func
	Out   int // tuple component
	Index []Index
	Type  halideir.Type
	Node  halideir.NodeID // the first node that makes the load
	// InAddress reports a load needed only to compute an index.
	InAddress bool
	// Joined reports a Func's value that is a product which takes no instruction of its own where the Func is computed in place; see joined.go.
	Joined bool
}

type producer struct {
	input bool
	id    int
}

// Analyze works out every stage of a verified pipeline.
func Analyze(p *halideir.Pipeline) *Analysis { return analyze(p, nil) }

// Extend works out the stages of the Funcs of a pipeline that stand behind those of the one that was analysed, which are as they were.
func (a *Analysis) Extend(p *halideir.Pipeline) *Analysis { return analyze(p, a) }

func analyze(p *halideir.Pipeline, before *Analysis) *Analysis {
	a := &Analysis{
		p:         p,
		stages:    make([][]Stage, len(p.Funcs)),
		consumers: make([][]StageRef, len(p.Funcs)),
		producers: make([][]int, len(p.Funcs)),
		ofInput:   make([][]StageRef, len(p.Inputs)),
		inputsOf:  make([][]int, len(p.Funcs)),
		tables:    make([]bool, len(p.Funcs)),
		products:  make([]product, len(p.Funcs)),
	}
	a.number(before)
	w := newWalker(a)
	for i := range p.Funcs {
		f := &p.Funcs[i]
		if before != nil && i < len(before.stages) {
			a.stages[i], a.tables[i], a.products[i] = before.stages[i], before.tables[i], before.products[i]
		} else {
			a.tables[i], a.products[i] = a.table(f), a.product(f)
			a.stages[i] = make([]Stage, len(f.Stages))
			for j := range f.Stages {
				a.stages[i][j] = w.stage(f, j)
			}
		}
		for j := range f.Stages {
			for _, l := range a.stages[i][j].Loads {
				a.connect(StageRef{i, j}, l.Func, l.Input)
			}
		}
		if f.Extern != nil {
			for _, arg := range f.Extern.Args {
				a.connect(StageRef{i, 0}, arg.Func, arg.Input)
			}
		}
	}
	// A stage that only an edge names: the bounds of an extern argument, say.
	for _, e := range p.Edges {
		a.connect(StageRef{e.Consumer, e.Stage}, e.Func, e.Input)
	}
	return a
}

func (a *Analysis) connect(at StageRef, fn, input int) {
	switch {
	case fn >= 0 && fn != at.Func:
		a.consumers[fn] = appendNew(a.consumers[fn], at)
		a.producers[at.Func] = appendNew(a.producers[at.Func], fn)
	case input >= 0:
		a.ofInput[input] = appendNew(a.ofInput[input], at)
		a.inputsOf[at.Func] = appendNew(a.inputsOf[at.Func], input)
	}
}

func appendNew[T comparable](list []T, x T) []T {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == x {
			return list
		}
	}
	return append(list, x)
}

// Stage is the analysis of one stage; nil where there is no such stage, as of
// extern Funcs.
func (a *Analysis) Stage(fn, stage int) *Stage {
	if fn < 0 || fn >= len(a.stages) || stage < 0 || stage >= len(a.stages[fn]) {
		return nil
	}
	return &a.stages[fn][stage]
}

// Consumers are the stages of other Funcs that read fn, in order of Funcs and
// stages.
func (a *Analysis) Consumers(fn int) []StageRef { return a.consumers[fn] }

// Producers are the other Funcs that any stage of fn reads, in the order in
// which its definitions first do.
func (a *Analysis) Producers(fn int) []int { return a.producers[fn] }

// ConsumersOfInput are the stages that read an input buffer.
func (a *Analysis) ConsumersOfInput(input int) []StageRef { return a.ofInput[input] }

// InputsOf are the input buffers that any stage of fn reads.
func (a *Analysis) InputsOf(fn int) []int { return a.inputsOf[fn] }

// Reads reports whether the stage loads from the Func.
func (s *Stage) Reads(fn int) bool {
	_, ok := s.pointwise[producer{id: fn}]
	return ok
}

// Pointwise reports whether the stage reads the Func, and only at the point
// that it computes, in all dimensions.
func (s *Stage) Pointwise(fn int) bool { return s.pointwise[producer{id: fn}] }

// PointwiseInput is Pointwise for an input buffer.
func (s *Stage) PointwiseInput(input int) bool { return s.pointwise[producer{true, input}] }

// FromData reports whether a place hangs on values that are loaded.
func FromData(idx []Index) bool {
	return slices.ContainsFunc(idx, func(x Index) bool { return x.DataDependent })
}

// LoadsOf are the stage's loads from one Func.
func (s *Stage) LoadsOf(fn int) []Load {
	var out []Load
	for _, l := range s.Loads {
		if l.Func == fn {
			out = append(out, l)
		}
	}
	return out
}
