package exec

import (
	"fmt"
	"math"
	"strings"

	"gowarp/gpusim/count"
	"gowarp/gpusim/ptx"
)

// inst decodes one instruction that does not end a block.
func (d *decoder) inst(i *ptx.Inst) (op, count.Class, error) {
	o := op{line: int32(i.Line), guard: -1, inst: i}
	if i.Guard >= 0 {
		g := d.regs[i.Guard]
		o.guard, o.guardTaint, o.invert = g.at, g.taint, i.GuardNot
	}
	if i.Pair && i.Op != "setp" && i.Op != "shfl" {
		return o, 0, unsupported(i)
	}
	switch i.Op {
	case "ld", "st", "atom", "red":
		err := d.access(&o, i)
		return o, count.Memory, err
	case "shfl":
		return o, count.Memory, d.shuffle(&o, i)
	case "vote":
		return o, count.Integer, d.vote(&o, i)
	case "membar", "fence":
		// Memory is sequentially consistent here.
		return o, count.Control, nil
	case "cvta":
		return o, count.Integer, d.cvta(&o, i)
	case "mov":
		if o, done, err := d.mov(o, i); done || err != nil {
			return o, count.Integer, err
		}
	case "activemask":
		o.run = activeMask
		var err error
		o.d, err = d.dest(i, 0, u32)
		return o, count.Integer, err
	}
	if i.Has("cc") || i.Op == "addc" || i.Op == "subc" || i.Op == "madc" {
		return o, count.Integer, d.carry(&o, i)
	}
	s, err := scalarOf(i)
	if err != nil {
		return o, 0, err
	}
	outs := 1
	if s.pair {
		outs = 2
	}
	if len(i.Args) != len(s.in)+outs || i.Pair != s.pair {
		return o, 0, &ptx.Error{Line: i.Line, Msg: fmt.Sprintf("%s with %d operands", i.Text, len(i.Args))}
	}
	out := s.out
	if s.wider {
		if err := d.widened(&o, i, out); err != nil {
			return o, 0, err
		}
	} else if o.d, err = d.dest(i, 0, out); err != nil {
		return o, 0, err
	} else {
		o.outMax = mask(out.Bits)
	}
	for n, t := range s.in {
		a, err := d.source(i, &i.Args[n+outs], t)
		if err != nil {
			return o, 0, err
		}
		*[...]*slot{&o.a, &o.b, &o.c}[n] = a
	}
	f := s.f
	if s.wider {
		// Operands of conversions are the low bits of their registers.
		from, to, reg := s.in[0].Bits, out, d.f.Regs[max(i.Args[0].Reg, 0)].Type
		keep := mask(from)
		if to.Kind == ptx.Signed && reg.Bits > to.Bits {
			wide := mask(max(reg.Bits, to.Bits))
			f = func(a, b, c uint64) uint64 { return uint64(sx(s.f(a&keep, b, c), to.Bits)) & wide }
		} else {
			f = func(a, b, c uint64) uint64 { return s.f(a&keep, b, c) }
		}
	}
	o.scalar = f
	if s.pair {
		o.dpred, err = d.dest(i, 1, out)
		o.run = eachPair
		return o, s.class, err
	}
	if parts := d.parts[o.a.taint]; len(parts) == 2 && i.Op == "shr" && i.Args[2].Kind == ptx.ArgImm && i.Args[2].Bits == 16 {
		o.a.taint = parts[1] // the high half alone
	}
	o.run = each
	if fast := fastForm(i, &o); fast != nil {
		o.run = fast
	}
	if i.Op == "prmt" {
		d.permuted(&o, i)
	}
	return o, s.class, nil
}

// permuted notes where the halves of a register come from that prmt puts together, each half a register's half: they are as defined as those.
func (d *decoder) permuted(o *op, i *ptx.Inst) {
	to, by := &i.Args[0], &i.Args[3]
	if by.Kind != ptx.ArgImm || to.Kind != ptx.ArgReg || d.writes[to.Reg] != 1 {
		return
	}
	var from [2]int32
	for half := range from {
		digits := by.Bits >> (8 * half) & 0xff
		if digits&0x88 != 0 || digits>>4 != digits&15+1 || digits&1 != 0 {
			return // bytes of different halves
		}
		source := [...]*slot{&o.a, &o.b}[digits&15/4]
		from[half] = source.taint
		if parts := d.parts[source.taint]; len(parts) == 2 {
			from[half] = parts[digits>>1&1]
		}
	}
	parts := []int32{int32(d.k.nTaint), int32(d.k.nTaint) + 1}
	d.k.nTaint += 2
	d.parts[o.d.taint] = parts
	run := o.run
	o.run = func(w *warp, o *op) {
		low, high := w.taints[from[0]], w.taints[from[1]]
		run(w, o)
		w.taint(slot{taint: parts[0]}, low)
		w.taint(slot{taint: parts[1]}, high)
	}
}

// dest is a destination register; _ is none.
func (d *decoder) dest(i *ptx.Inst, n int, t ptx.Type) (slot, error) {
	if n >= len(i.Args) {
		return slot{}, &ptx.Error{Line: i.Line, Msg: i.Text + " lacks operands"}
	}
	return d.destOf(i, &i.Args[n], t)
}

func (d *decoder) destOf(i *ptx.Inst, a *ptx.Operand, t ptx.Type) (slot, error) {
	if a.Kind == ptx.ArgSink {
		return d.newSlot(classOf(t)), nil
	}
	if a.Kind != ptx.ArgReg || a.Neg {
		return slot{}, &ptx.Error{Line: i.Line, Msg: i.Text + ": the destination is no register"}
	}
	r := d.f.Regs[a.Reg].Type
	if r.Bits != t.Bits || (r.Kind == ptx.Pred) != (t.Kind == ptx.Pred) {
		return slot{}, &ptx.Error{Line: i.Line, Msg: fmt.Sprintf("%s: %s is a register of type %s", i.Text, d.f.Regs[a.Reg].Name, r)}
	}
	return d.regs[a.Reg], nil
}

// widened is the destination of an instruction whose result may be narrower than
// its register.
func (d *decoder) widened(o *op, i *ptx.Inst, t ptx.Type) error {
	if len(i.Args) > 0 && i.Args[0].Kind == ptx.ArgReg {
		if r := d.f.Regs[i.Args[0].Reg].Type; r.Kind != ptx.Pred && r.Bits >= t.Bits {
			o.d, o.outMax = d.regs[i.Args[0].Reg], mask(r.Bits)
			return nil
		}
	}
	return &ptx.Error{Line: i.Line, Msg: i.Text + ": the destination is narrower than the result"}
}

// source is an operand as a register; immediates become constants. Registers wider
// than the type are read by their low bits, which only some instructions allow; they
// mask themselves.
func (d *decoder) source(i *ptx.Inst, a *ptx.Operand, t ptx.Type) (slot, error) {
	switch a.Kind {
	case ptx.ArgReg:
		r := d.f.Regs[a.Reg].Type
		narrow := i.Op == "cvt" || i.Op == "st" || i.Op == "atom" || i.Op == "red"
		if (r.Kind == ptx.Pred) != (t.Kind == ptx.Pred) || r.Bits != t.Bits && !(narrow && r.Bits > t.Bits) {
			return slot{}, &ptx.Error{Line: i.Line, Msg: fmt.Sprintf("%s: %s is a register of type %s", i.Text, d.f.Regs[a.Reg].Name, r)}
		}
		if a.Neg {
			return slot{}, unsupported(i)
		}
		s := d.regs[a.Reg]
		if parts := d.parts[s.taint]; len(parts) == 2 && t.Bits == 16 && r.Bits == 32 {
			s.taint = parts[0] // the low half alone
		}
		return s, nil
	case ptx.ArgImm:
		v := a.Bits
		switch {
		case t.Kind == ptx.Pred:
			v = bit(v != 0)
		case a.Float == 64 && t.Kind == ptx.Float && t.Bits == 32:
			v = uint64(math.Float32bits(float32(math.Float64frombits(v))))
		case a.Float == 32 && t.Kind == ptx.Float && t.Bits == 64:
			v = math.Float64bits(float64(math.Float32frombits(uint32(v))))
		}
		return d.constant(classOf(t), v&mask(t.Bits)), nil
	case ptx.ArgSpecial:
		return d.special(i, a.Name, t)
	case ptx.ArgVar:
		at, err := d.varAddress(i, a.Var)
		return d.constant(classOf(t), at&mask(t.Bits)), err
	}
	return slot{}, unsupported(i)
}

func (d *decoder) varAddress(i *ptx.Inst, v *ptx.Var) (uint64, error) {
	at, ok := d.vars[v]
	if !ok {
		return 0, unsupported(i)
	}
	return at, nil
}

// special is a special register: known when a warp starts, except for the block's
// number, which a worker fills in.
func (d *decoder) special(i *ptx.Inst, name string, t ptx.Type) (slot, error) {
	if name == "WARP_SZ" {
		return d.constant(classOf(t), 32), nil
	}
	if t.Kind == ptx.Pred || t.Kind == ptx.Float || t.Bits < 32 || strings.HasPrefix(name, "%lanemask") && t.Bits != 32 {
		return slot{}, unsupported(i)
	}
	c := classOf(t)
	return d.fixed(constKey{class: c, param: -1, name: name}, template{param: -1, name: name}), nil
}

// mov handles the forms that are no plain copy of a register.
func (d *decoder) mov(o op, i *ptx.Inst) (op, bool, error) {
	if len(i.Args) != 2 || len(i.Types) != 1 || len(i.Mods) != 0 {
		return o, true, unsupported(i)
	}
	t := i.Type(0)
	to, from := &i.Args[0], &i.Args[1]
	pack, unpack := from.Kind == ptx.ArgList, to.Kind == ptx.ArgList
	switch {
	case pack && unpack:
		return o, true, unsupported(i)
	case pack || unpack:
		list := to
		if pack {
			list = from
		}
		n := len(list.Elems)
		if n != 2 && n != 4 || int(t.Bits)/n < 16 {
			return o, true, unsupported(i)
		}
		part := ptx.Type{Kind: ptx.Untyped, Bits: t.Bits / uint8(n)}
		o.sext = part.Bits
		for k := range list.Elems {
			var s slot
			var err error
			if pack {
				s, err = d.source(i, &list.Elems[k], part)
			} else {
				s, err = d.destOf(i, &list.Elems[k], part)
			}
			if err != nil {
				return o, true, err
			}
			o.vec = append(o.vec, s)
		}
		var err error
		if pack {
			o.run = packParts
			o.d, err = d.dest(i, 0, t)
			o.parts = d.parts[o.d.taint]
		} else {
			o.run = unpackParts
			o.a, err = d.source(i, from, t)
			if parts := d.parts[o.a.taint]; len(parts) == n {
				o.parts = parts
			}
		}
		return o, true, err
	}
	return o, false, nil
}

// cvta turns an address of a state space into a generic one, or back.
func (d *decoder) cvta(o *op, i *ptx.Inst) error {
	t := i.Type(0)
	if t.Bits != 64 || len(i.Args) != 2 || !only(i, "to") {
		return unsupported(i)
	}
	var window uint64
	switch i.Space {
	case ptx.Global, ptx.Param:
	case ptx.Shared:
		window = sharedWindow
	case ptx.Local:
		window = localWindow
	case ptx.Const:
		window = constWindow
	default:
		return unsupported(i)
	}
	if i.Has("to") {
		window = -window
	}
	var err error
	if o.d, err = d.dest(i, 0, t); err != nil {
		return err
	}
	if o.a, err = d.source(i, &i.Args[1], t); err != nil {
		return err
	}
	if window == 0 {
		o.run = move64
		return nil
	}
	o.b = d.constant(double, window)
	o.run = add64
	return nil
}

// carry decodes the multi-word arithmetic that goes through the carry flag.
func (d *decoder) carry(o *op, i *ptx.Inst) error {
	t := i.Type(0)
	base, takes := strings.CutSuffix(i.Op, "c")
	if i.Op == "addc" || i.Op == "subc" || i.Op == "madc" {
		takes = true
	} else {
		base, takes = i.Op, false
	}
	inputs := 2
	high := false
	switch {
	case base == "mad" && (i.Has("lo") || i.Has("hi")) && only(i, "lo", "hi", "cc"):
		inputs, high = 3, i.Has("hi")
	case (base == "add" || base == "sub") && only(i, "cc"):
	default:
		return unsupported(i)
	}
	if (t.Bits != 32 && t.Bits != 64) || len(i.Args) != inputs+1 || len(i.Types) != 1 {
		return unsupported(i)
	}
	var err error
	if o.d, err = d.dest(i, 0, t); err != nil {
		return err
	}
	for n, s := range []*slot{&o.a, &o.b, &o.c}[:inputs] {
		if *s, err = d.source(i, &i.Args[n+1], t); err != nil {
			return err
		}
	}
	o.sext, o.outMax = t.Bits, mask(t.Bits)
	gives := i.Has("cc")
	signed := t.Kind == ptx.Signed
	o.run = func(w *warp, o *op) { runCarry(w, o, base, high, signed, takes, gives) }
	return nil
}
