package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits on a text, far above what a compiler emits, so that hostile input ends
// in an error and not in exhausted memory.
const (
	maxRegisters = 1 << 20
	maxVarBytes  = 1 << 26
	maxDepth     = 64
)

// The newest PTX version whose instructions are known here.
const newestMajor, newestMinor = 7, 8

// Parse reads a PTX text. Errors are *Error or *VersionError and name the line.
func Parse(src string) (m *Module, err error) {
	p := &parser{lex: lexer{src: src, line: 1}, m: &Module{}, globals: map[string]*Var{}}
	// One exit for all errors: the productions panic with them.
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok {
				panic(r)
			}
			switch e.(type) {
			case *Error, *VersionError:
				m, err = nil, e
			default:
				panic(r)
			}
		}
	}()
	p.advance()
	p.module()
	return p.m, nil
}

// parser is a recursive-descent parser with one token of look-ahead.
type parser struct {
	lex     lexer
	tok     token
	m       *Module
	globals map[string]*Var
	f       *Function
	scopes  []scope
	labels  map[string]int
	jumps   []jump
}

// scope is what a pair of braces declares.
type scope struct {
	regs map[string]int
	vars map[string]*Var
	// families are declarations such as %r<9>: registers made at first use.
	families []family
}

type family struct {
	prefix string
	n      int
	typ    Type
}

// jump is a label to resolve when the function has ended.
type jump struct {
	inst, arg int
	name      string
	line      int
}

func (p *parser) fail(format string, args ...any) {
	panic(&Error{p.tok.line, fmt.Sprintf(format, args...)})
}

func (p *parser) advance() token {
	old := p.tok
	t, err := p.lex.next()
	if err != nil {
		panic(err)
	}
	p.tok = t
	return old
}

func (p *parser) accept(text string) bool {
	if p.tok.text == text && text != "" {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail("%s where %q should be", p.shown(), text)
	}
}

func (p *parser) shown() string {
	if p.tok.text == "" {
		return "the text ends"
	}
	return strconv.Quote(p.tok.text)
}

// word takes a token that begins as a name.
func (p *parser) word(what string) string {
	t := p.tok.text
	if t == "" || !isWord(t[0]) {
		p.fail("%s where %s should be", p.shown(), what)
	}
	return p.advance().text
}

// name takes an identifier of the program.
func (p *parser) name(what string) string {
	t := p.word(what)
	if c := t[0]; c == '.' || c >= '0' && c <= '9' {
		p.fail("%q where %s should be", t, what)
	}
	return t
}

func (p *parser) int(what string, least, most int) int {
	t := p.word(what)
	bits, float, err := number(t)
	if err != nil || float != 0 || bits > uint64(most) || int(bits) < least {
		p.fail("%s is %s, not a number from %d to %d", what, t, least, most)
	}
	return int(bits)
}

func (p *parser) module() {
	for p.tok.text != "" {
		line := p.tok.line
		switch word := p.word("a directive"); word {
		case ".version":
			p.version(line)
		case ".target":
			p.m.Target = p.word("a target")
			digits, ok := strings.CutPrefix(p.m.Target, "sm_")
			if n, err := strconv.Atoi(strings.TrimRight(digits, "a")); !ok || err != nil || n < 10 || n > 999 {
				p.fail("unknown target %s", p.m.Target)
			}
			for p.accept(",") {
				p.word("a target option")
			}
		case ".address_size":
			if n := p.word("64"); n != "64" {
				p.fail("addresses of %s bits; only 64 are known here", n)
			}
		case ".visible", ".extern", ".weak", ".common":
			// Linkage changes nothing here: one text is one program.
		case ".entry", ".func":
			p.header()
			p.function(word == ".entry", line)
		case ".const", ".global", ".shared":
			p.header()
			s, _ := spaceByName(word[1:])
			v := p.variable(s)
			if p.globals[v.Name] != nil {
				p.fail("%s is declared twice", v.Name)
			}
			p.globals[v.Name] = v
			p.m.Vars = append(p.m.Vars, v)
			p.expect(";")
		case ".file", ".section", ".loc":
			p.fail("debug information (%s) is not read; compile without it", word)
		default:
			p.fail("unknown directive %q", word)
		}
	}
	p.header()
}

// header refuses a text whose first lines are missing.
func (p *parser) header() {
	if p.m.Version == [2]int{} || p.m.Target == "" {
		p.fail("no .version and .target before this: not a PTX text")
	}
}

func (p *parser) version(line int) {
	v := p.word("a version")
	major, minor, ok := strings.Cut(v, ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	if !ok || errA != nil || errB != nil || a < 1 || b < 0 {
		p.fail("bad version %q", v)
	}
	if a > newestMajor || a == newestMajor && b > newestMinor {
		panic(&VersionError{line, a, b})
	}
	p.m.Version = [2]int{a, b}
}

// typeSuffix reads a type directive such as .b32.
func (p *parser) typeSuffix() Type {
	t := p.word("a type")
	typ, ok := types[strings.TrimPrefix(t, ".")]
	if !ok || t[0] != '.' {
		p.fail("unknown type %q", t)
	}
	return typ
}

// variable reads what follows a state space: [.align N] .type [.ptr …] name[N] [= {…}].
func (p *parser) variable(space Space) *Var {
	v := &Var{Space: space, Count: 1, Line: p.tok.line}
	for v.Type.Kind == NoType {
		if p.accept(".align") {
			v.Align = p.int("an alignment", 1, 1<<16)
			continue
		}
		v.Type = p.typeSuffix()
	}
	for strings.HasPrefix(p.tok.text, ".") {
		switch word := p.advance().text; word {
		case ".ptr", ".global", ".shared", ".local", ".const":
			// What a pointer parameter points to: a promise to the compiler.
		case ".align":
			p.int("an alignment", 1, 1<<16) // of what it points to
		default:
			p.fail("unknown attribute %q of a variable", word)
		}
	}
	if v.Type.Bits%8 != 0 {
		p.fail("a variable of type %s", v.Type)
	}
	v.Name = p.name("a variable's name")
	if p.accept("[") {
		v.Count = 0
		if p.tok.text != "]" {
			v.Count = p.int("an array's length", 0, maxVarBytes/8)
		}
		p.expect("]")
	}
	if v.Align == 0 {
		v.Align = v.Type.Bytes()
	}
	if v.Align&(v.Align-1) != 0 {
		p.fail("alignment %d is not a power of two", v.Align)
	}
	if p.accept("=") {
		p.initializer(v)
	}
	return v
}

func (p *parser) initializer(v *Var) {
	put := func() {
		neg := p.accept("-")
		t := p.word("a number")
		bits, float, err := number(t)
		if err != nil {
			p.fail("%s is not a number", t)
		}
		if float != 0 && int(float) != int(v.Type.Bits) {
			p.fail("%s in an array of %s", t, v.Type)
		}
		if neg {
			bits = -bits
		}
		if len(v.Init) >= v.Bytes() {
			p.fail("more than %d elements in %s", v.Count, v.Name)
		}
		for b := 0; b < v.Type.Bytes(); b++ {
			v.Init = append(v.Init, byte(bits>>(8*b)))
		}
	}
	if !p.accept("{") {
		put()
		return
	}
	for {
		put()
		if !p.accept(",") {
			break
		}
	}
	p.expect("}")
}

func (p *parser) params(space Space) []*Var {
	var vars []*Var
	if p.accept(")") {
		return nil
	}
	for {
		if !p.accept(".param") && !p.accept(".reg") {
			p.fail("%s where a parameter should be", p.shown())
		}
		vars = append(vars, p.variable(space))
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return vars
}

func (p *parser) function(entry bool, line int) {
	f := &Function{Entry: entry, Line: line}
	if p.accept("(") {
		f.Returns = p.params(Param)
	}
	f.Name = p.name("a function's name")
	if p.accept("(") {
		f.Params = p.params(Param)
	}
	for strings.HasPrefix(p.tok.text, ".") {
		p.performanceDirective(f)
	}
	if p.accept(";") {
		return // a declaration; calls are resolved by name
	}
	if old := p.m.Function(f.Name); old != nil {
		p.fail("%s is defined twice, first on line %d", f.Name, old.Line)
	}
	p.f, p.labels, p.jumps, p.scopes = f, map[string]int{}, nil, nil
	outer := newScope()
	for _, v := range append(append([]*Var{}, f.Params...), f.Returns...) {
		outer.vars[v.Name] = v
	}
	p.scopes = []scope{outer}
	p.expect("{")
	p.block()
	f.EndLine = p.tok.line
	p.expect("}")
	p.resolve()
	p.m.Functions = append(p.m.Functions, f)
}

func (p *parser) performanceDirective(f *Function) {
	switch word := p.advance().text; word {
	case ".maxntid", ".reqntid":
		f.MaxThreads = 1
		for {
			f.MaxThreads *= p.int("a number of threads", 1, 1<<16)
			if !p.accept(",") {
				break
			}
		}
	case ".minnctapersm", ".maxnreg", ".maxnctapersm":
		p.int("a number", 0, 1<<16)
	case ".noreturn":
	default:
		p.fail("unknown directive %q of a function", word)
	}
}

func (p *parser) resolve() {
	for _, j := range p.jumps {
		at, ok := p.labels[j.name]
		if !ok {
			panic(&Error{j.line, fmt.Sprintf("no label %s in %s", j.name, p.f.Name)})
		}
		p.f.Code[j.inst].Args[j.arg].Target = at
	}
}
