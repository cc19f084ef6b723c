package search

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"

	"gowarp/autoscheduler/coster"
	"gowarp/halideir"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// Symmetric are the groups that were searched already, by all that a search looks at but for which Funcs and inputs it is that are read: the pyramids of two images, say. A group that is symmetric to another one is
// run in the same ways, without a search. It is laid out and priced all the same, and where that does not come to the same to the bit it is searched for itself. Of a pipeline of many Funcs groups are
// alike too, while it is asked which are computed together, whose regions are about as large, wherever they begin: the stages of a chain of stencils, each of which is a halo larger than the next.
type Symmetric struct {
	mu          sync.Mutex
	stored      int                 // Funcs with regions of their own
	definitions map[int]*definition // by Func
	numbers     map[string]int      // of definitions that are the same but for what they read
	found       map[string]symmetric
}

// symmetric is what was found for a group.
type symmetric struct {
	ways []plan.Choice
	cost float64
}

// aboutAsMuch is by how much the costs of groups may be apart that are about as large.
const aboutAsMuch = .35

// How many Funcs with regions of their own are many, and how many so many that their kernels are run alike in the end, too.
const (
	manyFuncs    = 16
	manyInTheEnd = 128
)

// about reports whether regions that are about as large are alike.
func (y *Symmetric) about(ph coster.Phase) bool {
	return y.stored > manyInTheEnd || y.stored > manyFuncs && ph == coster.Grouping
}

// NewSymmetric knows no group of a problem yet.
func NewSymmetric(pr *plan.Problem) *Symmetric {
	stored := 0
	for id := range pr.P.Funcs {
		if !pr.Inlined[id] {
			stored++
		}
	}
	return &Symmetric{stored: stored, definitions: map[int]*definition{}, numbers: map[string]int{}, found: map[string]symmetric{}}
}

// definition is that of a Func, with numbers for what it reads, in the order in which it reads them.
type definition struct {
	number        int
	funcs, inputs []int
}

// symmetricTo is the key of a group, "" where it is searched whatever was found for others: where somebody wants to see what was looked at, or what may be tried hangs on which Funcs it has.
func (s *Searcher) symmetricTo(g *plan.Group, ph coster.Phase) string {
	if s.Symmetric == nil || s.Explain || s.Few > 0 || s.Tile != nil || s.ByModel || len(s.Simple)+len(s.Unwarped) > 0 || s.Problem.Profile != nil || s.Problem.Host[g.Out] != "" {
		return ""
	}
	return s.Symmetric.key(s.Problem, g, ph)
}

// again is a group run as one that is symmetric to it, nil if there was none or that is not the same.
func (s *Searcher) again(g *plan.Group, key string, ph coster.Phase) *Found {
	if key == "" {
		return nil
	}
	s.Symmetric.mu.Lock()
	was, ok := s.Symmetric.found[key]
	s.Symmetric.mu.Unlock()
	if !ok {
		return nil
	}
	if f := s.Again(g, was.ways, ph); f != nil && (f.Cost == was.cost || s.Symmetric.about(ph) && f.Valid() && math.Abs(f.Cost-was.cost) < aboutAsMuch*was.cost) {
		return f
	}
	return nil
}

// note keeps what was found for a group, which the coster has nothing against, if it is the first with its key.
func (s *Searcher) note(key string, f *Found) {
	if key == "" {
		return
	}
	s.Symmetric.mu.Lock()
	defer s.Symmetric.mu.Unlock()
	if _, ok := s.Symmetric.found[key]; !ok {
		s.Symmetric.found[key] = symmetric{f.Choices(), f.Cost}
	}
}

// key is all that a search for a group looks at: the definitions that are computed in it, theirs that are inlined among them, regions, tiles, and of what is read its size and type.
func (y *Symmetric) key(pr *plan.Problem, g *plan.Group, ph coster.Phase) string {
	inside, place := make([]int, 0, 2+2*len(g.Members)), make([]int, len(pr.P.Funcs)) // from the output on, in the order in which they are read; and where in it each is, from 1
	add := func(id int) {
		if place[id] == 0 {
			inside = append(inside, id)
			place[id] = len(inside)
		}
	}
	add(g.Out)
	read := func(i int) {
		for ; i < len(inside); i++ {
			for _, r := range y.definition(pr, inside[i]).funcs {
				if pr.Inlined[r] || g.Has(r) {
					add(r)
				}
			}
		}
	}
	read(0)
	for _, m := range g.Members { // those that are read by none of these
		if place[m] == 0 {
			add(m)
			read(len(inside) - 1)
		}
	}
	k := keyWriter{buf: make([]byte, 0, 64*len(inside)), about: y.about(ph)}
	k.ints(int64(ph), int64(len(inside)))
	var funcs, inputs []int
	for _, id := range inside {
		f, d := &pr.P.Funcs[id], y.definition(pr, id)
		k.ints(int64(d.number))
		k.bools(id == g.Out, g.Has(id), pr.Inlined[id], pr.Folded[id], pr.Apart[id], pr.Unproven[id], pr.Absorbs(id))
		k.region(pr.Regions.Funcs[id], true)
		for _, r := range d.funcs {
			at := place[r]
			k.bools(at > 0)
			if at == 0 {
				at = numberIn(&funcs, r)
			}
			k.ints(int64(at))
		}
		for _, r := range d.inputs {
			k.ints(int64(numberIn(&inputs, r)))
		}
		if id != g.Out && !g.Has(id) {
			k.bools(slices.ContainsFunc(pr.Sites(id), func(at plan.Site) bool { return !g.Has(at.Func) }))
		}
		for st := range f.Stages {
			d := &pr.Dims[pr.StageIndex(id, st)]
			k.list(d.Tiled)
			k.list(d.Carrying)
			k.list(d.Within)
			k.list(d.Held)
			k.list(d.Across)
			for _, n := range d.Extent {
				k.extent(n)
			}
			for _, t := range d.Tiles {
				k.ints(t.Min)
				k.most(t.Max)
			}
			k.bools(d.Atomic)
		}
		if pr.Cells != nil {
			for _, c := range pr.Cells.Of(id) {
				k.bools(append([]bool{c.Member}, c.Held...)...)
				k.ints(slices.Concat(c.Moduli, c.From, c.Beside)...)
			}
		}
	}
	for _, id := range funcs {
		f := &pr.P.Funcs[id]
		k.bools(f.Output, len(f.Bounds) > 0, pr.Host[id] != "")
		k.types(f.Types)
		k.region(pr.Regions.Funcs[id], false)
	}
	for _, id := range inputs {
		in := &pr.P.Inputs[id]
		k.str(string(in.Kind))
		k.types([]halideir.Type{in.Type})
		k.ints(int64(in.HostAlignment))
		if id < len(pr.Regions.Inputs) {
			k.region(pr.Regions.Inputs[id], true)
		}
		for _, d := range in.Dims {
			for _, n := range []halideir.NodeID{d.Min, d.Extent, d.Stride} {
				k.fixed(pr.P, n)
			}
			for _, e := range []*int64{d.MinEstimate, d.ExtentEstimate} {
				k.bools(e != nil)
				if e != nil {
					k.ints(*e)
				}
			}
		}
	}
	return string(k.buf)
}

// numberIn is the place of an id in a list, to which it is added if it is new.
func numberIn(list *[]int, id int) int {
	at := slices.Index(*list, id)
	if at < 0 {
		at = len(*list)
		*list = append(*list, id)
	}
	return at
}

// definition is that of a Func.
func (y *Symmetric) definition(pr *plan.Problem, id int) *definition {
	y.mu.Lock()
	defer y.mu.Unlock()
	if d, ok := y.definitions[id]; ok {
		return d
	}
	f, d := &pr.P.Funcs[id], &definition{}
	k := keyWriter{}
	k.types(f.Types)
	k.bools(f.Output, f.Local, f.HeldReads, f.FusedInit, f.Partial, f.Extern != nil)
	k.str(f.Memory)
	k.str(f.Separated)
	k.ints(int64(f.Lane), int64(f.WrittenOut), int64(len(f.Args)), int64(len(f.Stages)), int64(len(f.Bounds)))
	w := nodeWriter{p: pr.P, k: &k, d: d, numbers: map[halideir.NodeID]int64{}}
	for i := range f.Bounds {
		b := &f.Bounds[i]
		k.ints(int64(slices.Index(f.Args, b.Var)))
		w.roots(b.Min, b.Extent, b.Modulus, b.Remainder)
	}
	for i := range f.Stages {
		st := &f.Stages[i]
		k.bools(st.Associative, st.Commutative, st.ArgExtreme != nil)
		k.ints(int64(len(st.Args)), int64(len(st.Values)), int64(len(st.Restated)), int64(len(st.RVars)), int64(len(st.Loops)))
		w.roots(st.Roots()...)
		w.roots(st.Restated...)
		for _, r := range st.RVars {
			w.roots(r.Min, r.Extent)
		}
		for _, l := range st.Loops {
			k.str(string(l.Kind))
			k.ints(int64(l.Arg), int64(l.RVar))
		}
		if a := st.ArgExtreme; a != nil {
			k.bools(a.Greatest, a.Ties)
			k.ints(int64(a.Value))
			k.list(a.Places)
		}
	}
	d.number = len(y.numbers)
	if n, ok := y.numbers[string(k.buf)]; ok {
		d.number = n
	} else {
		y.numbers[string(k.buf)] = d.number
	}
	y.definitions[id] = d
	return d
}

// nodeWriter writes expressions, a node once, with numbers for the Funcs and inputs that they read.
type nodeWriter struct {
	p       *halideir.Pipeline
	k       *keyWriter
	d       *definition
	numbers map[halideir.NodeID]int64
}

func (w *nodeWriter) roots(ids ...halideir.NodeID) {
	for _, id := range ids {
		if id == halideir.NoNode {
			w.k.ints(-1)
			continue
		}
		w.node(id)
		w.k.ints(w.numbers[id])
	}
}

func (w *nodeWriter) node(id halideir.NodeID) {
	if _, ok := w.numbers[id]; ok {
		return
	}
	n := &w.p.Nodes[id]
	for _, a := range n.Args {
		w.node(a)
	}
	w.numbers[id] = int64(len(w.numbers))
	w.k.ints(int64(n.Op), n.Int, int64(math.Float64bits(n.Float)), int64(n.Kind), int64(n.Dim), int64(n.Call), int64(n.Out), int64(n.Lanes), int64(len(n.Args)))
	w.k.types([]halideir.Type{n.Type})
	w.k.str(n.Field)
	w.k.list(n.Indices)
	for _, a := range n.Args {
		w.k.ints(w.numbers[a])
	}
	switch {
	case n.ReadsFunc():
		w.k.ints(int64(numberIn(&w.d.funcs, n.Func)))
	case n.ReadsBuffer():
		w.k.ints(int64(numberIn(&w.d.inputs, n.Input)))
	case n.Op == halideir.OpVar && n.Kind == halideir.VarBound:
		w.k.ints(int64(numberIn(&w.d.inputs, n.Of)))
	case n.Op == halideir.OpVar && n.Kind == halideir.VarOutput:
		w.k.ints(int64(n.Of))
	case n.Op == halideir.OpVar && (n.Kind == halideir.VarDim || n.Kind == halideir.VarRVar):
		w.k.ints(int64(n.Index)) // which says what the name does
	default:
		w.k.ints(int64(n.Index))
		w.k.str(n.Name)
	}
}

// keyWriter writes a key: numbers, and lists behind their lengths.
type keyWriter struct {
	buf   []byte
	about bool // of extents how large they are about
}

func (k *keyWriter) ints(all ...int64) {
	for _, n := range all {
		k.buf = binary.AppendVarint(k.buf, n)
	}
}

func (k *keyWriter) list(all []int) {
	k.ints(int64(len(all)))
	for _, n := range all {
		k.ints(int64(n))
	}
}

func (k *keyWriter) bools(all ...bool) {
	for _, b := range all {
		if b {
			k.buf = append(k.buf, 1)
		} else {
			k.buf = append(k.buf, 0)
		}
	}
}

func (k *keyWriter) str(s string) {
	k.ints(int64(len(s)))
	k.buf = append(k.buf, s...)
}

func (k *keyWriter) types(all []halideir.Type) {
	k.ints(int64(len(all)))
	for _, t := range all {
		k.str(t.String())
	}
}

// region writes where a Func or an input is computed or needed; where regions are alike that are about as large, whether it is whole vectors only if asked for: what is only read may end anywhere.
func (k *keyWriter) region(b bounds.Box, vectors bool) {
	k.ints(int64(len(b)))
	for _, i := range b {
		switch n := i.Extent(); {
		case !k.about:
			k.ints(i.Lo, i.Hi)
		case vectors:
			k.extent(n)
		default:
			k.extent(n &^ (plan.VectorLanes - 1))
		}
	}
}

// An extent of up to mostExact is told from all others; of larger ones the first bits are, a quarter of them at most apart, and the last, which say whether it is whole vectors.
const (
	mostExact = 256
	exactBits = 2
)

// most is the largest that some size may be, of which powers of two are tried.
func (k *keyWriter) most(n int64) {
	if k.about {
		n = int64(bits.Len64(uint64(n)))
	}
	k.ints(n)
}

func (k *keyWriter) extent(n int64) {
	if !k.about || n <= mostExact {
		k.ints(n)
		return
	}
	drop := bits.Len64(uint64(n)) - 1 - exactBits
	k.ints(n>>drop, int64(drop), n&(plan.VectorLanes-1))
}

// fixed writes what the user fixed of a buffer: a number, or which expression it is.
func (k *keyWriter) fixed(p *halideir.Pipeline, id halideir.NodeID) {
	if id == halideir.NoNode {
		k.ints(0)
	} else if n := &p.Nodes[id]; n.Op == halideir.OpInt {
		k.ints(1, n.Int)
	} else {
		k.ints(2, int64(id))
	}
}
