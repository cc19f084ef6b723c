package exec

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"gowarp/gpusim/check"
	"gowarp/gpusim/ptx"
)

const header = ".version 7.1\n.target sm_86\n.address_size 64\n"

// loadKernel loads a kernel whose parameters are pointers p0, p1, … and whose body
// is given; registers of all kinds are declared.
func loadKernel(t testing.TB, pointers int, body string) *Kernel {
	t.Helper()
	var params []string
	for i := range pointers {
		params = append(params, fmt.Sprintf(".param .u64 p%d", i))
	}
	text := header + ".visible .entry k(" + strings.Join(params, ", ") + `) {
	.reg .pred %p<40>; .reg .b16 %rs<40>; .reg .b32 %r<90>; .reg .b64 %rd<90>;
` + body + "\n}\n"
	m, err := ptx.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	loaded, err := Load(m)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return loaded.Kernels["k"]
}

func newTestMemory() *Memory { return NewMemory(make([]byte, 64<<20), 64<<20, nil) }

// alloc makes device memory with contents.
func allocate(t testing.TB, m *Memory, data []byte) uint64 {
	t.Helper()
	p, err := m.Alloc(max(len(data), 1))
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Bytes(p, len(data))
	if err != nil {
		t.Fatal(err)
	}
	copy(b, data)
	if err := m.Written(p, len(data)); err != nil {
		t.Fatal(err)
	}
	return p
}

func pointers(ps ...uint64) []byte {
	var b []byte
	for _, p := range ps {
		b = binary.LittleEndian.AppendUint64(b, p)
	}
	return b
}

// launch runs a kernel and returns what was found.
func launch(t testing.TB, m *Memory, l Launch) (Result, []check.Finding) {
	t.Helper()
	var log check.Log
	res, err := Run(context.Background(), m, l, &log)
	if err != nil {
		t.Fatal(err)
	}
	return res, log.Findings()
}

// opTest runs one instruction over many operands, one thread each: with its fast
// form and by its scalar definition, in full warps and with lanes missing.
func opTest(t *testing.T, text string, inst string, in []ptx.Type, out ptx.Type, values [][3]uint64) []uint64 {
	t.Helper()
	reg := func(ty ptx.Type, n int) string {
		switch {
		case ty.Kind == ptx.Pred:
			return fmt.Sprintf("%%p%d", n)
		case ty.Bits <= 16:
			return fmt.Sprintf("%%rs%d", n)
		case ty.Bits == 32:
			return fmt.Sprintf("%%r%d", n)
		}
		return fmt.Sprintf("%%rd%d", n)
	}
	var b strings.Builder
	b.WriteString(`ld.param.b64 %rd20, [p0]; ld.param.b64 %rd21, [p1]; ld.param.b64 %rd22, [p2];
mov.u32 %r20, %tid.x; mov.u32 %r21, %ctaid.x; mov.u32 %r22, %ntid.x; mad.lo.s32 %r23, %r21, %r22, %r20;
ld.global.b32 %r24, [%rd22]; setp.ge.u32 %p20, %r23, %r24; @%p20 bra $end;
mul.wide.u32 %rd23, %r23, 24; add.s64 %rd24, %rd20, %rd23; mul.wide.u32 %rd25, %r23, 8; add.s64 %rd26, %rd21, %rd25;
`)
	args := []string{reg(out, 1)}
	for n, ty := range in {
		r := reg(ty, n+2)
		if ty.Kind == ptx.Pred {
			fmt.Fprintf(&b, "ld.global.b32 %%r3%d, [%%rd24+%d]; setp.ne.b32 %s, %%r3%d, 0;\n", n, 8*n, r, n)
		} else {
			fmt.Fprintf(&b, "ld.global.b%d %s, [%%rd24+%d];\n", max(ty.Bits, 8), r, 8*n)
		}
		args = append(args, r)
	}
	if inst == "" {
		inst = text + " " + strings.Join(args, ", ") + ";"
	}
	b.WriteString(inst + "\n")
	switch {
	case out.Kind == ptx.Pred:
		b.WriteString("selp.b32 %r1, 1, 0, %p1; cvt.u64.u32 %rd1, %r1;\n")
	case out.Bits <= 16:
		b.WriteString("cvt.u64.u16 %rd1, %rs1;\n")
	case out.Bits == 32:
		b.WriteString("cvt.u64.u32 %rd1, %r1;\n")
	}
	b.WriteString("st.global.b64 [%rd26], %rd1;\n$end: ret;")
	k := loadKernel(t, 3, b.String())

	size := 40*len(values) + 1<<12
	m := NewMemory(make([]byte, size), size, nil)
	var data []byte
	for _, v := range values {
		for _, x := range v {
			data = binary.LittleEndian.AppendUint64(data, x)
		}
	}
	src := allocate(t, m, data)
	count := allocate(t, m, binary.LittleEndian.AppendUint32(nil, uint32(len(values))))
	var results [2][]uint64
	for pass := range results {
		dst := allocate(t, m, make([]byte, 8*len(values)))
		block := 256
		if pass == 1 {
			block = 45 // partial warps
			for bi := range k.main.blocks {
				ops := k.main.blocks[bi].ops
				for i := range ops {
					if ops[i].scalar != nil && ops[i].dpred.class == none {
						ops[i].run = each
					}
				}
			}
		}
		res, found := launch(t, m, Launch{Kernel: k, Grid: [3]int{(len(values) + block - 1) / block, 1, 1}, Block: [3]int{block, 1, 1}, Params: pointers(src, dst, count)})
		if len(found) != 0 || res.Fault != "" {
			t.Fatalf("%s: %v", text, found)
		}
		b, err := m.Bytes(dst, 8*len(values))
		if err != nil {
			t.Fatal(err)
		}
		for i := range values {
			results[pass] = append(results[pass], binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
	for i := range values {
		if results[0][i] != results[1][i] {
			t.Fatalf("%s of %#x: %#x by the fast form, %#x by the definition", text, values[i], results[0][i], results[1][i])
		}
	}
	return results[0]
}
