package exec

import (
	"context"
	"strings"
	"testing"

	"gowarp/gpusim/check"
)

// TestSources: what an address may be computed from.
func TestSources(t *testing.T) {
	const load = "ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; setp.gt.u32 %p1, %r1, 5;\n"
	for _, c := range []struct {
		name, body string
		want       sources
	}{
		{"a sum", "add.s64 %rd4, %rd3, %rd1; st.global.b32 [%rd4], %r1;", 1},
		{"a choice", "selp.b64 %rd4, %rd1, %rd2, %p1; st.global.b32 [%rd4], %r1;", 3},
		{"a branch", "mov.b64 %rd4, %rd1; @%p1 bra $x; mov.b64 %rd4, %rd2; $x: st.global.b32 [%rd4], %r1;", 3},
		{"later definitions, around a loop", "mov.b64 %rd4, %rd3; $x: add.s64 %rd5, %rd4, %rd1; st.global.b32 [%rd5], %r1; mov.b64 %rd4, %rd2; @%p1 bra $x;", 3},
		{"halves", "mov.b64 {%r4, %r5}, %rd2; mov.b64 %rd4, {%r4, %r5}; st.global.b32 [%rd4], %r1;", 2},
		{"through local memory", ".local .align 8 .b8 l[8]; mov.u64 %rd6, l; st.local.b64 [%rd6], %rd2; ld.local.b32 %r4, [%rd6]; cvt.u64.u32 %rd4, %r4; st.global.b32 [%rd4], %r1;", 2},
		{"a shuffle", "mov.b64 {%r4, %r5}, %rd2; shfl.sync.idx.b32 %r6, %r4, 0, 31, -1; mov.b64 %rd4, {%r6, %r5}; st.global.b32 [%rd4], %r1;", 2},
		{"an index from memory", "ld.global.b32 %r4, [%rd1]; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd5, %rd2, %rd4; st.global.b32 [%rd5], %r1;", 2},
		{"a pointer from memory", "ld.global.b64 %rd4, [%rd1]; st.global.b32 [%rd4], %r1;", anywhere},
		{"an old value", "atom.global.exch.b64 %rd4, [%rd1], %rd2; st.global.b32 [%rd4], %r1;", anywhere | 2},
		{"an atomic operation's address", "add.s64 %rd4, %rd2, %rd3; red.global.add.u32 [%rd4], %r1;", 2},
		{"nothing", "st.global.b32 [%rd3], %r1;", 0},
	} {
		k := loadKernel(t, 2, load+c.body+" ret;")
		found := false
		for _, s := range k.written {
			found = found || s == c.want
		}
		if !found {
			t.Errorf("%s: %b, want %b", c.name, k.written, c.want)
		}
	}
}

// TestForeignAllocation: an address that runs from one buffer into another is out of bounds,
// although something is there; a choice between both is not.
func TestForeignAllocation(t *testing.T) {
	body := `ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3;
/*access*/ ret;`
	for _, c := range []struct {
		access string
		want   check.Kind
	}{
		{"st.global.b32 [%rd4], %r1;", ""},
		{"st.global.b32 [%rd4+1024], %r1;", check.OutOfBounds},
		{"ld.global.b32 %r2, [%rd4+1024];", check.OutOfBounds},
		{"red.global.add.u32 [%rd4+1024], %r1;", check.OutOfBounds},
		{"setp.eq.s32 %p1, %r1, 99; selp.b64 %rd5, %rd2, %rd1, %p1; add.s64 %rd6, %rd5, %rd3; st.global.b32 [%rd6+1024], %r1;", ""},
		{"sub.s64 %rd5, %rd2, %rd1; add.s64 %rd6, %rd4, %rd5; st.global.b32 [%rd6], %r1;", ""},
	} {
		m := newTestMemory()
		a, b := allocate(t, m, make([]byte, 256)), allocate(t, m, make([]byte, 2048))
		if b != a+512 {
			t.Fatalf("allocations at %#x and %#x", a, b)
		}
		k := loadKernel(t, 2, strings.Replace(body, "/*access*/", c.access, 1))
		res, found := launch(t, m, Launch{Kernel: k, Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Params: pointers(a, b)})
		if res.Fault != c.want {
			t.Errorf("%s: %q, %v", c.access, res.Fault, found)
		}
	}
}

// TestRacesByAnyPointer: a race is seen whichever way the address comes about: two
// parameters with one buffer, a pointer from memory, a pointer behind the buffer's end.
func TestRacesByAnyPointer(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		args func(a, b uint64) []byte
	}{
		"one buffer, two parameters": {"ld.global.b32 %r2, [%rd1+128]; st.global.b32 [%rd4], %r1;", func(a, _ uint64) []byte { return pointers(a, a+64) }},
		"a pointer from memory":      {"ld.global.b32 %r2, [%rd1+128]; ld.global.b64 %rd5, [%rd2]; add.s64 %rd6, %rd5, %rd3; st.global.b32 [%rd6+64], %r1;", func(a, b uint64) []byte { return pointers(a, b) }},
		"a pointer behind the end":   {"ld.global.b32 %r2, [%rd1+128]; st.global.b32 [%rd4+-512], %r1;", func(a, _ uint64) []byte { return pointers(a, a+512) }},
	} {
		k := loadKernel(t, 2, "ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;\n"+c.body+" ret;")
		m := newTestMemory()
		a := allocate(t, m, make([]byte, 512))
		b := allocate(t, m, pointers(a))
		var log check.Log
		if _, err := Run(context.Background(), m, Launch{Kernel: k, Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Params: c.args(a, b)}, &log); err != nil {
			t.Fatal(err)
		}
		if f := log.Findings(); len(f) == 0 || f[0].Kind != check.GlobalRace {
			t.Errorf("%s: %v", name, f)
		}
	}
}
