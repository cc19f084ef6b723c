package ptx

import (
	"strconv"
	"strings"
)

// specials are the registers that the machine sets.
var specials = func() map[string]bool {
	m := map[string]bool{"WARP_SZ": true, "%laneid": true, "%warpid": true, "%nwarpid": true}
	for _, r := range []string{"tid", "ntid", "ctaid", "nctaid"} {
		for _, d := range []string{"x", "y", "z"} {
			m["%"+r+"."+d] = true
		}
	}
	for _, r := range []string{"eq", "lt", "le", "gt", "ge"} {
		m["%lanemask_"+r] = true
	}
	return m
}()

func newScope() scope { return scope{regs: map[string]int{}, vars: map[string]*Var{}} }

// block reads statements up to the closing brace, which it leaves.
func (p *parser) block() {
	p.scopes = append(p.scopes, newScope())
	if len(p.scopes) > maxDepth {
		p.fail("braces nested deeper than %d", maxDepth)
	}
	for p.tok.text != "}" {
		switch t := p.tok.text; {
		case t == "":
			p.fail("the text ends inside %s", p.f.Name)
		case t == "{":
			p.advance()
			p.block()
			p.expect("}")
		case t == ";":
			p.advance()
		case t == ".reg":
			p.advance()
			p.registers()
		case t == ".local" || t == ".shared" || t == ".param":
			s, _ := spaceByName(p.advance().text[1:])
			v := p.variable(s)
			top := &p.scopes[len(p.scopes)-1]
			if top.vars[v.Name] != nil {
				p.fail("%s is declared twice", v.Name)
			}
			top.vars[v.Name] = v
			p.f.Vars = append(p.f.Vars, v)
			p.expect(";")
		case t == ".pragma":
			p.advance()
			p.advance() // a hint for ptxas
			p.expect(";")
		case t[0] == '.':
			p.fail("unknown directive %q in a function", t)
		default:
			p.statement()
		}
	}
	p.scopes = p.scopes[:len(p.scopes)-1]
}

// registers reads .type %a, %b<9>;
func (p *parser) registers() {
	typ := p.typeSuffix()
	top := &p.scopes[len(p.scopes)-1]
	for {
		name := p.name("a register's name")
		if p.accept("<") {
			n := p.int("a number of registers", 0, maxRegisters)
			p.expect(">")
			top.families = append(top.families, family{name, n, typ})
		} else {
			if _, dup := top.regs[name]; dup {
				p.fail("register %s is declared twice", name)
			}
			top.regs[name] = p.register(name, typ)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
}

func (p *parser) register(name string, typ Type) int {
	if len(p.f.Regs) >= maxRegisters {
		p.fail("more than %d registers", maxRegisters)
	}
	p.f.Regs = append(p.f.Regs, Register{name, typ})
	return len(p.f.Regs) - 1
}

// findReg looks a register up from the innermost scope outwards, -1 if it is not there.
func (p *parser) findReg(name string) int {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		s := &p.scopes[i]
		if r, ok := s.regs[name]; ok {
			return r
		}
		for _, fam := range s.families {
			digits, ok := strings.CutPrefix(name, fam.prefix)
			if !ok || digits == "" || len(digits) > 1 && digits[0] == '0' {
				continue
			}
			if n, err := strconv.Atoi(digits); err == nil && n >= 0 && n < fam.n && digits[0] != '+' {
				r := p.register(name, fam.typ)
				s.regs[name] = r
				return r
			}
		}
	}
	return -1
}

func (p *parser) findVar(name string) *Var {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		if v := p.scopes[i].vars[name]; v != nil {
			return v
		}
	}
	return p.globals[name]
}

// statement reads a label or an instruction.
func (p *parser) statement() {
	inst := Inst{Line: p.tok.line, Guard: -1, Vec: 1}
	if p.accept("@") {
		inst.GuardNot = p.accept("!")
		inst.Guard = p.findReg(p.word("a predicate"))
		if inst.Guard < 0 || p.f.Regs[inst.Guard].Type.Kind != Pred {
			p.fail("the guard is not a declared predicate register")
		}
	}
	word := p.name("an instruction or a label")
	if inst.Guard < 0 && p.accept(":") {
		if _, dup := p.labels[word]; dup {
			p.fail("label %s is there twice", word)
		}
		p.labels[word] = len(p.f.Code)
		return
	}
	p.opcode(&inst, word)
	if p.tok.text != ";" {
		for {
			p.operand(&inst)
			if len(inst.Args) == 1 && p.accept("|") { // of setp and shfl
				inst.Pair = true
			} else if !p.accept(",") {
				break
			}
		}
	}
	p.expect(";")
	p.f.Code = append(p.f.Code, inst)
}

// opcode splits mad.lo.s32 into operation, modifiers, state space and types.
func (p *parser) opcode(inst *Inst, word string) {
	parts := strings.Split(word, ".")
	inst.Text, inst.Op = word, parts[0]
	for _, part := range parts[1:] {
		if t, ok := types[part]; ok {
			inst.Types = append(inst.Types, t)
			continue
		}
		if s, ok := spaceByName(part); ok {
			inst.Space = s
			continue
		}
		switch part {
		case "":
			p.fail("bad opcode %q", word)
		case "v2", "v4":
			inst.Vec = int(part[1] - '0')
		default:
			inst.Mods = append(inst.Mods, part)
		}
	}
}

func (p *parser) operand(inst *Inst) {
	inst.Args = append(inst.Args, p.parseOperand(inst, 0))
}

func (p *parser) parseOperand(inst *Inst, depth int) Operand {
	if depth > 2 {
		p.fail("operands nested too deep")
	}
	switch {
	case p.accept("["):
		return p.address()
	case p.accept("{"):
		return p.list(inst, ArgList, "}", depth)
	case p.accept("("):
		return p.list(inst, ArgNames, ")", depth)
	case p.accept("!"):
		o := p.parseOperand(inst, depth+1)
		if o.Kind != ArgReg || p.f.Regs[o.Reg].Type.Kind != Pred {
			p.fail("! before what is no predicate")
		}
		o.Neg = !o.Neg
		return o
	case p.accept("-"):
		return p.literal(true)
	}
	t := p.tok.text
	if t != "" && t[0] >= '0' && t[0] <= '9' {
		return p.literal(false)
	}
	name := p.name("an operand")
	if name == "_" {
		return Operand{Kind: ArgSink, Reg: -1}
	}
	if r := p.findReg(name); r >= 0 {
		return Operand{Kind: ArgReg, Reg: r}
	}
	if v := p.findVar(name); v != nil {
		return Operand{Kind: ArgVar, Var: v, Reg: -1}
	}
	if specials[name] {
		return Operand{Kind: ArgSpecial, Name: name, Reg: -1}
	}
	switch inst.Op {
	case "bra":
		p.jumps = append(p.jumps, jump{len(p.f.Code), len(inst.Args), name, p.tok.line})
		return Operand{Kind: ArgLabel, Name: name, Reg: -1}
	case "call":
		return Operand{Kind: ArgFunc, Name: name, Reg: -1}
	}
	p.fail("%s is not declared", name)
	return Operand{}
}

func (p *parser) list(inst *Inst, kind OperandKind, end string, depth int) Operand {
	o := Operand{Kind: kind, Reg: -1}
	if p.accept(end) {
		return o
	}
	for {
		o.Elems = append(o.Elems, p.parseOperand(inst, depth+1))
		if !p.accept(",") {
			break
		}
	}
	p.expect(end)
	return o
}

func (p *parser) literal(neg bool) Operand {
	t := p.word("a number")
	bits, float, err := number(t)
	if err != nil {
		p.fail("%s is not a number", t)
	}
	if neg {
		if float != 0 {
			bits ^= 1 << (float - 1)
		} else {
			bits = -bits
		}
	}
	return Operand{Kind: ArgImm, Bits: bits, Float: float, Reg: -1}
}

// address reads what follows [ : a base, or a number, and an offset.
func (p *parser) address() Operand {
	o := Operand{Kind: ArgAddr, Reg: -1}
	if t := p.tok.text; t != "" && t[0] >= '0' && t[0] <= '9' {
		o.Offset = int64(p.literal(false).Bits)
	} else {
		name := p.name("an address")
		if o.Reg = p.findReg(name); o.Reg < 0 {
			if o.Var = p.findVar(name); o.Var == nil {
				p.fail("%s is not declared", name)
			}
		}
	}
	if p.accept("+") {
		lit := p.literal(p.accept("-"))
		if lit.Float != 0 {
			p.fail("a float in an address")
		}
		o.Offset += int64(lit.Bits)
	} else if p.accept("-") {
		o.Offset -= int64(p.literal(false).Bits)
	}
	p.expect("]")
	return o
}
