// Package cells says what Funcs compute at points of which remainders are known: of f(x) = select(x % 2 == 0, a(x / 2), b(x / 2)) an even point is a(x / 2). Halide finds that when it compiles points side
// by side, the first of which is at a multiple.
package cells

import (
	"encoding/binary"
	"slices"

	"gowarp/halideir"
)

// Known is what is known of an argument: that its remainder by Modulus is Remainder; with Modulus 0 that it is Remainder, with 1 nothing.
type Known struct{ Modulus, Remainder int64 }

// Definitions are a pipeline with further Funcs, behind its own: what those compute where something is known of their arguments.
type Definitions struct {
	P       *halideir.Pipeline
	Of      []int // by Func id: the Func of the pipeline that one is; itself for those
	inlined []bool
	made    map[string]int
	most    int // nodes
}

// mostNodes is how many expressions are added at most: Funcs that are inlined in each other may be called in exponentially many ways.
const mostNodes = 1 << 17

// New has no further Funcs yet. Funcs that are inlined are followed with what is known where they are called. The pipeline is not changed.
func New(p *halideir.Pipeline, inlined []bool) *Definitions {
	q := *p
	q.Funcs, q.Nodes = slices.Clone(p.Funcs), slices.Clone(p.Nodes)
	d := &Definitions{P: &q, inlined: slices.Clone(inlined), made: map[string]int{}, most: len(p.Nodes) + mostNodes}
	for id := range p.Funcs {
		d.Of = append(d.Of, id)
	}
	return d
}

// Inlined reports by Func id which ones are inlined, the further ones as those that they are.
func (d *Definitions) Inlined() []bool {
	out := make([]bool, len(d.Of))
	for id, of := range d.Of {
		out[id] = d.inlined[of]
	}
	return out
}

// Func is what one computes where that is known of its arguments; itself where nothing is, and where there are too many expressions already.
func (d *Definitions) Func(fn int, known []Known) int {
	key := binary.AppendVarint(nil, int64(fn))
	something := false
	for _, k := range known {
		something = something || k.Modulus != 1
		key = binary.AppendVarint(binary.AppendVarint(key, k.Modulus), k.Remainder)
	}
	if !something || d.Full() {
		return fn
	}
	if id, ok := d.made[string(key)]; ok {
		return id
	}
	f := d.P.Funcs[fn]
	f.Stages = slices.Clone(f.Stages)
	for i := range f.Stages {
		st := &f.Stages[i]
		w := writer{d: d, known: known, lets: d.P.Lets(st.Roots()...), done: map[halideir.NodeID]value{}}
		st.Args, st.Values = w.all(st.Args), w.all(st.Values)
		if st.Predicate != halideir.NoNode {
			st.Predicate = w.write(st.Predicate).node
		}
	}
	f.ID = len(d.P.Funcs)
	d.P.Funcs, d.Of = append(d.P.Funcs, f), append(d.Of, fn)
	d.made[string(key)] = f.ID
	return f.ID
}

// Full reports whether there are as many expressions as there may be.
func (d *Definitions) Full() bool { return len(d.P.Nodes) > d.most }
