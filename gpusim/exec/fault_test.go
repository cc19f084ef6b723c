package exec

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"gowarp/gpusim/check"
)

// stencil is a kernel of one block: every thread stores to shared memory, waits,
// and adds its neighbours' values. The faults below are seeded by replacing pieces of it.
const stencil = `
ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x;
mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
/*load*/ ld.global.b32 %r3, [%rd4];
shl.b32 %r4, %r1, 2;
/*store*/ st.shared.b32 [%r4], %r3;
/*barrier*/ bar.sync 0;
add.s32 %r5, %r1, 1; rem.u32 %r6, %r5, %r2; shl.b32 %r7, %r6, 2;
ld.shared.b32 %r8, [%r7]; add.s32 %r9, %r3, %r8;
/*out*/ st.global.b32 [%rd5], %r9;
ret;`

func runStencil(t *testing.T, body string, threads int, l Launch) (Result, []check.Finding, []uint32) {
	t.Helper()
	m := newTestMemory()
	in := make([]byte, 4*threads)
	for i := range threads {
		binary.LittleEndian.PutUint32(in[4*i:], uint32(i*i))
	}
	src := allocate(t, m, in)
	dst, err := m.Alloc(4 * threads)
	if err != nil {
		t.Fatal(err)
	}
	l.Kernel = loadKernel(t, 2, body)
	l.Grid, l.Block, l.Params = [3]int{1, 1, 1}, [3]int{threads, 1, 1}, pointers(src, dst)
	if l.SharedBytes == 0 {
		l.SharedBytes = 4 * threads
	}
	var log check.Log
	res, err := Run(t.Context(), m, l, &log)
	if err != nil {
		t.Fatal(err)
	}
	if u, err := m.Read(dst, 4*threads); err != nil {
		t.Fatal(err)
	} else if u != nil {
		log.Add(check.Finding{Kind: u.Kind, Kernel: u.Kernel, Line: u.Line, Block: u.Block, Thread: u.Thread, Detail: u.Blame})
	}
	out := make([]uint32, threads)
	b, _ := m.Bytes(dst, 4*threads)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return res, log.Findings(), out
}

func TestStencilIsRight(t *testing.T) {
	for _, n := range []int{1, 31, 32, 33, 96, 256} {
		for seed := range uint64(4) {
			_, found, out := runStencil(t, stencil, n, Launch{Seed: seed})
			if len(found) != 0 {
				t.Fatalf("%d threads: %v", n, found)
			}
			for i, v := range out {
				if want := uint32(i*i + (i+1)%n*((i+1)%n)); v != want {
					t.Fatalf("%d threads: thread %d gives %d, want %d", n, i, v, want)
				}
			}
		}
	}
}

// TestTrapAside: one thread checks something before a barrier, as Halide's storage in shared memory is checked. Where it holds, its warp meets again at the barrier; where not, the kernel stops there.
func TestTrapAside(t *testing.T) {
	for condition, want := range map[string]check.Kind{"setp.lt.u32": "", "setp.gt.u32": check.Trap} {
		aside := "setp.eq.u32 %p1, %r1, 0; @%p1 bra $t; bra $j; $t: " + condition + " %p2, %r1, 1; @%p2 bra $j; trap; $j: bar.sync 0; /*barrier*/"
		res, found, _ := runStencil(t, strings.Replace(stencil, "/*barrier*/", aside, 1), 64, Launch{})
		if res.Fault != want || want == "" && len(found) > 0 {
			t.Errorf("%s: ended with %q, %v; want %q", condition, res.Fault, found, want)
		}
	}
}

// TestSeededFaults breaks the kernel in one place at a time. Each break must be
// found, as what it is, in its line and thread.
func TestSeededFaults(t *testing.T) {
	at := func(body, mark string) int {
		before, _, _ := strings.Cut(body, mark)
		return 4 + 2 + strings.Count(before, "\n") // the header, the .entry and .reg lines
	}
	for _, c := range []struct {
		name     string
		old, new string
		kind     check.Kind
		thread   int // -1: any
		fault    check.Kind
		launch   Launch
	}{
		{"no barrier", "/*barrier*/ bar.sync 0;", "/*barrier*/", check.SharedRace, -1, "", Launch{}},
		{"an index one too far", "/*load*/ ld.global.b32 %r3, [%rd4];", "/*load*/ ld.global.b32 %r3, [%rd4+4];", check.OutOfBounds, 63, check.OutOfBounds, Launch{}},
		{"an index before the start", "/*load*/ ld.global.b32 %r3, [%rd4];", "/*load*/ ld.global.b32 %r3, [%rd4+-4];", check.OutOfBounds, 0, check.OutOfBounds, Launch{}},
		{"past the shared memory", "/*store*/ st.shared.b32 [%r4], %r3;", "/*store*/ st.shared.b32 [%r4+16], %r3;", check.OutOfBounds, -1, check.OutOfBounds, Launch{}},
		{"misaligned", "/*load*/ ld.global.b32 %r3, [%rd4];", "/*load*/ ld.global.b32 %r3, [%rd4+2];", check.Misaligned, 0, check.Misaligned, Launch{}},
		{"nothing stored", "/*store*/ st.shared.b32 [%r4], %r3;", "/*store*/", check.Uninitialised, 0, "", Launch{}},
		{"a register never set", "/*store*/ st.shared.b32 [%r4], %r3;", "/*store*/ st.shared.b32 [%r4], %r80;", check.Uninitialised, 0, "", Launch{}},
		{"an undefined branch", "/*load*/", "setp.eq.s32 %p1, %r80, 0; @%p1 bra $x; $x: /*load*/", check.Uninitialised, 0, "", Launch{}},
		{"an undefined address", "[%rd4];", "[%rd70];", check.Uninitialised, 0, "", Launch{}},
		{"a barrier for half the warp", "/*barrier*/ bar.sync 0;", "setp.lt.u32 %p1, %r1, 16; @%p1 bra $x; /*barrier*/ bar.sync 0; $x:", check.DivergentBarrier, 16, check.DivergentBarrier, Launch{}},
		{"two barriers", "/*barrier*/ bar.sync 0;", "setp.lt.u32 %p1, %r1, 32; @%p1 bra $x; bar.sync 1; bra $y; $x: /*barrier*/ bar.sync 0; $y:", check.Deadlock, -1, check.Deadlock, Launch{}},
		{"an endless loop", "/*barrier*/", "$x: bra $x; /*barrier*/", check.EndlessLoop, -1, check.EndlessLoop, Launch{MaxSteps: 1 << 15}},
		{"an endless loop with a barrier", "/*barrier*/", "$x: bar.sync 0; bra $x; /*barrier*/", check.EndlessLoop, -1, check.EndlessLoop, Launch{MaxSteps: 1 << 15}},
		{"an undefined guard", "/*out*/", "setp.eq.s32 %p1, %r80, 0; @%p1 add.s32 %r9, %r9, 0; /*out*/", check.Uninitialised, 0, "", Launch{}},
		{"an undefined pair of halves, p", "/*out*/", "setp.lt.f16x2 %p1|%p2, %r80, %r9; @%p1 bra $x; $x: /*out*/", check.Uninitialised, 0, "", Launch{}},
		{"an undefined pair of halves, q", "/*out*/", "setp.lt.f16x2 %p1|%p2, %r9, %r80; @%p2 bra $x; $x: /*out*/", check.Uninitialised, 0, "", Launch{}},
		{"an undefined half", "/*out*/", "cvt.rn.f16x2.f32 %r10, %r9, %r80; setp.eq.s32 %p1, %r10, 0; @%p1 bra $x; $x: /*out*/", check.Uninitialised, 0, "", Launch{}},
		{"an undefined carry", "/*out*/", "add.cc.u32 %r80, %r80, %r9; addc.u32 %r10, 0, 0; setp.eq.s32 %p1, %r10, 0; @%p1 bra $x; $x: /*out*/", check.Uninitialised, 0, "", Launch{}},
		{"a trap", "/*barrier*/", "trap; /*barrier*/", check.Trap, -1, check.Trap, Launch{}},
		{"all write one word", "st.global.b32 [%rd5], %r9", "st.global.b32 [%rd2], %r9", check.GlobalRace, -1, "", Launch{}},
		{"all write one value to one word", "st.global.b32 [%rd5], %r9", "mov.b32 %r9, 5; st.global.b32 [%rd2], %r9", check.SameValueRace, -1, "", Launch{}},
		{"a shuffle from lanes that are gone", "/*out*/", "setp.lt.u32 %p1, %r1, 40; @!%p1 bra $x; shfl.sync.down.b32 %r10, %r9, 4, 31, -1; st.global.b32 [%rd5], %r10; ret; $x: /*out*/", check.InactiveLane, 36, "", Launch{}},
		{"a shuffle of an undefined register", "/*out*/", "shfl.idx.b32 %r9, %r70, 3, 31; /*out*/", check.Uninitialised, 0, "", Launch{}},
	} {
		body := strings.Replace(stencil, c.old, c.new, 1)
		if body == stencil {
			t.Fatalf("%s: nothing replaced", c.name)
		}
		res, found, _ := runStencil(t, body, 64, c.launch)
		if res.Fault != c.fault {
			t.Errorf("%s: ended with %q, want %q", c.name, res.Fault, c.fault)
		}
		ok := false
		for _, f := range found {
			if f.Kind == check.Uninitialised && c.kind == check.SharedRace {
				continue // what is read too early is not there yet
			}
			if f.Kind != c.kind {
				t.Errorf("%s: %v", c.name, f)
				continue
			}
			ok = true
			// Which warp comes first is the seed's.
			if c.thread >= 0 && f.Thread[0]%32 != c.thread%32 {
				t.Errorf("%s: in thread %d, want %d: %v", c.name, f.Thread[0], c.thread, f)
			}
			if line := at(body, c.new); f.Line < line-1 || f.Line > line+9 {
				t.Errorf("%s: line %d, the fault is in %d: %v", c.name, f.Line, line, f)
			}
		}
		if !ok {
			t.Errorf("%s: not found, only %v", c.name, found)
		}
	}
}

// TestBarrierAfterExit: threads that leave early do not take part in the barrier, whichever
// way the branch is written; those that wait elsewhere miss it.
func TestBarrierAfterExit(t *testing.T) {
	const rest = "ld.global.b32 %r3, [%rd4]; shl.b32 %r4, %r1, 2; st.shared.b32 [%r4], %r3; add.s32 %r7, %r7, 1; bar.sync 0; ld.shared.b32 %r8, [%r4]; mul.lo.s32 %r8, %r8, %r7; st.global.b32 [%rd5], %r8; "
	for _, c := range []struct {
		name, body string
		want       check.Kind
	}{
		{"leave first", "@%p1 bra $stay; ret; $stay: " + rest + "ret;", ""},
		{"leave last", "@!%p1 bra $leave; " + rest + "ret; $leave: ret;", ""},
		{"a guarded ret", "@!%p1 ret; " + rest + "ret;", ""},
		{"some leave here, some there", "@%p1 bra $stay; setp.lt.u32 %p2, %r1, 50; @%p2 bra $leave; ret; $leave: ret; $stay: " + rest + "ret;", ""},
		{"leave after a loop", "@%p1 bra $stay; $loop: add.s32 %r9, %r9, 1; setp.lt.s32 %p2, %r9, %r1; @%p2 bra $loop; ret; $stay: " + rest + "ret;", ""},
		{"both sides have a barrier", "@%p1 bra $stay; bar.sync 0; ret; $stay: " + rest + "ret;", check.DivergentBarrier},
		{"some leave, some miss it", "@%p1 bra $stay; ret; $stay: setp.lt.u32 %p2, %r1, 34; @%p2 bra $in; bra $meet; $in: bar.sync 0; $meet: " + rest + "ret;", check.DivergentBarrier},
		{"some come back", "@%p1 bra $stay; bra $meet; $stay: bar.sync 0; $meet: " + rest + "ret;", check.DivergentBarrier},
	} {
		for _, threads := range []int{40, 64} {
			body := "ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3; mov.b32 %r9, 0; mov.b32 %r7, 0;\n" +
				"setp.lt.u32 %p1, %r1, 35;\n" + c.body
			res, found, out := runStencil(t, body, threads, Launch{})
			if res.Fault != c.want || c.want == "" && len(found) != 0 {
				t.Errorf("%s, %d threads: %q, %v", c.name, threads, res.Fault, found)
				continue
			}
			for i, v := range out[:35] {
				if c.want == "" && v != uint32(i*i) {
					t.Errorf("%s, %d threads: thread %d gives %d", c.name, threads, i, v)
				}
			}
		}
	}
}

// TestDiscardedValues: what a correct kernel may do with undefined values.
func TestDiscardedValues(t *testing.T) {
	for name, body := range map[string]string{
		"a shuffle from gone lanes, not selected": strings.Replace(stencil, "/*out*/",
			"setp.lt.u32 %p1, %r1, 40; @!%p1 bra $x; shfl.sync.down.b32 %r10, %r9, 4, 31, -1; setp.lt.u32 %p2, %r1, 36; selp.b32 %r9, %r10, %r9, %p2; $x: /*out*/", 1),
		"an undefined operand of an and that is false anyway": strings.Replace(stencil, "/*out*/",
			"setp.eq.s32 %p1, %r70, 1; setp.gt.u32 %p2, %r1, 999; and.pred %p3, %p1, %p2; @%p3 bra $x; $x: /*out*/", 1),
		"undefined registers that are overwritten": strings.Replace(stencil, "/*out*/", "add.s32 %r70, %r71, %r72; mov.b32 %r70, 1; add.s32 %r9, %r9, %r70; add.s32 %r9, %r9, -1; /*out*/", 1),
	} {
		res, found, _ := runStencil(t, body, 64, Launch{})
		if len(found) != 0 || res.Fault != "" {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// TestCopiedUndefined: what a kernel left undefined is still its fault after a copy within the
// device.
func TestCopiedUndefined(t *testing.T) {
	m := newTestMemory()
	a, b := allocate(t, m, make([]byte, 256)), allocate(t, m, make([]byte, 256))
	launch(t, m, Launch{Kernel: loadKernel(t, 1, "ld.param.b64 %rd1, [p0]; st.global.b32 [%rd1+8], %r70; ret;"), Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Params: pointers(a)})
	if err := m.Copied(b+64, a, 128); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[uint64]int{a: 4, b: 0, b + 64: 4} {
		u, err := m.Read(at, 64)
		if err != nil {
			t.Fatal(err)
		}
		if want == 0 {
			if u != nil {
				t.Errorf("%+v", u)
			}
		} else if u == nil || u.Bytes != want || u.Kernel != "k" || u.Kind != check.Uninitialised {
			t.Errorf("at %#x: %+v", at, u)
		}
	}
}

func TestFreedMemory(t *testing.T) {
	m := newTestMemory()
	a, b := allocate(t, m, make([]byte, 256)), allocate(t, m, make([]byte, 256))
	if err := m.Free(a); err != nil {
		t.Fatal(err)
	}
	k := loadKernel(t, 2, stencil)
	res, found := launch(t, m, Launch{Kernel: k, Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, SharedBytes: 256, Params: pointers(a, b)})
	if res.Fault != check.Freed || len(found) != 1 || found[0].Kind != check.Freed {
		t.Errorf("%v %v", res.Fault, found)
	}
	if m.Free(a) == nil || m.Free(b+1) == nil {
		t.Error("a bad free is accepted")
	}
}

// TestLaunchLimits: what no GPU launches, no simulator does.
func TestLaunchLimits(t *testing.T) {
	k := loadKernel(t, 2, stencil)
	ok := Launch{Kernel: k, Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, SharedBytes: 128, Params: make([]byte, 16)}
	for name, change := range map[string]func(l *Launch){
		"threads":    func(l *Launch) { l.Block = [3]int{1025, 1, 1} },
		"product":    func(l *Launch) { l.Block = [3]int{64, 32, 1} },
		"z":          func(l *Launch) { l.Block = [3]int{1, 1, 65} },
		"grid":       func(l *Launch) { l.Grid = [3]int{1, 65536, 1} },
		"none":       func(l *Launch) { l.Grid = [3]int{1, 0, 1} },
		"shared":     func(l *Launch) { l.SharedBytes = 48<<10 + 1 },
		"parameters": func(l *Launch) { l.Params = make([]byte, 8) },
	} {
		l := ok
		change(&l)
		var log check.Log
		if _, err := Run(t.Context(), newTestMemory(), l, &log); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestAtomics: a histogram by blocks in parallel.
func TestAtomics(t *testing.T) {
	k := loadKernel(t, 2, `ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;
rem.u32 %r5, %r4, 7; mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd2, %rd3;
atom.global.add.u32 %r6, [%rd4], %r4; red.global.max.u32 [%rd1], %r4; ret;`)
	m := newTestMemory()
	top, bins := allocate(t, m, make([]byte, 4)), allocate(t, m, make([]byte, 28))
	res, found := launch(t, m, Launch{Kernel: k, Grid: [3]int{50, 1, 1}, Block: [3]int{96, 1, 1}, Params: pointers(top, bins), Workers: 4})
	if len(found) != 0 || res.Count.GlobalAtomics != 2*50*3 {
		t.Errorf("%v, %d atomics", found, res.Count.GlobalAtomics)
	}
	want := make([]uint32, 7)
	for i := range 50 * 96 {
		want[i%7] += uint32(i)
	}
	b, _ := m.Bytes(bins, 28)
	for i, w := range want {
		if got := binary.LittleEndian.Uint32(b[4*i:]); got != w {
			t.Errorf("bin %d: %d, want %d", i, got, w)
		}
	}
	b, _ = m.Bytes(top, 4)
	if !bytes.Equal(b, binary.LittleEndian.AppendUint32(nil, 50*96-1)) {
		t.Errorf("maximum %v", b)
	}
}
