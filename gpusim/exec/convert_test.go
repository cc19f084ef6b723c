package exec

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gowarp/gpusim/check"
	"gowarp/gpusim/ptx"
)

// TestIntegerConversions: exhaustively from 8 and 16 bits, by edges from more.
func TestIntegerConversions(t *testing.T) {
	for _, from := range []uint8{8, 16, 32, 64} {
		var values [][3]uint64
		if from <= 16 {
			for v := range uint64(1) << from {
				values = append(values, [3]uint64{v})
			}
		} else {
			values = intValues(from)
		}
		for _, to := range []uint8{8, 16, 32, 64} {
			for _, kinds := range []string{"ss", "su", "us", "uu"} {
				for _, sat := range []string{"", ".sat"} {
					// 8-bit types live in 16-bit registers.
					reg := map[uint8]string{8: "%%rs%d", 16: "%%rs%d", 32: "%%r%d", 64: "%%rd%d"}
					text := fmt.Sprintf("cvt%s.%c%d.%c%d", sat, kinds[0], to, kinds[1], from)
					inst := fmt.Sprintf("%s "+reg[to]+", "+reg[from]+";", text, 1, 2)
					in, out := ty(ptx.Untyped, max(from, 16)), ty(ptx.Untyped, max(to, 16))
					got := opTest(t, text, inst, []ptx.Type{in}, out, values)
					for i, v := range values {
						x := new(big.Int).SetUint64(v[0] & mask(from))
						if kinds[1] == 's' && x.Bit(int(from)-1) == 1 {
							x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(from)))
						}
						if sat != "" {
							lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(to))
							if kinds[0] == 's' {
								hi.Rsh(hi, 1)
								lo.Neg(hi)
							}
							hi.Sub(hi, big.NewInt(1))
							if x.Cmp(lo) < 0 {
								x = lo
							} else if x.Cmp(hi) > 0 {
								x = hi
							}
						}
						want := new(big.Int).Mod(x, new(big.Int).Lsh(big.NewInt(1), 64)).Uint64() & mask(to)
						if kinds[0] == 's' {
							want = uint64(sx(want, to))
						}
						if want &= mask(max(to, 16)); got[i] != want {
							t.Fatalf("%s of %#x: %#x, want %#x", text, v[0], got[i], want)
						}
					}
				}
			}
		}
	}
}

// TestFloatToInteger compares with big integers, clamped.
func TestFloatToInteger(t *testing.T) {
	for _, from := range []uint8{32, 64} {
		values := floatValues(from)[:4000]
		for _, to := range []uint8{16, 32, 64} {
			for _, kind := range []string{"s", "u"} {
				for _, mode := range []string{"rni", "rzi", "rmi", "rpi"} {
					text := fmt.Sprintf("cvt.%s.%s%d.f%d", mode, kind, to, from)
					got := opTest(t, text, "", []ptx.Type{ty(ptx.Float, from)}, ty(ptx.Untyped, to), values)
					for i, v := range values {
						f := decode(v[0], ty(ptx.Float, from), false)
						if f != f {
							continue // see TestNaNToInteger
						}
						lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(to))
						if kind == "s" {
							hi.Rsh(hi, 1)
							lo.Neg(hi)
						}
						hi.Sub(hi, big.NewInt(1))
						var x *big.Int
						switch {
						case math.IsInf(f, 1):
							x = hi
						case math.IsInf(f, -1):
							x = lo
						default:
							below, _ := new(big.Float).SetFloat64(math.Floor(f)).Int(nil)
							part := f - math.Floor(f)
							x = below
							if mode == "rpi" && part > 0 || mode == "rzi" && part > 0 && f < 0 ||
								mode == "rni" && (part > .5 || part == .5 && below.Bit(0) == 1) {
								x = new(big.Int).Add(below, big.NewInt(1))
							}
							if x.Cmp(lo) < 0 {
								x = lo
							} else if x.Cmp(hi) > 0 {
								x = hi
							}
						}
						want := new(big.Int).Mod(x, new(big.Int).Lsh(big.NewInt(1), 64)).Uint64() & mask(to)
						if got[i] != want {
							t.Fatalf("%s of %v: %#x, want %#x", text, f, got[i], want)
						}
					}
				}
			}
		}
	}
}

// TestNaNToInteger: the cases that the PTX ISA lists.
func TestNaNToInteger(t *testing.T) {
	for text, want := range map[string]uint64{"cvt.rzi.s32.f32": 0, "cvt.rzi.u32.f32": 0, "cvt.rzi.s64.f32": 1 << 63, "cvt.rzi.s64.f64": 1 << 63, "cvt.rzi.s32.f64": 1 << 31} {
		from, nan := f32, uint64(0x7fc00000)
		if text[len(text)-2:] == "64" {
			from, nan = f64, math.Float64bits(math.NaN())
		}
		to := uint8(32)
		if text[9:11] == "64" {
			to = 64
		}
		if got := opTest(t, text, "", []ptx.Type{from}, ty(ptx.Untyped, to), [][3]uint64{{nan}}); got[0] != want {
			t.Errorf("%s of NaN: %#x, want %#x", text, got[0], want)
		}
	}
}

// halves are all 65536 values of f16, each as its exact value, by the format's definition.
func halfValue(h uint16) *big.Float {
	e, m := int(h>>10&31), int64(h&1023)
	if e > 0 {
		m += 1024
	} else {
		e = 1
	}
	x := new(big.Float).SetPrec(60).SetMantExp(big.NewFloat(float64(m)), e-25)
	if h>>15 == 1 {
		x.Neg(x)
	}
	return x
}

// nearestHalf searches all finite values, ties to even.
func nearestHalf(x *big.Float) uint16 {
	sign := uint16(0)
	if x.Signbit() {
		sign = 0x8000
	}
	mag := new(big.Float).Abs(x)
	lo, hi := uint16(0), uint16(0x7c00)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; halfValue(mid).Cmp(mag) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	upper := big.NewFloat(65536)
	if hi < 0x7c00 {
		upper = halfValue(hi)
	}
	middle := new(big.Float).SetPrec(100).Add(halfValue(lo), upper)
	middle.Quo(middle, big.NewFloat(2))
	if c := mag.Cmp(middle); c > 0 || c == 0 && lo&1 == 1 {
		lo = hi
	}
	return lo | sign
}

func TestHalves(t *testing.T) {
	var every [][3]uint64
	for h := range uint64(1 << 16) {
		every = append(every, [3]uint64{h})
	}
	for i, v := range opTest(t, "cvt.f32.f16", "", []ptx.Type{f16}, f32, every) {
		h, f := uint16(i), math.Float32frombits(uint32(v))
		switch {
		case h&0x7fff > 0x7c00:
			if f == f {
				t.Fatalf("%#x is %v", h, f)
			}
		case h&0x7fff == 0x7c00:
			if !math.IsInf(float64(f), 1-2*int(h>>15)) {
				t.Fatalf("%#x is %v", h, f)
			}
		default:
			if want, _ := halfValue(h).Float32(); f != want {
				t.Fatalf("%#x is %v, want %v", h, f, want)
			}
		}
	}
	// Finite operands, results by exact arithmetic.
	r := rand.New(rand.NewPCG(5, 6))
	var values [][3]uint64
	for len(values) < 30000 {
		v := [3]uint64{r.Uint64N(1 << 16), r.Uint64N(1 << 16), r.Uint64N(1 << 16)}
		if v[0]&0x7c00 != 0x7c00 && v[1]&0x7c00 != 0x7c00 && v[2]&0x7c00 != 0x7c00 {
			values = append(values, v)
		}
	}
	bf := func() *big.Float { return new(big.Float).SetPrec(300) }
	for text, f := range map[string]func(a, b, c *big.Float) *big.Float{
		"add.f16":    func(a, b, _ *big.Float) *big.Float { return bf().Add(a, b) },
		"sub.f16":    func(a, b, _ *big.Float) *big.Float { return bf().Sub(a, b) },
		"mul.f16":    func(a, b, _ *big.Float) *big.Float { return bf().Mul(a, b) },
		"fma.rn.f16": func(a, b, c *big.Float) *big.Float { return bf().Add(bf().Mul(a, b), c) },
	} {
		in := []ptx.Type{f16, f16, f16}
		if text != "fma.rn.f16" {
			in = in[:2]
		}
		for i, got := range opTest(t, text, "", in, f16, values) {
			v := values[i]
			x := f(halfValue(uint16(v[0])), halfValue(uint16(v[1])), halfValue(uint16(v[2])))
			if want := nearestHalf(x); uint16(got) != want && x.Sign() != 0 {
				t.Fatalf("%s of %#x: %#x, want %#x", text, v, got, want)
			}
		}
	}
	// From f32, halfway cases included.
	var wide [][3]uint64
	for h := range uint16(0x7bff) {
		x, _ := halfValue(h).Float32()
		y, _ := halfValue(h + 1).Float32()
		for _, f := range []float32{(x + y) / 2, math.Nextafter32((x+y)/2, 0), math.Nextafter32((x+y)/2, 1e9), -(x + y) / 2} {
			wide = append(wide, [3]uint64{uint64(math.Float32bits(f))})
		}
	}
	wide = append(wide, [3]uint64{uint64(math.Float32bits(65519.99))}, [3]uint64{uint64(math.Float32bits(65520))}, [3]uint64{uint64(math.Float32bits(1e30))})
	for i, got := range opTest(t, "cvt.rn.f16.f32", "", []ptx.Type{f32}, f16, wide) {
		f := math.Float32frombits(uint32(wide[i][0]))
		if want := nearestHalf(new(big.Float).SetFloat64(float64(f))); uint16(got) != want {
			t.Fatalf("%v to f16: %#x, want %#x", f, got, want)
		}
	}
}

// TestVotes: every form, of lanes that say yes below a bound, those from another on away.
func TestVotes(t *testing.T) {
	m := newTestMemory()
	dst := allocate(t, m, make([]byte, 128))
	for _, form := range []string{"all.pred", "any.pred", "uni.pred", "ballot.b32"} {
		for _, yes := range []int{0, 1, 13, 20, 31, 32} {
			for _, there := range []int{1, 20, 32} {
				for _, sync := range []string{"", ".sync"} {
					members, to, out := "", "%p3", "selp.b32 %r4, 1, 0, %p3"
					if sync != "" {
						members = fmt.Sprint(", ", uint32(1<<there-1))
					}
					if form == "ballot.b32" {
						to, out = "%r3", "mov.b32 %r4, %r3"
					}
					k := loadKernel(t, 1, fmt.Sprintf(`ld.param.b64 %%rd1, [p0]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 4; add.s64 %%rd3, %%rd1, %%rd2;
setp.ge.u32 %%p1, %%r1, %d; @%%p1 bra $x; setp.lt.u32 %%p2, %%r1, %d; vote%s.%s %s, %%p2%s; %s; st.global.b32 [%%rd3], %%r4; $x: ret;`, there, yes, sync, form, to, members, out))
					var log check.Log
					if _, err := Run(context.Background(), m, Launch{Kernel: k, Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Params: pointers(dst), Workers: 1}, &log); err != nil || len(log.Findings()) > 0 {
						t.Fatal(err, log.Findings())
					}
					b, err := m.Bytes(dst, 128)
					if err != nil {
						t.Fatal(err)
					}
					n := min(yes, there)
					want := map[string]uint32{"all.pred": 0, "any.pred": 0, "uni.pred": 0, "ballot.b32": uint32(1<<n - 1)}
					if n == there {
						want["all.pred"] = 1
					}
					if n > 0 {
						want["any.pred"] = 1
					}
					if n == 0 || n == there {
						want["uni.pred"] = 1
					}
					for lane := range there {
						if got := binary.LittleEndian.Uint32(b[4*lane:]); got != want[form] {
							t.Fatalf("vote%s.%s of %d of %d lanes: %#x in lane %d, want %#x", sync, form, n, there, got, lane, want[form])
						}
					}
				}
			}
		}
	}
}

// TestShuffles compares every mode, distance, width and clamp with the segment rule said
// differently: lanes are grouped, a source outside the group leaves the lane's own value.
func TestShuffles(t *testing.T) {
	m := newTestMemory()
	dst := allocate(t, m, make([]byte, 256))
	for _, mode := range []string{"up", "down", "bfly", "idx"} {
		for _, width := range []int{32, 16, 8, 4, 2, 1} {
			for _, sync := range []string{"", ".sync"} {
				for by := range 32 {
					c := (32-width)<<8 | 31
					if mode == "up" {
						c = (32 - width) << 8
					}
					members := ""
					if sync != "" {
						members = ", -1"
					}
					k := loadKernel(t, 1, fmt.Sprintf(`ld.param.b64 %%rd1, [p0]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 8; add.s64 %%rd3, %%rd1, %%rd2;
add.s32 %%r2, %%r1, 100; shfl%s.%s.b32 %%r3|%%p1, %%r2, %d, %d%s; selp.b32 %%r4, 1, 0, %%p1; st.global.v2.b32 [%%rd3], {%%r3, %%r4}; ret;`, sync, mode, by, c, members))
					var log check.Log
					if _, err := Run(context.Background(), m, Launch{Kernel: k, Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Params: pointers(dst), Workers: 1}, &log); err != nil || len(log.Findings()) > 0 {
						t.Fatal(err, log.Findings())
					}
					b, err := m.Bytes(dst, 256)
					if err != nil {
						t.Fatal(err)
					}
					for lane := range 32 {
						group := lane / width * width
						source := map[string]int{"up": lane - by, "down": lane + by, "bfly": lane ^ by, "idx": group + by%width}[mode]
						inside := source >= group && source < group+width
						if mode == "bfly" {
							inside = source < group+width // a lower group may be read
						}
						if !inside {
							source = lane
						}
						got, p := int(binary.LittleEndian.Uint32(b[8*lane:])), binary.LittleEndian.Uint32(b[8*lane+4:]) == 1
						if got != source+100 || p != inside {
							t.Fatalf("shfl%s.%s by %d, width %d, lane %d: %d %v, want %d %v", sync, mode, by, width, lane, got-100, p, source, inside)
						}
					}
				}
			}
		}
	}
}
