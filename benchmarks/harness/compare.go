package harness

import (
	"fmt"
	"math"
	"slices"
)

// Tolerance is how far two floating-point values may differ: by Rel of the larger
// magnitude, or by Abs; of halves a rounding may differ. Integers may be apart by Int: none has to be equal, and where floats are rounded to integers 1 is a rounding.
type Tolerance struct {
	Rel, Abs float64
	Int      int64 `json:",omitempty"`
}

// Default is what "gives the CPU's result" means for f32.
var Default = Tolerance{Rel: 1e-5, Abs: 1e-5}

// halfRounding is a step of a 16-bit float, as part of the value: two floats that are nearly equal may be rounded to
// either side of one.
const halfRounding = 0x1p-10

// Difference is the outcome of a comparison that found some.
type Difference struct {
	Count, Len int
	At         []int // coordinates of the worst
	Got, Want  float64
}

func (d *Difference) Error() string {
	return fmt.Sprintf("%d of %d elements differ, the worst at %v: got %v, want %v (off by %.3g)",
		d.Count, d.Len, d.At, d.Got, d.Want, math.Abs(d.Got-d.Want))
}

// Compare returns nil where the arrays agree, and a *Difference or a
// mismatch of type or shape otherwise. A NaN agrees with a NaN only.
func Compare(got, want *Array, tol Tolerance) error {
	if !slices.Equal(got.Shape, want.Shape) || got.Type.Float() != want.Type.Float() {
		return fmt.Errorf("got %s%v, want %s%v", got.Type, got.Shape, want.Type, want.Shape)
	}
	if got.Type == F16 {
		tol.Rel = max(tol.Rel, halfRounding)
	}
	d := &Difference{Len: got.Len()}
	worst := -1.0
	for i := range got.Len() {
		if !got.Type.Float() && got.Int(i) == want.Int(i) {
			continue
		}
		g, w := got.Float(i), want.Float(i)
		excess := 1.0
		if got.Type.Float() {
			if g == w || math.IsNaN(g) && math.IsNaN(w) {
				continue
			}
			excess = math.Abs(g-w) / max(tol.Abs, tol.Rel*max(math.Abs(g), math.Abs(w)))
			if excess <= 1 {
				continue
			}
			if math.IsNaN(excess) {
				excess = math.Inf(1)
			}
		} else {
			if excess = math.Abs(g - w); excess <= float64(tol.Int) {
				continue
			}
		}
		d.Count++
		if excess > worst {
			worst, d.At, d.Got, d.Want = excess, got.Index(i), g, w
		}
	}
	if d.Count == 0 {
		return nil
	}
	return d
}
