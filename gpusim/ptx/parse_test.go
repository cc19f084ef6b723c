package ptx

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// corpus is Halide 21's own output for our test pipelines.
func corpus(t testing.TB) map[string]string {
	files, err := filepath.Glob("testdata/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	texts := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(f)] = string(b)
	}
	return texts
}

func TestCorpus(t *testing.T) {
	for name, text := range corpus(t) {
		m, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		// Every instruction of the text is there, with its line.
		lines := strings.Split(text, "\n")
		n := 0
		for _, f := range m.Functions {
			for k := range f.Code {
				i := &f.Code[k]
				if !strings.Contains(lines[i.Line-1], i.Text) {
					t.Errorf("%s:%d: %q is not on its line", name, i.Line, i.Text)
				}
			}
			n += len(f.Code)
		}
		want := 0
		for _, l := range lines {
			code, _, _ := strings.Cut(l, "//")
			code = strings.TrimSpace(code)
			if strings.HasSuffix(code, ";") && !strings.HasPrefix(code, ".") {
				want++
			} else if strings.HasPrefix(code, "{ .reg") {
				want++
			}
			if strings.HasPrefix(code, ".") {
				continue
			}
			if strings.Contains(code, "{ .reg") && strings.HasSuffix(code, ";") {
				t.Errorf("%s: unexpected form %q", name, l)
			}
		}
		if n != want {
			t.Errorf("%s: %d instructions, the text has %d", name, n, want)
		}
	}
}

const header = ".version 7.1\n.target sm_86\n.address_size 64\n"

func TestScopes(t *testing.T) {
	m, err := Parse(header + `.visible .entry k(.param .u64 .ptr .align 1 k_0, .param .u32 k_1) {
	.reg .b32 %r<4>; .reg .pred %p<2>;
	ld.param.b32 %r1, [k_1];
	{ .reg .b32 tmp; mov.b32 tmp, %r1; { .reg .b64 tmp; mov.b64 tmp, {%r1, %r2}; } add.s32 %r3, tmp, -5; }
$L: @!%p1 bra $L;
	ret;
}`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Functions[0]
	if len(f.Code) != 6 || !f.Entry || len(f.Params) != 2 || f.Params[1].Bytes() != 4 {
		t.Fatalf("%+v", f)
	}
	outer, inner := f.Code[1].Args[0], f.Code[2].Args[0]
	if f.Regs[outer.Reg].Type.Bits != 32 || f.Regs[inner.Reg].Type.Bits != 64 {
		t.Error("an inner scope's register is not its own")
	}
	add := f.Code[3]
	if add.Args[1].Reg != outer.Reg || int64(add.Args[2].Bits) != -5 {
		t.Errorf("%v", add)
	}
	if b := f.Code[4]; b.Guard < 0 || !b.GuardNot || b.Args[0].Target != 4 {
		t.Errorf("%+v", b)
	}
}

func TestErrors(t *testing.T) {
	entry := header + ".visible .entry k() {\n"
	for _, c := range []struct {
		text, want string
		line       int
	}{
		{"", "not a PTX text", 1},
		{"\x7fELF", "unexpected character", 1},
		{"hello", "unknown directive", 1},
		{header + ".entry k() {\n", "the text ends inside k", 5},
		{entry + "add.s32 %r1, %r2, %r3;\n}", "%r1 is not declared", 5},
		{entry + "bra $nowhere;\n}", "no label $nowhere", 5},
		{entry + ".reg .b32 %r<3>;\nmov.b32 %r1, 0f12;\n}", "is not a number", 6},
		{entry + ".reg .b32 %r<2>;\nmov.b32 %r2, 1;\n}", "%r2 is not declared", 6},
		{entry + ".reg .q32 %r<2>;\n}", "unknown type", 5},
		{entry + "@%p1 ret;\n}", "guard", 5},
		{entry + "a: ret;\na: ret;\n}", "twice", 6},
		{entry + ".reg .b32 %r<99999999>;\n}", "number of registers", 5},
		{entry + strings.Repeat("{", 99), "nested", 5},
		{header + ".address_size 32", "32 bits", 4},
		{header + ".const .b8 x[2] = {1,2,3};", "more than 2", 4},
		{header + ".entry k() { ret; }\n.entry k() { ret; }", "defined twice", 5},
		{header + ".entry k() { ret }", "where an operand should be", 4},
	} {
		_, err := Parse(c.text)
		var e *Error
		if !errors.As(err, &e) || e.Line != c.line || !strings.Contains(e.Msg, c.want) {
			t.Errorf("%q: got %v, want line %d: %s", c.text, err, c.line, c.want)
		}
	}
	var v *VersionError
	if _, err := Parse(strings.Replace(header, "7.1", "8.4", 1)); !errors.As(err, &v) || v.Major != 8 || v.Minor != 4 {
		t.Errorf("%v", err)
	}
}

// TestJoins compares the post-dominators with their definition: the block that is
// nearest among those without which the exit cannot be reached.
func TestJoins(t *testing.T) {
	check := func(t *testing.T, name string, blocks []Block) {
		exit := len(blocks)
		// reach tells whether the exit is reached from a block when one is removed.
		reach := func(from, without int) bool {
			seen := make([]bool, exit+1)
			work := []int{from}
			for len(work) > 0 {
				b := work[len(work)-1]
				work = work[:len(work)-1]
				if b == without || seen[b] {
					continue
				}
				if b == exit {
					return true
				}
				seen[b] = true
				work = append(work, blocks[b].Next...)
			}
			return false
		}
		for b := range blocks {
			if !reach(b, -1) {
				if blocks[b].Join != exit {
					t.Errorf("%s: block %d never ends and joins at %d", name, b, blocks[b].Join)
				}
				continue
			}
			var pdom []int
			for d := range exit {
				if d != b && !reach(b, d) {
					pdom = append(pdom, d)
				}
			}
			want := exit
			for _, d := range pdom { // the immediate one is post-dominated by all others
				if !slices.ContainsFunc(pdom, func(e int) bool { return e != d && reach(d, e) }) {
					want = d
				}
			}
			if blocks[b].Join != want {
				t.Errorf("%s: block %d joins at %d, want %d", name, b, blocks[b].Join, want)
			}
		}
	}
	for name, text := range corpus(t) {
		m, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Functions {
			if blocks := f.Blocks(); len(blocks) < 80 {
				check(t, name+" "+f.Name, blocks)
			}
		}
	}
	m, err := Parse(header + `.entry k() { .reg .pred %p<2>;
a: @%p1 bra c;
   bra d;
c: @%p1 bra d;
   bra a;
d: @%p1 bra e;
f: bra f;
e: ret; }`)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "loops", m.Functions[0].Blocks())
}

func FuzzParse(f *testing.F) {
	f.Add(header + ".entry k(.param .u32 x) { .reg .b32 %r<2>; ld.param.b32 %r1, [x]; ret; }")
	for name, text := range corpus(f) {
		if len(text) < 6000 {
			f.Add(text)
		}
		_ = name
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err != nil {
			var e *Error
			var v *VersionError
			if !errors.As(err, &e) && !errors.As(err, &v) {
				t.Fatalf("an error without a line: %v", err)
			}
			return
		}
		for _, fn := range m.Functions {
			fn.Blocks()
		}
	})
}
