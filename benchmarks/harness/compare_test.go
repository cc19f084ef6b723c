package harness

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
)

func floats(v ...float32) *Array {
	a := &Array{Type: F32, Shape: []int{len(v)}}
	for _, f := range v {
		a.Data = binary.LittleEndian.AppendUint32(a.Data, math.Float32bits(f))
	}
	return a
}

func TestCompare(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		name      string
		got, want *Array
		count     int // of differing elements
	}{
		{"same", floats(1, 2, nan, inf), floats(1, 2, nan, inf), 0},
		{"relative", floats(1e6), floats(1e6 + 8), 0},
		{"beyond relative", floats(1e6), floats(1e6 + 12), 1},
		{"absolute", floats(0), floats(9e-6), 0},
		{"beyond absolute", floats(0, 1), floats(1.1e-5, 1), 1},
		{"nan", floats(nan, 1, nan), floats(1, nan, nan), 2},
		{"infinity", floats(inf, inf), floats(1, -inf), 2},
		{"integers", &Array{U8, []int{2}, []byte{1, 2}}, &Array{U8, []int{2}, []byte{1, 3}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Compare(c.got, c.want, Default)
			var d *Difference
			switch {
			case errors.As(err, &d):
				if d.Count != c.count {
					t.Errorf("%v, want %d", err, c.count)
				}
			case err != nil || c.count != 0:
				t.Errorf("error %v, want %d differences", err, c.count)
			}
		})
	}
	off := Default
	off.Int = 1
	if err := Compare(&Array{U8, []int{3}, []byte{1, 2, 9}}, &Array{U8, []int{3}, []byte{1, 3, 8}}, off); err != nil {
		t.Errorf("integers 1 apart: %v", err)
	}
	if err := Compare(&Array{U8, []int{2}, []byte{1, 2}}, &Array{U8, []int{2}, []byte{1, 4}}, off); err == nil {
		t.Error("integers 2 apart passed")
	}
	if err := Compare(floats(1), floats(1, 2), Default); err == nil {
		t.Error("different shapes passed")
	}
	if err := Compare(floats(1), NewArray(I32, 1), Default); err == nil {
		t.Error("different types passed")
	}
	err := Compare(floats(0, 0, 5), floats(0, 1, 0), Default)
	if err == nil || !strings.Contains(err.Error(), "2 of 3 elements differ, the worst at [2]") {
		t.Errorf("got %v", err)
	}
}
