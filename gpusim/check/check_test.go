package check

import (
	"math/rand/v2"
	"testing"
)

// TestCell compares the cell with a record of every access: a race is a pair of
// concurrent accesses, at least one a write, not both atomic. The cell must call
// out a race whenever the record has one with the newest access, unless an earlier
// race on the cell has hidden it, and never call out one that is not there.
func TestCell(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type event struct {
		a     Access
		write bool
	}
	races := 0
	for range 20000 {
		var c Cell
		var past []event
		interval := [3]uint32{}
		for range 8 {
			block := r.IntN(3)
			if r.IntN(3) == 0 {
				interval[block]++
			}
			e := event{NewAccess(uint32(block), interval[block], r.IntN(3), r.IntN(4) == 0), r.IntN(2) == 0}
			want := false
			for _, p := range past {
				ordered := p.a.Block() == e.a.Block() && (!p.a.sameSpan(e.a) || p.a.Thread() == e.a.Thread())
				if !ordered && (p.write || e.write) && p.a&e.a&atomicBit == 0 {
					want = true
				}
			}
			var got Access
			if e.write {
				got, _ = c.Write(e.a)
			} else {
				got = c.Read(e.a)
			}
			if got != 0 && !want {
				t.Fatalf("a race where there is none: %v, then %v", past, e)
			}
			if want && got == 0 && len(past) < 2 {
				t.Fatalf("a race is missed: %v, then %v", past, e)
			}
			if want {
				races++
				if got == 0 {
					// A plain access hidden behind an atomic one of the same cell
					// is the only thing that one remembered write may lose.
					hidden := false
					for _, p := range past {
						hidden = hidden || p.write
					}
					if !hidden {
						t.Fatalf("a race with a read is missed: %v, then %v", past, e)
					}
				}
				break
			}
			past = append(past, e)
		}
	}
	if races < 1000 {
		t.Fatalf("only %d races", races)
	}
}

func TestLog(t *testing.T) {
	var l Log
	l.Add(Finding{Kind: Misaligned, Kernel: "k", Line: 3, Block: [3]int{0, 1, 0}})
	l.Add(Finding{Kind: Misaligned, Kernel: "k", Line: 3, Block: [3]int{5, 0, 0}})
	l.Add(Finding{Kind: OutOfBounds, Kernel: "k", Line: 2})
	f := l.Findings()
	if len(f) != 2 || f[0].Line != 2 || f[1].Count != 2 || f[1].Block != [3]int{5, 0, 0} {
		t.Errorf("%v", f)
	}
}
