package exec

import (
	"math/bits"
	"slices"
	"sync"

	"gowarp/gpusim/count"
)

// What a launch touches in global memory: the distinct sectors of each block, from which
// come the distinct ones of the launch, its traffic to DRAM, and which buffers it fills.
//
// Blocks run in parallel and their warps in an order that is drawn, so all that is
// kept is independent of both: of a sector, the least step at which a warp used it.

// maxTouches is how many sectors of blocks are kept of a launch, 16 MiB; beyond, a sample
// of the lines, chosen by their addresses.
var maxTouches int64 = 1 << 21 // less in tests

// toucher notes what the blocks of one worker touch. Its stamps outlive a launch, since
// they are an eighth of the memory.
type toucher struct {
	launch *touches
	allocs []touched
	index  map[*alloc]int32
	last   *alloc // of the last access
	stamps []uint32
	at     int32
	// A stamp of at least begin is of this block: begin plus its place in list.
	begin  uint32
	list   []touch
	sorted []count.Touch

	kept   []count.Touch // of all blocks
	blocks []span
	level  int // of the lines that are kept
	// distinct counts sectors of blocks, however often other blocks touch them.
	distinct int64
}

// touched is what is known of an allocation: stamps of its sectors, and in this launch
// which were touched and which stored to.
type touched struct {
	a           *alloc
	stamps      []uint32
	any, stored []uint64
	width       int // of the narrowest store
}

// touch is a block's use of a sector.
type touch struct {
	sector uint32 // of the allocation
	alloc  int32
	key    uint32 // twice the least step, plus one if that was a store
	stored bool
}

// access is what a request does.
type access uint8

const (
	reads access = 1 << iota
	writes
)

type span struct{ block, first, end int }

// touches is what the touchers of a launch share.
type touches struct {
	mu     sync.Mutex
	levels [65]int64 // touches so far by their lines' level
	level  int
	most   int64
	order  bool // whether it matters who touched what, and when
}

// note counts a block's touches by level and returns the level from which lines are
// kept: the least at which no more than most are. At the end of a launch it depends on
// what was touched only.
func (t *touches) note(levels *[65]int64) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	var n int64
	for i := range levels {
		t.levels[i] += levels[i]
		if i >= t.level {
			n += t.levels[i]
		}
	}
	for n > t.most && t.level < 64 {
		n -= t.levels[t.level]
		t.level++
	}
	return t.level
}

// start prepares for a launch.
func (t *toucher) start(launch *touches) {
	t.launch, t.level, t.distinct = launch, 0, 0
	t.kept, t.blocks, t.list = t.kept[:0], t.blocks[:0], t.list[:0]
	t.last = nil
	// Freed allocations go, and with them their stamps.
	kept := t.allocs[:0]
	for _, a := range t.allocs {
		if !a.a.freed {
			a.any, a.stored, a.width = nil, nil, 0
			kept = append(kept, a)
		}
	}
	clear(t.allocs[len(kept):])
	t.allocs, t.index = kept, map[*alloc]int32{}
	for i := range kept {
		t.index[kept[i].a] = int32(i)
	}
	if t.begin == 0 {
		t.begin = 1
	}
}

// sectors notes an access to sectors first to last, by a warp in its given step.
func (t *toucher) sectors(m *Memory, first, last uint64, step uint32, how access) {
	addr := first * count.SectorBytes
	if a := t.last; (a == nil || addr-a.base >= uint64(len(a.data))) && !t.find(m, addr) {
		return // reported where it is accessed
	}
	base := t.last.base / count.SectorBytes // allocations begin at a sector
	key, store := step<<1, how&writes != 0
	if how == writes {
		key |= 1
	}
	stamps := t.stamps
	for s := first - base; s <= last-base && s < uint64(len(stamps)); s++ {
		if have := stamps[s]; have >= t.begin {
			e := &t.list[have-t.begin]
			e.key = min(e.key, key)
			e.stored = e.stored || store
			continue
		}
		stamps[s] = t.begin + uint32(len(t.list))
		t.list = append(t.list, touch{uint32(s), t.at, key, store})
	}
}

// find makes the allocation at an address the last one.
func (t *toucher) find(m *Memory, addr uint64) bool {
	a, err := m.lookup(addr, 1)
	if err != nil {
		return false
	}
	t.expect(site{a, t.place(a)})
	return true
}

// expect makes an instruction's last allocation, if it had one, the last one.
func (t *toucher) expect(s site) {
	if s.a != nil && s.a != t.last {
		t.last, t.at, t.stamps = s.a, s.at, t.allocs[s.at].stamps
	}
}

// place is the number of an allocation among those that this launch touches.
func (t *toucher) place(a *alloc) int32 {
	i, ok := t.index[a]
	if !ok {
		i = int32(len(t.allocs))
		t.allocs = append(t.allocs, touched{a: a, stamps: make([]uint32, (len(a.data)+count.SectorBytes-1)/count.SectorBytes)})
		t.index[a] = i
	}
	if e := &t.allocs[i]; e.any == nil {
		e.any, e.stored = make([]uint64, len(e.stamps)/64+1), make([]uint64, len(e.stamps)/64+1)
	}
	return i
}

// stores notes the width of a store.
func (t *toucher) stores(width int) {
	if t.last == nil {
		return
	}
	if e := &t.allocs[t.at]; e.width == 0 || width < e.width {
		e.width = width
	}
}

// endBlock takes over what a block touched.
func (t *toucher) endBlock(number int) {
	var levels [65]int64
	t.sorted = t.sorted[:0]
	for i := range t.list {
		e := &t.list[i]
		a := &t.allocs[e.alloc]
		a.any[e.sector/64] |= 1 << (e.sector % 64)
		if e.stored {
			a.stored[e.sector/64] |= 1 << (e.sector % 64)
		}
		if !t.launch.order {
			continue
		}
		touch := count.NewTouch(e.key>>1, (a.a.base-GlobalBase)/count.SectorBytes+uint64(e.sector), e.key&1 == 0, e.stored)
		level := touch.Level()
		levels[level]++
		if level >= t.level {
			t.sorted = append(t.sorted, touch)
		}
	}
	t.distinct += int64(len(t.list))
	if uint64(t.begin)+uint64(len(t.list)) > 1<<31 {
		for i := range t.allocs {
			clear(t.allocs[i].stamps)
		}
		t.begin = 1
	} else {
		t.begin += uint32(len(t.list))
	}
	t.list = t.list[:0]
	if !t.launch.order {
		return
	}
	slices.Sort(t.sorted)
	first := len(t.kept)
	t.kept = append(t.kept, t.sorted...)
	t.blocks = append(t.blocks, span{number, first, len(t.kept)})
	t.thin(t.launch.note(&levels))
}

// thin drops lines below a level.
func (t *toucher) thin(level int) {
	if level <= t.level {
		return
	}
	t.level = level
	to := 0
	for i := range t.blocks {
		b := &t.blocks[i]
		from := t.kept[b.first:b.end]
		b.first = to
		for _, x := range from {
			if x.Level() >= level {
				t.kept[to] = x
				to++
			}
		}
		b.end = to
	}
	t.kept = t.kept[:to]
}

// traffic is that of the blocks of all workers.
func traffic(all []*worker, launch *touches, l2 count.L2) count.Traffic {
	var blocks []count.Block
	for _, w := range all {
		t := w.toucher
		t.thin(launch.level)
		for _, b := range t.blocks {
			blocks = append(blocks, count.Block{Number: b.block, Touches: t.kept[b.first:b.end]})
		}
	}
	slices.SortFunc(blocks, func(a, b count.Block) int { return a.Number - b.Number })
	return l2.Traffic(blocks, launch.level)
}

// touched adds up what a launch touched: it returns the distinct bytes, and notes for each
// allocation what was stored to it.
func (m *Memory) touched(all []*worker, kernel string, share float64) int64 {
	merged := map[*alloc]*touched{}
	for _, w := range all {
		for i := range w.toucher.allocs {
			e := &w.toucher.allocs[i]
			have := merged[e.a]
			switch {
			case e.any == nil:
			case have == nil:
				merged[e.a] = e
			default:
				for k := range e.any {
					have.any[k] |= e.any[k]
					have.stored[k] |= e.stored[k]
				}
				if have.width == 0 || e.width != 0 && e.width < have.width {
					have.width = e.width
				}
			}
		}
	}
	sectors := 0
	for a, e := range merged {
		for _, b := range e.any {
			sectors += bits.OnesCount64(b)
		}
		if e.width > 0 {
			a.fill(kernel, e.stored, e.width, share)
		}
	}
	return int64(sectors) * count.SectorBytes
}

// toucher is one that an earlier launch has left, or a new one.
func (m *Memory) toucher() *toucher {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := len(m.touchers); k > 0 {
		t := m.touchers[k-1]
		m.touchers = m.touchers[:k-1]
		return t
	}
	return &toucher{}
}

func (m *Memory) keepTouchers(all []*worker) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, w := range all {
		m.touchers = append(m.touchers, w.toucher)
	}
}
