// Package bounds computes required regions as integers: of every Func for the
// estimated outputs (Regions), and of every Func of a group for one tile of
// the group's output, for any tile size (Grow). It evaluates the box
// expressions that Halide exported and knows nothing of devices or schedules.
package bounds

import "math"

// Interval is a closed range of integers.
type Interval struct{ Lo, Hi int64 }

// Empty is the interval without elements, the unit of Union.
var Empty = Interval{math.MaxInt64, math.MinInt64}

// IsEmpty reports whether the interval has no elements.
func (i Interval) IsEmpty() bool { return i.Lo > i.Hi }

// Extent is the number of integers in the interval.
func (i Interval) Extent() int64 {
	if i.IsEmpty() {
		return 0
	}
	return i.Hi - i.Lo + 1
}

// Union is the smallest interval that holds both.
func (i Interval) Union(j Interval) Interval {
	return Interval{min(i.Lo, j.Lo), max(i.Hi, j.Hi)}
}

// Contains reports whether j lies in i.
func (i Interval) Contains(j Interval) bool {
	return j.IsEmpty() || i.Lo <= j.Lo && j.Hi <= i.Hi
}

// Box is a region, one interval a dimension, innermost first.
type Box []Interval

// Points is the number of points in the box, saturating at MaxInt64.
func (b Box) Points() int64 {
	n := int64(1)
	for _, i := range b {
		e := i.Extent()
		if e == 0 {
			return 0
		}
		if n > math.MaxInt64/e {
			return math.MaxInt64
		}
		n *= e
	}
	return n
}
