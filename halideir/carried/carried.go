// Package carried finds updates whose iterations depend on each other through their outer loops alone: each step of a solver reads the one before, a row of a dynamic program the row
// above. Within one iteration of the loops that carry the dependences (Allen and Kennedy 1987) all others are parallel.
package carried

import (
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
)

// By is the loops of an update that carry all dependences between its iterations, innermost first, positions in the stage's Loops: the fewest outermost ones of those that run in
// order such that, of two iterations at the same place of theirs, neither reads nor writes what the other writes. Two such loops keep their order, and loops that are parallel
// anyway may go inside them. It is empty where there are none, or all of them would have to be, so that no other loop is parallel for it.
func By(p *halideir.Pipeline, a *access.Analysis, fn, stage int) []int {
	at := a.Stage(fn, stage)
	if stage == 0 || at == nil {
		return nil
	}
	var order []int
	for l, loop := range p.Funcs[fn].Stages[stage].Loops {
		if !loop.Kind.Parallel() {
			order = append(order, l)
		}
	}
	for outer := len(order) - 1; outer > 0; outer-- {
		if held := order[outer:]; apart(at, fn, order[:outer], held) {
			return slices.Clone(held)
		}
	}
	return nil
}

// apart reports whether iterations at one place of the held loops have nothing to do with each other: each of the free loops gives a coordinate of the place that is stored, and
// what is read of the Func is that place itself, or differs from all that are stored in a coordinate that the held loops alone give.
func apart(at *access.Stage, fn int, free, held []int) bool {
	for _, l := range free {
		if !slices.ContainsFunc(at.Store, func(x access.Index) bool { return exact(&x) && x.Kind == access.Affine && x.Loop == l }) {
			return false
		}
	}
	for i := range at.Loads {
		load := &at.Loads[i]
		if load.Func == fn && !own(at.Store, load.Index) && !elsewhere(at.Store, load.Index, held) {
			return false
		}
	}
	return true
}

// own reports whether what is read is what the iteration stores.
func own(store, read []access.Index) bool {
	for k := range store {
		s, r := &store[k], &read[k]
		if !exact(s) || !exact(r) || s.Kind != r.Kind || s.Loop != r.Loop || s.Num != r.Num || s.Offset != r.Offset {
			return false
		}
	}
	return true
}

// elsewhere reports whether what is read is no place that any iteration stores at the same place of the held loops.
func elsewhere(store, read []access.Index, held []int) bool {
	for k := range store {
		s, r := &store[k], &read[k]
		if exact(s) && exact(r) && s.Kind == r.Kind && s.Loop == r.Loop && s.Num == r.Num && s.Offset != r.Offset && (s.Kind == access.Constant || slices.Contains(held, s.Loop)) {
			return true
		}
	}
	return false
}

// exact reports whether an index is a loop times a number, which is the same in every run and not 0, and a number; or a number.
func exact(x *access.Index) bool {
	return (x.Kind == access.Affine && x.Den == 1 && x.Num != 0 || x.Kind == access.Constant) && !x.Clamped && !x.Estimated && !x.DataDependent
}
