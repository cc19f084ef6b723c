package irtest

import (
	"fmt"

	"gowarp/halideir"
)

// Harris is a corner detector on a float32 image of three planes: a stencil
// chain of eleven Funcs with pointwise stages between.
func Harris(width, height int64) *halideir.Pipeline {
	b := New()
	in := b.Input("input", F32, width, height, 3)
	xy := []string{"x", "y"}
	gray := b.Func("gray", xy, F32, func(v []Expr) Expr {
		x, y := v[0], v[1]
		return in.At(x, y, 0).Mul(0.299).Add(in.At(x, y, 1).Mul(0.587)).Add(in.At(x, y, 2).Mul(0.114))
	})
	// sobel is the difference along one axis, smoothed along the other.
	sobel := func(name string, alongX bool) *Func {
		return b.Func(name, xy, F32, func(v []Expr) Expr {
			var sum *Expr
			for i := -1; i <= 1; i++ {
				weight := float64(2-i*i) / 12
				plus, minus := gray.At(v[0].Add(1), v[1].Add(i)), gray.At(v[0].Sub(1), v[1].Add(i))
				if !alongX {
					plus, minus = gray.At(v[0].Add(i), v[1].Add(1)), gray.At(v[0].Add(i), v[1].Sub(1))
				}
				term := plus.Sub(minus).Mul(weight)
				if sum != nil {
					term = sum.Add(term)
				}
				sum = &term
			}
			return *sum
		})
	}
	ix, iy := sobel("Ix", true), sobel("Iy", false)
	product := func(name string, f, g *Func) *Func {
		return b.Func(name, xy, F32, func(v []Expr) Expr { return f.At(v[0], v[1]).Mul(g.At(v[0], v[1])) })
	}
	box := func(name string, f *Func) *Func {
		return b.Func(name, xy, F32, func(v []Expr) Expr {
			sum := f.At(v[0].Sub(1), v[1].Sub(1))
			for i := 1; i < 9; i++ {
				sum = sum.Add(f.At(v[0].Add(i%3-1), v[1].Add(i/3-1)))
			}
			return sum
		})
	}
	ixx, iyy, ixy := product("Ixx", ix, ix), product("Iyy", iy, iy), product("Ixy", ix, iy)
	sxx, syy, sxy := box("Sxx", ixx), box("Syy", iyy), box("Sxy", ixy)
	out := b.Func("harris", xy, F32, func(v []Expr) Expr {
		a, c, d := sxx.At(v[0], v[1]), syy.At(v[0], v[1]), sxy.At(v[0], v[1])
		trace := a.Add(c)
		return a.Mul(c).Sub(d.Mul(d)).Sub(trace.Mul(trace).Mul(0.04))
	})
	b.Output(out, width-6, height-6)
	return b.Build()
}

// Equalise is histogram equalisation of a uint8 image: a histogram, a
// cumulative sum along it, and a lookup at every pixel.
func Equalise(width, height int64) *halideir.Pipeline {
	b := New()
	in := b.Input("input", U8, width, height)
	hist := b.Func("hist", []string{"i"}, U32, func([]Expr) Expr { return b.Const(U32, 0) })
	hist.Update([]RVar{{Name: "r$x", Extent: width}, {Name: "r$y", Extent: height}}, func(_, r []Expr) ([]Expr, Expr) {
		bin := in.At(r[0], r[1]).Cast(I32)
		return []Expr{bin}, hist.At(bin).Add(1)
	})
	cdf := b.Func("cdf", []string{"i"}, U32, func(v []Expr) Expr { return hist.At(v[0]) })
	cdf.Update([]RVar{{Name: "s$x", Min: 1, Extent: 255}}, func(_, r []Expr) ([]Expr, Expr) {
		return []Expr{r[0]}, cdf.At(r[0]).Add(cdf.At(r[0].Sub(1)))
	})
	out := b.Func("equalised", []string{"x", "y"}, U8, func(v []Expr) Expr {
		return cdf.At(in.At(v[0], v[1]).Cast(I32).Clamp(0, 255)).Cast(F32).Mul(255 / float64(width*height)).Cast(U8)
	})
	b.Output(out, width, height)
	return b.Build()
}

// Chain is n stencils of three points in x, one after another, on float32.
func Chain(n int, width, height int64) *halideir.Pipeline {
	b := New()
	in := b.Input("input", F32, width, height)
	at := in.At
	var last *Func
	for i := range n {
		from := at
		last = b.Func(fmt.Sprintf("f%d", i), []string{"x", "y"}, F32, func(v []Expr) Expr {
			return from(v[0].Sub(1), v[1]).Add(from(v[0], v[1])).Add(from(v[0].Add(1), v[1]))
		})
		at = last.At
	}
	b.Output(last, width-2*int64(n), height)
	return b.Build()
}
