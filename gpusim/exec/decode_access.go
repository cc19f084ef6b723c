package exec

import (
	"math"
	"slices"

	"gowarp/gpusim/ptx"
	"gowarp/internal/half"
)

// access decodes ld, st, atom and red.
func (d *decoder) access(o *op, i *ptx.Inst) error {
	if len(i.Types) != 1 {
		return unsupported(i)
	}
	t := i.Type(0)
	o.size, o.space = int32(t.Bytes()), i.Space
	if t.Kind == ptx.Pred || t.Kind == ptx.Packed && i.Op != "atom" && i.Op != "red" {
		return unsupported(i)
	}
	atomic := i.Op == "atom" || i.Op == "red"
	o.atomic = atomic || i.Has("volatile") || i.Has("relaxed") || i.Has("acquire") || i.Has("release")
	load := i.Op == "ld"
	addr := 0 // the operand that is the address
	if load || i.Op == "atom" {
		addr = 1
	}
	if len(i.Args) < 2 || i.Args[addr].Kind != ptx.ArgAddr {
		return unsupported(i)
	}
	a := &i.Args[addr]
	if i.Space == ptx.Param {
		return d.paramAccess(o, i, load, a)
	}
	if err := d.address(o, i, a); err != nil {
		return err
	}
	o.site = int32(d.k.nSites)
	d.k.nSites++
	switch i.Space {
	case ptx.Global:
		d.k.globalGranule = min(d.k.globalGranule, int(o.size))
	case ptx.Shared:
		d.k.sharedGranule = min(d.k.sharedGranule, int(o.size))
	case ptx.Generic:
		d.k.globalGranule = min(d.k.globalGranule, int(o.size))
		d.k.sharedGranule = min(d.k.sharedGranule, int(o.size))
	}
	if atomic {
		return d.atomicOp(o, i, addr)
	}
	if !only(i, "nc", "volatile", "relaxed", "weak", "acquire", "release", "sys", "gpu", "cta", "ca", "cg", "cs", "lu", "cv", "wb", "wt") || len(i.Args) != 2 {
		return unsupported(i)
	}
	if i.Vec*t.Bytes() > 16 {
		return unsupported(i)
	}
	data := &i.Args[1-addr]
	elems := []ptx.Operand{*data}
	if i.Vec > 1 {
		if data.Kind != ptx.ArgList || len(data.Elems) != i.Vec {
			return unsupported(i)
		}
		elems = data.Elems
	}
	for k := range elems {
		s, err := d.datum(i, &elems[k], t, load, o)
		if err != nil {
			return err
		}
		o.vec = append(o.vec, s)
		if parts := d.parts[s.taint]; len(parts) == 2 && o.size == 8 {
			o.halves = append(slices.Grow(o.halves, len(elems)), make([]pair, k-len(o.halves))...)
			o.halves = append(o.halves, parts)
		}
	}
	if o.halves != nil {
		o.halves = append(o.halves, make([]pair, len(elems)-len(o.halves))...)
	}
	o.plain = !slices.ContainsFunc(o.vec, func(s slot) bool { return s.class != classOf(t) })
	if load {
		o.d = o.vec[0]
		o.run = loadAny
	} else {
		o.run = storeAny
	}
	return nil
}

// datum is a register that a load fills or a store takes; it may be wider than the
// element, which is then extended or cut.
func (d *decoder) datum(i *ptx.Inst, a *ptx.Operand, t ptx.Type, load bool, o *op) (slot, error) {
	if !load {
		return d.source(i, a, t)
	}
	if a.Kind == ptx.ArgSink {
		return d.newSlot(classOf(t)), nil
	}
	if a.Kind != ptx.ArgReg {
		return slot{}, unsupported(i)
	}
	r := d.f.Regs[a.Reg].Type
	if r.Kind == ptx.Pred || r.Bits < t.Bits {
		return slot{}, &ptx.Error{Line: i.Line, Msg: i.Text + ": the register is narrower than what is loaded"}
	}
	o.outMax = mask(r.Bits)
	if t.Kind == ptx.Signed {
		o.sext = t.Bits
	}
	return d.regs[a.Reg], nil
}

// address decodes [base+offset] into o.a and o.offset.
func (d *decoder) address(o *op, i *ptx.Inst, a *ptx.Operand) error {
	o.offset = uint64(a.Offset)
	switch {
	case a.Var != nil:
		at, err := d.varAddress(i, a.Var)
		if err != nil || a.Var.Space != i.Space {
			return unsupported(i)
		}
		o.offset += at
		o.a = slot{class: double}
	case a.Reg < 0:
		o.a = slot{class: double}
	default:
		r := d.f.Regs[a.Reg].Type
		o.a = d.regs[a.Reg]
		wide := i.Space == ptx.Global || i.Space == ptx.Generic
		if r.Kind == ptx.Pred || r.Bits < 32 || wide && r.Bits != 64 {
			return unsupported(i)
		}
	}
	return nil
}

// paramAccess reads a kernel's parameters, or moves values to and from a call.
func (d *decoder) paramAccess(o *op, i *ptx.Inst, load bool, a *ptx.Operand) error {
	v := a.Var
	if v == nil || i.Vec != 1 || len(i.Mods) != 0 || len(i.Args) != 2 {
		return unsupported(i)
	}
	t := i.Type(0)
	bytes := int64(t.Bytes())
	if at, ok := d.vars[v]; ok && load && v.Space == ptx.Param {
		if a.Offset < 0 || a.Offset+bytes > int64(v.Bytes()) {
			return &ptx.Error{Line: i.Line, Msg: i.Text + " outside its parameter"}
		}
		to, err := d.datum(i, &i.Args[0], t, true, o)
		if err != nil {
			return err
		}
		from := d.fixed(constKey{class: to.class, param: int(at) + int(a.Offset), value: uint64(t.Kind)<<8 | uint64(t.Bits)},
			template{param: int(at) + int(a.Offset), bytes: t.Bytes(), value: uint64(o.sext)})
		m := d.move(i, to, from)
		m.guard, m.guardTaint, m.invert = o.guard, o.guardTaint, o.invert
		*o = m
		return nil
	}
	p, ok := d.params[v]
	if !ok || a.Offset != 0 || t.Bits != v.Type.Bits || v.Count != 1 {
		return unsupported(i)
	}
	var m op
	if load {
		to, err := d.datum(i, &i.Args[0], t, true, o)
		if err != nil {
			return err
		}
		if to.class != p.class {
			return unsupported(i)
		}
		m = d.move(i, to, p)
	} else {
		from, err := d.source(i, &i.Args[1], t)
		if err != nil {
			return err
		}
		if from.class != p.class {
			return unsupported(i)
		}
		m = d.move(i, p, from)
	}
	m.guard, m.guardTaint, m.invert = o.guard, o.guardTaint, o.invert
	*o = m
	return nil
}

// atomicOp decodes what atom and red do to the old value.
func (d *decoder) atomicOp(o *op, i *ptx.Inst, addr int) error {
	t := i.Type(0)
	var name string
	for _, m := range i.Mods {
		switch m {
		case "relaxed", "acquire", "release", "acq_rel", "gpu", "cta", "sys", "noftz":
		default:
			if name != "" {
				return unsupported(i)
			}
			name = m
		}
	}
	if i.Space != ptx.Global && i.Space != ptx.Shared && i.Space != ptx.Generic {
		return unsupported(i)
	}
	var ok bool
	if o.rmw, ok = atomicFunc(name, t); !ok {
		return unsupported(i)
	}
	values := i.Args[addr+1:]
	want := 1
	if name == "cas" {
		want = 2
	}
	if len(values) != want {
		return unsupported(i)
	}
	var err error
	if o.b, err = d.source(i, &values[0], t); err != nil {
		return err
	}
	if want == 2 {
		if o.c, err = d.source(i, &values[1], t); err != nil {
			return err
		}
	} else {
		o.c = slot{class: word}
	}
	if i.Op == "red" {
		o.d = d.newSlot(classOf(t))
	} else if o.d, err = d.dest(i, 0, t); err != nil {
		return err
	}
	o.outMax = mask(t.Bits)
	o.run = atomicAny
	return nil
}

func atomicFunc(name string, t ptx.Type) (func(old, b, c uint64) uint64, bool) {
	n := t.Bits
	if n < 32 && name != "cas" && t != f16 {
		return nil, false
	}
	signed := t.Kind == ptx.Signed
	less := func(a, b uint64) bool {
		if signed {
			return sx(a, n) < sx(b, n)
		}
		return a < b
	}
	if t.Kind == ptx.Packed {
		return nil, false
	}
	if t.Kind == ptx.Float {
		if name != "add" {
			return nil, false
		}
		return func(old, b, _ uint64) uint64 {
			switch n {
			case 16:
				return uint64(half.Round(half.Value(uint16(old)) + half.Value(uint16(b))))
			case 32:
				// Global float atomics flush subnormals on NVIDIA's L2, shared
				// ones do not; neither does here.
				return encode(float64(math.Float32frombits(uint32(old))+math.Float32frombits(uint32(b))), f32, false)
			}
			return encode(math.Float64frombits(old)+math.Float64frombits(b), f64, false)
		}, true
	}
	switch name {
	case "add":
		return func(old, b, _ uint64) uint64 { return old + b }, true
	case "and":
		return func(old, b, _ uint64) uint64 { return old & b }, true
	case "or":
		return func(old, b, _ uint64) uint64 { return old | b }, true
	case "xor":
		return func(old, b, _ uint64) uint64 { return old ^ b }, true
	case "exch":
		return func(_, b, _ uint64) uint64 { return b }, true
	case "cas":
		return func(old, b, c uint64) uint64 {
			if old == b {
				return c
			}
			return old
		}, true
	case "min":
		return func(old, b, _ uint64) uint64 {
			if less(b, old) {
				return b
			}
			return old
		}, true
	case "max":
		return func(old, b, _ uint64) uint64 {
			if less(old, b) {
				return b
			}
			return old
		}, true
	case "inc":
		return func(old, b, _ uint64) uint64 {
			if old >= b {
				return 0
			}
			return old + 1
		}, !signed
	case "dec":
		return func(old, b, _ uint64) uint64 {
			if old == 0 || old > b {
				return b
			}
			return old - 1
		}, !signed
	}
	return nil, false
}

// shuffleMode is how a shuffle picks its source lane.
type shuffleMode uint8

const (
	shuffleUp shuffleMode = iota
	shuffleDown
	shuffleXor
	shuffleIndex
)

// shuffle decodes shfl d[|p], a, b, c[, membermask].
func (d *decoder) shuffle(o *op, i *ptx.Inst) error {
	args := i.Args
	if i.Has("sync") {
		if len(args) < 2 {
			return unsupported(i)
		}
		members, err := d.source(i, &args[len(args)-1], u32)
		if err != nil {
			return err
		}
		o.vec = []slot{members}
		args = args[:len(args)-1]
	}
	if i.Pair && len(args) == 5 { // d|p
		p, err := d.destOf(i, &args[1], pred)
		if err != nil {
			return err
		}
		o.dpred = p
		args = append([]ptx.Operand{args[0]}, args[2:]...)
	}
	if len(args) != 4 || i.Type(0).Bits != 32 || len(i.Types) != 1 || !only(i, "sync", "up", "down", "bfly", "idx") {
		return unsupported(i)
	}
	switch {
	case i.Has("up"):
		o.shuf = shuffleUp
	case i.Has("down"):
		o.shuf = shuffleDown
	case i.Has("bfly"):
		o.shuf = shuffleXor
	case i.Has("idx"):
		o.shuf = shuffleIndex
	default:
		return unsupported(i)
	}
	var err error
	if o.d, err = d.destOf(i, &args[0], u32); err != nil {
		return err
	}
	for n, s := range []*slot{&o.a, &o.b, &o.c} {
		if *s, err = d.source(i, &args[n+1], u32); err != nil {
			return err
		}
	}
	o.run = shuffleLanes
	return nil
}
