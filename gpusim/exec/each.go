package exec

import "math/bits"

// get is the value of a register in a lane.
func (w *warp) get(s slot, lane int) uint64 {
	switch s.class {
	case word:
		return uint64(w.r32[s.at][lane])
	case double:
		return w.r64[s.at][lane]
	case boolean:
		return uint64(w.preds[s.at] >> lane & 1)
	}
	return 0
}

// each runs a scalar definition in every active lane.
func each(w *warp, o *op) {
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		w.fill(o.d, lane, o.scalar(w.get(o.a, lane), w.get(o.b, lane), w.get(o.c, lane)))
	}
	w.taint3(o)
}

// eachPair does so for a definition with two predicates as results. Both are undefined where
// an operand is: of a register with two halves it is not known which half is.
func eachPair(w *warp, o *op) {
	bad := w.taints[o.a.taint] | w.taints[o.b.taint]
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		v := o.scalar(w.get(o.a, lane), w.get(o.b, lane), 0)
		w.fill(o.d, lane, v&1)
		w.fill(o.dpred, lane, v>>1)
	}
	w.taint(o.d, bad)
	w.taint(o.dpred, bad)
}

// taint3 makes a result undefined where an operand is.
func (w *warp) taint3(o *op) {
	t := w.taints
	d := &t[o.d.taint]
	*d = *d&^w.mask | (t[o.a.taint]|t[o.b.taint]|t[o.c.taint])&w.mask
}

// taintSelect makes a selection undefined where its condition or the chosen operand is.
func (w *warp) taintSelect(o *op, p uint32) {
	t := w.taints
	w.taint(o.d, t[o.c.taint]|t[o.a.taint]&p|t[o.b.taint]&^p)
}

func activeMask(w *warp, o *op) {
	d := w.out32(o)
	for i := range d {
		d[i] = w.mask
	}
	w.commit32(o, d)
	w.taint(o.d, 0)
}

// packParts makes one register of two or four, the first the lowest.
func packParts(w *warp, o *op) {
	var bad uint32
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		var v uint64
		for k, s := range o.vec {
			v |= w.get(s, lane) << (int(o.sext) * k)
		}
		w.fill(o.d, lane, v)
	}
	for k, s := range o.vec {
		bad |= w.taints[s.taint]
		if o.parts != nil {
			w.taint(slot{taint: o.parts[k]}, w.taints[s.taint])
		}
	}
	w.taint(o.d, bad)
}

// unpackParts is the reverse. The source is read before any part is written. LLVM packs what it has of a pair, with anything in the place of the rest:
// where it is certain who packed it, a part is as defined as it was then.
func unpackParts(w *warp, o *op) {
	bad := w.taints[o.a.taint]
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		v := w.get(o.a, lane)
		for k, s := range o.vec {
			w.fill(s, lane, v>>(int(o.sext)*k)&mask(o.sext))
		}
	}
	for k, s := range o.vec {
		if o.parts != nil {
			bad = w.taints[o.parts[k]]
		}
		w.taint(s, bad)
	}
}

// runCarry is addition, subtraction and multiply-add with a carry into or out of the
// flag. The flag of subtraction is the borrow's complement's complement: 1 for a
// borrow, as PTX has it.
func runCarry(w *warp, o *op, base string, high, signed, takes, gives bool) {
	n := o.sext
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		a, b, c := w.get(o.a, lane), w.get(o.b, lane), w.get(o.c, lane)
		var in uint64
		if takes {
			in = uint64(w.carry >> lane & 1)
		}
		var v, out uint64
		switch base {
		case "sub":
			v, out = bits.Sub64(a, b, in)
			out &= 1
		case "mad":
			if high {
				a = mulHigh(a, b, n, signed)
			} else {
				a = a * b & mask(n)
			}
			b = c
			fallthrough
		default:
			v, out = bits.Add64(a, b, in)
			if n == 32 {
				out = v >> 32
			}
		}
		w.fill(o.d, lane, v&o.outMax)
		if gives {
			w.carry = w.carry&^(1<<lane) | uint32(out&1)<<lane
		}
	}
	bad := w.taints[o.a.taint] | w.taints[o.b.taint] | w.taints[o.c.taint]
	if takes {
		bad |= w.carryTaint
	}
	w.taint(o.d, bad)
	if gives {
		w.carryTaint = w.carryTaint&^w.mask | bad&w.mask
	}
}
