package check

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// history is the independent definition of a race: all accesses to one cell, each compared
// with each.
type history []struct {
	a     Access
	write bool
}

// races reports whether an access would race with an earlier one: other blocks, or other
// threads of the block in the same interval; at least one writes; not both atomic.
func (h history) races(a Access, write bool) bool {
	for _, p := range h {
		ordered := p.a.Block() == a.Block() && (!p.a.sameSpan(a) || p.a.Thread() == a.Thread())
		if !ordered && (p.write || write) && p.a&a&atomicBit == 0 {
			return true
		}
	}
	return false
}

func (h *history) add(a Access, write bool) {
	*h = append(*h, struct {
		a     Access
		write bool
	}{a, write})
}

// TestPage compares a page with the record of every access, until a cell has its first race:
// every race is found and no other.
func TestPage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	races := 0
	var p Page
	for round := range 40000 {
		p.Clear()
		var past history
		var text string
		interval := [3]uint32{}
		n := r.IntN(PageCells)
		for range 12 {
			block := r.IntN(3)
			if r.IntN(3) == 0 {
				interval[block]++
			}
			a, write := NewAccess(uint32(block), interval[block], r.IntN(3), r.IntN(3) == 0), r.IntN(2) == 0
			want := past.races(a, write)
			var got Access
			if write {
				got, _ = p.Write(n, a)
			} else {
				got = p.Read(n, a)
			}
			text += fmt.Sprintf("block %d thread %d interval %d atomic %v write %v; ", block, a.Thread(), interval[block], a&atomicBit != 0, write)
			if (got != 0) != want {
				t.Fatalf("round %d: %s: found %v, want %v", round, text, got != 0, want)
			}
			if want {
				races++
				break
			}
			past.add(a, write)
		}
	}
	if races < 1000 {
		t.Fatalf("only %d races", races)
	}
}

// TestLanes compares accesses of a warp's lanes together with the record: what is taken had no
// race, what is left had one.
func TestLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const cells = 48
	taken, races := 0, 0
	var p Page
	for range 5000 {
		p.Clear()
		var past [cells]history
		var broken [cells]bool // by an earlier race
		interval := [2]uint32{}
		base := 4 * uint64(r.IntN(1000))
		for range 8 {
			block := r.IntN(2)
			if r.IntN(3) == 0 {
				interval[block]++
			}
			write, atomic := r.IntN(2) == 0, r.IntN(4) == 0
			first := NewAccess(uint32(block), interval[block], 32*r.IntN(2), atomic)
			var addr [32]uint64
			at, step := r.IntN(cells), r.IntN(3)
			mask := r.Uint32() | r.Uint32()
			if r.IntN(2) == 0 {
				mask = 1 << r.IntN(32) // few, that races are not everywhere
			}
			for lane := range addr {
				addr[lane] = base + 4*uint64((at+lane*step)%cells)
			}
			left := mask
			if !atomic && write {
				left = p.WriteLanes(&addr, base, mask, 2, first)
			} else if !atomic {
				left = p.ReadLanes(&addr, base, mask, 2, first)
			}
			for _, alone := range []bool{false, true} {
				for lane := range 32 {
					if mask>>lane&1 == 0 || alone != (left>>lane&1 != 0) {
						continue
					}
					n, a := int(addr[lane]-base)/4, first+Access(lane)*NextThread
					want, got := past[n].races(a, write), Access(0)
					switch {
					case !alone:
						taken++
					case write:
						got, _ = p.Write(n, a)
					default:
						got = p.Read(n, a)
					}
					if (got != 0) != want && !broken[n] {
						t.Fatalf("cell %d: found %v, want %v", n, got != 0, want)
					}
					if want {
						races++
						broken[n] = true
					}
					past[n].add(a, write)
				}
			}
		}
	}
	if taken < 1000 || races < 1000 {
		t.Fatalf("only %d are taken, only %d races", taken, races)
	}
}

// TestShared is the same for shared memory, where one block runs at a time.
func TestShared(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const cells = 16
	s := NewShared(cells)
	races, together := 0, 0
	for round := range 20000 {
		s.Next()
		var past [cells]history
		var broken [cells]bool
		interval := uint32(0)
		for range 10 {
			if r.IntN(4) == 0 {
				interval++
				s.Next()
			}
			write, atomic := r.IntN(2) == 0, r.IntN(3) == 0
			first := 32 * r.IntN(2)
			var addr [32]uint64
			for lane := range addr {
				addr[lane] = uint64(r.IntN(cells)) * 4
				if r.IntN(2) == 0 {
					addr[lane] = uint64(lane%cells) * 4
				}
			}
			mask := r.Uint32() & r.Uint32() & r.Uint32()
			left := mask
			if !atomic {
				if write {
					left = s.WriteLanes(&addr, 0, mask, 2, first)
				} else {
					left = s.ReadLanes(&addr, 0, mask, 2, first)
				}
				if left != mask {
					together++
				}
			}
			one := func(lane int, alone bool) {
				n := int(addr[lane] / 4)
				a := NewAccess(0, interval, first+lane, atomic)
				want := past[n].races(a, write)
				got := -1
				if alone {
					if write {
						got, _ = s.Write(n, first+lane, atomic)
					} else {
						got = s.Read(n, first+lane, atomic)
					}
				}
				if (got >= 0) != want && !broken[n] {
					t.Fatalf("round %d, cell %d: found %v, want %v", round, n, got >= 0, want)
				}
				if want {
					races++
					broken[n] = true
				}
				past[n].add(a, write)
			}
			for _, alone := range []bool{false, true} {
				for lane := range 32 {
					if mask>>lane&1 != 0 && alone == (left>>lane&1 != 0) {
						one(lane, alone)
					}
				}
			}
		}
	}
	if races < 1000 || together < 1000 {
		t.Fatalf("%d races, %d together", races, together)
	}
}

// TestEpochs: when their numbers begin again, nothing is left of those before.
func TestEpochs(t *testing.T) {
	s := NewShared(1)
	s.Write(0, 1, false)
	s.epoch = lastEpoch
	s.Next()
	if other := s.Read(0, 2, false); other >= 0 {
		t.Errorf("a race with thread %d of long ago", other)
	}
}
