package schedule

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gowarp/halideir"
)

// Shape is a Func as a schedule knows it: its name and, for each stage, the labels of
// the untouched loops. A schedule that carries the shapes of its pipeline can be fitted
// to the same pipeline on another day.
type Shape struct {
	Name       string
	Stages     [][]string
	WrittenOut int    // updates that its definition has taken over (write_out)
	FusedInit  bool   // its first update has taken over its definition (fuse_init)
	HeldReads  bool   // places that it reads are held within what is needed of it (hold_reads)
	Local      bool   // it holds a reduction that a Func of the user's copies (cache_write), and is none of theirs
	Separated  string // of a Func that combines parts of windows (separate), and is none of the user's: halideir.Equal or halideir.Weighted
}

// Shapes are the Funcs of a pipeline, by id.
func Shapes(p *halideir.Pipeline) []Shape {
	shapes := make([]Shape, len(p.Funcs))
	for i := range p.Funcs {
		shapes[i].Name, shapes[i].WrittenOut = p.Funcs[i].Label, p.Funcs[i].WrittenOut
		shapes[i].FusedInit, shapes[i].HeldReads, shapes[i].Local, shapes[i].Separated = p.Funcs[i].FusedInit, p.Funcs[i].HeldReads, p.Funcs[i].Local, p.Funcs[i].Separated
		for j := range p.Funcs[i].Stages {
			labels := []string{}
			for _, l := range p.Funcs[i].Stages[j].Loops {
				labels = append(labels, l.Label)
			}
			shapes[i].Stages = append(shapes[i].Stages, labels)
		}
	}
	return shapes
}

// WrittenOut reports whether the pipeline that a schedule was made for has updates written out in definitions.
func (s *Schedule) WrittenOut() bool {
	return slices.ContainsFunc(s.Funcs, func(sh Shape) bool { return sh.WrittenOut > 0 })
}

// FusedInits reports whether the pipeline that a schedule was made for has updates that took over pure definitions.
func (s *Schedule) FusedInits() bool {
	return slices.ContainsFunc(s.Funcs, func(sh Shape) bool { return sh.FusedInit })
}

// HeldReads reports whether the pipeline that a schedule was made for has Funcs whose reads are held within what is needed of them.
func (s *Schedule) HeldReads() bool {
	return slices.ContainsFunc(s.Funcs, func(sh Shape) bool { return sh.HeldReads })
}

// CachedWrites reports whether the pipeline that a schedule was made for has Funcs that hold what the user's copy.
func (s *Schedule) CachedWrites() bool {
	return slices.ContainsFunc(s.Funcs, func(sh Shape) bool { return sh.Local })
}

// Separated is of which windows Funcs combine parts in the pipeline that a schedule was made for: halideir.Weighted if some are weighted, halideir.Equal if none
// is, "" if there are no such Funcs.
func (s *Schedule) Separated() string {
	all := ""
	for i := range s.Funcs {
		if k := s.Funcs[i].Separated; k == halideir.Weighted || k != "" && all == "" {
			all = k
		}
	}
	return all
}

// automatic are the names that Halide gives to what its user did not name. They end in a
// counter of the process, which differs from run to run.
// What gowarp makes of such a Func is named after it.
var automatic = regexp.MustCompile(`^([a-z]|lambda_)[0-9]+(_[0-9]+)?((_intm|_parts|_local)(_[0-9]+)?)?$`)

// sameName reports whether a label of the saved schedule and one of the pipeline may stand
// for the same thing.
func sameName(saved, now string) bool {
	return saved == now || automatic.MatchString(saved) && automatic.MatchString(now)
}

// Fit is the schedule for a pipeline, which must be the one that it was made for: the same
// Funcs with the same stages and loops. Names that Halide made up may differ. The error names the
// first difference.
func (s *Schedule) Fit(p *halideir.Pipeline) (*Schedule, error) {
	out := *s
	if s.Funcs == nil {
		// Written by hand: labels have to be right as they are.
		return &out, out.Check(p)
	}
	untouched := p
	p, err := s.renameFactors(p, &out)
	if err != nil {
		return nil, err
	}
	if err := s.differs(p); err != nil {
		return nil, err
	}
	now := Shapes(p)
	out.Funcs, out.Target, out.Outputs = now, p.Target.String, nil
	for _, id := range p.Outputs {
		out.Outputs = append(out.Outputs, now[id].Name)
	}
	out.Kernels = slices.Clone(s.Kernels)
	for i := range out.Kernels {
		if err := s.renameKernel(&out.Kernels[i], now); err != nil {
			return nil, fmt.Errorf("kernel %d (%s): %w", i, s.Kernels[i].Name, err)
		}
	}
	for i := range out.Directives {
		if out.Directives[i].Do == RFactor {
			continue
		}
		if err := s.renameDirective(&out.Directives[i], now); err != nil {
			return nil, fmt.Errorf("directive %d, %s: %w", i, &s.Directives[i], err)
		}
	}
	return &out, out.Check(untouched)
}

// renameFactors gives the directives that factor reductions the names of today, those of loops apart: labels of reduction variables have no
// counter. It returns the pipeline that the other directives are for.
func (s *Schedule) renameFactors(p *halideir.Pipeline, out *Schedule) (*halideir.Pipeline, error) {
	out.Directives = slices.Clone(s.Directives)
	for i := range out.Directives {
		d := &out.Directives[i]
		if d.Do != RFactor {
			break
		}
		if d.Func < 0 || d.Func >= len(p.Funcs) || !sameName(d.Name, p.Funcs[d.Func].Label) {
			return nil, fmt.Errorf("directive %d, %s: the pipeline's Func %d is another", i, d, d.Func)
		}
		d.Name = p.Funcs[d.Func].Label
		var err error
		if p, err = factored(p, out.Directives[i:i+1]); err != nil {
			return nil, fmt.Errorf("directive %d: %w", i, err)
		}
	}
	return p, nil
}

// differs is the first difference between the pipeline and the one that the schedule was made for.
func (s *Schedule) differs(p *halideir.Pipeline) error {
	now := Shapes(p)
	if err := s.another(now); err != nil {
		return err
	}
	if a, b := separated(s.Funcs), separated(now); !slices.EqualFunc(a, b, sameName) {
		return fmt.Errorf("the Funcs that combine parts of windows are here: %s; where the schedule was made: %s: give the separate that it was made with or, if the source has changed, schedule it anew", named(b), named(a))
	}
	for i := range s.Funcs { // an update that is not written out may be held by a Func more
		a := &s.Funcs[i]
		if j := slices.IndexFunc(now, func(b Shape) bool { return b.Name == a.Name }); j >= 0 && now[j].WrittenOut != a.WrittenOut {
			return otherwiseWritten(a, &now[j])
		}
	}
	if a, b := local(s.Funcs), local(now); !slices.EqualFunc(a, b, sameName) {
		return fmt.Errorf("the Funcs that hold a reduction which another copies are here: %s; where the schedule was made: %s: give the cache_write that it was made with or, if the source has changed, schedule it anew", named(b), named(a))
	}
	for i := range min(len(s.Funcs), len(now)) {
		a, b := &s.Funcs[i], &now[i]
		switch {
		case !sameName(a.Name, b.Name):
			return fmt.Errorf("its Func %d was %s, the pipeline has %s there", i, a.Name, b.Name)
		case a.WrittenOut != b.WrittenOut:
			return otherwiseWritten(a, b)
		case a.FusedInit != b.FusedInit:
			return fmt.Errorf("the first update of %s %s, in the pipeline of the schedule it was otherwise: give the fuse_init that it was made with or, if the source has changed, schedule it anew", b.Name, fusedInit(b.FusedInit))
		case a.HeldReads != b.HeldReads:
			return fmt.Errorf("the places that %s reads are %s, in the pipeline of the schedule it was otherwise: give the hold_reads that it was made with or, if the source has changed, schedule it anew", b.Name, heldReads(b.HeldReads))
		case len(a.Stages) != len(b.Stages):
			return fmt.Errorf("%s has %d stages, the schedule was made for %d", b.Name, len(b.Stages), len(a.Stages))
		}
		for j := range a.Stages {
			stage := StageLabel(b.Name, j)
			if len(a.Stages[j]) != len(b.Stages[j]) {
				return fmt.Errorf("%s has the loops %s, the schedule was made for %s", stage, named(b.Stages[j]), named(a.Stages[j]))
			}
			for k := range a.Stages[j] {
				if !sameName(a.Stages[j][k], b.Stages[j][k]) {
					return fmt.Errorf("dimension %d of %s is %s, the schedule was made for %s", k, stage, b.Stages[j][k], a.Stages[j][k])
				}
			}
		}
	}
	if len(now) != len(s.Funcs) {
		return fmt.Errorf("the pipeline has %d Funcs, the schedule was made for %d", len(now), len(s.Funcs))
	}
	return nil
}

// another says that the schedule is another pipeline's, where fewer than half of the Funcs that it was made for have the name of one here: not what is to be given otherwise.
func (s *Schedule) another(now []Shape) error {
	ofUser := func(s *Shape) bool { return !s.Local && s.Separated == "" }
	made, here := names(s.Funcs, ofUser), names(now, ofUser)
	missing := slices.DeleteFunc(slices.Clone(made), func(name string) bool {
		return slices.ContainsFunc(here, func(b string) bool { return sameName(name, b) })
	})
	if 2*len(missing) <= len(made) {
		return nil
	}
	some, more := missing[:min(len(missing), 3)], ""
	if n := len(missing) - len(some); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("it was made for another pipeline: here are no Funcs %s%s", strings.Join(some, ", "), more)
}

// otherwiseWritten says that a Func of today has other updates in its definition than that of the schedule.
func otherwiseWritten(a, b *Shape) error {
	return fmt.Errorf("%s has %s its definition, the schedule was made for %s: give the write_out that it was made with or, if the source has changed, schedule it anew", b.Name, writtenOut(b.WrittenOut), writtenOut(a.WrittenOut))
}

func writtenOut(updates int) string {
	switch updates {
	case 0:
		return "no update written out in"
	case 1:
		return "an update written out in"
	}
	return fmt.Sprintf("%d updates written out in", updates)
}

func fusedInit(fused bool) string {
	if fused {
		return "computes its pure definition"
	}
	return "reads its pure definition"
}

func heldReads(held bool) string {
	if held {
		return "held within what is needed of it"
	}
	return "not held within what is needed of it"
}

// readingWithin are the Funcs whose reads are held within what is needed of them.
func readingWithin(shapes []Shape) []string {
	return names(shapes, func(s *Shape) bool { return s.HeldReads })
}

// separated are the Funcs that combine parts of windows.
func separated(shapes []Shape) []string {
	return names(shapes, func(s *Shape) bool { return s.Separated != "" })
}

// local are the Funcs that hold a reduction which another copies.
func local(shapes []Shape) []string {
	return names(shapes, func(s *Shape) bool { return s.Local })
}

// names are those of some shapes.
func names(shapes []Shape, of func(*Shape) bool) (names []string) {
	for i := range shapes {
		if of(&shapes[i]) {
			names = append(names, shapes[i].Name)
		}
	}
	return names
}

func named(labels []string) string {
	if len(labels) == 0 {
		return "none"
	}
	return strings.Join(labels, ", ")
}

var errNoFunc = errors.New("there is no such Func")

// rename turns the name of Func f into today's.
func (s *Schedule) rename(f int, name string, now []Shape) (string, error) {
	switch {
	case f < 0 || f >= len(now):
		return "", errNoFunc
	case name != s.Funcs[f].Name:
		return "", fmt.Errorf("it names Func %d %s, the list of Funcs %s", f, name, s.Funcs[f].Name)
	}
	return now[f].Name, nil
}

func (s *Schedule) renameKernel(k *Kernel, now []Shape) error {
	name, err := s.rename(k.Func, strings.TrimSuffix(k.Name, StageLabel("", k.Stage)), now)
	if err != nil {
		return err
	}
	k.Name = StageLabel(name, k.Stage)
	k.Members = slices.Clone(k.Members)
	for i := range k.Members {
		if k.Members[i].Name, err = s.rename(k.Members[i].Func, k.Members[i].Name, now); err != nil {
			return err
		}
	}
	k.Inlined = slices.Clone(k.Inlined)
	for i, label := range k.Inlined {
		f := slices.IndexFunc(s.Funcs, func(sh Shape) bool { return sh.Name == label })
		if f < 0 {
			return fmt.Errorf("%s: %w", label, errNoFunc)
		}
		k.Inlined[i] = now[f].Name
	}
	return nil
}

func (s *Schedule) renameDirective(d *Directive, now []Shape) (err error) {
	if d.Name, err = s.rename(d.Func, d.Name, now); err != nil {
		return err
	}
	d.Vars = slices.Clone(d.Vars)
	for i, v := range d.Vars {
		d.Vars[i] = s.loop(d.Func, d.Stage, v, now)
	}
	if d.At != nil {
		at := *d.At
		if at.Name, err = s.rename(at.Func, at.Name, now); err != nil {
			return err
		}
		at.Var = s.loop(at.Func, at.Stage, at.Var, now)
		d.At = &at
	}
	return nil
}

// loop is today's label of a loop; one that a directive made keeps its own.
func (s *Schedule) loop(f, stage int, label string, now []Shape) string {
	if stage < 0 || stage >= len(s.Funcs[f].Stages) {
		return label
	}
	if k := slices.Index(s.Funcs[f].Stages[stage], label); k >= 0 {
		return now[f].Stages[stage][k]
	}
	return label
}

// Stored is a Func whose storage has a fixed size: computed at a loop, for one iteration of
// which the loops inside cover Tile points of each argument of At's Func (0: not fixed).
type Stored struct {
	Func    int
	Sizes   map[int]int64 // by argument
	At      Level
	Tile    []int64
	Within  []bool // by Func: computed for the same iteration, inlined Funcs included
	Inlined []bool // by Func
}

// manyPoints stands for an extent without an end. Times a split's factor, at most 2^31-1,
// it fits 64 bits.
const manyPoints = 1 << 31

// FixedStorage lists the Funcs with bound_storage. The directives must have passed Check.
func (s *Schedule) FixedStorage(p *halideir.Pipeline) ([]Stored, error) {
	g, err := simulate(p, s.Directives)
	if err != nil {
		return nil, err
	}
	p = g.p
	sizes := map[int]map[int]int64{}
	for i := range s.Directives {
		if d := &s.Directives[i]; d.Do == BoundStorage {
			if sizes[d.Func] == nil {
				sizes[d.Func] = map[int]int64{}
			}
			sizes[d.Func][argument(&p.Funcs[d.Func], d.Vars[0])] = d.N
		}
	}
	var out []Stored
	for f := range p.Funcs {
		if sizes[f] == nil || g.compute[f].inline {
			continue
		}
		at := g.compute[f].at
		if at == nil || !g.compute[at.Func].root {
			return nil, fmt.Errorf("%s: bound_storage is understood only for what is computed at a loop of a Func at root", p.Funcs[f].Label)
		}
		if store := g.store[f].at; store != nil && *store != *at {
			return nil, fmt.Errorf("%s: bound_storage is not understood together with store_at", p.Funcs[f].Label)
		}
		st := Stored{Func: f, Sizes: sizes[f], At: *at, Tile: make([]int64, len(p.Funcs[at.Func].Args)), Within: make([]bool, len(p.Funcs)), Inlined: make([]bool, len(p.Funcs))}
		loops := p.Funcs[at.Func].Stages[at.Stage].Loops
		for i, n := range g.cases(at.Func, at.Stage) {
			for k, moved := range n.tile(at.Var) {
				a := loops[k].Arg
				switch {
				case a < 0:
				case moved >= manyPoints || i > 0 && st.Tile[a] == 0:
					st.Tile[a] = 0
				default:
					st.Tile[a] = max(st.Tile[a], moved)
				}
			}
		}
		for c := range p.Funcs {
			st.Inlined[c] = g.compute[c].inline
			st.Within[c] = g.compute[c].inline || g.compute[c].at != nil && g.inside(g.compute[c].at, at, len(p.Funcs))
		}
		out = append(out, st)
	}
	return out, nil
}

// tile is how far each untouched loop moves within one iteration of a loop, whatever the
// sizes of the pipeline.
func (n *nest) tile(label string) []int64 {
	extents := make([]int64, n.nextID)
	for k := range n.origin {
		extents[k] = manyPoints
	}
	for _, s := range n.steps {
		if s.fuse {
			extents[s.vars[2]] = manyPoints
		} else {
			extents[s.vars[1]], extents[s.vars[2]] = extents[s.vars[0]], s.n
		}
	}
	return n.inside(label, extents)
}
