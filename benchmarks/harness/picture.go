package harness

import (
	"fmt"
	"math/rand/v2"
)

// Picture fills an input: buffers of two dimensions and more show a photograph, in the range
// that their type is used for (0 to 1 for floats, all of it for 8 and 16 bits), the other
// dimensions together choosing the colour; buffers of one dimension are noise from a fixed
// seed in the same range. photograph returns planar RGB of a size.
func Picture(arg Argument, photograph func(width, height int) (*Array, error)) (*Array, error) {
	out := NewArray(arg.Type, arg.Shape...)
	n := out.Len()
	var of [256][]byte
	for v := range of {
		of[v] = AppendElement(nil, arg.Type, level(arg.Type, v))
	}
	size := arg.Type.Size()
	if len(arg.Shape) < 2 {
		random := rand.New(rand.NewPCG(2020, 9))
		for i := range n {
			copy(out.Data[i*size:], of[random.IntN(256)])
		}
		return out, nil
	}
	x, y := imageDimensions(arg.Shape)
	photo, err := photograph(arg.Shape[x], arg.Shape[y])
	if err != nil {
		return nil, err
	}
	w, h := photo.Shape[0], photo.Shape[1]
	at := make([]int, len(arg.Shape))
	for i := range n {
		c := 0
		for d, j := range at {
			if d != x && d != y {
				c = c*arg.Shape[d] + j
			}
		}
		copy(out.Data[i*size:], of[photo.Data[c%3*w*h+at[y]*w+at[x]]])
		for d := range at {
			if at[d]++; at[d] < arg.Shape[d] {
				break
			}
			at[d] = 0
		}
	}
	return out, nil
}

// imageDimensions are the first two dimensions that are longer than a few channels or taps,
// or the first two.
func imageDimensions(shape []int) (x, y int) {
	const few = 16
	var long []int
	for d, n := range shape {
		if n > few {
			long = append(long, d)
		}
	}
	if len(long) < 2 {
		return 0, 1
	}
	return long[0], long[1]
}

// level is a grey level from 0 to 255 in the range of a type.
func level(t DType, v int) float64 {
	switch {
	case t == Bool:
		return float64(v / 128)
	case t.Float():
		return float64(v) / 255
	case t == I8:
		return float64(v / 2)
	case t == U16:
		return float64(v * 257)
	case t == I16:
		return float64(v * 128)
	}
	return float64(v)
}

// Mirror repeats planar bytes by mirroring up to width x height and crops them to that, as
// Photograph does.
func Mirror(a *Array, width, height int) (*Array, error) {
	if a.Type != U8 || len(a.Shape) != 3 || width < 1 || height < 1 {
		return nil, fmt.Errorf("harness: mirroring %s%v to %d x %d: planar bytes are wanted", a.Type, a.Shape, width, height)
	}
	fold := func(i, n int) int {
		if i %= 2 * n; i >= n {
			return 2*n - 1 - i
		}
		return i
	}
	w, h, channels := a.Shape[0], a.Shape[1], a.Shape[2]
	out := NewArray(U8, width, height, channels)
	to := out.Data
	for c := range channels {
		for y := range height {
			row := a.Data[(c*h+fold(y, h))*w:][:w]
			for x := range width {
				to[x] = row[fold(x, w)]
			}
			to = to[width:]
		}
	}
	return out, nil
}
