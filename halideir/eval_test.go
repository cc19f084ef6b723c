package halideir_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// TestEuclid compares all small operands, and the extremes, with math/big's
// Euclidean division.
func TestEuclid(t *testing.T) {
	values := []int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64 - 1, math.MaxInt64, math.MinInt32, math.MaxInt32}
	for v := int64(-70); v <= 70; v++ {
		values = append(values, v)
	}
	for _, a := range values {
		for _, b := range values {
			q, ok := halideir.DivEuclid(a, b)
			r := halideir.ModEuclid(a, b)
			if b == 0 {
				if q != 0 || r != 0 || !ok {
					t.Fatalf("%d / 0 = %d, %d %% 0 = %d, %v: Halide gives 0", a, q, a, r, ok)
				}
				continue
			}
			wantQ, wantR := new(big.Int).DivMod(big.NewInt(a), big.NewInt(b), new(big.Int))
			if ok != wantQ.IsInt64() || ok && q != wantQ.Int64() || r != wantR.Int64() {
				t.Fatalf("%d by %d: quotient %d (%v), remainder %d, want %v and %v", a, b, q, ok, r, wantQ, wantR)
			}
		}
	}
}

// expression is built by build in a pipeline of its own and evaluated with one
// variable, the loop's lower bound.
func evaluate(build func(b *irtest.Builder, x irtest.Expr) irtest.Expr, x int64) (int64, bool) {
	b := irtest.New()
	var id halideir.NodeID
	f := b.Func("f", []string{"x"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
		e := build(b, v[0])
		id = e.ID()
		return e.Cast(irtest.I32)
	})
	b.Output(f, 10)
	return b.Build().EvalInt(id, halideir.Env{Dim: []int64{x}})
}

func TestEvalInt(t *testing.T) {
	type expr = irtest.Expr
	for name, c := range map[string]struct {
		build func(b *irtest.Builder, x expr) expr
		want  func(x int64) int64
	}{
		"upsample": {func(_ *irtest.Builder, x expr) expr { return x.Add(1).Div(2) }, func(x int64) int64 { return floorDiv(x+1, 2) }},
		"clamp":    {func(_ *irtest.Builder, x expr) expr { return x.Clamp(-3, 5).Likely() }, func(x int64) int64 { return max(min(x, 5), -3) }},
		"select":   {func(_ *irtest.Builder, x expr) expr { return x.LT(0).Select(x.Mul(-1), x.Add(2)) }, func(x int64) int64 { return pick(x < 0, -x, x+2) }},
		"mod":      {func(_ *irtest.Builder, x expr) expr { return x.Mod(3) }, func(x int64) int64 { return ((x % 3) + 3) % 3 }},
		"let":      {func(_ *irtest.Builder, x expr) expr { return x.Add(1).Let("t", func(v expr) expr { return v.Mul(v) }) }, func(x int64) int64 { return (x + 1) * (x + 1) }},
		"uint8":    {func(_ *irtest.Builder, x expr) expr { return x.Cast(irtest.U8).Add(250) }, func(x int64) int64 { return int64(uint8(x) + 250) }},
		"int16":    {func(_ *irtest.Builder, x expr) expr { return x.Mul(9999).Cast(irtest.I16) }, func(x int64) int64 { return int64(int16(x * 9999)) }},
		"logic":    {func(_ *irtest.Builder, x expr) expr { return x.GT(0).And(x.NE(3)).Or(x.EQ(-7).Not()) }, func(x int64) int64 { return pick(x > 0 && x != 3 || x != -7, 1, 0) }},
		"resize": {func(_ *irtest.Builder, x expr) expr {
			return x.Cast(irtest.F32).Add(.5).Mul(1.7).Sub(1.).Call("ceil_f32").Cast(irtest.I32)
		}, func(x int64) int64 { return int64(float32(math.Ceil(float64((float32(x)+.5)*1.7 - 1)))) }},
		"round":     {func(_ *irtest.Builder, x expr) expr { return x.Cast(irtest.F32).Div(2.).Call("round").Cast(irtest.I32) }, func(x int64) int64 { return int64(math.RoundToEven(float64(x) / 2)) }},
		"to an int": {func(_ *irtest.Builder, x expr) expr { return x.Cast(irtest.F64).Mul(.3).Cast(irtest.I32) }, func(x int64) int64 { return int64(float64(x) * .3) }},
	} {
		t.Run(name, func(t *testing.T) {
			for x := int64(-40); x <= 40; x++ {
				if got, ok := evaluate(c.build, x); !ok || got != c.want(x) {
					t.Fatalf("x = %d: %d %v, want %d", x, got, ok, c.want(x))
				}
			}
		})
	}
}

func floorDiv(a, b int64) int64 { return int64(math.Floor(float64(a) / float64(b))) }

func pick(c bool, a, b int64) int64 {
	if c {
		return a
	}
	return b
}

func TestEvalUnknown(t *testing.T) {
	type expr = irtest.Expr
	for name, build := range map[string]func(b *irtest.Builder, x expr) expr{
		"overflow of int32": func(b *irtest.Builder, x expr) expr { return x.Add(math.MaxInt32) },
		"overflow of int64": func(b *irtest.Builder, x expr) expr { return x.Cast(irtest.I64).Mul(math.MaxInt64) },
		"no estimate":       func(b *irtest.Builder, x expr) expr { return x.Add(b.Scalar("s", irtest.I32, nil)) },
		"load":              func(b *irtest.Builder, x expr) expr { return b.Input("in", irtest.I32, 10).At(x) },
		"float too large":   func(b *irtest.Builder, x expr) expr { return x.Cast(irtest.F64).Mul(1e18).Cast(irtest.I32) },
		"unknown function":  func(b *irtest.Builder, x expr) expr { return x.Cast(irtest.F32).Call("exp_f32").Cast(irtest.I32) },
	} {
		if v, ok := evaluate(build, 7); ok {
			t.Errorf("%s: %d", name, v)
		}
	}
}

// TestEvalInputs: estimates, and what is fixed before estimates.
func TestEvalInputs(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.U8, 640, 480)
	s := b.Scalar("s", irtest.I32, 5)
	ids := map[string]halideir.NodeID{}
	f := b.Func("f", []string{"x"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
		e := v[0]
		for k, x := range map[string]irtest.Expr{
			"extent": in.Bound(0, "extent"), "max": in.Bound(1, "max"), "stride": in.Bound(0, "stride"), "unknown": in.Bound(1, "stride"), "s": s.Add(0),
		} {
			ids[k] = x.ID()
			e = e.Add(x)
		}
		return e
	})
	b.Output(f, 10)
	p := b.Build()
	want := map[string]int64{"extent": 640, "max": 479, "stride": 1, "s": 5}
	check := func() {
		t.Helper()
		for k, id := range ids {
			got, ok := p.EvalInt(id, halideir.Env{})
			if w, known := want[k]; ok != known || got != w {
				t.Errorf("%s: %d %v, want %d %v", k, got, ok, w, known)
			}
		}
	}
	check()
	p.Inputs[0].Dims[0].Extent = ids["s"]
	want["extent"] = 5
	check()
	// An extent that names itself ends.
	p.Inputs[0].Dims[0].Extent = ids["extent"]
	want["extent"] = 640
	check()
}

// TestEvalShared: a value used twice at each of 60 levels has 2^60 paths, and a
// chain of 200,000 nodes is deeper than any stack of frames should be.
func TestEvalShared(t *testing.T) {
	double, ok := evaluate(func(_ *irtest.Builder, x irtest.Expr) irtest.Expr {
		for range 60 {
			x = x.Max(x.Sub(1)).Min(x.Add(1))
		}
		return x
	}, 9)
	if !ok || double != 9 {
		t.Errorf("%d %v, want 9", double, ok)
	}
	deep, ok := evaluate(func(_ *irtest.Builder, x irtest.Expr) irtest.Expr {
		for i := range 200_000 {
			x = x.Add(i % 2)
		}
		return x
	}, 1)
	if !ok || deep != 100_001 {
		t.Errorf("%d %v, want 100001", deep, ok)
	}
}

// TestEvalBothWays: small expressions are walked, large ones are tabled; the
// two agree.
func TestEvalBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 8), 1, 20).Draw(t, "steps")
		consts := rapid.SliceOfN(rapid.IntRange(-9, 9), len(steps), len(steps)).Draw(t, "constants")
		x := rapid.Int64Range(-100, 100).Draw(t, "x")
		build := func(pad int) func(*irtest.Builder, irtest.Expr) irtest.Expr {
			return func(b *irtest.Builder, v irtest.Expr) irtest.Expr {
				e := v
				for range pad { // work that changes nothing, to exceed the budget
					e = e.Add(1).Sub(1)
				}
				for i, s := range steps {
					c := consts[i]
					switch s {
					case 0:
						e = e.Add(c)
					case 1:
						e = e.Sub(v)
					case 2:
						e = e.Div(c)
					case 3:
						e = e.Mod(c)
					case 4:
						e = e.Min(v.Add(c))
					case 5:
						e = e.Max(c)
					case 6:
						e = e.LT(c).Select(e, v)
					case 7:
						e = e.Let(fmt.Sprintf("t%d", i), func(w irtest.Expr) irtest.Expr { return w.Add(w.Mod(5)) })
					case 8:
						e = e.Cast(irtest.I16).Cast(irtest.I32)
					}
				}
				return e
			}
		}
		small, ok1 := evaluate(build(0), x)
		large, ok2 := evaluate(build(300), x)
		if small != large || ok1 != ok2 {
			t.Fatalf("walked %d %v, tabled %d %v", small, ok1, large, ok2)
		}
	})
}

func BenchmarkEvalBox(b *testing.B) {
	p := irtest.Harris(1536, 2560)
	env := halideir.Env{Lo: []int64{32, 16}, Hi: []int64{63, 31}}
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range p.Edges {
			for _, r := range e.Box {
				p.EvalInt(r.Lo, env)
				p.EvalInt(r.Hi, env)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(4*len(p.Edges)), "ns/end")
}
