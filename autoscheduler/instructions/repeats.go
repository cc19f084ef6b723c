package instructions

import "gowarp/halideir/access"

// repeat is an operation that a definition has at several places, and what it costs at each.
type repeat struct {
	*access.Repeat
	op operations
}

// shareRepeats takes out what points side by side compute more than once, as the compiler's common-subexpression elimination does.
func (c *Part) shareRepeats(e *Estimator, o *operations, shifts []Shift) {
	seen := &e.seen.repeats
	for i := range o.repeats {
		r := &o.repeats[i]
		seen.Clear()
		for _, s := range shifts {
			for _, at := range r.At {
				k := key(0)
				for j, l := range r.Loops {
					k = k.and(at[j] + s.of(l))
				}
				seen.Add(uint64(k))
			}
		}
		if more := len(shifts)*len(r.At) - seen.Len(); more > 0 {
			c.compute(&r.op, -float64(more), true)
		}
	}
}
