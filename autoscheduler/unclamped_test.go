package autoscheduler

import (
	"testing"

	"gowarp/internal/irtest"
)

// TestUnclamped: a Func whose values say where something is accessed may be inlined with its bitwise xor where that may have any value, as in a hash, and not
// where Halide's simplifier knows of a bit at its top.
func TestUnclamped(t *testing.T) {
	type E = irtest.Expr
	for name, c := range map[string]struct {
		place func(x, y E) E
		kept  bool
	}{
		"no xor":             {func(x, y E) E { return x.Mod(97) }, false},
		"of a remainder":     {func(x, y E) E { return x.Mod(97).Bits("bitwise_xor", 5) }, true},
		"of signed products": {func(x, y E) E { return x.Mul(1664525).Bits("bitwise_xor", y.Mul(1013904223)) }, true},
		"of products":        {func(x, y E) E { return x.Cast(irtest.U32).Mul(0x9e3779b1).Bits("bitwise_xor", y.Cast(irtest.U32)) }, false},
		"of small products":  {func(x, y E) E { return x.Cast(irtest.U32).Mul(5).Bits("bitwise_xor", y.Cast(irtest.U32).Mul(3)) }, true},
		"of 16 bits":         {func(x, y E) E { return x.Cast(irtest.U16).Mul(0x9e37).Bits("bitwise_xor", y.Cast(irtest.U16)) }, true},
		"of a product, shifted": {func(x, y E) E {
			return x.Cast(irtest.U32).Mul(0x9e3779b1).Bits("shift_right", 15).Bits("bitwise_xor", 5)
		}, true},
		"of an xor that may have any value": {func(x, y E) E {
			return x.Cast(irtest.U32).Mul(0x85ebca77).Bits("bitwise_xor", y.Cast(irtest.U32)).Let("a", func(a E) E {
				return a.Bits("bitwise_xor", a.Bits("shift_right", 15)).Mul(0x2c1b3c6d).Let("b", func(b E) E { return b.Bits("shift_right", 13).Bits("bitwise_xor", b) })
			})
		}, false},
		"two, of which one is known": {func(x, y E) E {
			return x.Cast(irtest.U32).Mul(0x9e3779b1).Bits("bitwise_xor", y.Cast(irtest.U32)).Min(9).Bits("bitwise_xor", 5)
		}, true},
	} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 16)
		place := b.Func("place", []string{"x", "y"}, irtest.I32, func(v []E) E { return c.place(v[0], v[1]).Cast(irtest.I32) })
		value := b.Func("value", []string{"x", "y"}, irtest.F32, func(v []E) E { return in.At(place.At(v[0], v[1]).Clamp(0, 15)) })
		b.Output(value, 64, 64)
		if got := unclamped(b.Build()); got[place.ID] != c.kept || got[value.ID] {
			t.Errorf("%s: kept out of its readers: %v, want %v; value %v", name, got[place.ID], c.kept, got[value.ID])
		}
	}
}
