// Package carried finds updates whose iterations depend on each other through their outer loops alone: each step of a solver reads the one before, a row of a dynamic program the row
// above. Within one iteration of the loops that carry the dependences (Allen and Kennedy 1987) all others are parallel.
package carried

import (
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
)

// Loops are those of an update that run in order, innermost first, positions in the stage's Loops.
type Loops struct {
	// Carrying are the outermost ones, which carry all dependences between iterations that differ in Parallel: of two such at one place of theirs neither reads nor writes what the
	// other writes. Parallel are those inside them. What is left runs in order inside Parallel: it reduces into a place.
	Carrying, Parallel []int
}

// Of finds the fewest carrying loops of an update, and for them the most parallel ones. Loops keep their order, but those that are parallel anyway may be anywhere among them. Both lists are
// empty where there are none.
func Of(p *halideir.Pipeline, a *access.Analysis, fn, stage int) Loops {
	at := a.Stage(fn, stage)
	if stage == 0 || at == nil {
		return Loops{}
	}
	var order []int
	for l, loop := range p.Funcs[fn].Stages[stage].Loops {
		if !loop.Kind.Parallel() {
			order = append(order, l)
		}
	}
	for outer := len(order) - 1; outer > 0; outer-- {
		for inner := range outer {
			if held, free := order[outer:], order[inner:outer]; apart(at, fn, free, held) {
				return Loops{Carrying: slices.Clone(held), Parallel: slices.Clone(free)}
			}
		}
	}
	return Loops{}
}

// apart reports whether iterations at one place of the held loops that differ in free ones have nothing to do with each other: each of the free loops gives a coordinate of the place that is stored, and
// what is read of the Func is that place itself, or differs from all that are stored in a coordinate that the held loops alone give.
func apart(at *access.Stage, fn int, free, held []int) bool {
	for _, l := range free {
		if !slices.ContainsFunc(at.Store, func(x access.Index) bool { return x.Exact() && x.Kind == access.Affine && x.Loop == l }) {
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
		if distance, ok := store[k].Apart(&read[k]); !ok || distance != 0 {
			return false
		}
	}
	return true
}

// elsewhere reports whether what is read is no place that any iteration stores at the same place of the held loops.
func elsewhere(store, read []access.Index, held []int) bool {
	for k := range store {
		s := &store[k]
		if distance, ok := s.Apart(&read[k]); ok && distance != 0 && (s.Kind == access.Constant || slices.Contains(held, s.Loop)) {
			return true
		}
	}
	return false
}
