package plan

import "sync"

// Memo keeps what was worked out once, under keys that are bytes. It is for several goroutines; the zero value is empty.
type Memo struct {
	mu    sync.RWMutex
	known map[string]any
}

// Remember works something out once for each key. Two goroutines that ask for it at the same time may both work it out.
func Remember[V any](m *Memo, key []byte, work func() V) V {
	m.mu.RLock()
	v, ok := m.known[string(key)]
	m.mu.RUnlock()
	if ok {
		return v.(V)
	}
	v = work()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]any{}
	}
	m.known[string(key)] = v
	return v.(V)
}
