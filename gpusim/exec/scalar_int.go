package exec

import (
	"math/bits"

	"gowarp/gpusim/count"
	"gowarp/gpusim/ptx"
)

// intOp is integer, bit and predicate arithmetic.
func intOp(i *ptx.Inst) (scalar, bool) {
	t := i.Type(0)
	n, signed := t.Bits, t.Kind == ptx.Signed
	m := mask(n)
	s := scalar{in: []ptx.Type{t, t}, out: t}
	plain := len(i.Mods) == 0
	one := func(f func(a uint64) uint64) (scalar, bool) {
		s.in = []ptx.Type{t}
		s.f = func(a, _, _ uint64) uint64 { return f(a) & m }
		return s, plain
	}
	two := func(f func(a, b uint64) uint64) (scalar, bool) {
		s.f = func(a, b, _ uint64) uint64 { return f(a, b) & m }
		return s, plain
	}
	if len(i.Types) != 1 && i.Op != "dp4a" && i.Op != "popc" {
		return s, false
	}
	if t.Kind == ptx.Pred && i.Op != "and" && i.Op != "or" && i.Op != "xor" && i.Op != "not" {
		return s, false
	}
	switch i.Op {
	case "add":
		if modsAre(i, "sat") && signed && n == 32 {
			s.f = func(a, b, _ uint64) uint64 { return uint64(uint32(clampInt(sx(a, 32)+sx(b, 32), 32))) }
			return s, true
		}
		return two(func(a, b uint64) uint64 { return a + b })
	case "sub":
		if modsAre(i, "sat") && signed && n == 32 {
			s.f = func(a, b, _ uint64) uint64 { return uint64(uint32(clampInt(sx(a, 32)-sx(b, 32), 32))) }
			return s, true
		}
		return two(func(a, b uint64) uint64 { return a - b })
	case "mul", "mad":
		return multiply(i)
	case "div", "rem":
		s.class = count.Special
		// What a GPU gives for a division by zero is not specified; all ones is
		// what NVIDIA's do.
		if i.Op == "div" {
			return two(func(a, b uint64) uint64 {
				switch {
				case b == 0:
					return m
				case signed:
					return uint64(sx(a, n) / sx(b, n))
				}
				return a / b
			})
		}
		return two(func(a, b uint64) uint64 {
			switch {
			case b == 0:
				return a
			case signed:
				return uint64(sx(a, n) % sx(b, n))
			}
			return a % b
		})
	case "min", "max":
		wantLess := i.Op == "min"
		return two(func(a, b uint64) uint64 {
			less := a < b
			if signed {
				less = sx(a, n) < sx(b, n)
			}
			if less == wantLess {
				return a
			}
			return b
		})
	case "and":
		return two(func(a, b uint64) uint64 { return a & b })
	case "or":
		return two(func(a, b uint64) uint64 { return a | b })
	case "xor":
		return two(func(a, b uint64) uint64 { return a ^ b })
	case "not":
		return one(func(a uint64) uint64 { return ^a })
	case "cnot":
		return one(func(a uint64) uint64 { return bit(a == 0) })
	case "neg":
		return one(func(a uint64) uint64 { return -a })
	case "abs":
		return one(func(a uint64) uint64 {
			if v := sx(a, n); v < 0 {
				return uint64(-v)
			}
			return a
		})
	case "shl":
		s.in = []ptx.Type{t, u32}
		return two(func(a, b uint64) uint64 {
			return a << b // Go gives 0 from the width on; what is between is masked
		})
	case "shr":
		s.in = []ptx.Type{t, u32}
		return two(func(a, b uint64) uint64 {
			if signed {
				return uint64(sx(a, n) >> b)
			}
			return a >> b
		})
	case "popc":
		s.in, s.out = []ptx.Type{t}, u32
		s.f = func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) }
		return s, plain
	case "clz":
		s.in, s.out = []ptx.Type{t}, u32
		s.f = func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros64(a)) - uint64(64-n) }
		return s, plain
	case "bfind":
		s.in, s.out = []ptx.Type{t}, u32
		shift := modsAre(i, "shiftamt")
		s.f = func(a, _, _ uint64) uint64 {
			if signed && sx(a, n) < 0 {
				a = ^a & m
			}
			at := bits.Len64(a) - 1
			if at >= 0 && shift {
				at = int(n) - 1 - at
			}
			return uint64(uint32(at))
		}
		return s, plain || shift
	case "brev":
		return one(func(a uint64) uint64 { return bits.Reverse64(a) >> (64 - n) })
	case "bfe":
		s.in = []ptx.Type{t, u32, u32}
		s.f = func(a, pos, length uint64) uint64 { return extract(a, pos&255, length&255, n, signed) }
		return s, plain && n >= 32
	case "prmt":
		s.in = []ptx.Type{t, t, t}
		s.f = permute
		return s, plain && n == 32
	case "shf":
		return funnel(i)
	case "dp4a":
		return dot4(i)
	}
	return s, false
}

func clampInt(v int64, n uint8) int64 {
	most := int64(1)<<(n-1) - 1
	return max(min(v, most), -most-1)
}

func multiply(i *ptx.Inst) (scalar, bool) {
	t := i.Type(0)
	n, signed := t.Bits, t.Kind == ptx.Signed
	s := scalar{in: []ptx.Type{t, t, t}, out: t}
	if i.Op == "mul" {
		s.in = s.in[:2]
	}
	switch {
	case modsAre(i, "lo"):
		s.f = func(a, b, c uint64) uint64 { return (a*b + c) & mask(n) }
	case modsAre(i, "wide") && n <= 32:
		s.out = ptx.Type{Kind: t.Kind, Bits: 2 * n}
		if i.Op == "mad" {
			s.in[2] = s.out
		}
		s.f = func(a, b, c uint64) uint64 {
			if signed {
				a, b = uint64(sx(a, n)), uint64(sx(b, n))
			}
			return (a*b + c) & mask(2*n)
		}
	case modsAre(i, "hi"):
		s.f = func(a, b, c uint64) uint64 { return (mulHigh(a, b, n, signed) + c) & mask(n) }
	default:
		return s, false
	}
	return s, true
}

// mulHigh is the upper half of a product.
func mulHigh(a, b uint64, n uint8, signed bool) uint64 {
	if n < 64 {
		if signed {
			return uint64(sx(a, n)*sx(b, n)>>n) & mask(n)
		}
		return a * b >> n
	}
	high, _ := bits.Mul64(a, b)
	if signed {
		if int64(a) < 0 {
			high -= b
		}
		if int64(b) < 0 {
			high -= a
		}
	}
	return high
}

// extract is bfe: length bits from pos, the sign repeated above.
func extract(a, pos, length uint64, n uint8, signed bool) uint64 {
	if length == 0 {
		return 0
	}
	var fill uint64
	if signed {
		fill = a >> min(pos+length-1, uint64(n)-1) & 1
	}
	if pos < uint64(n) {
		v := a >> pos
		width := min(length, uint64(n)-pos)
		v &= mask(uint8(width))
		if fill != 0 {
			v |= ^mask(uint8(width))
		}
		return v & mask(n)
	}
	return -fill & mask(n)
}

// permute is prmt in its default mode: each digit of c picks a byte of {b, a}; its
// top bit replicates that byte's sign.
func permute(a, b, c uint64) uint64 {
	from := a | b<<32
	var d uint64
	for k := range 4 {
		sel := c >> (4 * k)
		v := from >> (8 * (sel & 7)) & 255
		if sel&8 != 0 {
			v = -(v >> 7) & 255
		}
		d |= v << (8 * k)
	}
	return d
}

// funnel is shf: 32 bits of {b, a} shifted.
func funnel(i *ptx.Inst) (scalar, bool) {
	s := scalar{in: []ptx.Type{u32, u32, u32}, out: u32}
	left := modsAre(i, "l.wrap") || modsAre(i, "l.clamp")
	if !left && !modsAre(i, "r.wrap") && !modsAre(i, "r.clamp") || i.Type(0).Bits != 32 {
		return s, false
	}
	clamp := i.Mods[1] == "clamp"
	s.f = func(a, b, c uint64) uint64 {
		if clamp {
			c = min(c, 32)
		} else {
			c &= 31
		}
		v := b<<32 | a
		if left {
			return v << c >> 32
		}
		return v >> c & mask(32)
	}
	return s, true
}

// dot4 is dp4a: the sum of four products of bytes.
func dot4(i *ptx.Inst) (scalar, bool) {
	s := scalar{in: []ptx.Type{i.Type(0), i.Type(1), u32}, out: u32}
	if len(i.Types) != 2 || len(i.Mods) != 0 || i.Type(0).Bits != 32 || i.Type(1).Bits != 32 {
		return s, false
	}
	sa, sb := i.Type(0).Kind == ptx.Signed, i.Type(1).Kind == ptx.Signed
	s.f = func(a, b, c uint64) uint64 {
		for k := range 4 {
			x, y := a>>(8*k)&255, b>>(8*k)&255
			if sa {
				x = uint64(sx(x, 8))
			}
			if sb {
				y = uint64(sx(y, 8))
			}
			c += x * y
		}
		return c & mask(32)
	}
	return s, true
}

// setp is a comparison. With two destinations, p|q, the second is the opposite of the first
// (PTX ISA, setp), but of two halves at once each has one; a lone half has no second.
func setp(i *ptx.Inst) (scalar, bool) {
	s, ok := comparison(i)
	switch t := i.Type(0); {
	case !ok || t.Kind == ptx.Packed:
		return s, ok && i.Pair
	case i.Pair:
		f := s.f
		s.f = func(a, b, _ uint64) uint64 {
			p := f(a, b, 0)
			return p | (p^1)<<1
		}
		s.pair = true
		return s, t != f16
	}
	return s, true
}

func comparison(i *ptx.Inst) (scalar, bool) {
	t := i.Type(0)
	s := scalar{in: []ptx.Type{t, t}, out: pred}
	if len(i.Types) != 1 || len(i.Mods) == 0 || t.Kind == ptx.Pred {
		return s, false
	}
	op := i.Mods[0]
	rest := i.Mods[1:]
	ftz := false
	if len(rest) == 1 && rest[0] == "ftz" && (t == f32 || t == f16 || t.Kind == ptx.Packed) {
		ftz, rest = true, nil
	}
	if len(rest) != 0 {
		return s, false
	}
	if t.Kind == ptx.Float || t.Kind == ptx.Packed {
		return setpFloat(op, t, ftz)
	}
	n, signed := t.Bits, t.Kind == ptx.Signed
	less := func(a, b uint64) bool { return a < b }
	if signed {
		less = func(a, b uint64) bool { return sx(a, n) < sx(b, n) }
	}
	switch op {
	case "eq":
		s.f = func(a, b, _ uint64) uint64 { return bit(a == b) }
	case "ne":
		s.f = func(a, b, _ uint64) uint64 { return bit(a != b) }
	case "lt", "lo":
		s.f = func(a, b, _ uint64) uint64 { return bit(less(a, b)) }
	case "le", "ls":
		s.f = func(a, b, _ uint64) uint64 { return bit(!less(b, a)) }
	case "gt", "hi":
		s.f = func(a, b, _ uint64) uint64 { return bit(less(b, a)) }
	case "ge", "hs":
		s.f = func(a, b, _ uint64) uint64 { return bit(!less(a, b)) }
	}
	return s, s.f != nil
}
