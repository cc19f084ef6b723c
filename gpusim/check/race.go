package check

// Access says who touches memory: a thread of a block, in an interval between two
// barriers of that block.
type Access uint64

// Fields of an Access, from the lowest bit. Intervals wrap: two accesses
// 2^19 barriers apart would look concurrent.
const (
	atomicBit   = 1 << 0
	manyThreads = 1 << 1 // more than this thread of the same interval read the byte
	manyBlocks  = 1 << 2 // more than this block read the byte
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

// Cell remembers the last accesses to a few bytes that are always accessed
// together. The zero value has seen none.
type Cell struct{ write, read, atomicRead Access }

// Forget makes a cell of shared memory empty for another block than that which used
// it last.
func (c *Cell) Forget(a Access) {
	if last := c.write | c.read | c.atomicRead; last != 0 && (c.write != 0 && !c.write.sameBlock(a) ||
		c.read != 0 && !c.read.sameBlock(a) || c.atomicRead != 0 && !c.atomicRead.sameBlock(a)) {
		*c = Cell{}
	}
}

// NextThread is what to add to an Access for that of the next thread of its block.
const NextThread Access = 1 << threadShift

// FirstRead notes a plain read of a cell that nobody else has touched. Of any other
// it returns false and does nothing.
func (c *Cell) FirstRead(a Access) bool {
	if c.write != 0 || c.read != 0 && c.read != a {
		return false
	}
	c.read = a
	return true
}

// Untouched reports whether nobody has accessed the cell.
func (c *Cell) Untouched() bool { return *c == Cell{} }

// Read notes a read and returns the write that races with it, or 0.
func (c *Cell) Read(a Access) Access {
	var race Access
	if c.write.concurrent(a) && c.write&a&atomicBit == 0 {
		race = c.write
	}
	slot := &c.read
	if a&atomicBit != 0 {
		slot = &c.atomicRead
	}
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
	return race
}

// Write notes a write and returns the access that races with it, or 0, and whether
// that is a write too.
func (c *Cell) Write(a Access) (race Access, written bool) {
	switch {
	case c.write.concurrent(a) && c.write&a&atomicBit == 0:
		race, written = c.write, true
	case c.read.racesWith(a):
		race = c.read
	case a&atomicBit == 0 && c.atomicRead.racesWith(a):
		race = c.atomicRead
	}
	c.write = a
	return race, written
}

// racesWith reports whether any of the readers that a remembered read stands for is
// concurrent with a write.
func (a Access) racesWith(write Access) bool {
	return a.concurrent(write) || a&manyBlocks != 0 || a&manyThreads != 0 && a.sameSpan(write)
}
