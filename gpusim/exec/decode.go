package exec

import (
	"fmt"
	"slices"

	"gowarp/gpusim/count"
	"gowarp/gpusim/ptx"
)

// Module is a PTX text whose kernels can run.
type Module struct {
	PTX     *ptx.Module
	Kernels map[string]*Kernel
}

// Load decodes all kernels of a module. An instruction that is not known is an
// *UnsupportedError.
func Load(m *ptx.Module) (*Module, error) {
	out := &Module{PTX: m, Kernels: map[string]*Kernel{}}
	for _, f := range m.Functions {
		if !f.Entry {
			continue
		}
		k, err := decodeKernel(m, f)
		if err != nil {
			return nil, err
		}
		out.Kernels[f.Name] = k
	}
	return out, nil
}

// decoder turns the functions that a kernel reaches into code.
type decoder struct {
	m      *ptx.Module
	k      *Kernel
	f      *ptx.Function
	regs   []slot            // of f
	writes []int             // how many instructions of f may write each of its registers
	parts  map[int32][]int32 // by the mask of a register that is written by parts: those of its parts
	consts map[constKey]slot
	vars   map[*ptx.Var]uint64
	params map[*ptx.Var]slot // of .func, and those declared for calls
	done   map[*ptx.Function]*code
	active []*ptx.Function
	size   int // instructions so far
}

type constKey struct {
	class class
	value uint64
	param int
	name  string
}

// maxKernel bounds a kernel's instructions and registers.
const maxKernel = 1 << 21

func decodeKernel(m *ptx.Module, f *ptx.Function) (*Kernel, error) {
	k := &Kernel{Name: f.Name, n32: 1, n64: 1, nPred: 1, nTaint: 1, globalGranule: 16, sharedGranule: 16, maxThreads: f.MaxThreads}
	d := &decoder{m: m, k: k, consts: map[constKey]slot{}, vars: map[*ptx.Var]uint64{}, params: map[*ptx.Var]slot{}, parts: map[int32][]int32{}, done: map[*ptx.Function]*code{}}
	for _, p := range f.Params {
		k.ParamBytes = (k.ParamBytes + p.Align - 1) / p.Align * p.Align
		d.vars[p] = uint64(k.ParamBytes)
		k.ParamOffsets = append(k.ParamOffsets, k.ParamBytes)
		k.ParamSizes = append(k.ParamSizes, p.Bytes())
		k.ParamBytes += p.Bytes()
	}
	for _, v := range m.Vars {
		switch v.Space {
		case ptx.Const:
			d.place(v, &k.consts)
		case ptx.Shared:
			d.placeShared(v)
		default:
			return nil, fmt.Errorf("exec: PTX line %d: the %s variable %s is not known to the simulator", v.Line, v.Space, v.Name)
		}
	}
	main, err := d.function(f)
	if err != nil {
		return nil, err
	}
	k.main = main
	k.trace()
	return k, nil
}

// place gives a .const variable its bytes.
func (d *decoder) place(v *ptx.Var, data *[]byte) {
	for len(*data)%v.Align != 0 {
		*data = append(*data, 0)
	}
	d.vars[v] = uint64(len(*data))
	*data = append(*data, v.Init...)
	*data = append(*data, make([]byte, v.Bytes()-len(v.Init))...)
}

// placeShared gives a .shared variable its address. Dynamic shared memory (extern
// arrays, or addresses from 0 without any variable) lies behind the static.
func (d *decoder) placeShared(v *ptx.Var) {
	at := (d.k.StaticShared + v.Align - 1) / v.Align * v.Align
	d.vars[v] = uint64(at)
	d.k.StaticShared = at + v.Bytes()
}

func (d *decoder) newSlot(c class) slot {
	k := d.k
	s := slot{class: c, taint: int32(k.nTaint)}
	k.nTaint++
	switch c {
	case word:
		s.at = int32(k.n32)
		k.n32++
	case double:
		s.at = int32(k.n64)
		k.n64++
	case boolean:
		s.at = int32(k.nPred)
		k.nPred++
	}
	return s
}

// constant is a register that always holds a value. Its taint is that of number 0.
func (d *decoder) constant(c class, value uint64) slot {
	if value == 0 {
		return slot{class: c}
	}
	return d.fixed(constKey{class: c, value: value, param: -1}, template{value: value, param: -1})
}

func (d *decoder) fixed(key constKey, t template) slot {
	if s, ok := d.consts[key]; ok {
		return s
	}
	s := d.newSlot(key.class)
	s.taint = 0
	d.consts[key] = s
	t.slot = s
	d.k.templates = append(d.k.templates, t)
	return s
}

func (d *decoder) function(f *ptx.Function) (*code, error) {
	if c := d.done[f]; c != nil {
		return c, nil
	}
	if slices.Contains(d.active, f) {
		return nil, fmt.Errorf("exec: PTX line %d: %s calls itself, which is not known to the simulator", f.Line, f.Name)
	}
	d.active = append(d.active, f)
	outerF, outerRegs, outerWrites := d.f, d.regs, d.writes
	defer func() {
		d.f, d.regs, d.writes = outerF, outerRegs, outerWrites
		d.active = d.active[:len(d.active)-1]
	}()
	d.f, d.regs, d.writes = f, make([]slot, len(f.Regs)), resultsOf(f)
	if d.size += len(f.Code) + len(f.Regs); d.size > maxKernel {
		return nil, fmt.Errorf("exec: PTX line %d: kernel %s is larger than the simulator's limit", f.Line, d.k.Name)
	}
	for i, r := range f.Regs {
		d.regs[i] = d.newSlot(classOf(r.Type))
	}
	d.findParts()
	for _, v := range f.Vars {
		switch v.Space {
		case ptx.Local:
			at := (d.k.LocalBytes + v.Align - 1) / v.Align * v.Align
			d.vars[v] = uint64(at)
			d.k.LocalBytes = at + v.Bytes()
		case ptx.Shared:
			d.placeShared(v)
		case ptx.Param:
			d.param(v)
		}
	}
	if !f.Entry {
		for _, v := range append(slices.Clone(f.Params), f.Returns...) {
			d.param(v)
		}
	}
	c := &code{fn: f}
	for _, b := range f.Blocks() {
		cb, err := d.block(f, b)
		if err != nil {
			return nil, err
		}
		c.blocks = append(c.blocks, cb)
	}
	d.done[f] = c
	return c, nil
}

// resultsOf counts the instructions that have each register in the place of a result.
func resultsOf(f *ptx.Function) []int {
	n := make([]int, len(f.Regs))
	var count func(a *ptx.Operand)
	count = func(a *ptx.Operand) {
		if (a.Kind == ptx.ArgReg || a.Kind == ptx.ArgAddr) && a.Reg >= 0 {
			n[a.Reg]++
		}
		for k := range a.Elems {
			count(&a.Elems[k])
		}
	}
	for i := range f.Code {
		if args := f.Code[i].Args; len(args) > 0 {
			count(&args[0])
		}
	}
	return n
}

// findParts gives those registers masks by parts that are written by nothing but instructions which put them together: mov
// of a list, and a load of 8 bytes, which LLVM makes of two neighbours.
func (d *decoder) findParts() {
	parts := make([]int, len(d.f.Regs)) // 0: not written yet; 1: written as a whole
	note := func(a *ptx.Operand, n int) {
		if (a.Kind != ptx.ArgReg && a.Kind != ptx.ArgAddr) || a.Reg < 0 {
			return
		}
		if parts[a.Reg] != 0 && parts[a.Reg] != n {
			n = 1
		}
		parts[a.Reg] = n
	}
	for k := range d.f.Code {
		i := &d.f.Code[k]
		if len(i.Args) == 0 {
			continue
		}
		n := 1
		switch {
		case i.Op == "mov" && len(i.Args) == 2 && i.Args[1].Kind == ptx.ArgList:
			n = len(i.Args[1].Elems)
		case i.Op == "ld" && i.Space != ptx.Param && i.Type(0).Bits == 64:
			n = 2
		}
		note(&i.Args[0], n)
		for e := range i.Args[0].Elems {
			note(&i.Args[0].Elems[e], n)
		}
	}
	for r, n := range parts {
		if n < 2 {
			continue
		}
		of := make([]int32, n)
		for k := range of {
			of[k] = int32(d.k.nTaint + k)
		}
		d.k.nTaint += n
		d.parts[d.regs[r].taint] = of
	}
}

// param gives a parameter of a .func a register. Only scalars are passed so.
func (d *decoder) param(v *ptx.Var) {
	c := word
	if v.Type.Bits == 64 {
		c = double
	}
	d.params[v] = d.newSlot(c)
}

func (d *decoder) block(f *ptx.Function, b ptx.Block) (codeBlock, error) {
	cb := codeBlock{guard: -1, join: int32(b.Join), number: int32(len(d.k.blocks)), line: int32(f.Code[b.End-1].Line)}
	d.k.blocks = append(d.k.blocks, blockStats{})
	var stats blockStats
	body := f.Code[b.Start:b.End]
	last := &body[len(body)-1]
	cb.next = int32(b.Next[0])
	if ptx.Ends(last) || ptx.Pauses(last) {
		body = body[:len(body)-1]
		stats.classes[count.Control]++
		stats.ops++
		if last.Guard >= 0 {
			g := d.regs[last.Guard]
			cb.guard, cb.taint, cb.invert = g.at, g.taint, last.GuardNot
		}
		if err := d.terminate(&cb, b, last); err != nil {
			return cb, err
		}
	}
	var pre []op
	for k := range body {
		o, class, err := d.inst(&body[k])
		if err != nil {
			return cb, err
		}
		stats.classes[class]++
		stats.ops++
		if o.run != nil {
			pre = append(pre, o)
		}
	}
	// What a call moves comes before and after it.
	cb.ops = append(pre, cb.ops...)
	d.k.blocks[cb.number] = stats
	return cb, nil
}

func (d *decoder) terminate(cb *codeBlock, b ptx.Block, i *ptx.Inst) error {
	switch i.Op {
	case "bra":
		if len(i.Args) != 1 || i.Args[0].Kind != ptx.ArgLabel || !only(i, "uni") {
			return unsupported(i)
		}
		if i.Guard >= 0 {
			cb.term, cb.fall = branch, int32(b.Next[1])
		}
	case "ret", "exit":
		if i.Op == "exit" && !d.f.Entry {
			return unsupported(i)
		}
		cb.term = leave
		if i.Guard >= 0 {
			cb.term, cb.fall = leaveIf, int32(b.Next[1])
		}
	case "trap":
		if i.Guard >= 0 {
			return unsupported(i)
		}
		cb.term = trapNow
	case "bar", "barrier":
		ok := i.Has("sync") && only(i, "sync", "aligned") && i.Guard < 0 && len(i.Args) == 1 && i.Args[0].Kind == ptx.ArgImm && d.f.Entry
		if !ok {
			return unsupported(i)
		}
		cb.term = barrierThen
		cb.ops = []op{{line: int32(i.Line), guard: -1, barID: int32(i.Args[0].Bits & 15), run: arrive}}
	case "call":
		return d.call(cb, i)
	}
	return nil
}

// call moves the arguments to the callee's parameters, and its results back when it
// returns.
func (d *decoder) call(cb *codeBlock, i *ptx.Inst) error {
	args := i.Args
	var rets []ptx.Operand
	if len(args) > 0 && args[0].Kind == ptx.ArgNames {
		rets, args = args[0].Elems, args[1:]
	}
	if len(args) == 0 || args[0].Kind != ptx.ArgFunc || i.Guard >= 0 || !only(i, "uni") {
		return unsupported(i)
	}
	callee := d.m.Function(args[0].Name)
	if callee == nil || callee.Entry {
		return fmt.Errorf("exec: PTX line %d: the function %s is not in this text", i.Line, args[0].Name)
	}
	var in []ptx.Operand
	if len(args) == 2 && args[1].Kind == ptx.ArgNames {
		in = args[1].Elems
	}
	if len(in) != len(callee.Params) || len(rets) != len(callee.Returns) {
		return fmt.Errorf("exec: PTX line %d: %s takes %d and returns %d values, %d and %d are given",
			i.Line, callee.Name, len(callee.Params), len(callee.Returns), len(in), len(rets))
	}
	c, err := d.function(callee)
	if err != nil {
		return err
	}
	cb.term, cb.callee = callThen, c
	move := func(to, from *ptx.Var) (op, error) {
		a, ok1 := d.params[from]
		b, ok2 := d.params[to]
		if !ok1 || !ok2 || a.class != b.class || from.Count != 1 || to.Count != 1 {
			return op{}, unsupported(i)
		}
		return d.move(i, b, a), nil
	}
	for n, a := range in {
		if a.Kind != ptx.ArgVar {
			return unsupported(i)
		}
		o, err := move(callee.Params[n], a.Var)
		if err != nil {
			return err
		}
		cb.ops = append(cb.ops, o)
	}
	// The results stay in the callee's registers, which the caller's names then
	// mean: a function does not call itself, so nothing overwrites them before
	// the next call.
	for n, r := range rets {
		if r.Kind != ptx.ArgVar {
			return unsupported(i)
		}
		d.params[r.Var] = d.params[callee.Returns[n]]
	}
	return nil
}

// move is an op that copies one register to another of its class.
func (d *decoder) move(i *ptx.Inst, to, from slot) op {
	o := op{line: int32(i.Line), guard: -1, d: to, a: from, inst: i}
	switch to.class {
	case word:
		o.run = move32
	case double:
		o.run = move64
	default:
		o.run = movePred
	}
	return o
}
