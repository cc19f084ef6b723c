// Package check holds what the simulator finds wrong with a kernel, and the
// shadow state that finding it takes: which bytes are defined, and who last
// touched each byte between two barriers.
//
// It knows nothing of PTX or of how threads run: package exec tells it who
// accesses what, and when.
package check

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// Kind is what is wrong.
type Kind string

// The kinds of findings. A Note is not wrong in itself.
const (
	OutOfBounds      Kind = "out-of-bounds"
	Misaligned       Kind = "misaligned"
	Freed            Kind = "use-after-free"
	Uninitialised    Kind = "uninitialised"
	UndefinedAddress Kind = "undefined-address" // a note: a load from where it may, whatever the undefined value
	SharedRace       Kind = "shared-race"
	GlobalRace       Kind = "global-race"
	SameValueRace    Kind = "same-value-race" // a note: both threads store the same bytes
	DivergentBarrier Kind = "divergent-barrier"
	InactiveLane     Kind = "inactive-lane" // a shuffle's value from a lane that does not take part is used
	Deadlock         Kind = "deadlock"
	EndlessLoop      Kind = "endless-loop"
	Trap             Kind = "trap"
)

// Note reports whether findings of the kind are only notes.
func (k Kind) Note() bool { return k == SameValueRace || k == UndefinedAddress }

// Finding is one thing wrong at one place of one kernel.
type Finding struct {
	Kind   Kind   `json:"kind"`
	Kernel string `json:"kernel"`
	Line   int    `json:"line"`          // of the PTX text
	Source string `json:"ptx,omitempty"` // that line, if it is known
	Block  [3]int `json:"block"`
	Thread [3]int `json:"thread"`
	Detail string `json:"detail"`
	Count  int64  `json:"count"` // how often it was seen there, this kind in this line
}

func (f Finding) String() string {
	s := fmt.Sprintf("%s in kernel %s, PTX line %d, block %s, thread %s: %s", f.Kind, f.Kernel, f.Line, Coordinates(f.Block), Coordinates(f.Thread), f.Detail)
	if f.Count > 1 {
		s += fmt.Sprintf(" (seen %d times in this line)", f.Count)
	}
	return s
}

// Coordinates writes a block's or a thread's place, as x,y,z.
func Coordinates(v [3]int) string { return fmt.Sprintf("%d,%d,%d", v[0], v[1], v[2]) }

// Log collects findings; several goroutines may use it.
type Log struct {
	mu    sync.Mutex
	found map[key]*Finding
}

type key struct {
	kind   Kind
	kernel string
	line   int
}

// Add records a finding. Of those of one kind in one line the one with the
// lowest block and thread is kept, so that the order of execution does not show.
func (l *Log) Add(f Finding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found == nil {
		l.found = map[key]*Finding{}
	}
	k := key{f.Kind, f.Kernel, f.Line}
	f.Count = 1
	if old := l.found[k]; old != nil {
		f.Count += old.Count
		if compare(*old, f) <= 0 {
			old.Count = f.Count
			return
		}
	}
	l.found[k] = &f
}

func compare(a, b Finding) int {
	backwards := func(v [3]int) []int { return []int{v[2], v[1], v[0]} }
	return cmp.Or(slices.Compare(backwards(a.Block), backwards(b.Block)), slices.Compare(backwards(a.Thread), backwards(b.Thread)))
}

// Findings returns what was found, by kernel, line and kind.
func (l *Log) Findings() []Finding {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Finding
	for _, f := range l.found {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}
