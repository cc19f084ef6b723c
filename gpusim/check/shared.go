package check

// Shared remembers the accesses to a block's shared memory since its last barrier, by
// cells: bytes, or groups of bytes that are always accessed together. What lies before a
// barrier races with nothing behind it, so one number for each stretch between two
// barriers (an epoch) tells what still counts.
type Shared struct {
	epoch uint32
	used  uint8 // the kinds of accesses in this epoch
	cells [kinds][]uint32
}

// A cell's entry is the epoch, the thread, and whether it stands for other threads too.
const (
	sharedMany  = 1 << 0
	threadLow   = 1
	epochShift  = threadLow + threadBits
	lastEpoch   = 1<<(32-epochShift) - 1
	threadsMask = 1<<threadBits - 1
)

// NewShared has n cells.
func NewShared(n int) *Shared {
	s := &Shared{epoch: 1}
	for k := range s.cells {
		s.cells[k] = make([]uint32, n)
	}
	return s
}

// Next begins an epoch: a barrier has been passed, or another block begins.
func (s *Shared) Next() {
	s.used = 0
	if s.epoch == lastEpoch {
		for k := range s.cells {
			clear(s.cells[k])
		}
		s.epoch = 0
	}
	s.epoch++
}

// other is a thread other than this one that an entry stands for, or -1.
func (s *Shared) other(entry uint32, thread int) int {
	switch t := int(entry>>threadLow) & threadsMask; {
	case entry>>epochShift != s.epoch:
		return -1
	case t != thread:
		return t
	case entry&sharedMany != 0:
		return t // any of the others; which is not known
	}
	return -1
}

func (s *Shared) note(kind, n, thread int) {
	me := s.epoch<<epochShift | uint32(thread)<<threadLow
	slot := &s.cells[kind][n]
	if old := *slot; old>>epochShift == s.epoch && old != me {
		me |= sharedMany
	}
	*slot = me
	s.used |= 1 << kind
}

// Read notes a read of a cell and returns a thread whose write races with it, or -1.
func (s *Shared) Read(n, thread int, atomic bool) int {
	kind := plainRead
	race := s.other(s.cells[plainWrite][n], thread)
	if atomic {
		kind = atomicRead
	} else if t := s.other(s.cells[atomicWrite][n], thread); t >= 0 {
		race = t
	}
	s.note(kind, n, thread)
	return race
}

// Write notes a write and returns a thread whose access races with it, or -1, and
// whether that is a write too.
func (s *Shared) Write(n, thread int, atomic bool) (race int, written bool) {
	race = -1
	if t := s.other(s.cells[plainWrite][n], thread); t >= 0 {
		race, written = t, true
	} else if t := s.other(s.cells[atomicWrite][n], thread); t >= 0 && !atomic {
		race, written = t, true
	} else if t := s.other(s.cells[plainRead][n], thread); t >= 0 {
		race = t
	} else if t := s.other(s.cells[atomicRead][n], thread); t >= 0 && !atomic {
		race = t
	}
	kind := plainWrite
	if atomic {
		kind = atomicWrite
	}
	s.note(kind, n, thread)
	return race, written
}

// ReadLanes notes plain reads by the lanes of mask, lane 0 being the given thread, each of the
// cell at its (address + plus) >> shift. It returns the lanes that it has left out: the first that
// races and all behind it.
func (s *Shared) ReadLanes(addr *[32]uint64, plus uint64, mask uint32, shift uint8, thread int) uint32 {
	written := s.used & writes
	s.used |= 1 << plainRead
	me := s.epoch<<epochShift | uint32(thread)<<threadLow
	reads, plain, atomic := s.cells[plainRead], s.cells[plainWrite], s.cells[atomicWrite]
	for lane, m := 0, mask; m != 0; lane, m = lane+1, m>>1 {
		if m&1 != 0 {
			n := (addr[lane&31] + plus) >> (shift & 63)
			if written != 0 && (s.foreign(plain[n], me) || s.foreign(atomic[n], me)) {
				return mask &^ (1<<lane - 1)
			}
			v := me
			if old := reads[n]; old>>epochShift == s.epoch && old != me {
				v |= sharedMany
			}
			reads[n] = v
		}
		me += 1 << threadLow
	}
	return 0
}

// WriteLanes is the same of plain writes.
func (s *Shared) WriteLanes(addr *[32]uint64, plus uint64, mask uint32, shift uint8, thread int) uint32 {
	others := s.used &^ (1 << plainWrite)
	s.used |= 1 << plainWrite
	me := s.epoch<<epochShift | uint32(thread)<<threadLow
	for lane, m := 0, mask; m != 0; lane, m = lane+1, m>>1 {
		if m&1 != 0 {
			n := (addr[lane&31] + plus) >> (shift & 63)
			c := &s.cells[plainWrite][n]
			if s.foreign(*c, me) || others != 0 && (s.foreign(s.cells[atomicWrite][n], me) || s.foreign(s.cells[plainRead][n], me) || s.foreign(s.cells[atomicRead][n], me)) {
				return mask &^ (1<<lane - 1)
			}
			*c = me
		}
		me += 1 << threadLow
	}
	return 0
}

// foreign reports whether an entry stands for another thread than me, or for others too.
func (s *Shared) foreign(entry, me uint32) bool {
	return entry>>epochShift == s.epoch && entry != me
}
