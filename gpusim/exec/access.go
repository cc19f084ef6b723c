package exec

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"gowarp/gpusim/check"
	"gowarp/gpusim/count"
	"gowarp/gpusim/ptx"
)

// load reads n little-endian bytes.
func load(b []byte, n int) uint64 {
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func put(b []byte, n int, v uint64) {
	switch n {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// region is where a lane's access goes: the bytes and their shadow.
type region struct {
	data, shadow []byte
	held         *sync.Mutex // until the bytes have moved
}

func (r *region) done() {
	if r.held != nil {
		r.held.Unlock()
		r.held = nil
	}
}

// pattern is how the addresses of a full warp lie.
type pattern uint8

const (
	scattered pattern = iota // or the warp is not full
	uniform                  // one address
	regular                  // ascending at a distance of at most a sector
	adjacent                 // regular, and side by side
)

// addresses computes the lanes' addresses, of accesses bytes wide. It returns the lanes whose
// addresses are undefined.
func (w *warp) addresses(o *op, bytes int) uint32 {
	var regularly bool
	if o.a.class == double {
		regularly = shift64(&w.addr, &w.r64[o.a.at], o.offset)
	} else {
		var irregular, want uint64
		a := &w.r32[o.a.at]
		first, stride := a[0]+uint32(o.offset), a[1]-a[0]
		for i := range a {
			v := a[i] + uint32(o.offset)
			w.addr[i] = uint64(v)
			irregular |= uint64(v-first) ^ want
			want += uint64(stride)
		}
		regularly = irregular == 0
	}
	w.pattern = scattered
	if w.mask == all && regularly {
		switch w.stride = w.addr[1] - w.addr[0]; {
		case w.stride == 0:
			w.pattern = uniform
		case w.stride == uint64(bytes):
			w.pattern = adjacent
		case w.stride > uint64(bytes) && w.stride <= count.SectorBytes:
			w.pattern = regular
		}
	}
	if !w.w.checks {
		return 0
	}
	return w.taints[o.a.taint] & w.mask
}

// split takes a generic access apart: all lanes must be in one state space, and their
// addresses become addresses in it.
func (w *warp) split(o *op) (ptx.Space, bool) {
	if o.space != ptx.Generic {
		return o.space, true
	}
	at := func(a uint64) ptx.Space {
		switch a / windowBytes {
		case 1:
			return ptx.Shared
		case 2:
			return ptx.Local
		case 3:
			return ptx.Const
		}
		return ptx.Global
	}
	lane := bits.TrailingZeros32(w.mask)
	s := at(w.addr[lane])
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if at(w.addr[lane]) != s {
			w.fail(o.line, check.OutOfBounds, lane, "generic addresses of one warp instruction in two state spaces are not known to the simulator")
			return s, false
		}
		if s != ptx.Global {
			w.addr[lane] %= windowBytes
		}
	}
	return s, true
}

// aligned checks that all lanes' addresses are multiples of the access's width.
func (w *warp) aligned(o *op, bytes int) bool {
	var bad uint64
	if w.pattern != scattered {
		if (w.addr[0]|w.stride)&uint64(bytes-1) == 0 {
			return true
		}
	} else if w.mask == all {
		for i := range w.addr {
			bad |= w.addr[i]
		}
		if bad&uint64(bytes-1) == 0 {
			return true
		}
	}
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if w.addr[lane]&uint64(bytes-1) != 0 {
			w.fail(o.line, check.Misaligned, lane, "%d bytes at %#x", bytes, w.addr[lane])
			return false
		}
	}
	return true
}

// reach works out the lanes' addresses and runs an access of so many bytes a lane there.
func (w *warp) reach(o *op, bytes int, run func(w *warp, o *op, bytes int)) {
	if bad := w.addresses(o, bytes); bad != 0 {
		w.doubtful(o, bytes, bad, run)
	} else {
		run(w, o, bytes)
	}
}

// loadAny is ld from everything but .param.
func loadAny(w *warp, o *op) {
	w.reach(o, int(o.size)*len(o.vec), loadFrom)
}

// loadFrom loads bytes from the lanes' addresses.
func loadFrom(w *warp, o *op, bytes int) {
	space, ok := w.split(o)
	if !ok || !w.aligned(o, bytes) {
		return
	}
	c := &w.w.count
	switch space {
	case ptx.Global:
		c.GlobalLoads++
		w.sectors(bytes, &c.GlobalLoadSectors, o, reads)
		if a := w.oneAlloc(o, bytes); a != nil {
			w.gather(o, a.data, a.shadow, a.base)
			if w.w.checks {
				w.raceLoad(a, o, bytes)
			}
			return
		}
	case ptx.Shared:
		c.SharedLoads++
		w.wavefronts(bytes)
		if o.plain && w.within(0, len(w.w.shared), bytes) {
			w.gather(o, w.w.shared, w.w.sshade, 0)
			if w.w.checks {
				w.raceSharedLoad(o, bytes)
			}
			return
		}
	case ptx.Local:
		c.LocalLoads++
		c.LocalBytes += int64(bytes * bits.OnesCount32(w.mask))
	}
	var loaded [4]ofLoad
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		r, ok := w.region(space, lane, bytes, o, false)
		if !ok {
			return
		}
		for k, s := range o.vec {
			at := k * int(o.size)
			shadow := r.shadow
			if shadow != nil {
				shadow = shadow[at:]
			}
			loaded[k].add(lane, o.element(w, s, lane, r.data[at:], shadow, w.addr[lane]+uint64(at)))
		}
	}
	for k := range o.vec {
		w.taintLoaded(o, k, loaded[k])
	}
}

// storeAny is st.
func storeAny(w *warp, o *op) {
	w.reach(o, int(o.size)*len(o.vec), storeTo)
}

// storeTo stores bytes to the lanes' addresses.
func storeTo(w *warp, o *op, bytes int) {
	space, ok := w.split(o)
	if !ok || !w.aligned(o, bytes) {
		return
	}
	c := &w.w.count
	switch space {
	case ptx.Global:
		c.GlobalStores++
		w.sectors(bytes, &c.GlobalStoreSectors, o, writes)
		w.w.toucher.stores(int(o.size))
		if a := w.oneAlloc(o, bytes); a != nil {
			w.storeGlobal(a, o, bytes)
			return
		}
	case ptx.Shared:
		c.SharedStores++
		w.wavefronts(bytes)
		if o.plain && w.within(0, len(w.w.shared), bytes) {
			w.storeShared(o, bytes)
			return
		}
	case ptx.Local:
		c.LocalStores++
		c.LocalBytes += int64(bytes * bits.OnesCount32(w.mask))
	case ptx.Const:
		w.fail(o.line, check.OutOfBounds, bits.TrailingZeros32(w.mask), "a store to constant memory")
		return
	}
	w.storeLanes(o, space, bytes, w.mask)
}

// storeLanes stores lane by lane.
func (w *warp) storeLanes(o *op, space ptx.Space, bytes int, lanes uint32) {
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		r, ok := w.region(space, lane, bytes, o, true)
		if !ok {
			return
		}
		for k, s := range o.vec {
			at := k * int(o.size)
			put(r.data[at:], int(o.size), w.get(s, lane))
			w.shade(r, at, o, k, lane, space)
		}
		r.done()
	}
}

// shade notes whether what was stored is defined.
func (w *warp) shade(r region, at int, o *op, k, lane int, space ptx.Space) {
	if r.shadow == nil {
		return
	}
	v := w.shadeOf(o, k, lane)
	if v != 0 && space == ptx.Global && w.w.checks {
		w.origin(o, o.vec[k], lane)
	}
	put(r.shadow[at:], int(o.size), v)
}

// region resolves a lane's access and checks its bounds and races. When it returns
// false the launch has failed.
func (w *warp) region(space ptx.Space, lane, bytes int, o *op, write bool) (region, bool) {
	addr := w.addr[lane]
	in := func(data, shadow []byte, what string) (region, bool) {
		if addr > uint64(len(data)) || addr+uint64(bytes) > uint64(len(data)) {
			w.fail(o.line, check.OutOfBounds, lane, "%d bytes at %d of %d bytes of %s memory", bytes, addr, len(data), what)
			return region{}, false
		}
		r := region{data: data[addr:][:bytes]}
		if shadow != nil {
			r.shadow = shadow[addr:][:bytes]
		}
		return r, true
	}
	switch space {
	case ptx.Global:
		a := w.w.cached(o, addr, bytes)
		if a == nil {
			if a = w.w.resolve(w, o, lane, bytes); a == nil {
				return region{}, false
			}
		}
		off := addr - a.base
		r := region{data: a.data[off:][:bytes], shadow: a.shadow[off:][:bytes]}
		if w.w.checks && a.cells != nil {
			r.held = w.raceLane(a, o, lane, bytes, write)
			if !write {
				r.done()
			}
		}
		return r, true
	case ptx.Shared:
		r, ok := in(w.w.shared, w.w.sshade, "shared")
		if ok && w.w.checks {
			w.raceShared(lane, o, bytes, write)
		}
		return r, ok
	case ptx.Local:
		n := w.k.LocalBytes
		return in(w.local[lane*n:][:n], w.lshade[lane*n:][:n], "a thread's local")
	case ptx.Const:
		return in(w.k.consts, nil, "constant")
	}
	w.fail(o.line, check.OutOfBounds, lane, "an access to %s", spaceName(space))
	return region{}, false
}

// sectors counts a global request.
func (w *warp) sectors(bytes int, sectors *int64, o *op, how access) {
	step := w.requests
	w.requests++
	w.w.toucher.expect(w.w.sites[o.site])
	if w.pattern != scattered {
		// No gap is wider than a sector, and nothing lies across the end of one.
		first, last := w.addr[0]/count.SectorBytes, (w.addr[31]+uint64(bytes)-1)/count.SectorBytes
		*sectors += int64(last - first + 1)
		if w.pattern == uniform {
			bytes = 1
		}
		w.w.count.GlobalIdealSectors += int64(bytes) // 32 lanes, sectors of 32
		w.w.toucher.sectors(w.w.memory, first, last, step, how)
		return
	}
	set, ideal := count.Sectors(w.w.sectorSet[:0], &w.addr, w.mask, bytes)
	w.w.sectorSet = set
	*sectors += int64(len(set))
	w.w.count.GlobalIdealSectors += int64(ideal)
	for _, s := range set {
		w.w.toucher.sectors(w.w.memory, s, s, step, how)
	}
}

// wavefronts counts a shared request.
func (w *warp) wavefronts(bytes int) {
	if w.pattern == uniform && bytes <= 4 || w.pattern == adjacent && bytes == 4 {
		w.w.count.SharedWavefronts++
		return
	}
	passes, least := count.Wavefronts(&w.addr, w.mask, bytes)
	w.w.count.SharedWavefronts += int64(passes)
	w.w.count.SharedConflicts += int64(passes - least)
}

// atomicAny is atom and red, lane by lane.
func atomicAny(w *warp, o *op) {
	w.reach(o, int(o.size), atomicAt)
}

// atomicAt does the operation at the lanes' addresses.
func atomicAt(w *warp, o *op, bytes int) {
	space, ok := w.split(o)
	if !ok || !w.aligned(o, bytes) {
		return
	}
	if space == ptx.Shared {
		w.w.count.SharedAtomics++
		w.wavefronts(bytes)
	} else {
		w.w.count.GlobalAtomics++
		w.sectors(bytes, &w.w.count.GlobalAtomicSectors, o, reads|writes)
		w.w.toucher.stores(bytes)
		w.w.memory.atomics.Lock()
		defer w.w.memory.atomics.Unlock()
	}
	var bad uint32
	operands := w.taints[o.b.taint] | w.taints[o.c.taint]
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		r, ok := w.region(space, lane, bytes, o, true)
		if !ok {
			return
		}
		old := load(r.data, bytes)
		put(r.data, bytes, o.rmw(old, w.get(o.b, lane), w.get(o.c, lane))&o.outMax)
		if load(r.shadow, bytes) != 0 {
			bad |= 1 << lane
		}
		var shade uint64
		if (bad|operands)>>lane&1 != 0 {
			shade = 0x0101010101010101 * undefined
			if space == ptx.Global && w.w.checks {
				w.origin(o, o.b, lane)
			}
		}
		put(r.shadow, bytes, shade)
		r.done()
		w.fill(o.d, lane, old)
	}
	w.taint(o.d, bad)
}
