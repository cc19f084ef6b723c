package exec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"gowarp/gpusim/check"
)

// Where the windows of the generic address space lie. Global memory has no window:
// its addresses are above all of them.
const (
	sharedWindow = 1 << 40
	localWindow  = 2 << 40
	constWindow  = 3 << 40
	windowBytes  = 1 << 40
	// GlobalBase is the address of the first byte of device memory.
	GlobalBase = 0x7f00_0000_0000
)

// alignment of allocations: cuMemAlloc promises 256 bytes at least.
const alignment = 256

// guard is the least distance between two allocations.
const guard = 256

// What the shadow of global memory says of a byte.
const (
	defined   = 0
	unwritten = 1 // since it was allocated
	undefined = 2 // written with a value that depends on undefined data
)

// Errors of device memory.
var (
	ErrOutOfMemory  = errors.New("exec: out of device memory")
	ErrBadAddress   = errors.New("exec: not an address of device memory")
	ErrDoubleFree   = errors.New("exec: freed twice")
	errNotAllocated = errors.New("not allocated")
)

// Memory is the global memory of a device. Freed addresses are not used again, so
// that a late use of them is seen.
type Memory struct {
	mu     sync.RWMutex
	data   []byte
	next   int
	allocs []*alloc // by address; freed ones stay
	inUse  int
	budget int

	atomics  sync.Mutex
	touchers []*toucher // that no launch uses
	release  func(offset, bytes int)
	shadows  []byte // zeros, of which allocations take theirs; nil where each makes its own
}

type alloc struct {
	base   uint64
	data   []byte
	shadow []byte
	freed  bool
	id     int
	origin store // of the first undefined value stored
	filled filled

	mu    [lockStripes]sync.Mutex // over the pages of cells
	cells []*check.Page
}

// store says where an undefined value was stored.
type store struct {
	once   sync.Once
	kernel string
	line   int
	block  [3]int
	thread [3]int
	blame  string
	kind   check.Kind
	set    bool
}

// NewMemory is device memory within data, of which at most budget bytes are
// allocated at a time. If release is not nil it is told which bytes of data are no
// longer needed.
func NewMemory(data []byte, budget int, release func(offset, bytes int)) *Memory {
	return &Memory{data: data, budget: budget, release: release}
}

// NewDefinedMemory is device memory whose every byte is as good as written, for those who count and look for no faults: it takes no time by its size. data and
// shadows are zeros, shadows as long as data.
func NewDefinedMemory(data, shadows []byte) *Memory {
	return &Memory{data: data, budget: len(data), shadows: shadows}
}

// Alloc allocates bytes of device memory, whose contents are undefined.
func (m *Memory) Alloc(n int) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n <= 0 || m.inUse+n > m.budget || m.next+n+guard > len(m.data) {
		return 0, fmt.Errorf("%w: %d bytes asked for, %d of %d in use", ErrOutOfMemory, n, m.inUse, m.budget)
	}
	// The capacity is cut, so that nothing reaches past the end by mistake.
	a := &alloc{base: GlobalBase + uint64(m.next), data: m.data[m.next : m.next+n : m.next+n], id: len(m.allocs)}
	if m.shadows != nil {
		a.shadow = m.shadows[m.next : m.next+n+16 : m.next+n+16]
	} else {
		a.shadow = bytes.Repeat([]byte{unwritten}, n+16)
	}
	m.allocs = append(m.allocs, a)
	m.next += (n + guard + alignment - 1) / alignment * alignment
	m.inUse += n
	return a.base, nil
}

// Free frees what Alloc returned.
func (m *Memory) Free(addr uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.find(addr)
	switch {
	case a == nil || a.base != addr:
		return fmt.Errorf("%w: %#x", ErrBadAddress, addr)
	case a.freed:
		return fmt.Errorf("%w: %#x", ErrDoubleFree, addr)
	}
	a.freed = true
	m.inUse -= len(a.data)
	if m.release != nil {
		m.release(int(a.base-GlobalBase), len(a.data))
	}
	a.shadow, a.cells, a.filled = nil, nil, filled{}
	return nil
}

// find returns the allocation with the highest address not above addr.
func (m *Memory) find(addr uint64) *alloc {
	i, ok := slices.BinarySearchFunc(m.allocs, addr, func(a *alloc, addr uint64) int { return cmp.Compare(a.base, addr) })
	if !ok {
		i--
	}
	if i < 0 {
		return nil
	}
	return m.allocs[i]
}

// lookup finds the allocation that holds n bytes at addr; the error says what is
// there instead.
func (m *Memory) lookup(addr uint64, n int) (*alloc, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	a := m.find(addr)
	if a == nil {
		return nil, fmt.Errorf("%#x is below all device memory: %w", addr, errNotAllocated)
	}
	off := addr - a.base
	if off+uint64(n) > uint64(len(a.data)) || off > uint64(len(a.data)) {
		return a, fmt.Errorf("%d bytes at %#x: %d bytes past the start of an allocation of %d bytes: %w", n, addr, off, len(a.data), errNotAllocated)
	}
	if a.freed {
		return a, fmt.Errorf("%#x is %d bytes into an allocation of %d bytes that was freed", addr, off, len(a.data))
	}
	return a, nil
}

// Bytes returns device memory as a slice, for copies between host and device. It
// does not mark it as written or check that it is defined.
func (m *Memory) Bytes(addr uint64, n int) ([]byte, error) {
	a, err := m.lookup(addr, n)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadAddress, err)
	}
	off := int(addr - a.base)
	return a.data[off : off+n : off+n], nil
}

// Written notes that the host wrote n bytes.
func (m *Memory) Written(addr uint64, n int) error {
	a, err := m.lookup(addr, n)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBadAddress, err)
	}
	off := int(addr - a.base)
	clear(a.shadow[off : off+n])
	return nil
}

// Copied notes that n bytes were copied within the device: what is known of them
// goes with them.
func (m *Memory) Copied(to, from uint64, n int) error {
	a, err := m.lookup(from, n)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBadAddress, err)
	}
	b, err := m.lookup(to, n)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBadAddress, err)
	}
	copy(b.shadow[to-b.base:][:n], a.shadow[from-a.base:][:n])
	if o := &a.origin; o.set && a != b {
		b.origin.once.Do(func() {
			b.origin.kernel, b.origin.line, b.origin.block, b.origin.thread = o.kernel, o.line, o.block, o.thread
			b.origin.blame, b.origin.kind, b.origin.set = o.blame, o.kind, true
		})
	}
	return nil
}

// Undefined is where a value that leaves the device became undefined.
type Undefined struct {
	Bytes         int // how many
	Kernel        string
	Line          int
	Block, Thread [3]int
	Blame         string
	Kind          check.Kind
}

// Read checks what the host is about to read. Bytes that no kernel wrote are
// allowed, since a host copies paddings too; bytes computed from undefined data come
// back as an *Undefined.
func (m *Memory) Read(addr uint64, n int) (*Undefined, error) {
	a, err := m.lookup(addr, n)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadAddress, err)
	}
	bad := 0
	for _, s := range a.shadow[addr-a.base:][:n] {
		if s == undefined {
			bad++
		}
	}
	if bad == 0 {
		return nil, nil
	}
	o := &a.origin
	return &Undefined{bad, o.kernel, o.line, o.block, o.thread, o.blame, o.kind}, nil
}
