package exec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gowarp/gpusim/ptx"
)

// testWarp is a warp with a few registers, outside of any launch. Registers 1 to 3 are
// operands and 4 is the result.
func testWarp() (*warp, *op) {
	w := &warp{r32: make([]lanes32, 5), r64: make([]lanes64, 5), preds: make([]uint32, 5), taints: make([]uint32, 5), mask: all}
	at := func(n int32) slot { return slot{class: word, at: n, taint: n} }
	return w, &op{a: at(1), b: at(2), c: at(3), d: at(4), outMax: mask(32)}
}

// floatTriples fills the operands: edge values, numbers near one another in size, products
// near a halfway case or near the ends of the range, anything.
func floatTriples(r *rand.Rand, w *warp) {
	edges := floatEdges(32)
	for lane := range 32 {
		var x [3]uint32
		for k := range x {
			x[k] = r.Uint32()
		}
		switch r.IntN(6) {
		case 0:
			for k := range x {
				x[k] = uint32(edges[r.IntN(len(edges))])
			}
		case 1, 2:
			for k := range x {
				x[k] = x[k]&0x807fffff | uint32(110+r.IntN(36))<<23
			}
			if r.IntN(2) == 0 {
				x[0], x[1] = x[0]&0xfffff000, x[1]&0xfffff000
			}
		case 3: // the sum is tiny or a halfway case between subnormal numbers
			x[0], x[1] = x[0]&0x80ffffff|0x20000000, x[1]&0x80ffffff|0x1f000000
			x[2] &= 0x80ffffff
		case 4: // c is nearly -a*b
			p := math.Float32frombits(x[0]) * math.Float32frombits(x[1])
			x[2] = math.Float32bits(-p) + uint32(r.IntN(5)) - 2
		}
		for k, v := range x {
			w.r32[k+1][lane] = v
		}
	}
}

// TestFloatForms compares what runs 32 lanes at once with the scalar definitions and, for
// the fused operation, with exact arithmetic that math/big rounds once.
func TestFloatForms(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	rounds := 20000
	if testing.Short() {
		rounds = 300
	}
	portable := map[string]func(w *warp, o *op){"add.rn.f32": addF32, "sub.rn.f32": subF32, "mul.rn.f32": mulF32, "fma.rn.f32": fmaF32}
	for name, form := range portable {
		forms := []func(w *warp, o *op){form}
		if hasVectors {
			forms = append(forms, vectorForms[name])
		} else {
			t.Log("this CPU lacks the instructions of the vector forms")
		}
		i := &ptx.Inst{Text: name, Op: name[:3], Mods: []string{"rn"}, Types: []ptx.Type{f32}}
		s, err := scalarOf(i)
		if err != nil {
			t.Fatal(err)
		}
		w, o := testWarp()
		for n := range rounds {
			floatTriples(r, w)
			w.mask = all
			if n%4 == 3 {
				w.mask = r.Uint32()
			}
			for k, f := range forms {
				var before lanes32
				for lane := range before {
					before[lane] = r.Uint32()
				}
				w.r32[4] = before
				f(w, o)
				for lane, got := range w.r32[4] {
					a, b, c := w.r32[1][lane], w.r32[2][lane], w.r32[3][lane]
					want := before[lane]
					if w.mask>>lane&1 != 0 {
						want = uint32(s.f(uint64(a), uint64(b), uint64(c)))
						if n%16 == 0 && name == "fma.rn.f32" {
							if e, ok := exactFMA(a, b, c); ok && e != want {
								t.Fatalf("the definition of %s gives %#x of %#x, %#x, %#x; exactly it is %#x", name, want, a, b, c, e)
							}
						}
					}
					if got != want {
						t.Fatalf("form %d of %s gives %#x of %#x, %#x, %#x (lane %d of %#x), want %#x", k, name, got, a, b, c, lane, w.mask, want)
					}
				}
			}
		}
	}
}

// exactFMA is a*b+c by math/big, for finite operands and sums other than zero.
func exactFMA(a, b, c uint32) (uint32, bool) {
	var x [3]*big.Float
	for k, u := range []uint32{a, b, c} {
		f := float64(math.Float32frombits(u))
		if f-f != 0 {
			return 0, false
		}
		x[k] = new(big.Float).SetPrec(600).SetFloat64(f)
	}
	s := x[0].Mul(x[0], x[1])
	if s.Add(s, x[2]); s.Sign() == 0 {
		return 0, false
	}
	f, _ := s.Float32()
	return math.Float32bits(f), true
}

func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	for n := range 2000 {
		m := r.Uint32()
		if n < 32 {
			m = 1 << n
		}
		var a, b, c lanes32
		var x, y, z lanes64
		for i := range a {
			a[i], b[i], x[i], y[i] = r.Uint32(), r.Uint32(), r.Uint64(), r.Uint64()
			c[i], z[i] = a[i], x[i]
			if m>>i&1 != 0 {
				c[i], z[i] = b[i], y[i]
			}
		}
		a2, x2 := a, x
		mergeWords(&a, &b, m)
		mergeDoubles(&x, &y, m)
		merge32(&a2, &b, m)
		merge64(&x2, &y, m)
		if a != c || x != z || a2 != c || x2 != z {
			t.Fatalf("mask %#x: %v, %v, want %v; %v, %v, want %v", m, a, a2, c, x, x2, z)
		}
	}
}
