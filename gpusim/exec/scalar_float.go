package exec

import (
	"math"

	"gowarp/gpusim/count"
	"gowarp/gpusim/ptx"
	"gowarp/internal/half"
)

var (
	f16 = ptx.Type{Kind: ptx.Float, Bits: 16}
	f32 = ptx.Type{Kind: ptx.Float, Bits: 32}
	f64 = ptx.Type{Kind: ptx.Float, Bits: 64}
)

// decode is the value of a float's bits.
func decode(v uint64, t ptx.Type, ftz bool) float64 {
	switch t.Bits {
	case 16:
		if ftz && v&0x7c00 == 0 {
			v &= 0x8000
		}
		return half.Value(uint16(v))
	case 32:
		f := math.Float32frombits(uint32(v))
		if ftz {
			f = flush(f)
		}
		return float64(f)
	}
	return math.Float64frombits(v)
}

// flush makes subnormals zero, with their sign.
func flush(f float32) float32 {
	if u := math.Float32bits(f); u&0x7f800000 == 0 {
		return math.Float32frombits(u & 0x80000000)
	}
	return f
}

// encode rounds to nearest even and makes NaNs the canonical one.
func encode(x float64, t ptx.Type, ftz bool) uint64 {
	switch t.Bits {
	case 16:
		return uint64(half.Round(x))
	case 32:
		if x != x {
			return nan32
		}
		f := float32(x)
		if ftz {
			f = flush(f)
		}
		return uint64(math.Float32bits(f))
	}
	if x != x {
		return nan64
	}
	return math.Float64bits(x)
}

// setpFloat compares floats. Of two halves at once the first result is that of the lower ones, the
// second that of the upper ones.
func setpFloat(op string, t ptx.Type, ftz bool) (scalar, bool) {
	s := scalar{in: []ptx.Type{t, t}, out: pred, class: count.Integer}
	tests := map[string]func(a, b float64) bool{
		"eq":  func(a, b float64) bool { return a == b },
		"ne":  func(a, b float64) bool { return a < b || a > b },
		"lt":  func(a, b float64) bool { return a < b },
		"le":  func(a, b float64) bool { return a <= b },
		"gt":  func(a, b float64) bool { return a > b },
		"ge":  func(a, b float64) bool { return a >= b },
		"equ": func(a, b float64) bool { return !(a < b || a > b) },
		"neu": func(a, b float64) bool { return a != b },
		"ltu": func(a, b float64) bool { return !(a >= b) },
		"leu": func(a, b float64) bool { return !(a > b) },
		"gtu": func(a, b float64) bool { return !(a <= b) },
		"geu": func(a, b float64) bool { return !(a < b) },
		"num": func(a, b float64) bool { return a == a && b == b },
		"nan": func(a, b float64) bool { return a != a || b != b },
	}
	f := tests[op]
	if f == nil {
		return s, false
	}
	of := t
	if t.Kind == ptx.Packed {
		of = f16
	}
	s.f = func(a, b, _ uint64) uint64 { return bit(f(decode(a, of, ftz), decode(b, of, ftz))) }
	if t.Kind == ptx.Packed {
		one := s.f
		s.f = func(a, b, _ uint64) uint64 { return one(a&0xffff, b&0xffff, 0) | one(a>>16, b>>16, 0)<<1 }
		s.pair = true
	}
	return s, true
}

// floatOp is float arithmetic. Approximations are computed in float64 and rounded to
// nearest: they are at least as near to the exact value as any GPU's.
func floatOp(i *ptx.Inst) (scalar, bool) {
	t := i.Type(0)
	s := scalar{out: t, class: count.Float}
	if len(i.Types) != 1 {
		return s, false
	}
	if !wellFormed(i) {
		return s, false
	}
	if t.Kind == ptx.Packed {
		return packedOp(i)
	}
	mode := nearest
	for name, r := range map[string]rounding{"rz": toZero, "rm": down, "rp": up} {
		if i.Has(name) {
			mode = r
		}
	}
	if mode != nearest && t == f16 {
		return s, false
	}
	ftz, sat := i.Has("ftz"), i.Has("sat")
	if ftz && t == f64 {
		return s, false
	}
	ftz = ftz && t == f32 // f16 keeps its subnormals only without .ftz
	if i.Has("ftz") && t == f16 {
		return s, false
	}
	width := int(t.Bits)
	finish := func(x float64) uint64 {
		if sat {
			// NaN becomes 0.
			if !(x > 0) {
				x = 0
			}
			x = min(x, 1)
		}
		return encode(x, t, ftz)
	}
	one := func(class count.Class, f func(a float64) float64) (scalar, bool) {
		s.in, s.class = []ptx.Type{t}, class
		s.f = func(a, _, _ uint64) uint64 { return finish(f(decode(a, t, ftz))) }
		return s, only(i, "rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full")
	}
	two := func(class count.Class, f func(a, b float64) float64) (scalar, bool) {
		s.in, s.class = []ptx.Type{t, t}, class
		s.f = func(a, b, _ uint64) uint64 { return finish(f(decode(a, t, ftz), decode(b, t, ftz))) }
		return s, only(i, "rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full")
	}
	switch i.Op {
	case "add", "sub":
		sign := 1.0
		if i.Op == "sub" {
			sign = -1
		}
		if mode != nearest {
			return two(count.Float, func(a, b float64) float64 { return fmaDirected(a, 1, sign*b, mode, width) })
		}
		return two(count.Float, func(a, b float64) float64 { return sumTo(a, sign*b, t) })
	case "mul":
		if mode != nearest {
			return two(count.Float, func(a, b float64) float64 {
				if p := a * b; a == 0 || b == 0 || p != p {
					return p
				}
				return fmaDirected(a, b, 0, mode, width)
			})
		}
		return two(count.Float, func(a, b float64) float64 { return a * b }) // exact for f16 and f32
	case "fma", "mad":
		s.in = []ptx.Type{t, t, t}
		s.f = func(a, b, c uint64) uint64 {
			x, y, z := decode(a, t, ftz), decode(b, t, ftz), decode(c, t, ftz)
			switch {
			case mode != nearest:
				return finish(fmaDirected(x, y, z, mode, width))
			case t == f64:
				return finish(math.FMA(x, y, z))
			}
			p := x * y
			return finish(toOdd(p, z, p+z))
		}
		return s, only(i, "rn", "rz", "rm", "rp", "ftz", "sat") && len(i.Mods) > 0
	case "div":
		if mode != nearest {
			return two(count.Special, func(a, b float64) float64 { return quotient(a, b, mode, width) })
		}
		return two(count.Special, func(a, b float64) float64 { return quotientTo(a, b, t) })
	case "rcp":
		if mode != nearest {
			return one(count.Special, func(a float64) float64 { return quotient(1, a, mode, width) })
		}
		return one(count.Special, func(a float64) float64 { return quotientTo(1, a, t) })
	case "sqrt":
		if mode != nearest {
			return one(count.Special, func(a float64) float64 { return root(a, mode, width) })
		}
		return one(count.Special, math.Sqrt) // twice the digits: rounding again does no harm
	}
	if mode != nearest {
		return s, false
	}
	switch i.Op {
	case "rsqrt":
		return one(count.Special, func(a float64) float64 { return 1 / math.Sqrt(a) })
	case "ex2":
		return one(count.Special, exp2)
	case "lg2":
		return one(count.Special, math.Log2)
	case "sin":
		return one(count.Special, math.Sin)
	case "cos":
		return one(count.Special, math.Cos)
	case "tanh":
		return one(count.Special, math.Tanh)
	case "neg", "abs":
		neg, sign := i.Op == "neg", uint64(1)<<(t.Bits-1)
		s.in, s.class = []ptx.Type{t}, count.Float
		s.f = func(a, _, _ uint64) uint64 {
			if ftz {
				a = uint64(math.Float32bits(flush(math.Float32frombits(uint32(a)))))
			}
			if neg {
				return a ^ sign
			}
			return a &^ sign
		}
		return s, only(i, "ftz")
	case "copysign":
		sign := uint64(1) << (t.Bits - 1)
		s.in = []ptx.Type{t, t} // the sign of the first, the magnitude of the second
		s.f = func(a, b, _ uint64) uint64 { return a&sign | b&^sign }
		return s, len(i.Mods) == 0
	case "min", "max":
		nan := i.Has("NaN")
		f := math.Min
		if i.Op == "max" {
			f = math.Max
		}
		s.in = []ptx.Type{t, t}
		s.f = func(a, b, _ uint64) uint64 {
			x, y := decode(a, t, ftz), decode(b, t, ftz)
			switch {
			case nan && (x != x || y != y):
				return encode(math.NaN(), t, ftz) // math.Max prefers an infinity
			case x != x:
				x = y
			case y != y:
				y = x
			}
			return encode(f(x, y), t, ftz)
		}
		return s, only(i, "ftz", "NaN")
	}
	return s, false
}

// wellFormed reports whether the PTX ISA has the form; what has no definition cannot be
// computed rightly.
func wellFormed(i *ptx.Inst) bool {
	t := i.Type(0)
	half := t == f16 || t.Kind == ptx.Packed
	directions, approximates := 0, 0
	for _, m := range i.Mods {
		switch m {
		case "rn":
			directions++
		case "rz", "rm", "rp":
			directions++
			if half {
				return false
			}
		case "approx", "full":
			approximates++
		case "ftz":
			if t != f32 {
				return false
			}
		case "sat":
			if t == f64 {
				return false
			}
		}
	}
	single := directions+approximates == 1
	switch i.Op {
	case "add", "sub", "mul":
		return directions <= 1 && approximates == 0
	case "fma", "mad":
		return directions == 1 && approximates == 0 && (i.Op == "fma" || !half)
	case "div":
		return single && !half && !i.Has("sat") && (t == f32 || approximates == 0)
	case "rcp", "sqrt":
		return single && !half && !i.Has("sat") && !i.Has("full") && (t == f32 || approximates == 0)
	case "rsqrt":
		return single && !half && modsAre(i, "approx") || modsAre(i, "approx.ftz")
	case "lg2", "sin", "cos":
		return t == f32 && (modsAre(i, "approx") || modsAre(i, "approx.ftz"))
	case "ex2", "tanh":
		return t == f16 && modsAre(i, "approx") || t == f32 && (modsAre(i, "approx") || modsAre(i, "approx.ftz") && i.Op == "ex2")
	case "copysign":
		return !half
	}
	return true
}

func exp2(a float64) float64 {
	if a > 2000 {
		return math.Inf(1) // also where math.Exp2 would overflow an exponent
	}
	return math.Exp2(a)
}

// sumTo is a+b such that rounding it to t is rounding once.
func sumTo(a, b float64, t ptx.Type) float64 {
	s := a + b
	if t == f64 {
		return s
	}
	return toOdd(a, b, s)
}

// quotientTo is a/b such that rounding it to t is rounding once: float64 has more
// than twice the digits of float32, which is enough for normal results, but for
// subnormal ones the rounding position moves up; float32 division is right for all.
func quotientTo(a, b float64, t ptx.Type) float64 {
	if t == f32 {
		return float64(float32(a) / float32(b))
	}
	return a / b
}

// packedOp is arithmetic on two halves at once.
func packedOp(i *ptx.Inst) (scalar, bool) {
	single := *i
	single.Types = []ptx.Type{f16}
	one, ok := floatOp(&single)
	if !ok {
		return one, false
	}
	f := one.f
	packed := ptx.Type{Kind: ptx.Packed, Bits: 32}
	s := scalar{out: packed, class: one.class}
	for range one.in {
		s.in = append(s.in, packed)
	}
	s.f = func(a, b, c uint64) uint64 {
		return f(a&0xffff, b&0xffff, c&0xffff) | f(a>>16, b>>16, c>>16)<<16
	}
	return s, true
}
