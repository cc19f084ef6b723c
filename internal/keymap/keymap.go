// Package keymap is a hash table from keys that are hashes already to small numbers, for counts that are made thousands of times: it is emptied
// in constant time and keeps its memory. A map of the language's does neither.
package keymap

import "math/bits"

// Map is a table from keys to numbers. The zero value is empty. It is not for several goroutines.
type Map struct {
	slots []slot // a power of two of them, at most half in use
	now   uint32 // slots of another generation are empty
	shift uint8  // leaves as many of the highest bits of a product as tell the slots apart
	n     int
}

type slot struct {
	key        uint64
	value      int32
	generation uint32
}

const least = 64 // slots

// Mix is the hash of what k is the hash of and another number.
func Mix(k, v uint64) uint64 {
	k = (k ^ v) * 0x9e3779b97f4a7c15
	return k ^ k>>29
}

// Clear removes all keys.
func (m *Map) Clear() {
	m.n = 0
	m.now++
	if m.now == 0 { // after four billion times
		clear(m.slots)
		m.now = 1
	}
}

// Len is how many keys there are.
func (m *Map) Len() int { return m.n }

// Has reports whether there is a key.
func (m *Map) Has(key uint64) bool {
	if m.n == 0 {
		return false
	}
	return m.slots[m.at(key)].generation == m.now
}

// Add puts a key in, and reports whether it was not there.
func (m *Map) Add(key uint64) bool {
	_, there := m.Put(key, 0)
	return !there
}

// Put gives a key a value if it has none, and returns the one it has and whether it had it before.
func (m *Map) Put(key uint64, value int32) (int32, bool) {
	if 2*m.n >= len(m.slots) {
		m.grow()
	}
	s := &m.slots[m.at(key)]
	if s.generation == m.now {
		return s.value, true
	}
	*s = slot{key, value, m.now}
	m.n++
	return value, false
}

// Or gives a key these bits besides those that it has, and returns all that it has then.
func (m *Map) Or(key uint64, bits int32) int32 {
	if _, there := m.Put(key, bits); !there {
		return bits
	}
	s := &m.slots[m.at(key)]
	s.value |= bits
	return s.value
}

// at is the slot that a key has or would have: by the highest bits of the product, since a key's own highest bits reach no others.
func (m *Map) at(key uint64) int {
	mask := len(m.slots) - 1
	i := int(key*0x9e3779b97f4a7c15>>(m.shift&63)) & mask
	for m.slots[i].generation == m.now && m.slots[i].key != key {
		i = (i + 1) & mask
	}
	return i
}

func (m *Map) grow() {
	old, was := m.slots, m.now
	m.slots, m.now = make([]slot, max(least, 2*len(old))), 1
	m.shift = uint8(bits.LeadingZeros64(uint64(len(m.slots) - 1)))
	if len(old) == 0 {
		return
	}
	for i := range old {
		if old[i].generation == was {
			m.slots[m.at(old[i].key)] = slot{old[i].key, old[i].value, m.now}
		}
	}
}
