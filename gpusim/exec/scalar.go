package exec

import (
	"fmt"
	"strings"

	"gowarp/gpusim/count"
	"gowarp/gpusim/ptx"
)

// scalar is what an instruction computes in one lane. Operands arrive as the bits of
// their types, zero-extended; the result likewise.
type scalar struct {
	f     func(a, b, c uint64) uint64
	in    []ptx.Type // of the operands
	out   ptx.Type
	class count.Class
	// wider says that the result may go to a register wider than its type, sign-
	// or zero-extended.
	wider bool
	// pair says that there are two results, p|q: bits 0 and 1 of what f returns.
	pair bool
}

// sx sign-extends the low bits of v.
func sx(v uint64, bits uint8) int64 {
	return int64(v<<(64-bits)) >> (64 - bits)
}

func mask(bits uint8) uint64 { return ^uint64(0) >> (64 - bits) }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

var (
	u32  = ptx.Type{Kind: ptx.Unsigned, Bits: 32}
	pred = ptx.Type{Kind: ptx.Pred, Bits: 1}
)

// scalarOf finds what an instruction computes. It returns an error for every form
// that is not known, modifiers included: a wrong value is worse than none.
func scalarOf(i *ptx.Inst) (scalar, error) {
	var s scalar
	var ok bool
	switch t := i.Type(0); {
	case i.Op == "setp":
		s, ok = setp(i)
	case i.Op == "cvt":
		s, ok = convert(i)
	case i.Op == "selp":
		f := func(a, b, c uint64) uint64 {
			if c != 0 {
				return a
			}
			return b
		}
		s, ok = scalar{f: f, in: []ptx.Type{t, t, pred}, out: t}, len(i.Mods) == 0 && len(i.Types) == 1 && t.Kind != ptx.Pred
	case i.Op == "mov":
		s, ok = scalar{f: func(a, _, _ uint64) uint64 { return a }, in: []ptx.Type{t}, out: t}, len(i.Mods) == 0
	case t.Kind == ptx.Float || t.Kind == ptx.Packed:
		s, ok = floatOp(i)
	default:
		s, ok = intOp(i)
	}
	if !ok || s.f == nil {
		return s, unsupported(i)
	}
	return s, nil
}

func unsupported(i *ptx.Inst) error {
	return &UnsupportedError{i.Line, i.Text}
}

// UnsupportedError is an instruction that the simulator does not know.
type UnsupportedError struct {
	Line int
	Text string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("exec: PTX line %d: the instruction %s is not known to the simulator", e.Line, e.Text)
}

// only reports whether an instruction's modifiers are all among those named.
func only(i *ptx.Inst, mods ...string) bool {
next:
	for _, m := range i.Mods {
		for _, a := range mods {
			if a == m {
				continue next
			}
		}
		return false
	}
	return true
}

// modsAre reports whether the modifiers are exactly those, in order.
func modsAre(i *ptx.Inst, mods string) bool { return strings.Join(i.Mods, ".") == mods }
