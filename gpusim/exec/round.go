package exec

import (
	"math"
	"math/big"

	"gowarp/internal/half"
)

// The canonical NaNs of the GPU's arithmetic.
const (
	nan16 = half.NaN
	nan32 = 0x7fffffff
	nan64 = 0x7ff8000000000000
)

// fma32 is a*b+c rounded once to float32.
//
// The product is exact in float64 and the sum is rounded there; rounding that once
// more is wrong only if the float64 lies halfway between two float32 and is not the
// exact sum (Boldo and Melquiond 2008, "Emulation of FMA and correctly rounded sums":
// rounding the first time to odd makes the second rounding right).
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	s := p + float64(c)
	u := math.Float64bits(s)
	// Exponents of normal float32 results, and not a halfway case.
	if e := u >> 52 & 0x7ff; u&(1<<29-1) != 1<<28 && e > 1023-126 && e < 0x7ff {
		return float32(s)
	}
	return float32(toOdd(p, float64(c), s))
}

// toOdd replaces s, the float64 nearest to p+c, by the sum rounded to odd.
func toOdd(p, c, s float64) float64 {
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return s
	}
	t := s - p
	e := (p - (s - t)) + (c - t) // Knuth's exact error of the sum
	u := math.Float64bits(s)
	if e == 0 || u&1 == 1 {
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(u + 1)
	}
	return math.Float64frombits(u - 1)
}

// rounding is a direction.
type rounding uint8

const (
	nearest rounding = iota
	toZero
	down
	up
)

// directed rounds an exact value to a float of 32 or 64 bits. The value zero
// must be handled by the caller, who knows its sign.
func directed(x *big.Float, r rounding, width int) float64 {
	var f float64
	var acc big.Accuracy
	next := math.Nextafter
	if width == 32 {
		var g float32
		g, acc = x.Float32()
		f = float64(g)
		next = func(a, b float64) float64 { return float64(math.Nextafter32(float32(a), float32(b))) }
	} else {
		f, acc = x.Float64()
	}
	above, below := acc == big.Above, acc == big.Below
	switch {
	case above && (r == down || r == toZero && x.Sign() > 0):
		return next(f, math.Inf(-1))
	case below && (r == up || r == toZero && x.Sign() < 0):
		return next(f, math.Inf(1))
	}
	return f
}

// exactPrec holds any sum of a product of two float64 and a third without rounding.
const exactPrec = 4400

func exact(x float64) *big.Float { return new(big.Float).SetPrec(exactPrec).SetFloat64(x) }

// fmaDirected is a*b+c rounded in a direction; addition and multiplication are
// cases of it.
func fmaDirected(a, b, c float64, r rounding, width int) float64 {
	f := math.FMA(a, b, c)
	if math.IsNaN(f) || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) {
		return f
	}
	s := new(big.Float).SetPrec(exactPrec).Mul(exact(a), exact(b))
	s.Add(s, exact(c))
	if s.Sign() == 0 {
		// An exact zero of terms with different signs is -0 only when rounding down.
		if a*b == 0 && c == 0 && math.Signbit(a*b) == math.Signbit(c) {
			return c
		}
		if r == down {
			return math.Copysign(0, -1)
		}
		return 0
	}
	return directed(s, r, width)
}

// quotient is a/b rounded in a direction.
func quotient(a, b float64, r rounding, width int) float64 {
	q := a / b
	if q != q || q == 0 && a == 0 || math.IsInf(a, 0) || math.IsInf(b, 0) || b == 0 {
		return q
	}
	// One bit more than twice the digits, and a sticky one from the remainder.
	x := new(big.Float).SetPrec(200).SetMode(big.ToZero).Quo(exact(a), exact(b))
	if x.Acc() != big.Exact {
		x = sticky(x)
	}
	return directed(x, r, width)
}

// root is the square root of a, rounded in a direction.
func root(a float64, r rounding, width int) float64 {
	if a != a || a <= 0 || math.IsInf(a, 0) {
		return math.Sqrt(a)
	}
	x := new(big.Float).SetPrec(200).Sqrt(exact(a))
	return directed(x, r, width)
}

// sticky adds to a truncated value a digit far below all others.
func sticky(x *big.Float) *big.Float {
	tiny := new(big.Float).SetPrec(2).SetMantExp(big.NewFloat(float64(x.Sign())), x.MantExp(nil)-300)
	return new(big.Float).SetPrec(exactPrec).Add(x, tiny)
}
