package exec

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"

	"gowarp/gpusim/check"
	"gowarp/gpusim/count"
	"gowarp/gpusim/ptx"
)

// Kernels on images of floats with rows of 4096 bytes, in blocks of 32x8 threads: each
// begins with its pixel in %r7, %r8 and its byte offset in %rd3.
const pixel = `
ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1];
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;
shl.b32 %r5, %r3, 5; shl.b32 %r6, %r4, 3; add.s32 %r7, %r5, %r1; add.s32 %r8, %r6, %r2;
shl.b32 %r9, %r8, 10; add.s32 %r10, %r9, %r7; mul.wide.s32 %rd3, %r10, 4;
add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
`

const copyKernel = pixel + "ld.global.b32 %r11, [%rd4]; st.global.b32 [%rd5], %r11; ret;"

// transposeKernel goes through a tile of 32 rows of shared memory, pitch bytes each; a
// block of 32x8 threads moves 32x32 floats.
func transposeKernel(pitch int) string {
	var b strings.Builder
	b.WriteString(`ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1];
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;
shl.b32 %r5, %r3, 5; shl.b32 %r6, %r4, 5;
add.s32 %r7, %r5, %r1; add.s32 %r8, %r6, %r2; shl.b32 %r9, %r8, 10; add.s32 %r10, %r9, %r7; mul.wide.s32 %rd3, %r10, 4; add.s64 %rd4, %rd1, %rd3;
add.s32 %r7, %r6, %r1; add.s32 %r8, %r5, %r2; shl.b32 %r9, %r8, 10; add.s32 %r10, %r9, %r7; mul.wide.s32 %rd3, %r10, 4; add.s64 %rd5, %rd2, %rd3;
`)
	fmt.Fprintf(&b, "mul.lo.s32 %%r12, %%r2, %d; shl.b32 %%r13, %%r1, 2; add.s32 %%r14, %%r12, %%r13;\n", pitch)
	fmt.Fprintf(&b, "mul.lo.s32 %%r12, %%r1, %d; shl.b32 %%r13, %%r2, 2; add.s32 %%r15, %%r12, %%r13;\n", pitch)
	for row := 0; row < 32; row += 8 {
		fmt.Fprintf(&b, "ld.global.b32 %%r20, [%%rd4+%d]; st.shared.b32 [%%r14+%d], %%r20;\n", row*4096, row*pitch)
	}
	b.WriteString("bar.sync 0;\n")
	for row := 0; row < 32; row += 8 {
		fmt.Fprintf(&b, "ld.shared.b32 %%r20, [%%r15+%d]; st.global.b32 [%%rd5+%d], %%r20;\n", row*4, row*4096)
	}
	return b.String() + "ret;"
}

// blurKernel sums 3x3 pixels; the input has a border of one row, and of 32 bytes in
// front of it.
func blurKernel() string {
	var b strings.Builder
	b.WriteString(pixel + "mov.b32 %r20, 0f00000000;\n")
	for dy := range 3 {
		for dx := range 3 {
			fmt.Fprintf(&b, "ld.global.b32 %%r21, [%%rd4+%d]; add.f32 %%r20, %%r20, %%r21;\n", dy*4096+dx*4)
		}
	}
	return b.String() + "st.global.b32 [%rd5], %r20; ret;"
}

func image(t testing.TB, m *Memory, rows int) uint64 {
	b := make([]byte, rows*4096+64)
	for i := 0; i+4 <= len(b); i += 4 {
		binary.LittleEndian.PutUint32(b[i:], math.Float32bits(float32(i%977)))
	}
	return allocate(t, m, b)
}

// TestCountsByHand: 1024x64 pixels; every figure follows from the kernel's text.
func TestCountsByHand(t *testing.T) {
	const warps = 1024 * 64 / 32
	run := func(body string, grid [3]int, shared int) count.Kernel {
		t.Helper()
		m := newTestMemory()
		src, dst := image(t, m, 66), image(t, m, 1024) // transposed it has 1024 rows
		res, found := launch(t, m, Launch{Kernel: loadKernel(t, 2, body), Grid: grid, Block: [3]int{32, 8, 1}, SharedBytes: shared, Params: pointers(src, dst), Workers: 2})
		if len(found) != 0 {
			t.Fatal(found)
		}
		return res.Count
	}
	// Of a copy: a warp's 32 floats are 128 bytes, 4 sectors, in and out.
	got := run(copyKernel, [3]int{32, 8, 1}, 0)
	// 18 instructions: 2 parameters, 4 special registers, 3 shifts, 3 and 2 additions, 1 multiplication; load, store and ret.
	want := count.Kernel{Launches: 1, Blocks: 256, Threads: 65536, Integer: warps * 13, Memory: warps * 4, Control: warps, WarpInstructions: warps * 18, ThreadInstructions: 65536 * 18,
		GlobalLoads: warps, GlobalStores: warps, GlobalLoadSectors: 4 * warps, GlobalStoreSectors: 4 * warps, GlobalIdealSectors: 8 * warps, BlockBytes: 2 * 65536 * 4, ColdBytes: 2 * 65536 * 4}
	if got != want {
		t.Errorf("copy:\n%+v, want\n%+v", got, want)
	}
	// Of a transpose: the global side is ideal; a column of a tile with rows of 128
	// bytes lies in one bank: 32 wavefronts a load. With rows of 132 bytes, 1.
	for pitch, wavefronts := range map[int]int64{128: 32, 132: 1} {
		got := run(transposeKernel(pitch), [3]int{32, 2, 1}, 32*pitch)
		if got.SharedLoads != warps || got.SharedStores != warps || got.SharedWavefronts != warps*(1+wavefronts) || got.SharedConflicts != warps*(wavefronts-1) ||
			got.GlobalLoadSectors != 4*warps || got.GlobalStoreSectors != 4*warps || got.Barriers != 64*8 {
			t.Errorf("transpose with rows of %d bytes: %+v", pitch, got)
		}
	}
	// Of a 3x3 blur: each warp loads 9 times; shifted by one or two pixels a row
	// of 128 bytes lies across 5 sectors.
	got = run(blurKernel(), [3]int{32, 8, 1}, 0)
	if got.GlobalLoads != 9*warps || got.GlobalLoadSectors != 3*(4+5+5)*warps || got.GlobalIdealSectors != (9*4+4)*warps || got.Float != 9*warps ||
		got.ColdBytes != 65536*4+66*4096+32 {
		t.Errorf("blur: %+v", got)
	}
}

// TestSampling: a quarter of the blocks, scaled up, counts what all of them do.
func TestSampling(t *testing.T) {
	k := loadKernel(t, 2, blurKernel())
	var counts [2]count.Kernel
	for i, blocks := range []int{0, 64} {
		m := newTestMemory()
		res, _ := launch(t, m, Launch{Kernel: k, Grid: [3]int{32, 8, 1}, Block: [3]int{32, 8, 1}, Params: pointers(image(t, m, 66), image(t, m, 66)), Blocks: blocks})
		counts[i] = res.Count
		if blocks > 0 && res.BlocksRun != blocks {
			t.Errorf("%d blocks ran", res.BlocksRun)
		}
	}
	for _, c := range counts {
		c.ColdBytes = 0
	}
	if a, b := counts[0], counts[1]; a.WarpInstructions != b.WarpInstructions || a.GlobalLoadSectors != b.GlobalLoadSectors {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// corpusKernel is the one kernel of a text that Halide emitted.
func corpusKernel(t testing.TB, name string) *Kernel {
	t.Helper()
	text, err := os.ReadFile("../ptx/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := ptx.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(parsed)
	if err != nil || len(loaded.Kernels) != 1 {
		t.Fatal(err, len(loaded.Kernels))
	}
	for _, k := range loaded.Kernels {
		return k
	}
	return nil
}

func matmul(t testing.TB) (*Kernel, *Memory, []byte, [3]uint64) {
	k := corpusKernel(t, "matmul_86.ptx")
	m := newTestMemory()
	var p [3]uint64
	for n := range p {
		b := make([]byte, 256*256*4)
		for i := range 256 * 256 {
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32((i*7+n*3)%13-6)))
		}
		p[n] = allocate(t, m, b)
	}
	return k, m, pointers(p[0], p[1], p[2]), p
}

// TestMatmul runs Halide's own matrix multiplication; small integers make it exact.
func TestMatmul(t *testing.T) {
	k, m, params, p := matmul(t)
	floats := func(n int) []float32 {
		b, err := m.Bytes(p[n], 256*256*4)
		if err != nil {
			t.Fatal(err)
		}
		f := make([]float32, 256*256)
		for i := range f {
			f[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		return f
	}
	a, b := floats(1), floats(2)
	res, found := launch(t, m, Launch{Kernel: k, Grid: [3]int{4, 8, 1}, Block: [3]int{32, 4, 1}, Params: params, Seed: 5})
	if len(found) != 0 || res.Fault != "" {
		t.Fatal(found)
	}
	c := floats(0)
	for y := range 256 {
		for x := range 256 {
			var want float32
			for k := range 256 {
				want += a[y*256+k] * b[k*256+x]
			}
			if c[y*256+x] != want {
				t.Fatalf("at %d, %d: %v, want %v", x, y, c[y*256+x], want)
			}
		}
	}
}

// benchmark reports thread instructions per second of CPU time: the machine may have other
// work.
func benchmark(b *testing.B, m *Memory, l Launch) {
	l.Workers = 1
	l.L2 = count.L2{Bytes: 4 << 20, Wave: 64} // all counters are on
	var threads int64
	start := cpuTime(b)
	for b.Loop() {
		var log check.Log
		res, err := Run(context.Background(), m, l, &log)
		if err != nil || len(log.Findings()) != 0 {
			b.Fatal(err, log.Findings())
		}
		threads += res.Count.ThreadInstructions
	}
	b.ReportMetric(float64(threads)/(cpuTime(b)-start)/1e9, "Gthread-instr/cpu-s")
}

// cpuTime is what this process has used, in seconds.
func cpuTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func BenchmarkMatmul(b *testing.B) {
	for _, checks := range []bool{false, true} {
		b.Run(fmt.Sprintf("checks=%v", checks), func(b *testing.B) {
			k, m, params, _ := matmul(b)
			benchmark(b, m, Launch{Kernel: k, Grid: [3]int{4, 8, 1}, Block: [3]int{32, 4, 1}, Params: params, NoChecks: !checks})
		})
	}
}

func BenchmarkBlur(b *testing.B) {
	for _, checks := range []bool{false, true} {
		b.Run(fmt.Sprintf("checks=%v", checks), func(b *testing.B) {
			m := newTestMemory()
			k := loadKernel(b, 2, blurKernel())
			benchmark(b, m, Launch{Kernel: k, Grid: [3]int{32, 128, 1}, Block: [3]int{32, 8, 1}, Params: pointers(image(b, m, 1026), image(b, m, 1026)), NoChecks: !checks})
		})
	}
}

// BenchmarkStencil is Halide's own: a separable 3x3 filter by tiles of 34x10 in shared memory,
// with two barriers, rows that are no warps, and edges clamped.
func BenchmarkStencil(b *testing.B) {
	for _, checks := range []bool{false, true} {
		b.Run(fmt.Sprintf("checks=%v", checks), func(b *testing.B) {
			const width, height = 1024, 512
			m := newTestMemory()
			params := pointers(image(b, m, height), image(b, m, height))
			// The output's size and minimum and row, the last pixel, the input's minimum and row.
			for _, v := range []uint32{width, height, 0, 0, width, width, height, 0, 0, width} {
				params = binary.LittleEndian.AppendUint32(params, v)
			}
			benchmark(b, m, Launch{Kernel: corpusKernel(b, "stencil_86.ptx"), Grid: [3]int{width / 32, height / 8, 1}, Block: [3]int{34, 10, 1},
				SharedBytes: 2640, Params: params, NoChecks: !checks})
		})
	}
}
