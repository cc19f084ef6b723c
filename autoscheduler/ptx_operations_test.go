package autoscheduler

import (
	"math"
	"testing"

	"gowarp/autoscheduler/instructions"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// The counts in this file are those of the PTX that Halide 21 makes for sm_75 of the same definition, at a point a thread in blocks of 32x8, unless a test says otherwise.

// TestProductsInPlace: a product of a Func that is computed in place is one instruction with the sum that reads it, in each such sum, but where nothing is there to be added to, or where it is more than a term.
func TestProductsInPlace(t *testing.T) {
	for name, c := range map[string]struct {
		value func(in *irtest.Input, square func(dy int64) irtest.Expr, x, y irtest.Expr) irtest.Expr
		want  float64
	}{
		"three": {func(_ *irtest.Input, square func(int64) irtest.Expr, _, _ irtest.Expr) irtest.Expr {
			return square(0).Add(square(1)).Add(square(2))
		}, 3}, // mul, fma, fma
		"two behind more": {func(in *irtest.Input, square func(int64) irtest.Expr, x, y irtest.Expr) irtest.Expr {
			return in.At(x.Add(1), y).Add(square(0)).Add(square(1))
		}, 2},
		"no sum": {func(_ *irtest.Input, square func(int64) irtest.Expr, _, _ irtest.Expr) irtest.Expr {
			return square(0).Mul(square(1))
		}, 3},
		"more than a term": {func(_ *irtest.Input, square func(int64) irtest.Expr, _, _ irtest.Expr) irtest.Expr {
			return square(0).Mul(square(1)).Add(square(0)) // mul, mul, fma
		}, 3},
	} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1032, 1032)
		square := b.Func("square", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(in.At(v[0], v[1])) })
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return c.value(in, func(dy int64) irtest.Expr { return square.At(v[0], v[1].Add(dy)) }, v[0], v[1])
		})
		b.Output(out, 1024, 1024)
		p := b.Build()
		w, k := estimated(t, p, Way{Out: out.ID, Inlined: []int{square.ID}, Choice: plan.Choice{Strategy: "root", Tile: []int64{32, 8}}})
		if len(k.Members) > 0 {
			t.Fatal("the square is no longer in place")
		}
		if got := w.Float / eightWarps; got != c.want {
			t.Errorf("%s: %v instructions of floats a point, PTX has %v", name, got, c.want)
		}
	}
}

// TestLiteralsOfProducts: what a Func in place is multiplied by takes no instruction where its reader adds or multiplies by a literal itself. A literal that all terms have is taken out of a sum that is
// multiplied by one.
func TestLiteralsOfProducts(t *testing.T) {
	binomial := func(p, q, r irtest.Expr) irtest.Expr { return p.Add(q.Mul(2.0)).Add(r).Mul(.25) }
	for name, c := range map[string]struct {
		inner, value func(at func(dx, dy int64) irtest.Expr) irtest.Expr
		want         float64
	}{
		// Twice three rows of add and fma, of these the same, and one mul: all quarters are one.
		"a filter of filters": {
			func(in func(dx, dy int64) irtest.Expr) irtest.Expr { return binomial(in(0, 0), in(1, 0), in(2, 0)) },
			func(f func(dx, dy int64) irtest.Expr) irtest.Expr { return binomial(f(0, 0), f(0, 1), f(0, 2)) }, 9,
		},
		// mul, fma and fma of the products, of which the one that is doubled is a mul of its own; and the quarter.
		"a filter of products": {
			func(in func(dx, dy int64) irtest.Expr) irtest.Expr { return in(0, 0).Mul(in(0, 1)) },
			func(f func(dx, dy int64) irtest.Expr) irtest.Expr { return binomial(f(0, 0), f(1, 0), f(2, 0)) }, 5,
		},
		"a sum of quarters": {
			func(in func(dx, dy int64) irtest.Expr) irtest.Expr { return in(0, 0).Mul(.25) },
			func(f func(dx, dy int64) irtest.Expr) irtest.Expr { return f(0, 0).Add(f(1, 0)) }, 2,
		},
		"half a sum of quarters of sums": {
			func(in func(dx, dy int64) irtest.Expr) irtest.Expr { return in(0, 0).Add(in(0, 1)).Mul(.25) },
			func(f func(dx, dy int64) irtest.Expr) irtest.Expr { return f(0, 0).Add(f(1, 0)).Mul(.5) }, 4,
		},
		"a product twice": {
			func(in func(dx, dy int64) irtest.Expr) irtest.Expr { return in(0, 0).Mul(in(0, 1)) },
			func(f func(dx, dy int64) irtest.Expr) irtest.Expr { return f(0, 0).Mul(2.0) }, 2,
		},
		"three quarters of a sum": {
			func(in func(dx, dy int64) irtest.Expr) irtest.Expr { return in(0, 0).Add(in(0, 1)).Mul(.25) },
			func(f func(dx, dy int64) irtest.Expr) irtest.Expr { return f(0, 0).Mul(3.0) }, 2,
		},
		"one, three, three and one eighth of products": {
			func(in func(dx, dy int64) irtest.Expr) irtest.Expr { return in(0, 0).Mul(.3) },
			func(f func(dx, dy int64) irtest.Expr) irtest.Expr {
				return f(0, 0).Add(f(1, 0).Add(f(2, 0)).Mul(3.0)).Add(f(3, 0)).Mul(.125)
			}, 4,
		},
		"a sum of quotients": {
			func(in func(dx, dy int64) irtest.Expr) irtest.Expr { return in(0, 0).Div(3.0) },
			func(f func(dx, dy int64) irtest.Expr) irtest.Expr { return f(0, 0).Add(f(1, 0)).Div(5.0) }, 2,
		},
		"more than a sum of products": { // mul, fma, add
			func(in func(dx, dy int64) irtest.Expr) irtest.Expr {
				return in(0, 0).Mul(in(0, 1)).Add(in(1, 0).Mul(in(1, 1)))
			},
			func(f func(dx, dy int64) irtest.Expr) irtest.Expr { return f(0, 0).Add(1.0) }, 3,
		},
		"more than a mean of two": { // fma, fma
			func(in func(dx, dy int64) irtest.Expr) irtest.Expr { return in(0, 0).Mul(.75).Add(in(1, 0).Mul(.25)) },
			func(f func(dx, dy int64) irtest.Expr) irtest.Expr { return f(0, 0).Add(1.0) }, 2,
		},
		"added to and multiplied by": {
			func(in func(dx, dy int64) irtest.Expr) irtest.Expr { return in(0, 0).Mul(in(0, 1)) },
			func(f func(dx, dy int64) irtest.Expr) irtest.Expr { return f(0, 0).Mul(f(0, 0).Add(f(0, 0))) }, 3,
		},
	} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1032, 1032)
		inner := b.Func("inner", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return c.inner(func(dx, dy int64) irtest.Expr { return in.At(v[0].Add(dx), v[1].Add(dy)) })
		})
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return c.value(func(dx, dy int64) irtest.Expr { return inner.At(v[0].Add(dx), v[1].Add(dy)) })
		})
		b.Output(out, 1024, 1024)
		w, k := estimated(t, b.Build(), Way{Out: out.ID, Inlined: []int{inner.ID}, Choice: plan.Choice{Strategy: "root", Tile: []int64{32, 8}}})
		if len(k.Members) > 0 {
			t.Fatal("it is no longer in place")
		}
		if got := w.Float / eightWarps; got != c.want {
			t.Errorf("%s: %v instructions of floats a point, PTX has %v", name, got, c.want)
		}
	}
}

// TestTapsShareWhatNoneMoves: select(c % 5 == 3, 1, in(x, y)) at three places of one colour has one comparison.
func TestTapsShareWhatNoneMoves(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1032, 1032)
	chosen := b.Func("chosen", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return v[2].Mod(5).EQ(3).Select(b.Const(irtest.F32, 1), in.At(v[0], v[1]))
	})
	out := b.Func("out", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		at := func(dx, dy int64) irtest.Expr { return chosen.At(v[0].Add(dx), v[1].Add(dy), v[2]) }
		return at(0, 0).Add(at(1, 0)).Add(at(0, 2))
	})
	b.Output(out, 1024, 1024, 8)
	w, _ := estimated(t, b.Build(), Way{Out: out.ID, Inlined: []int{chosen.ID}, Choice: plan.Choice{Strategy: "root", Tile: []int64{32, 8}}})
	if got := w.Terms[instructions.Choice] / eightWarps; got != 4 {
		t.Errorf("%v comparisons and choices, want one and three", got)
	}
}

// TestNeighboursShare: what points of a thread compute alike is computed once. gpusim counts harris' gx, of four rows a thread, at 4.6 instructions of floats a point, gy of eight rows at 6.1 and of two columns at 5.2, some of them
// in blocks at an edge: a Sobel filter is three differences, which rows (of gx) or columns (of gy) share, a sum, a product with a sum and a product.
func TestNeighboursShare(t *testing.T) {
	type place struct{ x, y int64 }
	for name, c := range map[string]struct {
		points [2]int64
		across bool // gx
	}{"gx of four rows": {[2]int64{1, 4}, true}, "gy of eight rows": {[2]int64{1, 8}, false}, "gy of two columns and eight rows": {[2]int64{2, 8}, false}, "gx of two columns": {[2]int64{2, 4}, true}} {
		p, _ := pointwise(irtest.F32, 1024, 1024, func(in *irtest.Input, x, y irtest.Expr) irtest.Expr {
			d := func(k int64) irtest.Expr {
				if c.across {
					return in.At(x.Add(2), y.Add(k)).Sub(in.At(x, y.Add(k)))
				}
				return in.At(x.Add(k), y.Add(2)).Sub(in.At(x.Add(k), y))
			}
			return d(0).Add(d(1).Mul(2.0)).Add(d(2)).Mul(1.0 / 12)
		})
		differences := map[place]bool{}
		for x := range c.points[0] {
			for y := range c.points[1] {
				for k := range int64(3) {
					if c.across {
						differences[place{x, y + k}] = true
					} else {
						differences[place{x + k, y}] = true
					}
				}
			}
		}
		w, k := estimated(t, p, Way{Choice: plan.Choice{Strategy: "block-window", Tile: []int64{32 * c.points[0], 8 * c.points[1]}, Points: c.points[:]}})
		want := float64(len(differences)) + 3*float64(c.points[0]*c.points[1])
		if got := w.Float / float64(k.ThreadsPerBlock()/plan.WarpLanes); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %v instructions of floats a thread, want %v", name, got, want)
		}
	}
}

// TestChannelsShare: what three channels of a point have in common is computed once for all of them, also where it is worked out at two places of it, and by a thread of several rows.
func TestChannelsShare(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1024, 1026)
	out := b.Func("out", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		square := func(dy int64) irtest.Expr {
			at := in.At(v[0], v[1].Add(dy))
			return at.Sub(3.0).Mul(at)
		}
		first, second := square(0), square(2)
		return first.Mul(second).Mul(v[2].Cast(irtest.F32))
	})
	out.Bound("c", 0, 3)
	b.Output(out, 1024, 1024, 3)
	p := b.Build()
	for name, c := range map[string]struct {
		way  plan.Choice
		want float64 // of a thread
	}{
		"a point":   {plan.Choice{Strategy: "root", Tile: []int64{32, 8}}, 2*2 + 1 + 3},                                   // a difference and a product twice, their product, and one a channel
		"four rows": {plan.Choice{Strategy: "block-window", Tile: []int64{32, 32}, Points: []int64{1, 4}}, 6*2 + 4*(1+3)}, // the first at six rows
	} {
		w, k := estimated(t, p, Way{Out: out.ID, Choice: c.way})
		if got := w.Float / float64(k.ThreadsPerBlock()/plan.WarpLanes); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %v instructions of floats a thread, want %v", name, got, c.want)
		}
	}
}

// TestPlacesThatAreScaled: the address of f(2x, y), f(x, 2y) or f(x/2, y) is two or three instructions more than that of f(x, y), a load of a parameter among them or not: where a multiple of a loop's place is, and where the buffer begins, are worked out apart.
func TestPlacesThatAreScaled(t *testing.T) {
	issued := func(place func(x, y irtest.Expr) (irtest.Expr, irtest.Expr)) float64 {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 2048, 2048)
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			x, y := place(v[0], v[1])
			return in.At(x, y)
		})
		b.Output(out, 1024, 1024)
		w, _ := estimated(t, b.Build(), Way{Choice: plan.Choice{Strategy: "root", Tile: []int64{32, 8}}})
		return w.Issued / eightWarps
	}
	copied := issued(func(x, y irtest.Expr) (irtest.Expr, irtest.Expr) { return x, y })
	for name, place := range map[string]func(x, y irtest.Expr) (irtest.Expr, irtest.Expr){
		"f(2x, y)":  func(x, y irtest.Expr) (irtest.Expr, irtest.Expr) { return x.Mul(2), y },
		"f(x, 2y)":  func(x, y irtest.Expr) (irtest.Expr, irtest.Expr) { return x, y.Mul(2) },
		"f(x/2, y)": func(x, y irtest.Expr) (irtest.Expr, irtest.Expr) { return x.Div(2), y },
	} {
		if more := issued(place) - copied; more < 2 || more > 3 {
			t.Errorf("%s: %v instructions more than f(x, y), PTX has 2 or 3", name, more)
		}
	}
	if more := issued(func(x, y irtest.Expr) (irtest.Expr, irtest.Expr) { return x.Add(2), y.Add(2) }) - copied; more != 0 {
		t.Errorf("f(x + 2, y + 2): %v instructions more than f(x, y)", more)
	}
}
