package exec

import (
	"fmt"
	"math/bits"
	"strings"

	"gowarp/gpusim/check"
	"gowarp/gpusim/count"
)

// site is where an instruction's last access went.
type site struct {
	a       *alloc
	touched []uint64 // a bit for each of its sectors
}

// cached returns the allocation that holds bytes at addr if it is the one that this
// instruction accessed last, or another that it may access.
func (w *worker) cached(o *op, addr uint64, bytes int) *alloc {
	a := w.sites[o.site].a
	if a != nil && addr-a.base <= uint64(len(a.data)) && addr-a.base+uint64(bytes) <= uint64(len(a.data)) {
		return a
	}
	return w.enter(o, addr, bytes)
}

// enter looks an access's allocation up. It is nil where there is none, or the address comes
// from pointers into others only.
func (w *worker) enter(o *op, addr uint64, bytes int) *alloc {
	a, err := w.memory.lookup(addr, bytes)
	if err != nil || !w.k.sources[o.site].reaches(a, w.pointees) {
		return nil
	}
	if w.touched[a] == nil {
		w.touched[a] = make([]uint64, len(a.data)/count.SectorBytes/64+1)
	}
	w.sites[o.site] = site{a, w.touched[a]}
	return a
}

// resolve reports why an address is none of an allocation's.
func (w *worker) resolve(wp *warp, o *op, lane, bytes int) *alloc {
	a, err := w.memory.lookup(wp.addr[lane], bytes)
	if err == nil {
		if w.k.sources[o.site].reaches(a, w.pointees) {
			return a
		}
		err = fmt.Errorf("%d bytes at %#x, which the kernel computes from pointers into other allocations than this of %d bytes", bytes, wp.addr[lane], len(a.data))
	}
	kind := check.OutOfBounds
	if a != nil && a.freed && strings.Contains(err.Error(), "freed") {
		kind = check.Freed
	}
	wp.fail(o.line, kind, lane, "%v", err)
	return nil
}

// touchRange notes that a global request touches sectors first to last, at most 64.
func (w *worker) touchRange(o *op, first, last uint64) {
	if a := w.sites[o.site].a; a == nil || first*count.SectorBytes < a.base || last*count.SectorBytes >= a.base+uint64(len(a.data)) {
		if first != last {
			for s := first; s <= last; s++ {
				w.touchRange(o, s, s)
			}
			return
		}
		if w.enter(o, first*count.SectorBytes, 1) == nil {
			return // reported where it is accessed
		}
	}
	s := &w.sites[o.site]
	base := s.a.base / count.SectorBytes // allocations begin at a sector
	first, last = first-base, last-base
	bits := uint64(2)<<(last-first) - 1
	s.touched[first/64] |= bits << (first % 64)
	if first/64 != last/64 {
		s.touched[last/64] |= bits >> (64 - first%64)
	}
}

func coldBytes(set []uint64) int64 {
	n := 0
	for _, b := range set {
		n += bits.OnesCount64(b)
	}
	return int64(n * count.SectorBytes)
}

// startRaces prepares the race cells of all allocations that a launch may write: what is only
// read cannot race.
func (m *Memory) startRaces(k *Kernel, pointees []*alloc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.allocs {
		if !a.freed && k.writes(a, pointees) {
			a.cells = make([]*check.Page, len(a.data)/k.globalGranule/check.PageCells+1)
		}
	}
}

// endRaces forgets them: the end of a launch orders everything.
func (m *Memory) endRaces() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.allocs {
		for _, p := range a.cells {
			if p != nil {
				p.Clear()
				pagePool.Put(p)
			}
		}
		a.cells = nil
	}
}
