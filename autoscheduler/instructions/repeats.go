package instructions

import (
	"slices"

	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// repeat is an operation that a definition has at several places, and what it costs at each.
type repeat struct {
	*access.Repeat
	op    operations
	loops uint64 // that it moves with, a bit each
	moved bool   // shareMoving counts it once for all points that differ along other loops only
}

func repeatsOf(st *access.Stage) []repeat {
	out := make([]repeat, len(st.Repeats))
	for i := range st.Repeats {
		r := repeat{Repeat: &st.Repeats[i], op: operationsOf(&st.Repeats[i].Ops)}
		for _, l := range r.Loops {
			r.loops |= access.LoopBit(l)
		}
		r.moved = slices.ContainsFunc(st.Moving, func(m access.Moving) bool { return m.Loops == r.loops })
		out[i] = r
	}
	return out
}

// shareRepeats takes out what points side by side compute more than once, as the compiler's common-subexpression elimination does, but for what shareMoving has taken out.
func (c *Part) shareRepeats(e *Estimator, n *plan.Nest, o *operations, shifts []Shift) {
	seen := &e.seen.repeats
	for i := range o.repeats {
		r := &o.repeats[i]
		distinct := func(places [][]int64) int {
			seen.Clear()
			for _, s := range shifts {
				for _, at := range places {
					k := key(0)
					for j, l := range r.Loops {
						k = k.and(at[j] + s.of(l))
					}
					seen.Add(uint64(k))
				}
			}
			return seen.Len()
		}
		points, each := len(shifts), 1.0
		if r.moved {
			points, each = distinct(r.At[:1]), shareOf(n, r.loops)
		}
		if more := points*len(r.At) - distinct(r.At); more > 0 {
			c.compute(&r.op, -float64(more)*each, true)
		}
	}
}
