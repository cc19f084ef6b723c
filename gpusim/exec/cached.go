package exec

import (
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
// instruction accessed last, or another that is in use.
func (w *worker) cached(o *op, addr uint64, bytes int) *alloc {
	a := w.sites[o.site].a
	if a != nil && addr-a.base <= uint64(len(a.data)) && addr-a.base+uint64(bytes) <= uint64(len(a.data)) {
		return a
	}
	a, err := w.memory.lookup(addr, bytes)
	if err != nil {
		return nil
	}
	w.enter(o, a)
	return a
}

// enter notes that an instruction accesses another allocation than before.
func (w *worker) enter(o *op, a *alloc) {
	if w.touched[a] == nil {
		w.touched[a] = make([]uint64, len(a.data)/count.SectorBytes/64+1)
	}
	w.sites[o.site] = site{a, w.touched[a]}
}

// resolve reports why an address is none of an allocation's.
func (w *worker) resolve(wp *warp, o *op, lane, bytes int) *alloc {
	a, err := w.memory.lookup(wp.addr[lane], bytes)
	if err == nil {
		return a
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
		a, err := w.memory.lookup(first*count.SectorBytes, 1)
		if err != nil {
			return // reported where it is accessed
		}
		w.enter(o, a)
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

// startRaces prepares the race cells of all allocations for a launch.
func (m *Memory) startRaces(granule int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.allocs {
		if !a.freed {
			a.cells = make([]*cellPage, len(a.data)/granule/pageGranules+1)
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
				*p = cellPage{}
				pagePool.Put(p)
			}
		}
		a.cells = nil
	}
}
