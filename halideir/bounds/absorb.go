package bounds

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"

	"gowarp/halideir"
)

// Absorbs reports whether a Func may be computed over up to more points beyond the end of each
// dimension without any input being asked for more than the pipeline needs of it anyway: every way to
// an input leads through a clamp against its edge, or ends inside of what others need. An output of the
// pipeline that is read on the way is as large as its caller made it, like an input. It holds at the
// estimated sizes and at others, at which what needs the most of an input may be something else.
func (r *Regions) Absorbs(p *halideir.Pipeline, fn int, more int64) bool {
	return r.atAllSizes.once(fn, more, func() bool {
		if !r.absorbsAtEstimates(p, fn, more) {
			return false
		}
		r.resize.Do(func() { r.others = otherSizes(p) })
		for _, o := range r.others {
			if !o.regions.absorbsAtEstimates(o.p, fn, more) {
				return false
			}
		}
		return true
	})
}

func (r *Regions) absorbsAtEstimates(p *halideir.Pipeline, fn int, more int64) bool {
	return r.atEstimates.once(fn, more, func() bool { return r.absorbsOnce(p, fn, more) })
}

// answers are by Func and by how much more of it is computed, where that is a power of two: two bits each, whether it is known and what it is. It is the same whoever asks
// first, and asked for every candidate of a search.
type answers []atomic.Uint64

const (
	known = 1
	yes   = 2
)

func (a answers) once(fn int, more int64, work func() bool) bool {
	at, keeps := place(more)
	if !keeps {
		return work()
	}
	if is := a[fn].Load() >> at; is&known != 0 {
		return is&yes != 0
	}
	is := uint64(known)
	if work() {
		is |= yes
	}
	a[fn].Or(is << at)
	return is&yes != 0
}

// refused reports whether the answer is known to be no.
func (a answers) refused(fn int, more int64) bool {
	at, keeps := place(more)
	return keeps && a[fn].Load()>>at&(known|yes) == known
}

// place is where the two bits are.
func place(more int64) (at int, keeps bool) {
	at = 2 * bits.TrailingZeros64(uint64(more))
	return at, more > 0 && more&(more-1) == 0 && at < 64
}

// need is a box of a Func that is computed, or of which more is than the pipeline needs.
type need struct {
	fn  int
	box Box
}

func (r *Regions) absorbsOnce(p *halideir.Pipeline, fn int, more int64) bool {
	waiting := []need{{fn, widened(r.Funcs[fn], more)}} // that were not looked at, by ascending Func
	for len(waiting) > 0 {
		id, box := waiting[len(waiting)-1].fn, waiting[len(waiting)-1].box
		waiting = waiting[:len(waiting)-1]
		if id != fn {
			whole := widened(r.Funcs[id], more)
			switch {
			case len(waiting) == 0 && covers(whole, box):
				// It is all that is left to look at, and was or will be looked at by itself.
				if yes := r.absorbsAtEstimates(p, id, more); yes || covers(box, whole) {
					return yes
				}
			case r.atEstimates.refused(id, more) && covers(box, whole):
				return false // what is less was too much
			}
		}
		f := &p.Funcs[id]
		if f.Extern != nil || len(f.Bounds) > 0 {
			return false
		}
		for s := range f.Stages {
			loops, err := r.Loops(p, id, s)
			if err != nil {
				return false
			}
			env := halideir.Env{Lo: make([]int64, len(loops)), Hi: make([]int64, len(loops))}
			for l, iv := range loops {
				if a := f.Stages[s].Loops[l].Arg; a >= 0 {
					iv = iv.Union(box[a])
				}
				env.Lo[l], env.Hi[l] = iv.Lo, iv.Hi
			}
			for _, e := range r.Edges(id, s) {
				if e.Func == id {
					continue
				}
				needed, ok := EvalBox(p, e, env)
				switch {
				case !ok:
					return false
				case e.Func < 0:
					if !covers(r.Inputs[e.Input], needed) {
						return false
					}
				case !covers(r.Funcs[e.Func], needed):
					if p.Funcs[e.Func].Output {
						return false
					}
					at, there := slices.BinarySearchFunc(waiting, e.Func, func(n need, fn int) int { return cmp.Compare(n.fn, fn) })
					if !there {
						waiting = slices.Insert(waiting, at, need{e.Func, slices.Clone(r.Funcs[e.Func])})
					}
					for k := range needed {
						waiting[at].box[k] = waiting[at].box[k].Union(needed[k])
					}
				}
			}
		}
	}
	return true
}

func widened(b Box, more int64) Box {
	out := append(Box(nil), b...)
	for k := range out {
		out[k].Hi += more
	}
	return out
}

// EvalBox is the box that an edge needs for the loops of env, if all its ends are known.
func EvalBox(p *halideir.Pipeline, e *halideir.Edge, env halideir.Env) (Box, bool) {
	box := make(Box, len(e.Box))
	for k, rg := range e.Box {
		lo, okLo := p.EvalInt(rg.Lo, env)
		hi, okHi := p.EvalInt(rg.Hi, env)
		if !okLo || !okHi {
			return nil, false
		}
		box[k] = Interval{lo, hi}
	}
	return box, true
}

// covers reports whether all of b is in a.
func covers(a, b Box) bool {
	for k := range b {
		if !a[k].Contains(b[k]) {
			return false
		}
	}
	return true
}
