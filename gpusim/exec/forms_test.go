package exec

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gowarp/gpusim/ptx"
)

// Every form of an instruction without memory that the decoder takes, against a definition
// that shares nothing with it: integers of any size and exact rationals, rounded by search.

// words are the lower-case words among the string literals of sources of the decoder: the
// opcodes are among them, whatever is added.
func words(t *testing.T, files ...string) []string {
	var found []string
	word := regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && word.MatchString(s) {
					found = append(found, s)
				}
			}
			return true
		})
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// form is an opcode with its modifiers and types.
type form struct {
	inst ptx.Inst
	in   []ptx.Type
	out  ptx.Type
}

// results are p and q as bits 0 and 1, of a form that has both.
var results = ty(ptx.Unsigned, 32)

func (f *form) has(m string) bool { return slices.Contains(f.inst.Mods, m) }

// forms are all that the decoder takes, of modifiers in the order in which PTX has them.
func forms(t *testing.T) []form {
	var types []ptx.Type
	for _, k := range []ptx.TypeKind{ptx.Untyped, ptx.Signed, ptx.Unsigned} {
		for _, n := range []uint8{8, 16, 32, 64} {
			types = append(types, ty(k, n))
		}
	}
	types = append(types, f16, f32, f64, pred, ptx.Type{Kind: ptx.Packed, Bits: 32})
	mods := [][]string{{}, {"lo"}, {"hi"}, {"wide"}, {"shiftamt"}, {"l", "wrap"}, {"l", "clamp"}, {"r", "wrap"}, {"r", "clamp"}, {"NaN"}, {"ftz", "NaN"}}
	for _, rounding := range []string{"", "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "approx", "full"} {
		for _, ftz := range []string{"", "ftz"} {
			for _, sat := range []string{"", "sat"} {
				if m := strings.Fields(rounding + " " + ftz + " " + sat); len(m) > 0 {
					mods = append(mods, m)
				}
			}
		}
	}
	for _, c := range strings.Fields("eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan") {
		mods = append(mods, []string{c}, []string{c, "ftz"})
	}
	var all []form
	tryEither := func(pair bool, op string, mods []string, types ...ptx.Type) {
		i := ptx.Inst{Op: op, Mods: mods, Types: types, Vec: 1, Text: op, Pair: pair}
		for _, m := range mods {
			i.Text += "." + m
		}
		for _, t := range types {
			i.Text += "." + t.String()
		}
		if slices.ContainsFunc(all, func(f form) bool { return f.inst.Text == i.Text && f.inst.Pair == pair }) {
			return
		}
		s, err := scalarOf(&i)
		if err != nil {
			return
		}
		for _, t := range append(slices.Clone(s.in), s.out) {
			if t.Bits == 8 && op != "cvt" {
				return // no register is so narrow
			}
		}
		if s.pair != pair {
			return // refused when it is decoded
		}
		if pair {
			s.out = results
		}
		all = append(all, form{i, s.in, s.out})
	}
	try := func(op string, mods []string, types ...ptx.Type) {
		tryEither(false, op, mods, types...)
		if op == "setp" {
			tryEither(true, op, mods, types...)
		}
	}
	for _, op := range words(t, "scalar.go", "scalar_int.go", "scalar_float.go", "scalar_cvt.go") {
		for _, m := range mods {
			for _, a := range types {
				try(op, m, a)
			}
		}
	}
	for _, op := range []string{"cvt", "dp4a"} {
		for _, m := range mods {
			for _, a := range types {
				for _, b := range types {
					try(op, m, a, b)
				}
			}
		}
	}
	return all
}

// operands are values for a form: all of a lone operand of 8 or 16 bits, edges and random ones.
func operands(f *form) [][3]uint64 {
	var v [][3]uint64
	if len(f.in) == 1 && f.in[0].Bits <= 16 && f.in[0].Kind != ptx.Pred {
		// Of the forms that differ little only some.
		step := uint64(1)
		if f.in[0].Bits == 16 && f.inst.Op == "cvt" && (f.has("sat") || f.has("ftz") || f.inst.Types[0].Bits == 8 || !slices.Contains([]string{"rn", "rni", "rzi"}, modeOf(f))) {
			step = 37
		}
		for x := uint64(0); x < 1<<f.in[0].Bits; x += step {
			v = append(v, [3]uint64{x})
		}
		return v
	}
	r := rand.New(rand.NewPCG(uint64(len(f.inst.Text)), 5))
	edges := func(t ptx.Type) []uint64 {
		switch {
		case t.Kind == ptx.Pred:
			return []uint64{0, 1}
		case t == f16:
			return []uint64{0, 0x8000, 1, 0x83ff, 0x400, 0x3c00, 0xbc00, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01, 0x3800, 0x4248}
		case t.Kind == ptx.Packed:
			return []uint64{0, 0x80000001, 0x3c00bc00, 0x7c007e00, 0xfbff7bff, 0x42483801, 0xfc000400}
		case t.Kind == ptx.Float:
			return floatEdges(t.Bits)
		}
		m := mask(t.Bits)
		return []uint64{0, 1, 2, 3, 5, 8, 15, 16, 17, 24, 31 & m, 32 & m, 33 & m, 63 & m, 64 & m, 127 & m, 128 & m, 255 & m, m, m - 1, m >> 1, m>>1 + 1, 0x5555555555555555 & m, 0x4321 & m}
	}
	e := [3][]uint64{{0}, {0}, {0}}
	for k, t := range f.in {
		e[k] = edges(t)
	}
	if len(f.in) == 2 && f.in[0].Kind == ptx.Packed {
		// All pairs of edges in the lower halves, and in the upper ones in another order.
		e := edges(f16)
		n := len(e)
		for i := range n * n {
			j := (i*97 + 13) % (n * n)
			v = append(v, [3]uint64{e[j/n]<<16 | e[i/n], e[j%n]<<16 | e[i%n]})
		}
	}
	for i, a := range e[0] {
		for j, b := range e[1] {
			v = append(v, [3]uint64{a, b, e[2][(7*i+3*j)%len(e[2])]}, [3]uint64{a, b, e[2][(i+5*j+1)%len(e[2])]})
		}
	}
	for range 150 {
		var x [3]uint64
		for k, t := range f.in {
			x[k] = r.Uint64() & mask(t.Bits)
			if t == f32 && r.IntN(2) == 0 {
				x[k] = x[k]&0x807fffff | uint64(110+r.IntN(36))<<23
			}
		}
		v = append(v, x)
	}
	return v
}

// TestEveryForm fails for a form that the decoder takes and this file does not define.
func TestEveryForm(t *testing.T) {
	all := forms(t)
	if len(all) < 800 {
		t.Errorf("only %d forms", len(all))
	}
	seen := map[string]int{}
	for k := range all {
		f := &all[k]
		seen[f.inst.Op]++
		define := definition(f)
		if define == nil {
			t.Errorf("the decoder takes %s, which no test defines", f.inst.Text)
			continue
		}
		values := operands(f)
		in, out := slices.Clone(f.in), f.out
		inst := ""
		if f.inst.Pair {
			inst = f.inst.Text + map[uint8]string{16: " %p1|%p9, %rs2, %rs3;", 32: " %p1|%p9, %r2, %r3;", 64: " %p1|%p9, %rd2, %rd3;"}[in[0].Bits] +
				"selp.b32 %r10, 1, 0, %p1; selp.b32 %r11, 2, 0, %p9; or.b32 %r1, %r10, %r11;"
		}
		if f.inst.Op == "cvt" && len(in) == 1 {
			// 8-bit values live in 16-bit registers.
			in[0], out = ty(ptx.Untyped, max(in[0].Bits, 16)), ty(ptx.Untyped, max(out.Bits, 16))
			reg := map[uint8]string{16: "%%rs%d", 32: "%%r%d", 64: "%%rd%d"}
			inst = fmt.Sprintf("%s "+reg[out.Bits]+", "+reg[in[0].Bits]+";", f.inst.Text, 1, 2)
		}
		got := opTest(t, f.inst.Text, inst, in, out, values)
		for i, v := range values {
			want, near := define(v)
			if f.inst.Op == "cvt" && f.out.Kind == ptx.Signed {
				want = uint64(sx(want, f.out.Bits)) & mask(out.Bits)
			}
			if got[i] != want && !(near != nil && near(got[i])) {
				t.Errorf("%s of %#x: %#x, want %#x", f.inst.Text, v, got[i], want)
				break
			}
		}
	}
	t.Log(len(all), seen)
}

// TestPairs: which instructions write p|q. The others are refused, not taken to have one more
// source.
func TestPairs(t *testing.T) {
	const head = header + ".visible .entry k() { .reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>;\n"
	for text, known := range map[string]bool{
		"setp.lt.f16x2 %p1|%p2, %r1, %r2;":            true,
		"setp.lt.ftz.f16x2 _|%p2, %r1, %r2;":          true,
		"setp.lt.s32 %p1|_, %r1, 5;":                  true,
		"@%p1 setp.lt.f16x2 %p1|%p2, %r1, %r2;":       true,
		"setp.lt.f16 %p1, %rs1, %rs2;":                true,
		"shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;":  true,
		"setp.lt.f16x2 %p1, %r1, %r2;":                false,
		"setp.lt.f16x2 %p1, %p2, %r1, %r2;":           false,
		"setp.lt.f16x2 %p1|%r3, %r1, %r2;":            false,
		"setp.lo.f16x2 %p1|%p2, %r1, %r2;":            false,
		"setp.lt.f16 %p1|%p2, %rs1, %rs2;":            false,
		"setp.lt.s32 %p1, %p2, %r1, %r2;":             false,
		"setp.lt.and.s32 %p1, %r1, %r2, %p2;":         false,
		"setp.lt.and.s32 %p1|%p2, %r1, %r2, %p3;":     false,
		"setp.lt.and.f16x2 %p1|%p2, %r1, %r2, %p3;":   false,
		"setp.lt.s32 %p1, %r1|%r2;":                   false,
		"mov.b32 %r1|%r2;":                            false,
		"add.s32 %r1|%r2, %r3;":                       false,
		"shfl.sync.idx.b32 %r1, %p1, %r2, 0, 31, -1;": false,
		"cvt.rn.f16x2.f32 %r1, %r2;":                  false,
		"cvt.rz.f16x2.f32 %r1, %r2, %r3;":             false,
		"cvt.rn.relu.f16x2.f32 %r1, %r2, %r3;":        false,
	} {
		m, err := ptx.Parse(head + text + "\nret; }")
		if err == nil {
			_, err = Load(m)
		}
		if (err == nil) != known {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// meaning is a form's result; near, if there is one, says which others will do.
type meaning func(v [3]uint64) (want uint64, near func(got uint64) bool)

func exactly(f func(v [3]uint64) uint64) meaning {
	return func(v [3]uint64) (uint64, func(uint64) bool) { return f(v), nil }
}

func definition(f *form) meaning {
	t := f.inst.Types[0]
	switch {
	case f.inst.Op == "mov":
		return exactly(func(v [3]uint64) uint64 { return v[0] })
	case f.inst.Op == "selp":
		return exactly(func(v [3]uint64) uint64 { return map[bool]uint64{true: v[0], false: v[1]}[v[2] == 1] })
	case f.inst.Op == "cvt":
		return conversion(f)
	case f.inst.Pair && t.Kind != ptx.Packed:
		single := *f
		single.inst.Pair = false
		one := definition(&single)
		return exactly(func(v [3]uint64) uint64 {
			if p, _ := one(v); p == 1 {
				return 1 // p alone
			}
			return 2
		})
	case t.Kind == ptx.Packed:
		single := *f
		single.inst.Pair = false
		single.inst.Types = []ptx.Type{f16}
		one := definition(&single)
		if one == nil {
			return nil
		}
		return exactly(func(v [3]uint64) uint64 {
			low, _ := one([3]uint64{v[0] & 0xffff, v[1] & 0xffff, v[2] & 0xffff})
			high, _ := one([3]uint64{v[0] >> 16, v[1] >> 16, v[2] >> 16})
			if f.inst.Pair {
				return high<<1 | low
			}
			return high<<16 | low
		})
	case t.Kind == ptx.Float && f.inst.Op == "setp":
		return floatComparison(f)
	case t.Kind == ptx.Float:
		return floatDefinition(f)
	}
	return intDefinition(f)
}

// integer is a value as a mathematical integer.
func integer(v uint64, t ptx.Type) *big.Int {
	x := new(big.Int).SetUint64(v & mask(t.Bits))
	if t.Kind == ptx.Signed && x.Bit(int(t.Bits)-1) == 1 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(t.Bits)))
	}
	return x
}

func low(x *big.Int, n uint8) uint64 {
	return new(big.Int).Mod(x, new(big.Int).Lsh(big.NewInt(1), uint(n))).Uint64()
}

func rangeOf(t ptx.Type) (lo, hi *big.Int) {
	lo, hi = new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
	if t.Kind == ptx.Signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	return lo, hi.Sub(hi, big.NewInt(1))
}

func clampTo(x *big.Int, t ptx.Type) *big.Int {
	lo, hi := rangeOf(t)
	if x.Cmp(lo) < 0 {
		return lo
	} else if x.Cmp(hi) > 0 {
		return hi
	}
	return x
}

func intDefinition(f *form) meaning {
	t := f.inst.Types[0]
	n := t.Bits
	z := func() *big.Int { return new(big.Int) }
	// Of mathematical integers, cut to the result's width.
	exact := func(g func(a, b, c *big.Int) *big.Int) meaning {
		return exactly(func(v [3]uint64) uint64 {
			c := t
			if len(f.in) == 3 {
				c = f.in[2]
			}
			return low(g(integer(v[0], t), integer(v[1], t), integer(v[2], c)), f.out.Bits)
		})
	}
	perBit := func(g func(a, b uint64) uint64) meaning {
		return exactly(func(v [3]uint64) uint64 {
			var d uint64
			for k := range n {
				d |= g(v[0]>>k&1, v[1]>>k&1) & 1 << k
			}
			return d
		})
	}
	shifted := func(v [3]uint64) uint { return uint(min(v[1], 200)) }
	product := func(a, b *big.Int) *big.Int {
		switch p := z().Mul(a, b); {
		case f.has("hi"):
			return p.Rsh(p, uint(n))
		default:
			return p
		}
	}
	word := func(g func(a, b, c uint32) uint32) meaning {
		return exactly(func(v [3]uint64) uint64 { return uint64(g(uint32(v[0]), uint32(v[1]), uint32(v[2]))) })
	}
	switch f.inst.Op {
	case "add", "sub":
		return exact(func(a, b, _ *big.Int) *big.Int {
			if f.inst.Op == "sub" {
				b.Neg(b)
			}
			if a.Add(a, b); f.has("sat") {
				return clampTo(a, t)
			}
			return a
		})
	case "mul":
		return exact(func(a, b, _ *big.Int) *big.Int { return product(a, b) })
	case "mad":
		return exact(func(a, b, c *big.Int) *big.Int { return z().Add(product(a, b), c) })
	case "div":
		return exact(func(a, b, _ *big.Int) *big.Int {
			if b.Sign() == 0 {
				return big.NewInt(-1)
			}
			return z().Quo(a, b)
		})
	case "rem":
		return exact(func(a, b, _ *big.Int) *big.Int {
			if b.Sign() == 0 {
				return a
			}
			return z().Rem(a, b)
		})
	case "min", "max":
		return exact(func(a, b, _ *big.Int) *big.Int {
			if (a.Cmp(b) < 0) == (f.inst.Op == "min") {
				return a
			}
			return b
		})
	case "abs":
		signed := ty(ptx.Signed, n)
		return exactly(func(v [3]uint64) uint64 { return low(z().Abs(integer(v[0], signed)), n) })
	case "neg":
		return exact(func(a, _, _ *big.Int) *big.Int { return z().Neg(a) })
	case "and":
		return perBit(func(a, b uint64) uint64 { return a * b })
	case "or":
		return perBit(func(a, b uint64) uint64 { return a + b - a*b })
	case "xor":
		return perBit(func(a, b uint64) uint64 { return a + b })
	case "not":
		return perBit(func(a, _ uint64) uint64 { return 1 - a })
	case "cnot":
		return exactly(func(v [3]uint64) uint64 { return map[bool]uint64{true: 1}[v[0] == 0] })
	case "shl":
		return exactly(func(v [3]uint64) uint64 { return low(z().Lsh(integer(v[0], t), shifted(v)), n) })
	case "shr":
		return exactly(func(v [3]uint64) uint64 { return low(z().Rsh(integer(v[0], t), shifted(v)), n) })
	case "popc":
		return exactly(func(v [3]uint64) uint64 { return uint64(strings.Count(strconv.FormatUint(v[0], 2), "1")) })
	case "clz":
		return exactly(func(v [3]uint64) uint64 { return uint64(int(n) - new(big.Int).SetUint64(v[0]).BitLen()) })
	case "bfind":
		return exactly(func(v [3]uint64) uint64 {
			x := integer(v[0], t)
			if x.Sign() < 0 {
				x.Not(x)
			}
			at := x.BitLen() - 1
			if f.has("shiftamt") && at >= 0 {
				at = int(n) - 1 - at
			}
			return uint64(uint32(at))
		})
	case "brev":
		return exactly(func(v [3]uint64) uint64 {
			s := []byte(fmt.Sprintf("%0*b", n, v[0]))
			slices.Reverse(s)
			x, _ := strconv.ParseUint(string(s), 2, 64)
			return x
		})
	case "bfe":
		return exactly(func(v [3]uint64) uint64 {
			pos, length := v[1]&255, v[2]&255
			var d, sign uint64
			if length > 0 && t.Kind == ptx.Signed {
				sign = v[0] >> min(pos+length-1, uint64(n)-1) & 1
			}
			for k := range uint64(n) {
				b := sign
				if k < length && pos+k < uint64(n) {
					b = v[0] >> (pos + k) & 1
				}
				d |= b << k
			}
			return d
		})
	case "prmt":
		return word(func(a, b, c uint32) uint32 {
			src := []byte{byte(a), byte(a >> 8), byte(a >> 16), byte(a >> 24), byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)}
			var d uint32
			for k := range 4 {
				x := src[c>>(4*k)&7]
				if c>>(4*k)&8 != 0 {
					x = byte(int8(x) >> 7)
				}
				d |= uint32(x) << (8 * k)
			}
			return d
		})
	case "shf":
		return word(func(a, b, c uint32) uint32 {
			if f.has("wrap") {
				c %= 32
			}
			x := z().Add(z().Lsh(big.NewInt(int64(b)), 32), big.NewInt(int64(a)))
			if f.has("l") {
				x.Rsh(x.Lsh(x, uint(min(c, 32))), 32)
			} else {
				x.Rsh(x, uint(min(c, 32)))
			}
			return uint32(low(x, 32))
		})
	case "dp4a":
		return exactly(func(v [3]uint64) uint64 {
			sum := new(big.Int).SetUint64(v[2])
			for k := range 4 {
				a, b := ty(f.inst.Types[0].Kind, 8), ty(f.inst.Types[1].Kind, 8)
				sum.Add(sum, z().Mul(integer(v[0]>>(8*k), a), integer(v[1]>>(8*k), b)))
			}
			return low(sum, 32)
		})
	case "setp":
		want := map[string]func(c int) bool{
			"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 },
			"lt": func(c int) bool { return c < 0 }, "lo": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 }, "ls": func(c int) bool { return c <= 0 },
			"gt": func(c int) bool { return c > 0 }, "hi": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 }, "hs": func(c int) bool { return c >= 0 },
		}[f.inst.Mods[0]]
		if want == nil || len(f.inst.Mods) > 1 {
			return nil
		}
		return exactly(func(v [3]uint64) uint64 {
			return map[bool]uint64{true: 1}[want(integer(v[0], t).Cmp(integer(v[1], t)))]
		})
	}
	return nil
}

// number is a float's value by its format: sign, exponent, fraction.
func number(v uint64, t ptx.Type) float64 {
	fraction, exponent := map[uint8]int{16: 10, 32: 23, 64: 52}[t.Bits], map[uint8]int{16: 5, 32: 8, 64: 11}[t.Bits]
	m, e := v&(1<<fraction-1), int(v>>fraction)&(1<<exponent-1)
	bias := 1<<(exponent-1) - 1
	var x float64
	switch {
	case e == 1<<exponent-1 && m != 0:
		return math.NaN()
	case e == 1<<exponent-1:
		x = math.Inf(1)
	case e == 0:
		x = math.Ldexp(float64(m), 1-bias-fraction)
	default:
		x = math.Ldexp(float64(m|1<<fraction), e-bias-fraction)
	}
	if v>>(t.Bits-1)&1 == 1 {
		x = math.Copysign(x, -1)
	}
	return x
}

// smallest is the least normal number.
func smallest(t ptx.Type) float64 {
	return map[uint8]float64{16: 0x1p-14, 32: 0x1p-126, 64: 0x1p-1022}[t.Bits]
}

func flushed(x float64, t ptx.Type, ftz bool) float64 {
	if ftz && math.Abs(x) < smallest(t) {
		return math.Copysign(0, x)
	}
	return x
}

// bitsOf is a value's bits, of one that the type holds.
func bitsOf(x float64, t ptx.Type) uint64 {
	if x != x {
		return map[uint8]uint64{16: 0x7fff, 32: 0x7fffffff, 64: 0x7ff8000000000000}[t.Bits]
	}
	var sign uint64
	if math.Signbit(x) {
		sign = 1 << (t.Bits - 1)
	}
	if x == 0 {
		return sign
	}
	if math.IsInf(x, 0) {
		return sign | map[uint8]uint64{16: 0x7c00, 32: 0x7f800000, 64: 0x7ff0000000000000}[t.Bits]
	}
	return roundedTo(new(big.Float).SetFloat64(x), "rn", t)
}

// roundedTo rounds what is not zero.
func roundedTo(x *big.Float, mode string, t ptx.Type) uint64 {
	if t == f16 {
		return uint64(nearestHalf(x)) // rn is all that there is
	}
	return rounded(x, mode, t.Bits)
}

func modeOf(f *form) string {
	for _, m := range f.inst.Mods {
		if len(m) >= 2 && m[0] == 'r' && strings.Contains("nzmp", m[1:2]) {
			return m
		}
	}
	return "rn"
}

// completed applies ftz and sat to a result's bits.
func completed(f *form, u uint64, t ptx.Type) uint64 {
	x := number(u, t)
	if f.has("sat") {
		switch {
		case !(x > 0):
			return 0
		case x > 1:
			x = 1
		}
		u = bitsOf(x, t)
	}
	if f.has("ftz") && t == f32 && math.Abs(x) < smallest(t) {
		return u &^ (1<<(t.Bits-1) - 1)
	}
	return u
}

func floatDefinition(f *form) meaning {
	t := f.inst.Types[0]
	mode, ftz := modeOf(f), f.has("ftz")
	arg := func(v uint64) float64 { return flushed(number(v, t), t, ftz) }
	bf := func() *big.Float { return new(big.Float).SetPrec(4500) }
	exactOf := func(x float64) *big.Float { return bf().SetFloat64(x) }
	sign := uint64(1) << (t.Bits - 1)
	// exact rounds the exact result of finite operands once. Zeros, and what is not finite,
	// follow the host's float64.
	exact := func(host func(a, b, c float64) float64, g func(a, b, c float64) *big.Float) meaning {
		return exactly(func(v [3]uint64) uint64 {
			a, b, c := arg(v[0]), arg(v[1]), arg(v[2])
			h := host(a, b, c)
			for k, x := range []float64{a, b, c} {
				if k < len(f.in) && (math.IsInf(x, 0) || x != x) {
					return completed(f, bitsOf(h, t), t)
				}
			}
			x := g(a, b, c)
			if x == nil {
				return completed(f, bitsOf(h, t), t)
			}
			if x.Sign() == 0 {
				// A sum of opposites is -0 only when rounding down.
				zero := math.Copysign(0, h)
				switch f.inst.Op {
				case "add", "sub", "fma", "mad":
					p, q := a, b
					if f.inst.Op == "sub" {
						q = -b
					} else if len(f.in) == 3 {
						p, q = math.Copysign(1, a)*math.Copysign(1, b), c
						if a != 0 && b != 0 || c != 0 {
							q = -p // a true cancellation
						}
					} else if a != 0 {
						q = -p
					}
					zero = 0
					if same := math.Signbit(p) == math.Signbit(q); same && math.Signbit(p) || !same && mode == "rm" {
						zero = math.Copysign(0, -1)
					}
				}
				return completed(f, bitsOf(zero, t), t)
			}
			return completed(f, roundedTo(x, mode, t), t)
		})
	}
	// approximate takes all within 2^-20, relative or absolute.
	approximate := func(g func(a, b float64) float64) meaning {
		return func(v [3]uint64) (uint64, func(uint64) bool) {
			want := g(arg(v[0]), arg(v[1]))
			return completed(f, bitsOf(want, f64), f64), func(got uint64) bool {
				x := number(got, t)
				w := want
				if f.has("sat") {
					w = max(min(w, 1), 0)
				}
				most := map[uint8]float64{16: 65504, 32: math.MaxFloat32, 64: math.MaxFloat64}[t.Bits]
				off := map[uint8]float64{16: 0x1p-9, 32: 0x1p-20, 64: 0x1p-40}[t.Bits]
				switch {
				case w != w:
					return x != x
				case math.Abs(w) > most:
					return math.IsInf(x, int(math.Copysign(1, w))) || math.Abs(x) >= most*.999
				case math.Abs(w) < 2*smallest(t):
					return math.Abs(x) <= 2*smallest(t)
				}
				return math.Abs(x-w) <= off*max(math.Abs(w), 0)+off*min(math.Abs(w), 1)
			}
		}
	}
	switch op := f.inst.Op; op {
	case "add":
		return exact(func(a, b, _ float64) float64 { return a + b }, func(a, b, _ float64) *big.Float { return bf().Add(exactOf(a), exactOf(b)) })
	case "sub":
		return exact(func(a, b, _ float64) float64 { return a - b }, func(a, b, _ float64) *big.Float { return bf().Sub(exactOf(a), exactOf(b)) })
	case "mul":
		return exact(func(a, b, _ float64) float64 { return a * b }, func(a, b, _ float64) *big.Float { return bf().Mul(exactOf(a), exactOf(b)) })
	case "fma", "mad":
		return exact(math.FMA, func(a, b, c float64) *big.Float { return bf().Add(bf().Mul(exactOf(a), exactOf(b)), exactOf(c)) })
	case "div", "rcp":
		over := func(a, b float64) (float64, float64) {
			if op == "rcp" {
				return 1, a
			}
			return a, b
		}
		if f.has("approx") || f.has("full") {
			return approximate(func(a, b float64) float64 { a, b = over(a, b); return a / b })
		}
		return exact(func(a, b, _ float64) float64 { a, b = over(a, b); return a / b }, func(a, b, _ float64) *big.Float {
			if a, b = over(a, b); b == 0 || a == 0 {
				return nil
			}
			return bf().SetPrec(300).Quo(exactOf(a), exactOf(b))
		})
	case "sqrt":
		if f.has("approx") {
			return approximate(func(a, _ float64) float64 { return math.Sqrt(a) })
		}
		return exact(func(a, _, _ float64) float64 { return math.Sqrt(a) }, func(a, _, _ float64) *big.Float {
			if a <= 0 {
				return nil
			}
			return bf().SetPrec(300).Sqrt(exactOf(a))
		})
	case "rsqrt":
		return approximate(func(a, _ float64) float64 { return 1 / math.Sqrt(a) })
	case "ex2":
		return approximate(func(a, _ float64) float64 { return math.Pow(2, a) })
	case "lg2":
		return approximate(func(a, _ float64) float64 { return math.Log(a) / math.Ln2 })
	case "sin":
		return approximate(func(a, _ float64) float64 { s, _ := math.Sincos(a); return s })
	case "cos":
		return approximate(func(a, _ float64) float64 { _, c := math.Sincos(a); return c })
	case "tanh":
		return approximate(func(a, _ float64) float64 {
			if math.Abs(a) > 100 {
				return math.Copysign(1, a)
			}
			return math.Expm1(2*a) / (math.Expm1(2*a) + 2)
		})
	case "neg", "abs":
		return exactly(func(v [3]uint64) uint64 {
			u := v[0]
			if ftz && math.Abs(number(u, t)) < smallest(t) {
				u &= sign
			}
			if op == "abs" {
				return u &^ sign
			}
			return u ^ sign
		})
	case "copysign":
		return exactly(func(v [3]uint64) uint64 {
			x := v[1] &^ sign
			if v[0]&sign != 0 {
				x |= sign
			}
			return x
		})
	case "min", "max":
		return exactly(func(v [3]uint64) uint64 {
			a, b := arg(v[0]), arg(v[1])
			switch {
			case a != a && b != b, f.has("NaN") && (a != a || b != b):
				return bitsOf(math.NaN(), t)
			case a != a:
				return bitsOf(b, t)
			case b != b:
				return bitsOf(a, t)
			}
			// -0 is less than +0.
			less := a < b || a == b && math.Signbit(a) && !math.Signbit(b)
			if less == (op == "min") {
				return bitsOf(a, t)
			}
			return bitsOf(b, t)
		})
	}
	return nil
}

// floatComparison: a table over less, equal, greater, unordered.
func floatComparison(f *form) meaning {
	t := f.inst.Types[0]
	holds, ok := map[string]string{"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "num": "<=>", "nan": "?",
		"equ": "=?", "neu": "<>?", "ltu": "<?", "leu": "<=?", "gtu": ">?", "geu": ">=?"}[f.inst.Mods[0]]
	if !ok {
		return nil
	}
	return exactly(func(v [3]uint64) uint64 {
		a, b := flushed(number(v[0], t), t, f.has("ftz")), flushed(number(v[1], t), t, f.has("ftz"))
		relation := "?"
		if a == a && b == b {
			relation = []string{"<", "=", ">"}[new(big.Float).SetFloat64(a).Cmp(new(big.Float).SetFloat64(b))+1]
		}
		return map[bool]uint64{true: 1}[strings.Contains(holds, relation)]
	})
}

func conversion(f *form) meaning {
	to, from := f.inst.Types[0], f.inst.Types[1]
	mode := modeOf(f)
	float := func(t ptx.Type) bool { return t.Kind == ptx.Float }
	arg := func(v uint64) float64 { return flushed(number(v, from), from, f.has("ftz") && from == f32) }
	whole := func(x float64) *big.Int {
		below, _ := new(big.Float).SetFloat64(math.Floor(x)).Int(nil)
		part := x - math.Floor(x)
		if mode[:2] == "rp" && part > 0 || mode[:2] == "rz" && part > 0 && x < 0 || mode[:2] == "rn" && (part > .5 || part == .5 && below.Bit(0) == 1) {
			below.Add(below, big.NewInt(1))
		}
		return below
	}
	switch {
	case to.Kind == ptx.Packed:
		single := *f
		single.inst.Types = []ptx.Type{f16, from}
		one := conversion(&single)
		return exactly(func(v [3]uint64) uint64 {
			high, _ := one([3]uint64{v[0]})
			low, _ := one([3]uint64{v[1]})
			return high<<16 | low
		})
	case !float(to) && !float(from):
		return exactly(func(v [3]uint64) uint64 {
			x := integer(v[0], from)
			if f.has("sat") {
				x = clampTo(x, to)
			}
			return low(x, to.Bits)
		})
	case !float(to):
		return exactly(func(v [3]uint64) uint64 {
			lo, hi := rangeOf(to)
			switch x := arg(v[0]); {
			case x != x && (from == f64 || to.Bits == 64):
				return 1 << (to.Bits - 1)
			case x != x:
				return 0
			case math.IsInf(x, 1):
				return low(hi, to.Bits)
			case math.IsInf(x, -1):
				return low(lo, to.Bits)
			default:
				return low(clampTo(whole(x), to), to.Bits)
			}
		})
	case !float(from):
		return exactly(func(v [3]uint64) uint64 {
			x := integer(v[0], from)
			if x.Sign() == 0 {
				return 0
			}
			return roundedTo(new(big.Float).SetInt(x), mode, to)
		})
	}
	return exactly(func(v [3]uint64) uint64 {
		x := arg(v[0])
		switch {
		case x != x || math.IsInf(x, 0) || x == 0:
			return completed(f, bitsOf(x, to), to)
		case len(mode) == 3:
			i := whole(x)
			if i.Sign() == 0 {
				return completed(f, bitsOf(math.Copysign(0, x), to), to)
			}
			return completed(f, roundedTo(new(big.Float).SetInt(i), "rn", to), to)
		}
		return completed(f, roundedTo(new(big.Float).SetFloat64(x), mode, to), to)
	})
}
