package keymap

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "gowarp/internal/fixedseed"
)

// TestMap does the same with a map of the language's.
func TestMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m Map
		if rapid.Bool().Draw(t, "old") {
			m.now = math.MaxUint32 - 1 // about to start again
		}
		is := map[uint64]int32{}
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			key := rapid.OneOf(rapid.Uint64Range(0, 90), rapid.Uint64()).Draw(t, "key")
			switch rapid.IntRange(0, 20).Draw(t, "what") {
			case 0:
				m.Clear()
				clear(is)
			case 1, 2, 3:
				_, had := is[key]
				if m.Add(key) == had {
					t.Fatalf("Add(%d) of a key that was there: %v", key, had)
				}
				if !had {
					is[key] = 0
				}
			case 4, 5, 6:
				if _, had := is[key]; m.Has(key) != had {
					t.Fatalf("Has(%d) is not %v", key, had)
				}
			case 7, 8, 9:
				bits := rapid.Int32().Draw(t, "bits")
				is[key] |= bits
				if got := m.Or(key, bits); got != is[key] {
					t.Fatalf("Or(%d, %#x) = %#x, want %#x", key, bits, got, is[key])
				}
			default:
				v := rapid.Int32().Draw(t, "value")
				want, had := is[key]
				if !had {
					want = v
					is[key] = v
				}
				if got, there := m.Put(key, v); got != want || there != had {
					t.Fatalf("Put(%d, %d) = %d, %v, not %d, %v", key, v, got, there, want, had)
				}
			}
			if m.Len() != len(is) {
				t.Fatalf("%d keys, not %d", m.Len(), len(is))
			}
		}
	})
}

// TestSpread: keys that differ only in some of their bits, wherever those are, lie near the slots that are theirs.
func TestSpread(t *testing.T) {
	const n = 1 << 10
	for shift := 0; shift <= 64-10; shift++ {
		var m Map
		for key := range uint64(n) {
			m.Add(key<<shift | 5)
		}
		empty := Map{slots: make([]slot, len(m.slots)), now: 1, shift: m.shift}
		steps := 0
		for key := range uint64(n) {
			k := key<<shift | 5
			steps += (m.at(k) - empty.at(k)) & (len(m.slots) - 1)
		}
		if steps > 4*n {
			t.Errorf("bits from %d on: %d steps for %d keys", shift, steps, n)
		}
	}
}
