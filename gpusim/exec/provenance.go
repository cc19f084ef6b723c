package exec

import (
	"iter"
	"slices"

	"gowarp/gpusim/ptx"
)

// Where pointers come from. A kernel gets the addresses of buffers as parameters; an address
// that is computed from some of them must lie in the allocation of one of those. Knowing
// this, a launch knows beforehand which allocations it may write, and looks for races
// only there: what is only read cannot race.
//
// The analysis is a union over all definitions of a register, whatever the order: an address's
// set holds every parameter that could be part of it. Addresses that also could come from
// memory, or from nowhere, are of unknown origin, and may lie anywhere.

// sources is a set of a kernel's parameters: bit i for the i-th.
type sources uint64

// anywhere is the source of what is not known: a pointer from memory, a parameter that is no
// plain pointer or beyond the 63rd.
const anywhere sources = 1 << maxSources

const maxSources = 63

// operations are the instructions of a kernel and of all that it calls.
func (k *Kernel) operations() iter.Seq[*op] {
	return func(yield func(*op) bool) {
		visited := map[*code]bool{}
		var walk func(c *code) bool
		walk = func(c *code) bool {
			if c == nil || visited[c] {
				return true
			}
			visited[c] = true
			for b := range c.blocks {
				for i := range c.blocks[b].ops {
					if !yield(&c.blocks[b].ops[i]) {
						return false
					}
				}
				if !walk(c.blocks[b].callee) {
					return false
				}
			}
			return true
		}
		walk(k.main)
	}
}

// trace finds the sources of every access's address.
func (k *Kernel) trace() {
	words, doubles := make([]sources, k.n32), make([]sources, k.n64)
	var predicate sources // stays empty: a predicate is no part of an address
	of := func(s slot) *sources {
		switch s.class {
		case word:
			return &words[s.at]
		case double:
			return &doubles[s.at]
		}
		return &predicate
	}
	for _, t := range k.templates {
		for i, at := range k.ParamOffsets {
			switch size := k.ParamSizes[i]; {
			case size < 8 || t.param < at || t.param >= at+size: // narrower ones are no pointers
			case size > 8 || i >= maxSources:
				*of(t.slot) |= anywhere
			default:
				*of(t.slot) |= 1 << i
			}
		}
	}
	var memory sources // of all that the kernel stores
	for changed := true; changed; {
		changed = false
		join := func(to *sources, from sources) {
			if to != &predicate && *to|from != *to {
				*to |= from
				changed = true
			}
		}
		for o := range k.operations() {
			if o.inst == nil {
				continue // a barrier
			}
			switch {
			case o.rmw != nil:
				join(&memory, *of(o.b)|*of(o.c))
				join(of(o.d), loaded(o, memory))
			case o.inst.Op == "ld" && o.inst.Space != ptx.Param:
				for _, d := range o.vec {
					join(of(d), loaded(o, memory))
				}
			case o.inst.Op == "st" && o.inst.Space != ptx.Param:
				for _, s := range o.vec {
					join(&memory, *of(s))
				}
			case o.inst.Op == "mov" && o.inst.Args[0].Kind == ptx.ArgList:
				for _, d := range o.vec {
					join(of(d), *of(o.a))
				}
			default:
				from := *of(o.a) | *of(o.b) | *of(o.c)
				for _, s := range o.vec {
					from |= *of(s)
				}
				join(of(o.d), from)
			}
		}
	}
	k.sources = make([]sources, k.nSites)
	for o := range k.operations() {
		if o.inst == nil || o.size == 0 {
			continue
		}
		s := *of(o.a)
		k.sources[o.site] = s
		if global := o.space == ptx.Global || o.space == ptx.Generic; global && (o.rmw != nil || o.inst.Op == "st") {
			if !slices.Contains(k.written, s) {
				k.written = append(k.written, s)
			}
		}
	}
}

// loaded is the source of a value from memory: what the kernel itself stored there, or, of
// the width of a pointer, anything.
func loaded(o *op, stored sources) sources {
	if o.size == 8 && o.space != ptx.Const {
		return stored | anywhere
	}
	return stored
}

// elsewhere stands for a pointer that lies in no allocation in use.
var elsewhere = new(alloc)

// pointees are the allocations that the pointers of a launch lie in, by parameter; nil
// where a parameter is no address at all.
func (m *Memory) pointees(k *Kernel, params []byte) []*alloc {
	to := make([]*alloc, min(len(k.ParamSizes), maxSources))
	for i := range to {
		if k.ParamSizes[i] != 8 {
			continue
		}
		a, err := m.lookup(load(params[k.ParamOffsets[i]:], 8), 1)
		if err != nil && a != nil {
			a = elsewhere
		}
		to[i] = a
	}
	return to
}

// reaches reports whether an address with some sources may lie in an allocation.
func (s sources) reaches(a *alloc, pointees []*alloc) bool {
	if s&anywhere != 0 {
		return true
	}
	known := false
	for i, p := range pointees {
		if s>>i&1 != 0 && p != nil {
			if p == a || p == elsewhere {
				return true
			}
			known = true
		}
	}
	return !known
}

// writes reports whether a kernel may write an allocation.
func (k *Kernel) writes(a *alloc, pointees []*alloc) bool {
	return slices.ContainsFunc(k.written, func(s sources) bool { return s.reaches(a, pointees) })
}
