package exec

import (
	"math/bits"
	"unsafe"

	"gowarp/gpusim/ptx"
)

// The usual loads and stores, of all lanes at once: every lane in the same allocation or in
// shared memory, registers as wide as the elements (op.plain). What is unusual goes lane by
// lane, in access.go.

// oneAlloc is the allocation that all active lanes access, nil if they do not lie in one or the
// instruction is not plain.
func (w *warp) oneAlloc(o *op, bytes int) *alloc {
	if !o.plain {
		return nil
	}
	a := w.w.cached(o, w.addr[bits.TrailingZeros32(w.mask)], bytes)
	if a == nil || !w.within(a.base, len(a.data), bytes) {
		return nil
	}
	return a
}

// within reports whether all active lanes lie in size bytes from base on.
func (w *warp) within(base uint64, size, bytes int) bool {
	if size < bytes {
		return false
	}
	limit := uint64(size - bytes)
	if w.pattern != scattered {
		return w.addr[0]-base <= limit && w.addr[31]-base <= limit // addresses ascend
	}
	for m := w.mask; m != 0; m &= m - 1 {
		if w.addr[bits.TrailingZeros32(m)&31]-base > limit {
			return false
		}
	}
	return true
}

// gather loads from memory that begins at address base and holds all active lanes.
func (w *warp) gather(o *op, data, shadow []byte, base uint64) {
	p, q := unsafe.Pointer(unsafe.SliceData(data)), unsafe.Pointer(unsafe.SliceData(shadow))
	for k, s := range o.vec {
		from := base - uint64(k*int(o.size)) // modulo 2^64
		var bad uint32
		switch {
		case o.size == 8:
			bad = gather64(w, s, p, q, from)
		case o.size == 2:
			bad = gather32[uint16](w, o, s, p, q, from)
		case o.size == 1:
			bad = gather32[uint8](w, o, s, p, q, from)
		case w.pattern == scattered:
			bad = gather32[uint32](w, o, s, p, q, from)
		default:
			bad = w.gatherRegular(s, unsafe.Add(p, w.addr[0]-from), unsafe.Add(q, w.addr[0]-from))
		}
		var loaded ofLoad
		for m := bad; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			at := w.addr[lane] - from
			loaded.add(lane, o.element(w, s, lane, data[at:], shadow[at:], w.addr[lane]+uint64(k*int(o.size))))
		}
		w.taintLoaded(o, k, loaded)
	}
}

func gather32[T uint8 | uint16 | uint32](w *warp, o *op, s slot, p, q unsafe.Pointer, base uint64) (bad uint32) {
	d := &w.r32[s.at]
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		at := w.addr[lane] - base // within memory: the callers have checked it
		v := uint32(*(*T)(unsafe.Add(p, at)))
		if o.sext != 0 {
			v = uint32(sx(uint64(v), o.sext) & int64(o.outMax))
		}
		d[lane] = v
		if *(*T)(unsafe.Add(q, at)) != 0 {
			bad |= 1 << lane
		}
	}
	return bad
}

func gather64(w *warp, s slot, p, q unsafe.Pointer, base uint64) (bad uint32) {
	d := &w.r64[s.at]
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		at := w.addr[lane] - base
		d[lane] = *(*uint64)(unsafe.Add(p, at))
		if *(*uint64)(unsafe.Add(q, at)) != 0 {
			bad |= 1 << lane
		}
	}
	return bad
}

// gatherRegular loads words at equal distances into all lanes, the first from p.
func (w *warp) gatherRegular(s slot, p, q unsafe.Pointer) (bad uint32) {
	d := &w.r32[s.at]
	switch w.stride {
	case 0:
		v := *(*uint32)(p)
		for i := range d {
			d[i] = v
		}
		if *(*uint32)(q) != 0 {
			bad = all
		}
	case 4:
		*d = *(*lanes32)(p)
		shades := (*lanes64)(q) // half of it
		var any uint64
		for _, v := range shades[:16] {
			any |= v
		}
		if any != 0 {
			for i, v := range (*lanes32)(q) {
				if v != 0 {
					bad |= 1 << i
				}
			}
		}
	default:
		stride := uintptr(w.stride)
		for i := range d {
			d[i] = *(*uint32)(p)
			if *(*uint32)(q) != 0 {
				bad |= 1 << i
			}
			p, q = unsafe.Add(p, stride), unsafe.Add(q, stride)
		}
	}
	return bad
}

// scatter stores some lanes to memory that begins at address base and holds them.
func (w *warp) scatter(o *op, data, shadow []byte, base uint64, lanes uint32) {
	p, q := unsafe.Pointer(unsafe.SliceData(data)), unsafe.Pointer(unsafe.SliceData(shadow))
	for k, s := range o.vec {
		to := base - uint64(k*int(o.size))
		switch o.size {
		case 8:
			scatter64(w, o, k, p, q, to, lanes)
		case 2:
			scatter32[uint16](w, s, p, q, to, lanes)
		case 1:
			scatter32[uint8](w, s, p, q, to, lanes)
		default:
			if lanes == all && w.pattern == adjacent && w.taints[s.taint] == 0 && len(o.vec) == 1 {
				*(*lanes32)(unsafe.Add(p, w.addr[0]-to)) = w.r32[s.at]
				*(*lanes32)(unsafe.Add(q, w.addr[0]-to)) = lanes32{}
				continue
			}
			scatter32[uint32](w, s, p, q, to, lanes)
		}
	}
}

// shades are a shadow's words of values that are defined and that are not.
const shades = 0x0101010101010101 * undefined

func scatter32[T uint8 | uint16 | uint32](w *warp, s slot, p, q unsafe.Pointer, base uint64, lanes uint32) {
	v, bad := &w.r32[s.at], w.taints[s.taint]
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		at := w.addr[lane] - base
		*(*T)(unsafe.Add(p, at)) = T(v[lane])
		var shade uint64
		if bad>>lane&1 != 0 {
			shade = shades
		}
		*(*T)(unsafe.Add(q, at)) = T(shade)
	}
}

func scatter64(w *warp, o *op, k int, p, q unsafe.Pointer, base uint64, lanes uint32) {
	v := &w.r64[o.vec[k].at]
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		at := w.addr[lane] - base
		*(*uint64)(unsafe.Add(p, at)) = v[lane]
		*(*uint64)(unsafe.Add(q, at)) = w.shadeOf(o, k, lane)
	}
}

// storeGlobal stores to one allocation. While lanes' race cells are locked their bytes move,
// so that two stores of the same value are seen as that whichever comes second.
func (w *warp) storeGlobal(a *alloc, o *op, bytes int) {
	if w.w.checks {
		for _, s := range o.vec {
			if bad := w.taints[s.taint] & w.mask; bad != 0 {
				w.origin(o, s, bits.TrailingZeros32(bad))
			}
		}
	}
	if !w.w.checks || a.cells == nil {
		w.scatter(o, a.data, a.shadow, a.base, w.mask)
		return
	}
	left := w.mask
	if !o.atomic {
		left = 0
		g := w.k.globalGranule
		for m := w.mask; m != 0; {
			lanes, cell := w.lanesOnPage(a, m)
			m &^= lanes
			p, mu := a.page(cell)
			racing := uint32(0)
			for at := 0; at < bytes; at += g {
				racing |= p.WriteLanes(&w.addr, a.base-uint64(at), lanes&^racing, uint8(bits.TrailingZeros(uint(g))), w.access(0, false))
			}
			w.scatter(o, a.data, a.shadow, a.base, lanes&^racing)
			mu.Unlock()
			left |= racing
		}
	}
	w.storeLanes(o, ptx.Global, bytes, left)
}

// storeShared is the same in shared memory.
func (w *warp) storeShared(o *op, bytes int) {
	left := uint32(0)
	if w.w.checks {
		left = w.mask
		if !o.atomic {
			left = 0
			g := w.k.sharedGranule
			for at := 0; at < bytes; at += g {
				left |= w.w.races.WriteLanes(&w.addr, uint64(at), w.mask&^left, uint8(bits.TrailingZeros(uint(g))), w.first)
			}
		}
	}
	w.scatter(o, w.w.shared, w.w.sshade, 0, w.mask&^left)
	w.storeLanes(o, ptx.Shared, bytes, left)
}
