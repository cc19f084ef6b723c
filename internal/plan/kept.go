package plan

import "sync"

// Kept is what was worked out once, each under a key of its own. It is for several goroutines.
type Kept struct {
	mu      sync.RWMutex
	values  map[any]any
	forever *Kept // what holds whatever is inlined
}

// NewKept has nothing yet.
func NewKept() *Kept { return &Kept{values: map[any]any{}, forever: &Kept{values: map[any]any{}}} }

// Anew has nothing but what holds whatever is inlined, which it shares.
func (k *Kept) Anew() *Kept { return &Kept{values: map[any]any{}, forever: k.forever} }

// Get is what is kept under a key, nil if nothing is.
func (k *Kept) Get(key any) any {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.values[key]
}

// Put keeps something under a key that has nothing, and returns what is kept then: of two that are worked out at the same time the first.
func (k *Kept) Put(key, value any) any {
	k.mu.Lock()
	defer k.mu.Unlock()
	if was, ok := k.values[key]; ok {
		return was
	}
	k.values[key] = value
	return value
}

// Drop keeps nothing under a key any more.
func (k *Kept) Drop(key any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.values, key)
}

// Once is what work gives, kept for the problem under a key. Two goroutines that ask for it at the same time may both work it out, and get the same one.
func Once[T any](pr *Problem, key any, work func() T) T { return once(pr.Kept, key, work) }

// OnceForAll is Once for what hangs on the pipeline alone, not on what of it is inlined.
func OnceForAll[T any](pr *Problem, key any, work func() T) T {
	return once(pr.Kept.forever, key, work)
}

func once[T any](k *Kept, key any, work func() T) T {
	if v, ok := k.Get(key).(T); ok {
		return v
	}
	return k.Put(key, work()).(T)
}
