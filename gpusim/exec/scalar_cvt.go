package exec

import (
	"math"
	"math/big"

	"gowarp/gpusim/count"
	"gowarp/gpusim/ptx"
)

// convert is cvt.
func convert(i *ptx.Inst) (scalar, bool) {
	if len(i.Types) != 2 {
		return scalar{}, false
	}
	d, a := i.Type(0), i.Type(1)
	if d.Kind == ptx.Packed {
		return packHalves(i)
	}
	s := scalar{in: []ptx.Type{a}, out: d, class: count.Integer, wider: true}
	if !only(i, "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "ftz", "sat") {
		return s, false
	}
	ftz := i.Has("ftz")
	isInt := func(t ptx.Type) bool {
		return t.Kind == ptx.Signed || t.Kind == ptx.Unsigned || t.Kind == ptx.Untyped
	}
	mode, whole, rounds := nearest, false, 0
	for _, m := range i.Mods {
		switch m {
		case "rn", "rni":
			mode, rounds, whole = nearest, rounds+1, len(m) == 3
		case "rz", "rzi":
			mode, rounds, whole = toZero, rounds+1, len(m) == 3
		case "rm", "rmi":
			mode, rounds, whole = down, rounds+1, len(m) == 3
		case "rp", "rpi":
			mode, rounds, whole = up, rounds+1, len(m) == 3
		}
	}
	if rounds > 1 || ftz && d != f32 && a != f32 || whole && d.Kind == ptx.Float && d != a {
		return s, false
	}
	switch {
	case isInt(d) && isInt(a):
		s.f = intToInt(d, a, i.Has("sat"))
		return s, rounds == 0 && !ftz
	case isInt(d) && a.Kind == ptx.Float:
		s.f = floatToInt(d, a, mode, ftz)
		return s, whole
	case d.Kind == ptx.Float && isInt(a):
		s.f = intToFloat(d, a, mode)
		return s, rounds == 1 && !whole && !ftz && !i.Has("sat") && (d != f16 || mode == nearest || whole)
	case d.Kind == ptx.Float && a.Kind == ptx.Float:
		s.f = floatToFloat(d, a, mode, whole, ftz, i.Has("sat"))
		// Widening is exact and takes no rounding; narrowing must name one.
		return s, (whole || d.Bits > a.Bits && rounds == 0 || d.Bits < a.Bits && rounds == 1 || d == a && rounds == 0) && (d != f16 || mode == nearest || whole)
	}
	return s, false
}

// packHalves is cvt with two sources: the first becomes the upper half.
func packHalves(i *ptx.Inst) (scalar, bool) {
	f := floatToFloat(f16, f32, nearest, false, false, false)
	s := scalar{in: []ptx.Type{f32, f32}, out: i.Type(0), class: count.Integer}
	s.f = func(a, b, _ uint64) uint64 { return f(a, 0, 0)<<16 | f(b, 0, 0) }
	return s, i.Type(1) == f32 && modsAre(i, "rn")
}

func intToInt(d, a ptx.Type, sat bool) func(x, _, _ uint64) uint64 {
	from, to := a.Bits, d.Bits
	if a.Kind == ptx.Signed {
		return func(x, _, _ uint64) uint64 {
			v := sx(x, from)
			if sat {
				if d.Kind == ptx.Signed {
					v = max(v, -1<<(to-1))
					v = min(v, int64(mask(to)>>1))
				} else {
					v = max(v, 0)
					if uint64(v) > mask(to) {
						v = int64(mask(to))
					}
				}
			}
			return uint64(v) & mask(to)
		}
	}
	return func(x, _, _ uint64) uint64 {
		if sat {
			most := mask(to)
			if d.Kind == ptx.Signed {
				most >>= 1
			}
			x = min(x, most)
		}
		return x & mask(to)
	}
}

// toWhole rounds to an integer.
func toWhole(x float64, r rounding) float64 {
	switch r {
	case toZero:
		return math.Trunc(x)
	case down:
		return math.Floor(x)
	case up:
		return math.Ceil(x)
	}
	return math.RoundToEven(x)
}

// floatToInt clamps to the range of the integer. NaN is 0, except that it is the
// largest power of two of a 64-bit result or of a 64-bit operand (PTX ISA, cvt).
func floatToInt(d, a ptx.Type, mode rounding, ftz bool) func(x, _, _ uint64) uint64 {
	n := d.Bits
	return func(x, _, _ uint64) uint64 {
		v := decode(x, a, ftz && a == f32)
		if v != v {
			if a == f64 || n == 64 {
				return 1 << (n - 1)
			}
			return 0
		}
		v = toWhole(v, mode)
		if d.Kind == ptx.Signed {
			switch top := math.Ldexp(1, int(n)-1); {
			case v >= top:
				return mask(n) >> 1
			case v < -top:
				return 1 << (n - 1)
			}
			return uint64(int64(v)) & mask(n)
		}
		switch {
		case v >= math.Ldexp(1, int(n)):
			return mask(n)
		case v < 0:
			return 0
		case v >= 1<<63:
			return uint64(v-1<<63) | 1<<63
		}
		return uint64(v)
	}
}

func intToFloat(d, a ptx.Type, mode rounding) func(x, _, _ uint64) uint64 {
	signed := a.Kind == ptx.Signed
	return func(x, _, _ uint64) uint64 {
		if signed {
			x = uint64(sx(x, a.Bits))
		}
		if mode != nearest {
			if x == 0 {
				return 0
			}
			v := new(big.Float).SetPrec(64)
			if signed {
				v.SetInt64(int64(x))
			} else {
				v.SetUint64(x)
			}
			return encode(directed(v, mode, int(d.Bits)), d, false)
		}
		switch {
		case d == f32 && signed:
			return uint64(math.Float32bits(float32(int64(x))))
		case d == f32:
			return uint64(math.Float32bits(float32(x)))
		case signed:
			// To f16 as well: what float64 cannot hold overflows there.
			return encode(float64(int64(x)), d, false)
		}
		return encode(float64(x), d, false)
	}
}

func floatToFloat(d, a ptx.Type, mode rounding, whole, ftz, sat bool) func(x, _, _ uint64) uint64 {
	return func(x, _, _ uint64) uint64 {
		v := decode(x, a, ftz && a == f32)
		switch {
		case whole:
			v = toWhole(v, mode)
		case mode != nearest && d.Bits < a.Bits && v == v && v != 0 && !math.IsInf(v, 0):
			v = directed(exact(v), mode, int(d.Bits))
		}
		if sat {
			if !(v > 0) {
				v = 0
			}
			v = min(v, 1)
		}
		return encode(v, d, ftz && d == f32)
	}
}
