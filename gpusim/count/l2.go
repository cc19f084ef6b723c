package count

import "math/bits"

// LineBytes is what L2 replaces at a time: four sectors, which it fetches one by one.
const LineBytes = 128

const sectorsPerLine = LineBytes / SectorBytes

// L2 is the cache of the model: how large it is, and how many blocks a device runs at a
// time. Without bytes there is no estimate.
type L2 struct {
	Bytes int
	Wave  int
}

// Traffic is what launches move between L2 and DRAM in the model.
type Traffic struct {
	L2Bytes        int   `json:"l2_bytes"`
	DRAMReadBytes  int64 `json:"dram_read_bytes"`
	DRAMWriteBytes int64 `json:"dram_write_bytes"`
	// OneLineIn is 1 if every line was followed, n if one of n was, chosen by a hash of
	// its address, and the figures are n times what those moved.
	OneLineIn int `json:"one_line_in"`
}

// Add adds another launch's.
func (t *Traffic) Add(o *Traffic) {
	t.L2Bytes = o.L2Bytes
	t.DRAMReadBytes += o.DRAMReadBytes
	t.DRAMWriteBytes += o.DRAMWriteBytes
	t.OneLineIn = max(t.OneLineIn, o.OneLineIn)
}

// Touch is a block's use of a sector, as a number whose order is that of time, then
// address: the step in which a warp of the block first used it (that warp's requests
// to global memory before), the sector, and whether it is read and written. A
// sector that the block writes before it reads it counts as written only.
type Touch uint64

const (
	stepBits   = 27
	sectorBits = 64 - stepBits - 2
	maxStep    = 1<<stepBits - 1
)

// NewTouch packs a touch.
func NewTouch(step uint32, sector uint64, read, write bool) Touch {
	t := Touch(min(step, maxStep))<<(sectorBits+2) | Touch(sector&(1<<sectorBits-1))<<2
	if read {
		t |= 2
	}
	if write {
		t |= 1
	}
	return t
}

func (t Touch) step() int      { return int(t >> (sectorBits + 2)) }
func (t Touch) sector() uint64 { return uint64(t) >> 2 & (1<<sectorBits - 1) }
func (t Touch) read() bool     { return t&2 != 0 }
func (t Touch) write() bool    { return t&1 != 0 }

// Level says for how thin a sample a sector's line is kept: one line in 2^n has a level of
// at least n.
func Level(sector uint64) int {
	// The finaliser of splitmix64: neighbours get unlike levels.
	h := sector/sectorsPerLine + 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return bits.LeadingZeros64(h ^ h>>31 | 1)
}

// Level is that of the touch's sector.
func (t Touch) Level() int { return Level(t.sector()) }

// Block is what one block touched, in ascending order.
type Block struct {
	Number  int // in the grid, x fastest
	Touches []Touch
}

// Traffic sends the touches of a launch's blocks, in ascending order of their numbers,
// through the cache. The blocks of a wave begin together and go on in step, wave after
// wave; only lines of at least the level are among the touches.
func (l L2) Traffic(blocks []Block, level int) Traffic {
	c := newCache(max(l.Bytes/LineBytes>>level, 1))
	wave := max(l.Wave, 1)
	var merged []Touch
	for first := 0; first < len(blocks); {
		end := first
		for end < len(blocks) && blocks[end].Number/wave == blocks[first].Number/wave {
			end++
		}
		merged = inStep(merged, blocks[first:end])
		for _, t := range merged {
			c.access(t.sector(), t.read(), t.write())
		}
		first = end
	}
	c.flush()
	return Traffic{L2Bytes: l.Bytes, DRAMReadBytes: c.fetched << level * SectorBytes, DRAMWriteBytes: c.written << level * SectorBytes, OneLineIn: 1 << level}
}

// inStep merges blocks: step by step, within a step block by block. It uses buf's memory.
func inStep(buf []Touch, blocks []Block) []Touch {
	last, n := 0, 0
	for _, b := range blocks {
		if k := len(b.Touches); k > 0 {
			last, n = max(last, b.Touches[k-1].step()), n+k
		}
	}
	// A counting sort, which keeps the order of what is equal. Very long blocks share
	// its buckets among neighbouring steps.
	shift := max(bits.Len(uint(last))-20, 0)
	at := make([]int, last>>shift+2)
	for _, b := range blocks {
		for _, t := range b.Touches {
			at[t.step()>>shift+1]++
		}
	}
	for i := 1; i < len(at); i++ {
		at[i] += at[i-1]
	}
	if cap(buf) < n {
		buf = make([]Touch, n)
	}
	buf = buf[:n]
	for _, b := range blocks {
		for _, t := range b.Touches {
			k := &at[t.step()>>shift]
			buf[*k] = t
			*k++
		}
	}
	return buf
}

// cache is fully associative and replaces the line that was used least recently. It writes
// back, and a write fetches nothing. Lines are a list through slots; slot 0 is its end.
type cache struct {
	most             int // lines that fit; they are made as they are used
	lines            []line
	at               table
	fetched, written int64 // sectors
}

type line struct {
	number       uint64
	newer, older int32
	valid, dirty uint8 // of its sectors
}

func newCache(lines int) *cache {
	return &cache{most: lines, lines: make([]line, 1)}
}

// table says in which slot a line is, 0 for none. Lines that are used lie in a few stretches of
// much memory: two levels of pages are quicker than a map.
type table []*[tablePage]*[tablePage]int32

const tablePage = 1 << 10

func (t *table) slot(line uint64) *int32 {
	n := line / (tablePage * tablePage)
	if n >= uint64(len(*t)) {
		*t = append(*t, make(table, n+1-uint64(len(*t)))...)
	}
	pages := (*t)[n]
	if pages == nil {
		pages = new([tablePage]*[tablePage]int32)
		(*t)[n] = pages
	}
	page := &pages[line/tablePage%tablePage]
	if *page == nil {
		*page = new([tablePage]int32)
	}
	return &(*page)[line%tablePage]
}

func (c *cache) access(sector uint64, read, write bool) {
	number, bit := sector/sectorsPerLine, uint8(1)<<(sector%sectorsPerLine)
	slot := c.at.slot(number)
	i := *slot
	switch {
	case i != 0:
		c.unlink(i)
	case len(c.lines) <= c.most:
		i = int32(len(c.lines))
		c.lines = append(c.lines, line{number: number})
		*slot = i
	default:
		i = c.lines[0].newer // the end's neighbour is the oldest
		c.unlink(i)
		old := &c.lines[i]
		c.written += int64(bits.OnesCount8(old.dirty))
		*c.at.slot(old.number) = 0
		*old = line{number: number}
		*slot = i
	}
	l, end := &c.lines[i], &c.lines[0]
	l.newer, l.older = 0, end.older
	c.lines[end.older].newer = i
	end.older = i
	if read && l.valid&bit == 0 {
		c.fetched++
	}
	l.valid |= bit
	if write {
		l.dirty |= bit
	}
}

func (c *cache) unlink(i int32) {
	l := &c.lines[i]
	c.lines[l.older].newer, c.lines[l.newer].older = l.newer, l.older
}

// flush writes what is dirty back: it reaches DRAM some time.
func (c *cache) flush() {
	for i := range c.lines[1:] {
		l := &c.lines[i+1]
		c.written += int64(bits.OnesCount8(l.dirty))
		l.dirty = 0
	}
}
