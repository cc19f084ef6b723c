package exec

import (
	"fmt"
	"strings"

	"gowarp/gpusim/check"
)

// site is where an instruction's last access went.
type site struct {
	a  *alloc
	at int32 // its place among those of the toucher
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
	w.sites[o.site] = site{a, w.toucher.place(a)}
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
