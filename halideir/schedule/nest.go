package schedule

import (
	"fmt"
	"slices"
	"strings"

	"gowarp/halideir"
)

// loopKind is what runs a loop.
type loopKind string

const (
	serialLoop     loopKind = "for"
	blockLoop      loopKind = "gpu_block"
	threadLoop     loopKind = "gpu_thread"
	laneLoop       loopKind = "gpu_lane"
	unrolledLoop   loopKind = "unrolled"
	vectorizedLoop loopKind = "vectorized"
)

// loop is one loop of a stage as the directives so far left it.
type loop struct {
	label  string
	kind   loopKind
	rvar   bool // comes from a reduction variable
	impure bool // must run in order
}

// step is a split or fuse, kept so that sizes can be worked out both ways.
type step struct {
	fuse bool
	// split: vars are old, outer, inner; fuse: inner, outer, fused. Numbers, not
	// labels, because a label may be used again.
	vars [3]int
	n    int64
	tail Tail // of a split
}

// nest is the loops of one stage.
type nest struct {
	fn, stage    int
	loops        []loop // innermost first
	ids          []int  // of each loop, for steps
	nextID       int
	steps        []step
	origin       int // ids below are the untouched stage's loops, in its order
	singleThread bool
	atomic       bool
	races        bool  // allowed: loops that would have to run in order are parallel
	lanes        bool  // of a warp run through the serial loop (ScanLanes)
	chunks       int64 // so many threads run through it, a chunk each (ScanChunks)
}

// placement is where a Func is computed or stored.
type placement struct {
	root   bool
	at     *Level // nil: root, or inline
	by     string // the directive, for errors
	inline bool
}

// program is a pipeline with its directives carried out.
type program struct {
	p        *halideir.Pipeline
	nests    [][]*nest
	special  []*nest // per Func: the special case of its pure definition, or nil
	compute  []placement
	store    []placement
	with     []placement // per Func: the loop of another up to which it runs in that one's
	memory   []Memory
	demoted  []*Directive // per Func: that demotes it, or nil
	demanded []bool       // per Func: its kernel's lanes do what is demanded first
	// callers has the edges into each Func, self edges left out.
	callers [][]halideir.Edge
}

func newProgram(p *halideir.Pipeline) *program {
	g := &program{
		p:       p,
		nests:   make([][]*nest, len(p.Funcs)),
		special: make([]*nest, len(p.Funcs)),
		compute: make([]placement, len(p.Funcs)),
		store:   make([]placement, len(p.Funcs)),
		with:    make([]placement, len(p.Funcs)),
		memory:  make([]Memory, len(p.Funcs)),
		demoted: make([]*Directive, len(p.Funcs)), demanded: make([]bool, len(p.Funcs)),
		callers: make([][]halideir.Edge, len(p.Funcs)),
	}
	for i := range p.Funcs {
		f := &p.Funcs[i]
		// Halide computes outputs and extern Funcs at root unless told otherwise.
		g.compute[i] = placement{root: f.Output || f.Extern != nil, inline: !f.Output && f.Extern == nil}
		for j := range f.Stages {
			n := &nest{fn: i, stage: j}
			for _, l := range f.Stages[j].Loops {
				n.add(len(n.loops), loop{
					label: l.Label, kind: serialLoop,
					rvar: l.Kind != halideir.LoopPure, impure: !l.Kind.Parallel(),
				})
			}
			n.origin = n.nextID
			g.nests[i] = append(g.nests[i], n)
		}
	}
	for _, e := range p.Edges {
		if e.Func >= 0 && e.Func != e.Consumer {
			g.callers[e.Func] = append(g.callers[e.Func], e)
		}
	}
	return g
}

// add puts a loop at a position and returns its id.
func (n *nest) add(at int, l loop) int {
	n.loops = slices.Insert(n.loops, at, l)
	n.ids = slices.Insert(n.ids, at, n.nextID)
	n.nextID++
	return n.nextID - 1
}

func (n *nest) remove(at int) {
	n.loops = slices.Delete(n.loops, at, at+1)
	n.ids = slices.Delete(n.ids, at, at+1)
}

// find is a loop's position from the innermost, or -1.
func (n *nest) find(label string) int {
	return slices.IndexFunc(n.loops, func(l loop) bool { return l.label == label })
}

func (n *nest) list() string {
	if len(n.loops) == 0 {
		return "none"
	}
	var labels []string
	for _, l := range n.loops {
		labels = append(labels, l.label)
	}
	return strings.Join(labels, ", ")
}

// simulate carries out the directives and checks each.
func simulate(p *halideir.Pipeline, directives []Directive) (*program, error) {
	p, err := factored(p, directives)
	if err != nil {
		return nil, err
	}
	g := newProgram(p)
	for i := range directives {
		d := &directives[i]
		if d.Do == RFactor {
			continue
		}
		if err := g.do(d); err != nil {
			return nil, fmt.Errorf("schedule: directive %d, %s: %w", i, d, err)
		}
	}
	// A consumer may be split after a producer was put into it, so places are
	// looked up when all is done.
	for _, check := range []func(int) error{g.checkPlace, g.checkUse, g.checkWith} {
		for f := range g.compute {
			if err := check(f); err != nil {
				return nil, fmt.Errorf("schedule: %w", err)
			}
		}
	}
	return g, nil
}

func (g *program) do(d *Directive) error {
	if err := d.shape(); err != nil {
		return err
	}
	if d.Func >= len(g.p.Funcs) {
		return fmt.Errorf("there is no Func %d, the pipeline has %d", d.Func, len(g.p.Funcs))
	}
	f := &g.p.Funcs[d.Func]
	if d.Name != f.Label {
		return fmt.Errorf("the pipeline's Func %d is %s: the schedule is another pipeline's", d.Func, f.Label)
	}
	if forms[d.Do].ofFunc {
		return g.doFunc(d, f)
	}
	if d.Stage >= len(g.nests[d.Func]) {
		return fmt.Errorf("%s has %d stages that can be scheduled", f.Label, len(g.nests[d.Func]))
	}
	n := g.nests[d.Func][d.Stage]
	switch {
	case d.Do == Specialize:
		return g.specialize(d, f, n)
	case d.Special && g.special[d.Func] == nil:
		return fmt.Errorf("%s has no special case; specialize comes first", f.Label)
	case d.Special:
		n = g.special[d.Func]
	}
	return n.do(d, f)
}

// specialize makes the special case, with the loops as they are.
func (g *program) specialize(d *Directive, f *halideir.Func, n *nest) error {
	switch {
	case !f.Output:
		return fmt.Errorf("only the extents of an output can be told apart, and %s is none", f.Label)
	case g.special[d.Func] != nil:
		return fmt.Errorf("%s has a special case already", f.Label)
	}
	for _, v := range d.Vars {
		if argument(f, v) < 0 {
			return fmt.Errorf("%s is no argument of %s", v, f.Label)
		}
	}
	c := *n
	c.loops, c.ids, c.steps = slices.Clone(n.loops), slices.Clone(n.ids), slices.Clone(n.steps)
	g.special[d.Func] = &c
	return nil
}

// cases are the nests of a stage: the special case, if there is one, and the stage itself.
func (g *program) cases(fn, stage int) []*nest {
	if stage == 0 && g.special[fn] != nil {
		return []*nest{g.special[fn], g.nests[fn][0]}
	}
	return []*nest{g.nests[fn][stage]}
}

// main is the nest of a stage that stands for it: the special case, if there is one.
func (g *program) main(fn, stage int) *nest { return g.cases(fn, stage)[0] }

func (g *program) doFunc(d *Directive, f *halideir.Func) error {
	switch d.Do {
	case ComputeRoot:
		g.compute[d.Func] = placement{root: true, by: d.String()}
	case ComputeInline:
		if f.Output {
			return fmt.Errorf("an output cannot be inlined")
		}
		g.compute[d.Func] = placement{inline: true, by: d.String()}
	case ComputeAt:
		if f.Output {
			return fmt.Errorf("an output is computed at root")
		}
		g.compute[d.Func] = placement{at: d.At, by: d.String()}
	case ComputeWith:
		if g.with[d.Func].at != nil {
			return fmt.Errorf("%s runs in the loops of %s already", f.Label, g.with[d.Func].at.Name)
		}
		g.with[d.Func] = placement{at: d.At, by: d.String()}
	case StoreAt:
		g.store[d.Func] = placement{at: d.At, by: d.String()}
	case StoreIn:
		g.memory[d.Func] = d.Memory
	case AnySize:
		if g.special[d.Func] == nil {
			return fmt.Errorf("%s has no special case that could run at any size", f.Label)
		}
	case DemandOrder:
		g.demanded[d.Func] = true
	case ChainAddresses, VectorAccess, SharedOrGlobal, UniformRows:
		// They change no loop.
	case Demote:
		if g.demoted[d.Func] != nil {
			return fmt.Errorf("%s is demoted already", f.Label)
		}
		g.demoted[d.Func] = d
	default:
		for _, v := range d.Vars {
			if argument(f, v) < 0 {
				return fmt.Errorf("%s is no argument of %s", v, f.Label)
			}
		}
	}
	return nil
}

// argument is the position of the Func's argument whose loop in the pure
// definition has the label, or -1.
func argument(f *halideir.Func, label string) int {
	if len(f.Stages) > 0 {
		for _, l := range f.Stages[0].Loops {
			if l.Label == label {
				return l.Arg
			}
		}
	}
	return -1
}

func (n *nest) do(d *Directive, f *halideir.Func) error {
	at := make([]int, len(d.Vars))
	known := len(d.Vars) // the vars that must be there already
	switch d.Do {
	case Split:
		known = 1
	case Fuse:
		known = 2
	}
	for i, v := range d.Vars[:known] {
		if at[i] = n.find(v); at[i] < 0 {
			return fmt.Errorf("the stage has no loop %q; it has %s", v, n.list())
		}
	}
	switch d.Do {
	case Split:
		old, id := n.loops[at[0]], n.ids[at[0]]
		if old.kind != serialLoop {
			return fmt.Errorf("%s is a %s loop already", old.label, old.kind)
		}
		n.remove(at[0])
		if err := n.fresh(d.Vars[1:]); err != nil {
			return err
		}
		inner, outer := old, old
		outer.label, inner.label = d.Vars[1], d.Vars[2]
		i := n.add(at[0], inner)
		o := n.add(at[0]+1, outer)
		n.steps = append(n.steps, step{vars: [3]int{id, o, i}, n: d.N, tail: d.Tail})
	case Fuse:
		inner, outer := n.loops[at[0]], n.loops[at[1]]
		if inner.kind != serialLoop || outer.kind != serialLoop {
			return fmt.Errorf("%s is a %s loop and %s a %s loop already", inner.label, inner.kind, outer.label, outer.kind)
		}
		ids := [2]int{n.ids[at[0]], n.ids[at[1]]}
		n.remove(max(at[0], at[1]))
		n.remove(min(at[0], at[1]))
		if err := n.fresh(d.Vars[2:]); err != nil {
			return err
		}
		place := at[0]
		if at[1] < at[0] {
			place--
		}
		id := n.add(place, loop{label: d.Vars[2], kind: serialLoop, rvar: inner.rvar || outer.rvar, impure: inner.impure || outer.impure})
		n.steps = append(n.steps, step{fuse: true, vars: [3]int{ids[0], ids[1], id}})
	case Reorder:
		return n.reorder(at, f.Stages[n.stage].Associative && f.Stages[n.stage].Commutative)
	case GPUSingleThread:
		n.singleThread = true
	case Atomic, AtomicAddition:
		n.atomic = true
	case AllowRaceConditions:
		n.races = true
	case ScanLanes:
		n.lanes = true
	case ScanChunks:
		n.chunks = d.N
	case NeverPartition, LoadsFirst, SomeLaunch:
		// It changes what is made of loops, and none of them.
	default:
		return n.mark(d.Do, at)
	}
	return nil
}

func (n *nest) fresh(labels []string) error {
	for _, l := range labels {
		if n.find(l) >= 0 {
			return fmt.Errorf("the stage already has a loop %q", l)
		}
	}
	return nil
}

// reorder puts the loops at the positions into the order given, innermost
// first, in the places that they held together. Loops that must run in order
// keep it among each other, unless the update may be done in any order.
func (n *nest) reorder(at []int, anyOrder bool) error {
	places := slices.Clone(at)
	slices.Sort(places)
	loops, ids := slices.Clone(n.loops), slices.Clone(n.ids)
	last := -1
	for i, from := range at {
		if l := loops[from]; l.impure && !anyOrder {
			if from < last {
				return fmt.Errorf("%s and another loop that must run in order change places, and the update is not known to be associative and commutative", l.label)
			}
			last = from
		}
		n.loops[places[i]], n.ids[places[i]] = loops[from], ids[from]
	}
	return nil
}

var kindOf = map[Do]loopKind{
	GPUBlocks: blockLoop, GPUThreads: threadLoop, GPULanes: laneLoop,
	Unroll: unrolledLoop, Vectorize: vectorizedLoop, Serial: serialLoop,
}

// mark says what runs the loops.
func (n *nest) mark(do Do, at []int) error {
	kind := kindOf[do]
	for _, k := range at {
		l := &n.loops[k]
		if kind != serialLoop && kind != unrolledLoop && l.impure && !n.atomic && !n.races {
			return fmt.Errorf("the iterations of %s must run in order", l.label)
		}
		if l.kind != serialLoop && kind != serialLoop {
			return fmt.Errorf("%s is a %s loop already", l.label, l.kind)
		}
		l.kind = kind
	}
	count := 0
	for _, l := range n.loops {
		if l.kind == kind {
			count++
		}
	}
	if (kind == blockLoop || kind == threadLoop) && count > 3 {
		return fmt.Errorf("that makes %d %s loops; a GPU has 3 dimensions", count, kind)
	}
	if kind == laneLoop && count > 1 {
		return fmt.Errorf("a warp's lanes have 1 dimension")
	}
	return nil
}
