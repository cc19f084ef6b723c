package count

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// oracle is an L2 by the book: a slice of lines, the newest last, each with the sectors that
// it holds.
type oracle struct {
	most          int
	lines         []uint64
	valid, dirty  map[uint64]bool // by sector
	reads, writes int64
}

func (o *oracle) evict(line uint64) {
	for s := line * 4; s < line*4+4; s++ {
		if o.dirty[s] {
			o.writes++
		}
		delete(o.valid, s)
		delete(o.dirty, s)
	}
}

func (o *oracle) access(t Touch) {
	line := t.sector() / 4
	if i := slices.Index(o.lines, line); i >= 0 {
		o.lines = slices.Delete(o.lines, i, i+1)
	} else if len(o.lines) == o.most {
		o.evict(o.lines[0])
		o.lines = o.lines[1:]
	}
	o.lines = append(o.lines, line)
	if t.read() && !o.valid[t.sector()] {
		o.reads++
	}
	o.valid[t.sector()] = true
	if t.write() {
		o.dirty[t.sector()] = true
	}
}

// TestCacheAgainstOracle: random traces of one block a wave, so that the order is the blocks'.
func TestCacheAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		lines := 1 + r.IntN(40)
		span := 1 + r.IntN(60*4)
		var blocks []Block
		o := oracle{most: lines, valid: map[uint64]bool{}, dirty: map[uint64]bool{}}
		for n := range 1 + r.IntN(30) {
			b := Block{Number: n}
			for step := range r.IntN(40) {
				how := 1 + r.IntN(3)
				touch := NewTouch(uint32(step), uint64(r.IntN(span)), how&1 != 0, how&2 != 0)
				b.Touches = append(b.Touches, touch)
				o.access(touch)
			}
			blocks = append(blocks, b)
		}
		for _, l := range o.lines {
			o.evict(l)
		}
		got := L2{Bytes: lines * LineBytes, Wave: 1}.Traffic(blocks, 0)
		if want := (Traffic{lines * LineBytes, 32 * o.reads, 32 * o.writes, 1}); got != want {
			t.Fatalf("%d lines: %+v, want %+v", lines, got, want)
		}
	}
}

// TestWave: two blocks stream the same 100 lines, through a cache of 10. One after the
// other each fetches all; together, in step, once.
func TestWave(t *testing.T) {
	var touches []Touch
	for s := range 400 {
		touches = append(touches, NewTouch(uint32(s), uint64(s), true, false))
	}
	for wave, want := range map[int]int64{1: 2 * 400 * 32, 2: 400 * 32} {
		got := L2{Bytes: 10 * LineBytes, Wave: wave}.Traffic([]Block{{0, touches}, {1, touches}}, 0)
		if got.DRAMReadBytes != want || got.DRAMWriteBytes != 0 {
			t.Errorf("waves of %d: %+v, want %d read", wave, got, want)
		}
	}
	// Steps decide, not the order of blocks: the second reads what the first has long
	// pushed out, unless it reads it at the same time.
	late := []Touch{NewTouch(399, 0, true, false)}
	early := []Touch{NewTouch(0, 0, true, false)}
	for _, c := range []struct {
		touches []Touch
		want    int64
	}{{late, 401 * 32}, {early, 400 * 32}} {
		if got := (L2{Bytes: 10 * LineBytes, Wave: 2}).Traffic([]Block{{0, touches}, {1, c.touches}}, 0); got.DRAMReadBytes != c.want {
			t.Errorf("%+v, want %d read", got, c.want)
		}
	}
}

func TestTouch(t *testing.T) {
	for _, c := range []struct {
		step   uint32
		sector uint64
		r, w   bool
	}{{0, 0, true, false}, {7, 1 << 34, false, true}, {1<<27 - 1, 1<<35 - 1, true, true}, {1 << 31, 3, false, false}} {
		x := NewTouch(c.step, c.sector, c.r, c.w)
		if x.step() != int(min(c.step, maxStep)) || x.sector() != c.sector || x.read() != c.r || x.write() != c.w {
			t.Errorf("%+v: %d %d %v %v", c, x.step(), x.sector(), x.read(), x.write())
		}
	}
	if !(NewTouch(1, 1<<34, true, true) < NewTouch(2, 0, false, false)) {
		t.Error("the order is not that of time")
	}
}

// TestSample: a sample of the lines, in a cache as much smaller, estimates what all do.
func TestSample(t *testing.T) {
	const level = 3
	r := rand.New(rand.NewPCG(1, 2))
	var full, thin []Block
	for n := range 400 {
		var b, s []Touch
		for k := range 400 {
			// Rows of a picture that neighbours share, and some from anywhere.
			sector := uint64(n/20*3000 + n%20*300 + k)
			if r.IntN(4) == 0 {
				sector = r.Uint64N(60000)
			}
			x := NewTouch(uint32(k/8), sector, true, k%4 == 0)
			b = append(b, x)
			if x.Level() >= level {
				s = append(s, x)
			}
		}
		slices.Sort(b)
		slices.Sort(s)
		full, thin = append(full, Block{n, b}), append(thin, Block{n, s})
	}
	l2 := L2{Bytes: 1 << 20, Wave: 16}
	want, got := l2.Traffic(full, 0), l2.Traffic(thin, level)
	if got.OneLineIn != 8 || want.OneLineIn != 1 {
		t.Errorf("one line in %d, %d", got.OneLineIn, want.OneLineIn)
	}
	for _, c := range [][2]int64{{got.DRAMReadBytes, want.DRAMReadBytes}, {got.DRAMWriteBytes, want.DRAMWriteBytes}} {
		if ratio := float64(c[0]) / float64(c[1]); ratio < .95 || ratio > 1.05 {
			t.Errorf("a sample gives %+v, all %+v", got, want)
		}
	}
}

// TestLevels: half of the lines have a level of 1 at least, and so on.
func TestLevels(t *testing.T) {
	var n [4]int
	const lines = 1 << 14
	for l := range uint64(lines) {
		level := Level(l * 4)
		for s := l * 4; s < l*4+4; s++ {
			if Level(s) != level {
				t.Fatal("sectors of a line have different levels")
			}
		}
		for k := range n {
			if level >= k {
				n[k]++
			}
		}
	}
	for k, have := range n {
		if want := lines >> k; have < want*9/10 || have > want*11/10 {
			t.Errorf("level %d: %d of %d lines", k, have, lines)
		}
	}
}
