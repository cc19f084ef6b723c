package exec

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"gowarp/gpusim/ptx"
)

func ty(k ptx.TypeKind, n uint8) ptx.Type { return ptx.Type{Kind: k, Bits: n} }

// intValues are pairs of operands: all values of 8 bits against edges, and edges and
// random values of more.
func intValues(n uint8) [][3]uint64 {
	edges := []uint64{0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 100, mask(n), mask(n) - 1, mask(n) >> 1, mask(n)>>1 + 1, mask(n)>>1 - 1, 0x5555555555555555 & mask(n)}
	var v [][3]uint64
	for _, a := range edges {
		for _, b := range edges {
			v = append(v, [3]uint64{a & mask(n), b & mask(n), (a*3 + b) & mask(n)})
		}
	}
	r := rand.New(rand.NewPCG(uint64(n), 9))
	if n == 16 {
		for a := range uint64(1 << 16) { // exhaustive in the first operand
			v = append(v, [3]uint64{a, r.Uint64() & 0xffff, r.Uint64() & 0xffff})
		}
	}
	for range 2000 {
		s := r.UintN(64)
		v = append(v, [3]uint64{r.Uint64() & mask(n), r.Uint64() >> s & mask(n), r.Uint64() & mask(n)})
	}
	return v
}

// big integers are the independent definition of the integer instructions: exact
// arithmetic, then cut to the width.
func TestIntegers(t *testing.T) {
	val := func(x uint64, n uint8, signed bool) *big.Int {
		v := new(big.Int).SetUint64(x)
		if signed && x>>(n-1)&1 == 1 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(n)))
		}
		return v
	}
	cut := func(v *big.Int, n uint8) uint64 {
		m := new(big.Int).Lsh(big.NewInt(1), uint(n))
		return new(big.Int).Mod(v, m).Uint64()
	}
	for _, n := range []uint8{16, 32, 64} {
		for _, signed := range []bool{true, false} {
			kind, name := ptx.Unsigned, fmt.Sprintf("u%d", n)
			if signed {
				kind, name = ptx.Signed, fmt.Sprintf("s%d", n)
			}
			T, values := ty(kind, n), intValues(n)
			try := func(op string, arity int, skipZero bool, out ptx.Type, f func(a, b, c *big.Int) *big.Int) {
				t.Helper()
				in := []ptx.Type{T, T, T}[:arity]
				if op == "mad.wide" {
					in = []ptx.Type{T, T, out}
				}
				if op == "shl" || op == "shr" {
					in[1] = u32
				}
				typed := op + "." + name
				if op == "shl" || op == "not" || op == "and" || op == "or" || op == "xor" || op == "popc" || op == "clz" || op == "brev" {
					if signed {
						return
					}
					typed = fmt.Sprintf("%s.b%d", op, n)
				}
				got := opTest(t, typed, "", in, out, values)
				for i, v := range values {
					if skipZero && v[1] == 0 {
						continue
					}
					b := val(v[1], n, signed)
					if op == "shl" || op == "shr" {
						b = new(big.Int).SetUint64(v[1] & mask(32))
					}
					want := cut(f(val(v[0], n, signed), b, val(v[2], n, signed)), out.Bits)
					if op == "mad.wide" {
						want = cut(f(val(v[0], n, signed), b, new(big.Int).SetUint64(v[2])), out.Bits)
					}
					if got[i] != want {
						t.Fatalf("%s of %#x, %#x, %#x: %#x, want %#x", typed, v[0], v[1], v[2], got[i], want)
					}
				}
			}
			z := func() *big.Int { return new(big.Int) }
			try("add", 2, false, T, func(a, b, _ *big.Int) *big.Int { return z().Add(a, b) })
			try("sub", 2, false, T, func(a, b, _ *big.Int) *big.Int { return z().Sub(a, b) })
			try("mul.lo", 2, false, T, func(a, b, _ *big.Int) *big.Int { return z().Mul(a, b) })
			try("mul.hi", 2, false, T, func(a, b, _ *big.Int) *big.Int { return z().Rsh(z().Mul(a, b), uint(n)) })
			try("mad.lo", 3, false, T, func(a, b, c *big.Int) *big.Int { return z().Add(z().Mul(a, b), c) })
			if n < 64 {
				W := ty(kind, 2*n)
				try("mul.wide", 2, false, W, func(a, b, _ *big.Int) *big.Int { return z().Mul(a, b) })
				try("mad.wide", 3, false, W, func(a, b, c *big.Int) *big.Int { return z().Add(z().Mul(a, b), c) })
			}
			try("div", 2, true, T, func(a, b, _ *big.Int) *big.Int { return z().Quo(a, b) })
			try("rem", 2, true, T, func(a, b, _ *big.Int) *big.Int { return z().Rem(a, b) })
			try("min", 2, false, T, func(a, b, _ *big.Int) *big.Int {
				if a.Cmp(b) < 0 {
					return a
				}
				return b
			})
			try("max", 2, false, T, func(a, b, _ *big.Int) *big.Int {
				if a.Cmp(b) > 0 {
					return a
				}
				return b
			})
			try("shr", 2, false, T, func(a, b, _ *big.Int) *big.Int { return z().Rsh(a, uint(min(b.Uint64(), 100))) })
			try("shl", 2, false, T, func(a, b, _ *big.Int) *big.Int { return z().Lsh(a, uint(min(b.Uint64(), 100))) })
			try("and", 2, false, T, func(a, b, _ *big.Int) *big.Int { return z().And(a, b) })
			try("or", 2, false, T, func(a, b, _ *big.Int) *big.Int { return z().Or(a, b) })
			try("xor", 2, false, T, func(a, b, _ *big.Int) *big.Int { return z().Xor(a, b) })
			try("not", 1, false, T, func(a, _, _ *big.Int) *big.Int { return z().Not(a) })
			if signed {
				try("neg", 1, false, T, func(a, _, _ *big.Int) *big.Int { return z().Neg(a) })
				try("abs", 1, false, T, func(a, _, _ *big.Int) *big.Int { return z().Abs(a) })
			}
			if n >= 32 {
				try("popc", 1, false, u32, func(a, _, _ *big.Int) *big.Int { return big.NewInt(int64(bits.OnesCount64(a.Uint64()))) })
				try("clz", 1, false, u32, func(a, _, _ *big.Int) *big.Int { return big.NewInt(int64(int(n) - a.BitLen())) })
				try("brev", 1, false, T, func(a, _, _ *big.Int) *big.Int {
					v := z()
					for k := range int(n) {
						v.SetBit(v, int(n)-1-k, a.Bit(k))
					}
					return v
				})
			}
			for cmp, f := range map[string]func(c int) bool{
				"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 }, "lt": func(c int) bool { return c < 0 },
				"le": func(c int) bool { return c <= 0 }, "gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
			} {
				try("setp."+cmp, 2, false, pred, func(a, b, _ *big.Int) *big.Int { return new(big.Int).SetUint64(bit(f(a.Cmp(b)))) })
			}
		}
	}
}

// TestBytes checks the instructions on the bits of a word against loops over bits.
func TestBits(t *testing.T) {
	values := intValues(32)
	U := u32
	for text, f := range map[string]func(a, b, c uint32) uint32{
		"shf.l.wrap.b32":  func(a, b, c uint32) uint32 { c &= 31; return uint32((uint64(b)<<32 | uint64(a)) >> (32 - c)) },
		"shf.r.wrap.b32":  func(a, b, c uint32) uint32 { c &= 31; return uint32((uint64(b)<<32 | uint64(a)) >> c) },
		"shf.r.clamp.b32": func(a, b, c uint32) uint32 { c = min(c, 32); return uint32((uint64(b)<<32 | uint64(a)) >> c) },
		"bfe.u32": func(a, b, c uint32) uint32 {
			var d uint32
			for i := uint32(0); i < min(c&255, 32); i++ {
				if k := b&255 + i; k < 32 {
					d |= a >> k & 1 << i
				}
			}
			return d
		},
		"bfe.s32": func(a, b, c uint32) uint32 {
			var d uint32
			pos, length := b&255, c&255
			var sign uint32
			if length > 0 {
				sign = a >> min(pos+length-1, 31) & 1
			}
			for i := range uint32(32) {
				v := sign
				if i < length && pos+i < 32 {
					v = a >> (pos + i) & 1
				}
				d |= v << i
			}
			return d
		},
		"prmt.b32": func(a, b, c uint32) uint32 {
			src := []byte{byte(a), byte(a >> 8), byte(a >> 16), byte(a >> 24), byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)}
			var d uint32
			for k := range 4 {
				sel := c >> (4 * k) & 15
				v := src[sel&7]
				if sel >= 8 {
					v = byte(int8(v) >> 7)
				}
				d |= uint32(v) << (8 * k)
			}
			return d
		},
		"dp4a.s32.s32": func(a, b, c uint32) uint32 {
			for k := range 4 {
				c += uint32(int32(int8(a>>(8*k))) * int32(int8(b>>(8*k))))
			}
			return c
		},
		"dp4a.u32.s32": func(a, b, c uint32) uint32 {
			for k := range 4 {
				c += uint32(int32(uint8(a>>(8*k))) * int32(int8(b>>(8*k))))
			}
			return c
		},
	} {
		got := opTest(t, text, "", []ptx.Type{U, U, U}, U, values)
		for i, v := range values {
			if want := f(uint32(v[0]), uint32(v[1]), uint32(v[2])); uint32(got[i]) != want {
				t.Fatalf("%s of %#x: %#x, want %#x", text, v, got[i], want)
			}
		}
	}
}

// floatEdges are bit patterns of one width.
func floatEdges(n uint8) []uint64 {
	if n == 32 {
		return []uint64{0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x7f7fffff, 0xff7fffff,
			0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x4b000000, 0x4b000001, 0x4f000000, 0x4effffff, 0xcf000000, 0x4f800000, 0x5f000000, 0x3f000000, 0x3fc00000, 0x40200000, 0x34000000, 0x33ffffff}
	}
	var v []uint64
	for _, f := range floatEdges(32) {
		v = append(v, math.Float64bits(float64(math.Float32frombits(uint32(f)))))
	}
	return append(v, 1, 1<<63|1, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x3ff0000000000001, 0x3fefffffffffffff, 0x43e0000000000000, 0x43f0000000000000, 0xc3e0000000000001)
}

func floatValues(n uint8) [][3]uint64 {
	e := floatEdges(n)
	var v [][3]uint64
	for i, a := range e {
		for j, b := range e {
			v = append(v, [3]uint64{a, b, e[(i*7+j*3)%len(e)]})
		}
	}
	r := rand.New(rand.NewPCG(uint64(n), 77))
	for range 20000 {
		x := [3]uint64{r.Uint64() & mask(n), r.Uint64() & mask(n), r.Uint64() & mask(n)}
		if r.IntN(2) == 0 && n == 32 { // exponents near one another, where sums cancel and round
			for k := range x {
				x[k] = x[k]&0x807fffff | uint64(110+r.IntN(36))<<23
			}
			if r.IntN(4) == 0 { // and halfway cases: few bits set
				x[0] &= 0xfffff000
				x[1] &= 0xfffff000
			}
		}
		v = append(v, x)
	}
	return v
}

// TestFloats compares with exact arithmetic (math/big) rounded once, to nearest or in
// the instruction's direction.
func TestFloats(t *testing.T) {
	type operation struct {
		text  string
		arity int
		exact func(a, b, c *big.Float) *big.Float // of finite operands
		host  func(a, b, c float64) float64       // for zeros, infinities and NaN
	}
	bf := func() *big.Float { return new(big.Float).SetPrec(5000) }
	ops := []operation{
		{"add", 2, func(a, b, _ *big.Float) *big.Float { return bf().Add(a, b) }, func(a, b, _ float64) float64 { return a + b }},
		{"sub", 2, func(a, b, _ *big.Float) *big.Float { return bf().Sub(a, b) }, func(a, b, _ float64) float64 { return a - b }},
		{"mul", 2, func(a, b, _ *big.Float) *big.Float { return bf().Mul(a, b) }, func(a, b, _ float64) float64 { return a * b }},
		{"fma", 3, func(a, b, c *big.Float) *big.Float { return bf().Add(bf().Mul(a, b), c) }, math.FMA},
		{"div", 2, func(a, b, _ *big.Float) *big.Float { return bf().SetPrec(300).Quo(a, b) }, func(a, b, _ float64) float64 { return a / b }},
		{"sqrt", 1, func(a, _, _ *big.Float) *big.Float {
			if a.Sign() < 0 {
				return nil
			}
			return bf().SetPrec(300).Sqrt(a)
		}, func(a, _, _ float64) float64 { return math.Sqrt(a) }},
		{"rcp", 1, func(a, _, _ *big.Float) *big.Float { return bf().SetPrec(300).Quo(big.NewFloat(1), a) }, func(a, _, _ float64) float64 { return 1 / a }},
	}
	for _, n := range []uint8{32, 64} {
		T := ty(ptx.Float, n)
		values := floatValues(n)
		if n == 64 {
			values = values[:min(len(values), 6000)]
		}
		toF := func(u uint64) float64 {
			if n == 32 {
				return float64(math.Float32frombits(uint32(u)))
			}
			return math.Float64frombits(u)
		}
		toBits := func(f float64) uint64 {
			if n == 32 {
				return uint64(math.Float32bits(float32(f)))
			}
			return math.Float64bits(f)
		}
		for _, op := range ops {
			for _, mode := range []string{"rn", "rz", "rm", "rp"} {
				text := fmt.Sprintf("%s.%s.f%d", op.text, mode, n)
				some := values
				if mode != "rn" {
					some = values[:min(len(values), 2500)]
				}
				got := opTest(t, text, "", []ptx.Type{T, T, T}[:op.arity], T, some)
				for i, v := range some {
					a, b, c := toF(v[0]), toF(v[1]), toF(v[2])
					if op.arity < 3 {
						c = 0
					}
					if op.arity < 2 {
						b = 0
					}
					var want uint64
					host := op.host(a, b, c)
					finite := !math.IsInf(a, 0) && !math.IsInf(b, 0) && !math.IsInf(c, 0) && host == host && !(math.IsInf(host, 0) && (op.text == "div" && b == 0 || op.text == "rcp" && a == 0))
					var x *big.Float
					if finite {
						x = op.exact(new(big.Float).SetFloat64(a), new(big.Float).SetFloat64(b), new(big.Float).SetFloat64(c))
					}
					switch {
					case host != host:
						want = nan64
						if n == 32 {
							want = nan32
						}
					case !finite:
						want = toBits(host)
					case x.Sign() == 0:
						if mode == "rm" && (op.text == "add" || op.text == "sub" || op.text == "fma") {
							continue // the sign of zero is its own test
						}
						if op.text == "mul" || op.text == "div" {
							want = toBits(math.Copysign(0, a) * math.Copysign(1, b))
						} else {
							want = toBits(host)
							if got[i]<<1 == 0 && host == 0 && math.Abs(a)+math.Abs(b) != 0 && op.text == "fma" {
								want = got[i] // a product that underflows in float64 only
							}
						}
					default:
						want = rounded(x, mode, n)
					}
					if got[i] != want {
						t.Fatalf("%s of %v %v %v (%#x): %#x, want %#x", text, a, b, c, v, got[i], want)
					}
				}
			}
		}
	}
}

// rounded rounds by search among the two neighbouring floats, without big's own rounding.
func rounded(x *big.Float, mode string, n uint8) uint64 {
	neg := x.Sign() < 0
	mag := new(big.Float).Abs(x)
	infinity := uint64(0x7ff0000000000000)
	value := func(u uint64) *big.Float { return new(big.Float).SetFloat64(math.Float64frombits(u)) }
	if n == 32 {
		infinity = 0x7f800000
		value = func(u uint64) *big.Float { return new(big.Float).SetFloat64(float64(math.Float32frombits(uint32(u)))) }
	}
	// The largest pattern whose value is not above mag.
	lo, hi := uint64(0), infinity
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if value(mid).Cmp(mag) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	sign := uint64(0)
	if neg {
		sign = 1 << (n - 1)
	}
	if value(lo).Cmp(mag) == 0 {
		return lo | sign
	}
	switch {
	case mode == "rz", mode == "rm" && !neg, mode == "rp" && neg:
		return lo | sign
	case mode != "rn":
		return hi | sign
	}
	// Above the largest finite value the next step counts as if there were one.
	upper := new(big.Float).SetPrec(5000)
	if hi == infinity {
		upper.Add(value(lo), upper.Sub(value(lo), value(lo-1)))
	} else {
		upper = value(hi)
	}
	half := new(big.Float).SetPrec(5000).Add(value(lo), upper)
	half.Quo(half, big.NewFloat(2))
	switch c := mag.Cmp(half); {
	case c > 0, c == 0 && lo&1 == 1:
		return hi | sign
	}
	return lo | sign
}

// TestCarry builds 64-bit arithmetic from 32-bit halves through the carry flag.
func TestCarry(t *testing.T) {
	split := "mov.b64 {%r40, %r41}, %rd2; mov.b64 {%r42, %r43}, %rd3;\n"
	join := "mov.b64 %rd1, {%r44, %r45};"
	for name, c := range map[string]struct {
		inst string
		f    func(a, b uint64) uint64
	}{
		"add": {"add.cc.u32 %r44, %r40, %r42; addc.u32 %r45, %r41, %r43;", func(a, b uint64) uint64 { return a + b }},
		"sub": {"sub.cc.u32 %r44, %r40, %r42; subc.u32 %r45, %r41, %r43;", func(a, b uint64) uint64 { return a - b }},
		// The upper 64 bits of a 128-bit product, as libdevice computes them.
		"mul": {`mul.lo.u32 %r50, %r40, %r42; mul.hi.u32 %r51, %r40, %r42;
mad.lo.cc.u32 %r51, %r41, %r42, %r51; madc.hi.u32 %r52, %r41, %r42, 0;
mad.lo.cc.u32 %r51, %r40, %r43, %r51; madc.hi.cc.u32 %r52, %r40, %r43, %r52; madc.hi.u32 %r53, %r41, %r43, 0;
mad.lo.cc.u32 %r44, %r41, %r43, %r52; addc.u32 %r45, %r53, 0;`,
			func(a, b uint64) uint64 {
				high, _ := bits.Mul64(a, b)
				return high
			}},
	} {
		U := ty(ptx.Unsigned, 64)
		values := intValues(64)
		for i, got := range opTest(t, name, split+c.inst+join, []ptx.Type{U, U}, U, values) {
			if want := c.f(values[i][0], values[i][1]); got != want {
				t.Fatalf("%s of %#x, %#x: %#x, want %#x", name, values[i][0], values[i][1], got, want)
			}
		}
	}
}
