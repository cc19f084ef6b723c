package exec

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"gowarp/gpusim/ptx"
)

// TestEveryAtomic: each operation on each type that the decoder takes: what it leaves in memory,
// and what it returns.
func TestEveryAtomic(t *testing.T) {
	var types []ptx.Type
	for _, n := range []uint8{16, 32, 64} {
		types = append(types, ty(ptx.Untyped, n), ty(ptx.Signed, n), ty(ptx.Unsigned, n), ty(ptx.Float, n))
	}
	forms := 0
	for _, name := range words(t, "decode_access.go") {
		for _, T := range types {
			if _, ok := atomicFunc(name, T); !ok {
				continue
			}
			forms++
			n := T.Bits
			reg := map[uint8]string{16: "%%rs%d", 32: "%%r%d", 64: "%%rd%d"}[n]
			r := func(k int) string { return fmt.Sprintf(reg, k) }
			values := operands(&form{inst: ptx.Inst{Text: name, Op: "atom"}, in: []ptx.Type{T, T, T}})
			if name == "cas" { // make it hit
				for i := range values {
					if i%2 == 0 {
						values[i][1] = values[i][0]
					}
				}
			}
			operand := r(3)
			if name == "cas" {
				operand += ", " + r(4)
			}
			for _, space := range []string{".global", ""} {
				for _, result := range []string{"memory", "old"} {
					text := fmt.Sprintf("atom%s.%s.%s", space, name, T)
					inst := fmt.Sprintf("st.global.b%d [%%rd26], %s; %s %s, [%%rd26], %s;\n", n, r(2), text, r(1), operand)
					if result == "memory" {
						inst += fmt.Sprintf("ld.global.b%d %s, [%%rd26];", n, r(1))
					}
					got := opTest(t, text, inst, []ptx.Type{T, T, T}, T, values)
					for i, v := range values {
						want := v[0]
						if result == "memory" {
							want = updated(t, name, T, v)
						}
						if got[i] != want {
							t.Errorf("%s of %#x: %s is %#x, want %#x", text, v, result, got[i], want)
							break
						}
					}
				}
			}
		}
	}
	if forms < 40 {
		t.Errorf("only %d forms", forms)
	}
}

// updated is what an atomic operation makes of v[0] in memory.
func updated(t *testing.T, name string, T ptx.Type, v [3]uint64) uint64 {
	if T.Kind == ptx.Float {
		switch name {
		case "add":
			f := form{inst: ptx.Inst{Op: "add", Text: "add", Types: []ptx.Type{T}}, in: []ptx.Type{T, T}, out: T}
			want, _ := floatDefinition(&f)(v)
			return want
		case "exch":
			return v[1]
		}
	}
	old, by := integer(v[0], T), integer(v[1], T)
	switch name {
	case "add":
		return low(old.Add(old, by), T.Bits)
	case "and":
		return low(old.And(old, by), T.Bits)
	case "or":
		return low(old.Or(old, by), T.Bits)
	case "xor":
		return low(old.Xor(old, by), T.Bits)
	case "exch":
		return v[1]
	case "cas":
		if old.Cmp(by) == 0 {
			return v[2]
		}
		return v[0]
	case "min", "max":
		if (old.Cmp(by) < 0) == (name == "min") {
			return v[0]
		}
		return v[1]
	case "inc": // wraps around above the operand
		if old.Cmp(by) >= 0 {
			return 0
		}
		return low(old.Add(old, big.NewInt(1)), T.Bits)
	case "dec":
		if old.Sign() == 0 || old.Cmp(by) > 0 {
			return v[1]
		}
		return low(old.Sub(old, big.NewInt(1)), T.Bits)
	}
	t.Errorf("the decoder takes atom.%s.%s, which no test defines", name, T)
	return 0
}

// TestEveryAccess: loads and stores of each width, alone and as vectors, into registers of their
// own width and wider ones.
func TestEveryAccess(t *testing.T) {
	for _, kind := range []ptx.TypeKind{ptx.Untyped, ptx.Signed, ptx.Unsigned, ptx.Float} {
		for _, n := range []uint8{8, 16, 32, 64} {
			T := ty(kind, n)
			if T == ty(ptx.Float, 8) {
				continue
			}
			var values [][3]uint64
			for _, x := range []uint64{0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x80000000, math.MaxUint64, 0x0123456789abcdef, 0xfedcba9876543210} {
				values = append(values, [3]uint64{x, x >> 7, x * 3})
			}
			for _, reg := range []uint8{16, 32, 64} {
				if reg < n {
					continue
				}
				name := map[uint8]string{16: "%%rs%d", 32: "%%r%d", 64: "%%rd%d"}[reg]
				r := func(k int) string { return fmt.Sprintf(name, k) }
				for vec := 1; vec <= 4 && vec*int(n) <= 128; vec *= 2 {
					list, v := r(1), ""
					if vec > 1 {
						v, list = fmt.Sprintf(".v%d", vec), "{"+r(1)
						for k := 1; k < vec; k++ {
							list += ", " + r(10+k)
						}
						list += "}"
					}
					if vec*int(n) == 128 {
						continue // the records are aligned to 8 bytes; Halide's own kernels have v4.b32
					}
					inst := fmt.Sprintf("ld.global%s.%s %s, [%%rd24];", v, T, list)
					got := opTest(t, inst, inst, []ptx.Type{ty(ptx.Untyped, 64), ty(ptx.Untyped, 64)}, ty(ptx.Untyped, reg), values)
					for i, x := range values {
						want := low(integer(x[0], T), reg)
						if got[i] != want {
							t.Errorf("%s of %#x: %#x, want %#x", inst, x, got[i], want)
						}
					}
					// The last element of a vector, stored and loaded as one.
					if vec > 1 {
						last := r(10 + vec - 1)
						inst += fmt.Sprintf(" mov.b%d %s, %s;", reg, r(1), last)
						got = opTest(t, inst, inst, []ptx.Type{ty(ptx.Untyped, 64), ty(ptx.Untyped, 64)}, ty(ptx.Untyped, reg), values)
						for i, x := range values {
							at := (vec - 1) * int(n)
							bits := x[at/64] >> (at % 64)
							if want := low(integer(bits, T), reg); got[i] != want {
								t.Errorf("%s of %#x: %#x, want %#x", inst, x, got[i], want)
							}
						}
					}
				}
			}
		}
	}
}
