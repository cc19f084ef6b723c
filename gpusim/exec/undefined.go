package exec

import (
	"fmt"
	"math/bits"

	"gowarp/gpusim/check"
	"gowarp/gpusim/ptx"
)

// Undefined values as a GPU has them. Memory that nothing has written holds anything, so it
// reads as garbage here, not as zeros, which would make a good index of any value. Halide
// computes more than is asked for where it shifts a tile inwards beyond the start of a small
// region: such threads read what nothing wrote, may look it up in a table, and nobody reads what
// they store. The other threads of the warp must not come to harm by that.

// garbage is what 8 aligned bytes around an address hold before anything is written. The same
// place gives the same value throughout a launch (splitmix64 of the address and the seed).
func (w *worker) garbage(addr uint64) uint64 {
	h := (addr>>3 + w.launch.Seed<<40) * 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// garble puts garbage for those bytes of a loaded value that nothing has written. The value
// does not reach across a multiple of 8 bytes.
func (w *warp) garble(v, shade, addr uint64) uint64 {
	if !w.w.checks {
		return v
	}
	blank := shade & (0x0101010101010101 * unwritten) * 0xff
	return v&^blank | w.w.garbage(addr)>>(addr&7*8)&blank
}

// element is an element that lanes load, from memory and its shadow, which comes back.
func (o *op) element(w *warp, s slot, lane int, data, shadow []byte, addr uint64) (shade uint64) {
	v := load(data, int(o.size))
	if shadow != nil {
		shade = load(shadow, int(o.size))
	}
	if shade != 0 {
		v = w.garble(v, shade, addr)
	}
	if o.sext != 0 {
		v = uint64(sx(v, o.sext)) & o.outMax
	}
	w.fill(s, lane, v)
	return shade
}

// ofLoad notes in which lanes the k-th element of a load is undefined, and which half of it.
type ofLoad struct{ whole, low, high uint32 }

func (l *ofLoad) add(lane int, shade uint64) {
	if shade != 0 {
		l.whole |= 1 << lane
	}
	if uint32(shade) != 0 {
		l.low |= 1 << lane
	}
	if shade>>32 != 0 {
		l.high |= 1 << lane
	}
}

func (w *warp) taintLoaded(o *op, k int, l ofLoad) {
	w.taint(o.vec[k], l.whole)
	if h := o.half(k); h != nil {
		w.taint(slot{taint: h[0]}, l.low)
		w.taint(slot{taint: h[1]}, l.high)
	}
}

// half is the halves of the k-th element, nil where they are as defined as the whole.
func (o *op) half(k int) pair {
	if o.halves == nil {
		return nil
	}
	return o.halves[k]
}

// shadeOf is the shadow of the k-th element that a lane stores.
func (w *warp) shadeOf(o *op, k, lane int) uint64 {
	if w.taints[o.vec[k].taint]>>lane&1 == 0 {
		return 0
	}
	h := o.half(k)
	if h == nil {
		return shades
	}
	var shade uint64
	if w.taints[h[0]]>>lane&1 != 0 {
		shade |= shades & 0xffffffff
	}
	if w.taints[h[1]]>>lane&1 != 0 {
		shade |= shades &^ 0xffffffff
	}
	return shade
}

// doubtful is an access whose address is undefined in some lanes. To load there is harmless as
// long as the address, though it could be any, lies where the thread may load: what comes is
// undefined too, and found if it matters. Garbage that is not clamped to a table's
// indices lies elsewhere. Lanes that are found at fault take no part.
func (w *warp) doubtful(o *op, bytes int, bad uint32, run func(w *warp, o *op, bytes int)) {
	loads := o.rmw == nil && o.inst.Op == "ld"
	var harmless uint32
	if loads {
		harmless = w.harmless(o, bytes, bad)
	}
	mask := w.mask
	if wrong := bad &^ harmless; wrong != 0 {
		w.undefined(o.line, o.a, wrong, "is an address")
		w.mask &^= wrong
		w.pattern = scattered
	}
	if harmless != 0 {
		lane := bits.TrailingZeros32(harmless)
		w.find(o.line, check.UndefinedAddress, lane, fmt.Sprintf("loads %d bytes from where it may, at an address that depends on an undefined value: %s", bytes, w.blame(o.a, lane).why))
	}
	if w.mask != 0 {
		run(w, o, bytes)
	}
	w.mask = mask
	switch {
	case loads:
		for k, s := range o.vec {
			w.taints[s.taint] |= bad
			for _, h := range o.half(k) {
				w.taints[h] |= bad
			}
		}
	case o.rmw != nil:
		w.taints[o.d.taint] |= bad
	}
}

// harmless are those of some lanes whose addresses come from memory that nothing has written
// and lie where the instruction may load.
func (w *warp) harmless(o *op, bytes int, lanes uint32) uint32 {
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if !w.allowed(o, w.addr[lane], bytes) || !w.blame(o.a, lane).memory {
			lanes &^= 1 << lane
		}
	}
	return lanes
}

// allowed reports whether an address is one that an instruction may access.
func (w *warp) allowed(o *op, addr uint64, bytes int) bool {
	if addr%uint64(bytes) != 0 {
		return false
	}
	limit := 0
	switch o.space {
	case ptx.Global:
		return w.w.cached(o, addr, bytes) != nil
	case ptx.Shared:
		limit = len(w.w.shared)
	case ptx.Local:
		limit = w.k.LocalBytes
	case ptx.Const:
		limit = len(w.k.consts)
	}
	return addr <= uint64(limit) && addr+uint64(bytes) <= uint64(limit)
}
