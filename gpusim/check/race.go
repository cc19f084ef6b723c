package check

// Access says who touches memory: a thread of a block, in an interval between two
// barriers of that block.
type Access uint64

// Fields of an Access, from the lowest bit. Intervals wrap: two accesses
// 2^19 barriers apart would look concurrent.
const (
	atomicBit   = 1 << 0
	manyThreads = 1 << 1 // stands for more than this thread of the same interval
	manyBlocks  = 1 << 2 // stands for more than this block
	threadShift = 3
	threadBits  = 10
	spanShift   = threadShift + threadBits
	spanBits    = 19
	blockShift  = 32
)

// NewAccess packs a thread (below 1024), its block and the number of barriers that
// the block has passed.
func NewAccess(block uint32, interval uint32, thread int, atomic bool) Access {
	a := Access(block+1)<<blockShift | Access(interval&(1<<spanBits-1))<<spanShift | Access(thread)<<threadShift
	if atomic {
		a |= atomicBit
	}
	return a
}

// Thread is the thread's number in its block.
func (a Access) Thread() int { return int(a>>threadShift) & (1<<threadBits - 1) }

// Block is the block's number.
func (a Access) Block() uint32 { return uint32(a>>blockShift) - 1 }

func (a Access) sameBlock(b Access) bool { return a>>blockShift == b>>blockShift }
func (a Access) sameSpan(b Access) bool  { return a>>spanShift == b>>spanShift }

func (a Access) sameThread(b Access) bool {
	return a>>threadShift == b>>threadShift
}

// concurrent reports whether nothing orders two accesses: different blocks, or
// different threads of a block in one interval.
func (a Access) concurrent(b Access) bool {
	if a == 0 {
		return false
	}
	if !a.sameBlock(b) {
		return true
	}
	return a.sameSpan(b) && !a.sameThread(b)
}

// NextThread is what to add to an Access for that of the next thread of its block.
const NextThread Access = 1 << threadShift

// PageCells is how many cells a Page has.
const PageCells = 1024

// Page remembers the accesses to PageCells cells: bytes, or groups of bytes that are always
// accessed together. The zero value has seen none.
//
// Of each kind of access to a cell the newest is remembered, and whether it stands for more. A
// race is found whenever there is one, unless the cell had one before.
type Page struct {
	used  uint8 // the kinds that any cell has seen
	cells [kinds][PageCells]Access
}

// The kinds of accesses.
const (
	plainWrite = iota
	atomicWrite
	plainRead
	atomicRead
	kinds
)

const writes = 1<<plainWrite | 1<<atomicWrite

// Clear forgets everything.
func (p *Page) Clear() {
	for k := range p.cells {
		if p.used>>k&1 != 0 {
			clear(p.cells[k][:])
		}
	}
	p.used = 0
}

// Read notes a read of a cell and returns a write that races with it, or 0.
func (p *Page) Read(n int, a Access) Access {
	var race Access
	kind := plainRead
	if w := p.cells[plainWrite][n]; w.concurrent(a) {
		race = w
	}
	if a&atomicBit != 0 {
		kind = atomicRead
	} else if w := p.cells[atomicWrite][n]; w.racesWith(a) {
		race = w
	}
	p.note(kind, n, a)
	return race
}

// Write notes a write and returns an access that races with it, or 0, and whether
// that is a write too.
func (p *Page) Write(n int, a Access) (race Access, written bool) {
	atomic := a&atomicBit != 0
	if w := p.cells[plainWrite][n]; w.concurrent(a) {
		race, written = w, true
	} else if w := p.cells[atomicWrite][n]; !atomic && w.racesWith(a) {
		race, written = w, true
	} else if r := p.cells[plainRead][n]; r.racesWith(a) {
		race = r
	} else if r := p.cells[atomicRead][n]; !atomic && r.racesWith(a) {
		race = r
	}
	if atomic {
		p.note(atomicWrite, n, a)
	} else {
		p.cells[plainWrite][n] = a
		p.used |= 1 << plainWrite
	}
	return race, written
}

// note remembers an access, and that it stands for the older ones of its kind too.
func (p *Page) note(kind, n int, a Access) {
	slot := &p.cells[kind][n]
	switch old := *slot; {
	case old == 0 || old.sameThread(a):
		a |= old & (manyThreads | manyBlocks)
	case !old.sameBlock(a):
		a |= manyBlocks
	case old.sameSpan(a):
		a |= manyThreads | old&manyBlocks
	default:
		a |= old & manyBlocks
	}
	*slot = a
	p.used |= 1 << kind
}

// ReadLanes notes plain reads by the lanes of mask, a being that of lane 0: each lane reads
// the cell at its (address - base) >> shift, modulo PageCells. It returns the lanes that it
// has left out: the first that races and all behind it.
func (p *Page) ReadLanes(addr *[32]uint64, base uint64, mask uint32, shift uint8, a Access) uint32 {
	written := p.used & writes
	p.used |= 1 << plainRead
	for lane, m := 0, mask; m != 0; lane, m = lane+1, m>>1 {
		if m&1 != 0 {
			n := (addr[lane&31] - base) >> (shift & 63) % PageCells
			switch old := p.cells[plainRead][n]; {
			case written != 0 && (p.cells[plainWrite][n].concurrent(a) || p.cells[atomicWrite][n].racesWith(a)):
				return mask &^ (1<<lane - 1)
			case old == 0:
				p.cells[plainRead][n] = a
			default:
				p.note(plainRead, int(n), a)
			}
		}
		a += NextThread
	}
	return 0
}

// WriteLanes is the same of plain writes.
func (p *Page) WriteLanes(addr *[32]uint64, base uint64, mask uint32, shift uint8, a Access) uint32 {
	others := p.used &^ (1 << plainWrite)
	p.used |= 1 << plainWrite
	for lane, m := 0, mask; m != 0; lane, m = lane+1, m>>1 {
		if m&1 != 0 {
			n := (addr[lane&31] - base) >> (shift & 63) % PageCells
			c := &p.cells[plainWrite][n]
			if c.concurrent(a) || others != 0 && (p.cells[atomicWrite][n].racesWith(a) || p.cells[plainRead][n].racesWith(a) || p.cells[atomicRead][n].racesWith(a)) {
				return mask &^ (1<<lane - 1)
			}
			*c = a
		}
		a += NextThread
	}
	return 0
}

// racesWith reports whether any of the accesses that a remembered one stands for is
// concurrent with another.
func (a Access) racesWith(b Access) bool {
	return a.concurrent(b) || a&manyBlocks != 0 || a&manyThreads != 0 && a.sameSpan(b)
}
