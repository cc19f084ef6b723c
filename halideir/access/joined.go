package access

import (
	"slices"

	"gowarp/halideir"
)

// product is what a Func's value is of floats.
type product uint8

const (
	noProduct product = iota
	byValue
	byLiteral
	sumByLiterals // of such: the first of them has nothing to be added to
)

func (a *Analysis) product(f *halideir.Func) product {
	if len(f.Stages) != 1 || len(f.Stages[0].Values) != 1 {
		return noProduct
	}
	n := &a.p.Nodes[a.canonical[f.Stages[0].Values[0]]]
	switch {
	case a.ofLiteral(n):
		return byLiteral
	case n.Op == halideir.OpMul && n.Type.IsFloat():
		return byValue
	case isSum(n) && a.onlyByLiterals(n, new(int)):
		return sumByLiterals
	}
	return noProduct
}

func isSum(n *halideir.Node) bool {
	return (n.Op == halideir.OpAdd || n.Op == halideir.OpSub) && n.Type.IsFloat() && n.Type.Lanes <= 1
}

// onlyByLiterals reports whether all terms of a sum are products by literals, of which so many were seen.
func (a *Analysis) onlyByLiterals(n *halideir.Node, seen *int) bool {
	if *seen++; *seen > mostTerms {
		return false
	}
	if isSum(n) {
		return a.onlyByLiterals(&a.p.Nodes[n.Args[0]], seen) && a.onlyByLiterals(&a.p.Nodes[n.Args[1]], seen)
	}
	return a.ofLiteral(n)
}

// ofLiteral reports whether a node is a product of floats by a literal, as a quotient by one is.
func (a *Analysis) ofLiteral(n *halideir.Node) bool {
	literal := func(arg halideir.NodeID) bool { return a.p.Nodes[arg].Op == halideir.OpFloat }
	switch {
	case !n.Type.IsFloat():
		return false
	case n.Op == halideir.OpMul:
		return slices.ContainsFunc(n.Args, literal)
	}
	return n.Op == halideir.OpDiv && literal(n.Args[1])
}

// Sum is one of floats with terms that may be joined.
type Sum struct {
	Spare int   // additions, but for those that a product of the definition's own is one instruction with
	Terms []int // the Funcs of those terms, one a term
}

// use is where the value of a node stands: a set.
type use uint8

const (
	inSum     use = 1 << iota
	inProduct     // by a literal
	elsewhere
	innerSum // a sum, in another one
)

// joins reports whether a product takes no instruction of its own wherever it stands.
func (p product) joins(u use) bool {
	switch u {
	case inSum:
		return p != noProduct
	case inProduct, inSum | inProduct:
		return p == byLiteral
	}
	return false
}

// join finds what a stage reads of Funcs that are products, which take no instruction of their own where those Funcs are computed in place: LLVM contracts a product with the sum that it stands in
// (`fma.rn.f32`), whatever Func it comes from, the first of a sum of products by literals likewise, and of a product by a literal that is multiplied by another one it makes one product. A sum has as many such products as
// additions at most.
func (w *walker) join(values []halideir.NodeID, loads []Load, at map[halideir.NodeID]int) (sums []Sum) {
	if !slices.ContainsFunc(loads, func(l Load) bool { return l.Func >= 0 && w.a.products[l.Func] != noProduct }) {
		return nil
	}
	uses := map[halideir.NodeID]use{}
	for _, id := range values {
		n := &w.p.Nodes[id]
		if isLoad(n) {
			continue
		}
		for _, arg := range n.Args {
			c := w.a.canonical[arg]
			switch {
			case isSum(n) && isSum(&w.p.Nodes[c]):
				uses[c] |= innerSum
			case isSum(n):
				uses[c] |= inSum
			case w.a.ofLiteral(n):
				uses[c] |= inProduct
			default:
				uses[c] |= elsewhere
			}
		}
	}
	for i := range loads {
		loads[i].Joined = loads[i].Func >= 0
	}
	for id, i := range at {
		l := &loads[i]
		l.Joined = l.Joined && w.isValue(id) && w.a.products[l.Func].joins(uses[id])
	}
	for _, id := range values {
		if n := &w.p.Nodes[id]; isSum(n) && uses[id]&innerSum == 0 {
			t := terms{walker: w, loads: loads, at: at, left: mostTerms, literal: true}
			t.add(id)
			// One literal is taken out of a sum that is multiplied by another, whose product the two are then.
			if len(t.Terms) > t.Spare && !(t.literal && uses[id] == inProduct) {
				sums = append(sums, t.Sum)
			}
		}
	}
	return sums
}

// mostTerms is how many terms of a sum are looked at: more are those of a sum that is read in itself again and again.
const mostTerms = 256

// terms are those of a sum.
type terms struct {
	*walker
	loads []Load
	at    map[halideir.NodeID]int // in loads
	left  int
	Sum
	literal bool // all of them are of Funcs that are products by literals
}

func (t *terms) add(id halideir.NodeID) {
	if t.left--; t.left < 0 {
		t.literal = false
		return
	}
	n := &t.p.Nodes[id]
	if !isSum(n) {
		if l := t.joined(id); l != nil {
			t.Terms = append(t.Terms, l.Func)
		}
		t.literal = t.literal && t.ofLiterals(id)
		return
	}
	if t.p.Nodes[n.Args[0]].Op != halideir.OpMul && t.p.Nodes[n.Args[1]].Op != halideir.OpMul {
		t.Spare++
	}
	for _, arg := range n.Args {
		t.add(t.a.canonical[arg])
	}
}

// joined is what is read there, where it takes no instruction of its own.
func (t *terms) joined(id halideir.NodeID) *Load {
	if i, is := t.at[id]; is && t.loads[i].Joined {
		return &t.loads[i]
	}
	return nil
}

// ofLiterals reports whether nothing but Funcs that are products by literals is read there, added up and multiplied by literals.
func (t *terms) ofLiterals(id halideir.NodeID) bool {
	if t.left--; t.left < 0 {
		return false
	}
	n := &t.p.Nodes[id]
	of := func(arg halideir.NodeID) bool { return t.ofLiterals(t.a.canonical[arg]) }
	switch l := t.joined(id); {
	case l != nil:
		return t.a.products[l.Func] == byLiteral
	case isSum(n):
		return of(n.Args[0]) && of(n.Args[1])
	}
	return t.a.ofLiteral(n) && slices.ContainsFunc(n.Args, of)
}
