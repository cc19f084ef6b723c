package exec

import (
	"encoding/binary"
	"strings"
	"testing"

	"gowarp/gpusim/check"
)

// TestUndefinedAddress: each thread looks up in a table what it reads from an input of which
// nothing has written the first elements, as those threads of Halide's shifted tiles do whose
// results nobody reads. The others' results must be right, whatever the first do.
func TestUndefinedAddress(t *testing.T) {
	const (
		threads, unwrittenWords = 80, 21 // a full warp of both, full ones, half of one
		entries                 = 8
		lookUp                  = `
ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1]; ld.param.b64 %rd3, [p2];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd3, %rd4;
rem.u32 %r2, %r1, 8; shl.b32 %r3, %r2, 2; mul.wide.u32 %rd7, %r2, 4; add.s64 %rd8, %rd2, %rd7; ld.global.b32 %r4, [%rd8]; st.shared.b32 [%r3], %r4; bar.sync 0;
ld.global.b32 %r5, [%rd5]; ld.global.u8 %r6, [%rd5];
/*clamp*/ min.s32 %r9, %r5, 7; max.s32 %r7, %r9, 0;
mul.wide.s32 %rd9, %r7, 4; add.s64 %rd10, %rd2, %rd9; shl.b32 %r8, %r7, 2; mov.b32 %r20, 0;
/*load*/ ld.global.nc.b32 %r10, [%rd10];
/*out*/ st.global.b32 [%rd6], %r10;
ret;`
	)
	for _, c := range []struct {
		name  string
		edits []string // pairs
		want  check.Kind
	}{
		{"from global memory", nil, check.UndefinedAddress},
		{"from shared memory", []string{"ld.global.nc.b32 %r10, [%rd10]", "ld.shared.b32 %r10, [%r8]"}, check.UndefinedAddress},
		{"lane by lane", []string{"ld.global.nc.b32 %r10, [%rd10]", "ld.volatile.global.b32 %r10, [%rd10]"}, check.UndefinedAddress},
		{"a byte for 8 entries", []string{"min.s32 %r9, %r5, 7;", "min.s32 %r9, %r6, 255;"}, check.Uninitialised},
		{"no clamp", []string{"min.s32 %r9, %r5, 7; max.s32 %r7, %r9, 0;", "mov.b32 %r7, %r5;"}, check.Uninitialised},
		{"no clamp, shared memory", []string{"min.s32 %r9, %r5, 7; max.s32 %r7, %r9, 0;", "mov.b32 %r7, %r5;", "ld.global.nc.b32 %r10, [%rd10]", "ld.shared.b32 %r10, [%r8]"}, check.Uninitialised},
		{"half a clamp", []string{"max.s32 %r7, %r9, 0;", "mov.b32 %r7, %r9;"}, check.Uninitialised},
		{"unaligned", []string{"mul.wide.s32 %rd9, %r7, 4;", "shr.u32 %r30, %r5, 3; and.b32 %r31, %r30, 3; cvt.u64.u32 %rd11, %r31; mul.wide.s32 %rd14, %r7, 4; add.s64 %rd9, %rd14, %rd11;"}, check.Uninitialised},
		{"a register that nothing has set", []string{"mul.wide.s32 %rd9, %r7, 4;", "setp.lt.s32 %p1, %r1, 21; selp.b32 %r12, %r80, %r7, %p1; mul.wide.s32 %rd9, %r12, 4;"}, check.Uninitialised},
		// What an atomic operation adds is nothing, so that it loads.
		{"an atomic operation", []string{"ld.global.nc.b32 %r10, [%rd10]", "atom.global.add.u32 %r10, [%rd10], %r20"}, check.Uninitialised},
		{"a store", []string{"ld.global.nc.b32 %r10, [%rd10]", "mov.b32 %r10, %r7; cvt.u64.u32 %rd12, %r1; setp.lt.s32 %p1, %r1, 21; mul.wide.s32 %rd13, %r7, 4; add.s64 %rd13, %rd3, %rd13; selp.b64 %rd6, %rd13, %rd6, %p1; shl.b32 %r11, %r7, 3; sub.s32 %r10, %r11, %r7; add.s32 %r10, %r10, 100"}, check.Uninitialised},
	} {
		body := lookUp
		for i := 0; i < len(c.edits); i += 2 {
			if body = strings.Replace(body, c.edits[i], c.edits[i+1], 1); !strings.Contains(body, c.edits[i+1]) {
				t.Fatalf("%s: nothing replaced", c.name)
			}
		}
		for seed := range uint64(3) {
			m := newTestMemory()
			in, err := m.Alloc(4 * threads)
			if err != nil {
				t.Fatal(err)
			}
			table, out := allocate(t, m, make([]byte, 4*entries)), allocate(t, m, make([]byte, 4*threads))
			input, _ := m.Bytes(in, 4*threads)
			for i := unwrittenWords; i < threads; i++ {
				binary.LittleEndian.PutUint32(input[4*i:], uint32(i*5%entries))
			}
			if err := m.Written(in+4*unwrittenWords, 4*(threads-unwrittenWords)); err != nil {
				t.Fatal(err)
			}
			content, _ := m.Bytes(table, 4*entries)
			for i := range entries {
				binary.LittleEndian.PutUint32(content[4*i:], uint32(100+7*i))
			}
			res, found := launch(t, m, Launch{Kernel: loadKernel(t, 3, body), Grid: [3]int{1, 1, 1}, Block: [3]int{threads, 1, 1}, SharedBytes: 4 * entries, Params: pointers(in, table, out), Seed: seed})
			if res.Fault != "" {
				t.Fatalf("%s: %v", c.name, found)
			}
			seen := map[check.Kind]bool{}
			for _, f := range found {
				if f.Kind != check.SameValueRace { // on the shared table
					seen[f.Kind] = true
				}
			}
			// Some of the garbage may lie inside by chance.
			if !seen[c.want] || c.want == check.UndefinedAddress && len(seen) > 1 {
				t.Errorf("%s, seed %d: %v", c.name, seed, found)
			}
			results, _ := m.Bytes(out, 4*threads)
			for i := unwrittenWords; i < threads; i++ {
				if got, want := binary.LittleEndian.Uint32(results[4*i:]), uint32(100+7*(i*5%entries)); got != want {
					t.Errorf("%s, seed %d: thread %d gives %d, want %d", c.name, seed, i, got, want)
					break
				}
			}
			if u, err := m.Read(out+4*unwrittenWords, 4*(threads-unwrittenWords)); err != nil || u != nil {
				t.Errorf("%s, seed %d: what the other threads give is undefined: %+v, %v", c.name, seed, u, err)
			}
			if u, err := m.Read(out, 4*unwrittenWords); c.name != "a store" && (err != nil || u == nil || u.Bytes != 4*unwrittenWords) {
				t.Errorf("%s, seed %d: %+v, %v are undefined", c.name, seed, u, err)
			}
		}
	}
}

// TestGarbage: the same place holds the same garbage, in however wide pieces and by whichever
// way it is loaded; what has been written is as it was.
func TestGarbage(t *testing.T) {
	k := loadKernel(t, 2, `ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 8; add.s64 %rd4, %rd1, %rd3; mul.wide.u32 %rd3, %r1, 64; add.s64 %rd5, %rd2, %rd3;
ld.global.b64 %rd6, [%rd4]; st.global.b64 [%rd5], %rd6;
ld.global.v2.b32 {%r2, %r3}, [%rd4]; st.global.v2.b32 [%rd5+8], {%r2, %r3};
ld.volatile.global.b32 %r2, [%rd4]; ld.global.b32 %r3, [%rd4+4]; st.global.v2.b32 [%rd5+16], {%r2, %r3};
ld.global.v4.u16 {%rs1, %rs2, %rs3, %rs4}, [%rd4]; st.global.v4.b16 [%rd5+24], {%rs1, %rs2, %rs3, %rs4};
ld.global.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd4]; st.global.v4.b8 [%rd5+32], {%rs1, %rs2, %rs3, %rs4};
ld.global.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd4+4]; st.global.v4.b8 [%rd5+36], {%rs1, %rs2, %rs3, %rs4};
ret;`)
	const threads, pieces = 45, 5
	words := map[uint64]bool{}
	for seed := range uint64(3) {
		m := newTestMemory()
		in, err := m.Alloc(8 * threads)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Written(in+3, 1); err != nil { // a zero
			t.Fatal(err)
		}
		out := allocate(t, m, make([]byte, 64*threads))
		if _, found := launch(t, m, Launch{Kernel: k, Grid: [3]int{1, 1, 1}, Block: [3]int{threads, 1, 1}, Params: pointers(in, out), Seed: seed}); len(found) != 0 {
			t.Fatal(found)
		}
		b, _ := m.Bytes(out, 64*threads)
		for i := range threads {
			first := binary.LittleEndian.Uint64(b[64*i:])
			words[first] = true
			for p := 1; p < pieces; p++ {
				if got := binary.LittleEndian.Uint64(b[64*i+8*p:]); got != first {
					t.Errorf("seed %d, thread %d: %#x, in other pieces %#x", seed, i, first, got)
				}
			}
		}
		if b[3] != 0 {
			t.Errorf("what was written has become %d", b[3])
		}
	}
	if len(words) != 3*threads {
		t.Errorf("%d of %d words of garbage differ", len(words), 3*threads)
	}
}

// TestUndefinedParts: of a register that is packed or loaded with something undefined in one half the other half is defined, where no
// other instruction writes it; what is computed with the whole is not.
func TestUndefinedParts(t *testing.T) {
	const threads = 40
	const pairs = "shl.b32 %r5, %r1, 4; " // four words of shared memory for each thread
	for _, c := range []struct {
		name, body string
		bytes      int // undefined of each thread's two
	}{
		{"the defined half", "mov.b32 %r2, {%rs8, %rs1}; mov.b32 {%rs2, %rs3}, %r2; st.global.b16 [%rd4], %rs3;", 0},
		{"the other half", "mov.b32 %r2, {%rs8, %rs1}; mov.b32 {%rs2, %rs3}, %r2; st.global.b16 [%rd4], %rs2;", 2},
		{"the whole", "mov.b32 %r2, {%rs8, %rs1}; add.s32 %r3, %r2, 1; mov.b32 {%rs2, %rs3}, %r3; st.global.b16 [%rd4], %rs3;", 2},
		{"packed twice", "mov.b32 %r2, {%rs1, %rs8}; mov.b32 %r2, {%rs8, %rs1}; mov.b32 {%rs2, %rs3}, %r2; st.global.b16 [%rd4], %rs3;", 0},
		{"the other half, packed twice", "mov.b32 %r2, {%rs1, %rs8}; mov.b32 %r2, {%rs8, %rs1}; mov.b32 {%rs2, %rs3}, %r2; st.global.b16 [%rd4], %rs2;", 2},
		{"the defined word of two", pairs + "st.shared.b32 [%r5], %r1; ld.shared.b64 %rd5, [%r5]; mov.b64 {%r2, %r3}, %rd5; st.global.b16 [%rd4], %r2;", 0},
		{"the other word of two", pairs + "st.shared.b32 [%r5], %r1; ld.shared.b64 %rd5, [%r5]; mov.b64 {%r2, %r3}, %rd5; st.global.b16 [%rd4], %r3;", 2},
		{"the defined word of vectors", pairs + "st.shared.b32 [%r5+12], %r1; ld.shared.v2.b64 {%rd5, %rd6}, [%r5]; mov.b64 {%r2, %r3}, %rd6; st.global.b16 [%rd4], %r3;", 0},
		{"two words, moved whole", pairs + "st.shared.b32 [%r5], %r1; ld.shared.b64 %rd5, [%r5]; st.shared.b64 [%r5+8], %rd5; ld.shared.b32 %r2, [%r5+8]; st.global.b16 [%rd4], %r2;", 0},
		{"the other word, moved whole", pairs + "st.shared.b32 [%r5], %r1; ld.shared.b64 %rd5, [%r5]; st.shared.b64 [%r5+8], %rd5; ld.shared.b32 %r2, [%r5+12]; st.global.b16 [%rd4], %r2;", 2},
		{"two words, packed, moved whole", pairs + "mov.b64 %rd5, {%r9, %r1}; st.shared.b64 [%r5+8], %rd5; ld.shared.b32 %r2, [%r5+12]; st.global.b16 [%rd4], %r2;", 0},
		{"two words, computed with", pairs + "st.shared.b32 [%r5], %r1; ld.shared.b64 %rd5, [%r5]; add.s64 %rd6, %rd5, 0; mov.b64 {%r2, %r3}, %rd6; st.global.b16 [%rd4], %r2;", 2},
		{"two words, loaded or computed", pairs + "st.shared.b32 [%r5], %r1; mov.b64 %rd5, 7; ld.shared.b64 %rd5, [%r5]; mov.b64 {%r2, %r3}, %rd5; st.global.b16 [%rd4], %r2;", 2},
		{"set before", "mov.b32 %r2, 7; mov.b32 %r2, {%rs8, %rs1}; mov.b32 {%rs2, %rs3}, %r2; st.global.b16 [%rd4], %rs3;", 2},
		{"the defined half by bytes", "cvt.u32.u16 %r4, %rs8; prmt.b32 %r2, %r1, %r4, 0x5410U; st.global.b16 [%rd4], %r2;", 0},
		{"the other half by bytes", "cvt.u32.u16 %r4, %rs8; prmt.b32 %r2, %r1, %r4, 0x5410U; shr.u32 %r3, %r2, 16; st.global.b16 [%rd4], %r3;", 2},
		{"the high half by bytes", "cvt.u32.u16 %r4, %rs8; prmt.b32 %r2, %r4, %r1, 0x5410U; shr.u32 %r3, %r2, 16; st.global.b16 [%rd4], %r3;", 0},
		{"bytes of both", "cvt.u32.u16 %r4, %rs8; prmt.b32 %r2, %r1, %r4, 0x3241U; st.global.b16 [%rd4], %r2;", 2},
		{"a quarter", "mov.b64 %rd5, {%rs8, %rs1, %rs8, %rs8}; mov.b64 {%rs2, %rs3, %rs4, %rs5}, %rd5; st.global.b16 [%rd4], %rs3;", 0},
		{"halves of quarters", "mov.b64 %rd5, {%rs1, %rs1, %rs8, %rs8}; mov.b64 {%r2, %r3}, %rd5; cvt.u16.u32 %rs3, %r2; st.global.b16 [%rd4], %rs3;", 2},
	} {
		m := newTestMemory()
		out, err := m.Alloc(2 * threads)
		if err != nil {
			t.Fatal(err)
		}
		k := loadKernel(t, 1, "ld.param.b64 %rd1, [p0]; mov.u32 %r1, %tid.x; cvt.u16.u32 %rs1, %r1; mul.wide.u32 %rd3, %r1, 2; add.s64 %rd4, %rd1, %rd3;\n"+c.body+" ret;")
		res, found := launch(t, m, Launch{Kernel: k, Grid: [3]int{1, 1, 1}, Block: [3]int{threads, 1, 1}, SharedBytes: 16 * threads, Params: pointers(out)})
		if res.Fault != "" {
			t.Fatalf("%s: %v", c.name, found)
		}
		undefined := 0
		u, err := m.Read(out, 2*threads)
		if err != nil {
			t.Fatal(err)
		}
		if u != nil {
			undefined = int(u.Bytes)
		}
		if undefined != c.bytes*threads {
			t.Errorf("%s: %d bytes of %d are undefined, want %d", c.name, undefined, 2*threads, c.bytes*threads)
		}
		content, _ := m.Bytes(out, 2*threads)
		for i := range threads {
			if got := binary.LittleEndian.Uint16(content[2*i:]); c.bytes == 0 && int(got) != i {
				t.Errorf("%s: thread %d gives %d", c.name, i, got)
			}
		}
	}
}
