package bounds

import (
	"sync"

	"gowarp/halideir"
)

// Absorbs reports whether a Func may be computed over up to more points beyond the end of each
// dimension without any input being asked for more than the pipeline needs of it anyway: every way to
// an input leads through a clamp against its edge, or ends inside of what others need. An output of the
// pipeline that is read on the way is as large as its caller made it, like an input. It holds at the
// estimated sizes and at others, at which what needs the most of an input may be something else.
func (r *Regions) Absorbs(p *halideir.Pipeline, fn int, more int64) bool {
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
}

func (r *Regions) absorbsAtEstimates(p *halideir.Pipeline, fn int, more int64) bool {
	key := widening{fn, more}
	if yes, known := r.absorbs.of(key); known {
		return yes
	}
	yes := r.absorbsOnce(p, fn, more)
	r.absorbs.note(key, yes)
	return yes
}

// absorbed is what was found so far. It changes no answer, whoever asks first, and is for several goroutines.
type absorbed struct {
	mu    sync.RWMutex
	known map[widening]bool
}

func (a *absorbed) of(key widening) (yes, known bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	yes, known = a.known[key]
	return yes, known
}

func (a *absorbed) note(key widening, yes bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil {
		a.known = map[widening]bool{}
	}
	a.known[key] = yes
}

// widening is a Func and how much more of it is computed.
type widening struct {
	fn   int
	more int64
}

func (r *Regions) absorbsOnce(p *halideir.Pipeline, fn int, more int64) bool {
	waiting := 1                       // boxes that were not looked at
	boxes := make([]Box, len(p.Funcs)) // nil where nothing more is needed
	boxes[fn] = widened(r.Funcs[fn], more)
	for id := fn; id >= 0; id-- {
		f := &p.Funcs[id]
		if boxes[id] == nil {
			continue
		}
		if waiting == 1 && id != fn {
			// It is all that is left to look at, and was or will be looked at by itself.
			if whole := widened(r.Funcs[id], more); covers(whole, boxes[id]) {
				if yes := r.absorbsAtEstimates(p, id, more); yes || covers(boxes[id], whole) {
					return yes
				}
			}
		}
		waiting--
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
					iv = iv.Union(boxes[id][a])
				}
				env.Lo[l], env.Hi[l] = iv.Lo, iv.Hi
			}
			for _, e := range r.Edges(id, s) {
				if e.Func == id {
					continue
				}
				box, ok := EvalBox(p, e, env)
				switch {
				case !ok:
					return false
				case e.Func < 0:
					if !covers(r.Inputs[e.Input], box) {
						return false
					}
				case !covers(r.Funcs[e.Func], box):
					if p.Funcs[e.Func].Output {
						return false
					}
					if boxes[e.Func] == nil {
						boxes[e.Func] = append(Box(nil), r.Funcs[e.Func]...)
						waiting++
					}
					for k := range box {
						boxes[e.Func][k] = boxes[e.Func][k].Union(box[k])
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
