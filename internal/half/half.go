// Package half turns 16-bit floats of IEEE 754 into float64 and back.
package half

import "math"

// NaN is the canonical NaN of the GPU's arithmetic.
const NaN = 0x7fff

// Round rounds a float64 to a 16-bit float, to nearest even.
func Round(x float64) uint16 {
	u := math.Float64bits(x)
	sign := uint16(u >> 48 & 0x8000)
	a := math.Abs(x)
	switch {
	case a != a:
		return NaN
	case a >= 65520:
		return sign | 0x7c00
	case a < 0x1p-14:
		return sign | uint16(math.RoundToEven(a*0x1p24)) // exact: a power of two
	}
	e := int(u>>52&0x7ff) - 1023
	m := uint16(math.RoundToEven(math.Ldexp(a, 10-e))) // 1024 to 2048
	return sign + uint16(e+14)<<10 + m                 // a carry moves on into the exponent
}

// Value is the value of a 16-bit float.
func Value(h uint16) float64 {
	e, m := int(h>>10&31), float64(h&1023)
	var x float64
	switch e {
	case 0:
		x = m * 0x1p-24
	case 31:
		if m != 0 {
			return math.NaN()
		}
		x = math.Inf(1)
	default:
		x = math.Ldexp(1024+m, e-25)
	}
	if h&0x8000 != 0 {
		return -x
	}
	return x
}
