package exec

import (
	"strings"

	"gowarp/gpusim/check"
)

// cached returns the allocation that holds bytes at addr if it is the one that this
// instruction accessed last, or another that is in use.
func (w *worker) cached(o *op, addr uint64, bytes int) *alloc {
	a := w.allocs[o.site]
	if a != nil && addr-a.base <= uint64(len(a.data)) && addr-a.base+uint64(bytes) <= uint64(len(a.data)) {
		return a
	}
	a, err := w.memory.lookup(addr, bytes)
	if err != nil {
		return nil
	}
	w.allocs[o.site] = a
	return a
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
