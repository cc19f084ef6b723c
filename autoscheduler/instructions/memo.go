package instructions

import (
	"sync"

	"gowarp/internal/keymap"
)

// shapeBytes is as long as most shapes are.
const shapeBytes = 192

// memo keeps what was worked out for each shape.
type memo[V any] struct {
	mu    sync.RWMutex
	known map[string]V
}

func newMemo[V any]() *memo[V] { return &memo[V]{known: map[string]V{}} }

// remember works something out once for each shape.
func remember[V any](m *memo[V], shape []byte, work func() V) V {
	m.mu.RLock()
	v, ok := m.known[string(shape)]
	m.mu.RUnlock()
	if ok {
		return v
	}
	v = work()
	m.mu.Lock()
	m.known[string(shape)] = v
	m.mu.Unlock()
	return v
}

// seen is what a count has met so far.
type seen struct{ called, loaded, rows, columns, pointers, buffers, stores, sectors, vectors, widened, clamped, rowsOf, steps, wideRows, wideBuffers keymap.Map }

// allSeen are those that nobody counts with, kept for their memory.
var allSeen = sync.Pool{New: func() any { return new(seen) }}
