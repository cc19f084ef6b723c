package exec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gowarp/gpusim/ptx"
)

// formTest is an instruction of three operands at most, on a warp outside of any launch.
// Registers 1 to 3 are its operands and 4 is the result, of whatever class.
type formTest struct {
	name string
	s    scalar
	w    *warp
	o    *op
}

func newFormTest(t *testing.T, name string) *formTest {
	t.Helper()
	m, err := ptx.Parse(header + ".entry k() { .reg .b32 %r<5>; " + name + " %r4, %r1, %r2, %r3; ret; }")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scalarOf(&m.Functions[0].Code[0])
	if err != nil {
		t.Fatal(err)
	}
	w := &warp{r32: make([]lanes32, 5), r64: make([]lanes64, 5), preds: make([]uint32, 5), taints: make([]uint32, 5)}
	o := &op{outMax: mask(s.out.Bits)}
	for k, in := range s.in {
		*[]*slot{&o.a, &o.b, &o.c}[k] = slot{class: classOf(in), at: int32(k + 1), taint: int32(k + 1)}
	}
	o.d = slot{class: classOf(s.out), at: 4, taint: 4}
	return &formTest{name, s, w, o}
}

// fill makes the operands: edge values, floats near one another in size, products near a
// halfway case or near the ends of the range, small numbers, anything.
func (f *formTest) fill(r *rand.Rand) {
	edges := floatEdges(32)
	for lane := range 32 {
		var x [3]uint64
		for k := range x {
			x[k] = r.Uint64()
		}
		switch r.IntN(7) {
		case 0:
			for k := range x {
				x[k] = edges[r.IntN(len(edges))]
			}
		case 1, 2:
			for k := range x {
				x[k] = x[k]&0x807fffff | uint64(110+r.IntN(36))<<23
			}
			if r.IntN(2) == 0 {
				x[0], x[1] = x[0]&0xfffff000, x[1]&0xfffff000
			}
		case 3: // the sum is tiny or a halfway case between subnormal numbers
			x[0], x[1], x[2] = x[0]&0x80ffffff|0x20000000, x[1]&0x80ffffff|0x1f000000, x[2]&0x80ffffff
		case 4: // c is nearly -a*b
			p := math.Float32frombits(uint32(x[0])) * math.Float32frombits(uint32(x[1]))
			x[2] = uint64(math.Float32bits(-p) + uint32(r.IntN(5)) - 2)
		case 5:
			for k := range x {
				x[k] = uint64(r.IntN(40))
			}
		}
		for k, in := range f.s.in {
			f.w.fill([]slot{f.o.a, f.o.b, f.o.c}[k], lane, x[k]&mask(in.Bits))
		}
	}
	f.w.mask = all
	if r.IntN(3) == 0 {
		f.w.mask = r.Uint32()
	}
	for k := range f.w.taints[1:] {
		f.w.taints[k+1] = r.Uint32() & r.Uint32()
	}
	for lane := range 32 {
		f.w.fill(f.o.d, lane, r.Uint64()&f.o.outMax)
	}
}

// TestForms compares each form that runs 32 lanes at once, portable and by vector instructions,
// with the definition lane by lane, and the fused multiplication and addition with exact
// arithmetic.
func TestForms(t *testing.T) {
	t.Logf("%d forms by vector instructions", len(vectorForms))
	r := rand.New(rand.NewPCG(4, 5))
	for name := range fastForms {
		if name[:3] == "and" && name != "and.b32" && name != "and.b16" || name == "or.pred" || name == "xor.pred" || name == "not.pred" || name[:3] == "cvt" {
			continue // of predicates and conversions, which have tests of their own
		}
		forms := []func(w *warp, o *op){fastForms[name]}
		if f := vectorForms[name]; f != nil {
			forms = append(forms, f)
		}
		test := newFormTest(t, name)
		rounds := 100
		if name == "fma.rn.f32" {
			rounds = 4000
		}
		for n := range rounds {
			test.fill(r)
			w, o := test.w, test.o
			before := *w
			before.taints = append([]uint32(nil), w.taints...)
			r32, r64, preds := w.r32[4], w.r64[4], w.preds[4]
			for k, f := range forms {
				w.r32[4], w.r64[4], w.preds[4] = r32, r64, preds
				copy(w.taints, before.taints)
				f(w, o)
				var bad uint32
				for k := range test.s.in {
					bad |= before.taints[k+1]
				}
				if want := before.taints[4]&^w.mask | bad&w.mask; w.taints[4] != want {
					t.Fatalf("form %d of %s: undefined %#x, want %#x", k, name, w.taints[4], want)
				}
				for lane := range 32 {
					a, b, c := w.get(o.a, lane), w.get(o.b, lane), w.get(o.c, lane)
					got := w.get(o.d, lane)
					var want uint64
					if w.mask>>lane&1 != 0 {
						want = test.s.f(a, b, c)
						if n%16 == 0 && name == "fma.rn.f32" {
							if e, ok := exactFMA(uint32(a), uint32(b), uint32(c)); ok && uint64(e) != want {
								t.Fatalf("the definition of %s gives %#x of %#x, %#x, %#x; exactly it is %#x", name, want, a, b, c, e)
							}
						}
					} else {
						want = uint64(r32[lane])
						switch o.d.class {
						case double:
							want = r64[lane]
						case boolean:
							want = uint64(preds >> lane & 1)
						}
					}
					if got != want {
						t.Fatalf("form %d of %s gives %#x of %#x, %#x, %#x (lane %d of %#x), want %#x", k, name, got, a, b, c, lane, w.mask, want)
					}
				}
			}
		}
	}
	for name := range vectorForms {
		if fastForms[name] == nil {
			t.Errorf("%s has no portable form", name)
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

// TestLanesOfWarps: taking over some lanes, and addresses.
func TestLanesOfWarps(t *testing.T) {
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
		start, stride, offset := r.Uint64(), r.Uint64()>>r.IntN(64), r.Uint64()
		for i := range x {
			x[i] = start + uint64(i)*stride
			z[i] = x[i] + offset
		}
		regular := n%2 == 0
		if !regular {
			i, d := r.IntN(32), uint64(1)<<r.IntN(64)
			x[i], z[i] = x[i]+d, z[i]+d
		}
		for _, f := range []func(d, a *lanes64, offset uint64) bool{shiftDoubles, shift64} {
			if got := f(&y, &x, offset); got != regular || y != z {
				t.Fatalf("%v + %#x: %v, %v; want %v", x, offset, y, got, z)
			}
		}
	}
}
