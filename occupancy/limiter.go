package occupancy

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Limiter is a resource of an SM that can run out.
type Limiter string

// The resources, in the order in which a LimiterSet lists them.
const (
	LimitWarps     Limiter = "warps"
	LimitBlocks    Limiter = "blocks"
	LimitRegisters Limiter = "registers"
	LimitShared    Limiter = "shared"
)

var limiters = [...]Limiter{LimitWarps, LimitBlocks, LimitRegisters, LimitShared}

// A LimiterSet is a set of limiters. It is a bit set and not a slice because
// the calculator fills one in for every candidate a search looks at.
type LimiterSet uint8

// The limiters as sets of one.
const (
	limitWarps LimiterSet = 1 << iota
	limitBlocks
	limitRegisters
	limitShared
)

// Has reports whether l is in the set.
func (s LimiterSet) Has(l Limiter) bool {
	for i, known := range limiters {
		if known == l {
			return s&(1<<i) != 0
		}
	}
	return false
}

// List returns the limiters in the set.
func (s LimiterSet) List() []Limiter {
	list := []Limiter{}
	for i, l := range limiters {
		if s&(1<<i) != 0 {
			list = append(list, l)
		}
	}
	return list
}

// String returns the names, separated by commas: "warps,registers".
func (s LimiterSet) String() string {
	var names []string
	for _, l := range s.List() {
		names = append(names, string(l))
	}
	return strings.Join(names, ",")
}

// MarshalJSON writes the set as a list of names.
func (s LimiterSet) MarshalJSON() ([]byte, error) { return json.Marshal(s.List()) }

// UnmarshalJSON reads what MarshalJSON writes.
func (s *LimiterSet) UnmarshalJSON(data []byte) error {
	var names []Limiter
	if err := json.Unmarshal(data, &names); err != nil {
		return fmt.Errorf("occupancy: limiters must be a list of names: %w", err)
	}
	var set LimiterSet
next:
	for _, name := range names {
		for i, l := range limiters {
			if l == name {
				set |= 1 << i
				continue next
			}
		}
		return fmt.Errorf("occupancy: unknown limiter %q; the limiters are warps, blocks, registers and shared", name)
	}
	*s = set
	return nil
}
