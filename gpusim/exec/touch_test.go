package exec

import (
	"fmt"
	"strings"
	"testing"

	"gowarp/gpusim/count"
)

// transposeNaive writes columns: a warp's 32 floats go to 32 rows.
const transposeNaive = pixel + `
shl.b32 %r9, %r7, 10; add.s32 %r10, %r9, %r8; mul.wide.s32 %rd3, %r10, 4; add.s64 %rd5, %rd2, %rd3;
ld.global.b32 %r11, [%rd4]; st.global.b32 [%rd5], %r11; ret;`

// TestTrafficByHand: 1024x64 floats; every figure follows from the kernel's text.
func TestTrafficByHand(t *testing.T) {
	const image1 = 1024 * 64 * 4
	for _, c := range []struct {
		what, body    string
		block         [3]int
		l2            count.L2
		reads, writes int64
	}{
		{"a copy reads and writes all once, whatever the cache", copyKernel, [3]int{32, 8, 1}, count.L2{Bytes: 128, Wave: 1}, image1, image1},
		{"a copy in a large cache", copyKernel, [3]int{32, 8, 1}, count.L2{Bytes: 6 << 20, Wave: 100}, image1, image1},
		// A block of 32x4 threads writes half of a sector in each of 32 rows; the other
		// half comes 32 blocks later, after 32 times 4 lines of input and 32 of output.
		{"a transpose, half sectors meet in the cache", transposeNaive, [3]int{32, 4, 1}, count.L2{Bytes: 33 * 36 * 128, Wave: 1}, image1, image1},
		{"a transpose, half sectors do not meet", transposeNaive, [3]int{32, 4, 1}, count.L2{Bytes: 31 * 36 * 128, Wave: 1}, image1, 2 * image1},
		{"a transpose, blocks that run together", transposeNaive, [3]int{32, 4, 1}, count.L2{Bytes: 33 * 2 * 36 * 128, Wave: 64}, image1, image1},
	} {
		m := newTestMemory()
		src, dst := image(t, m, 66), image(t, m, 1024)
		body := c.body
		if c.block[1] == 4 { // the others' blocks have 8 rows
			body = strings.Replace(body, "shl.b32 %r6, %r4, 3;", "shl.b32 %r6, %r4, 2;", 1)
		}
		k := loadKernel(t, 2, body)
		grid := [3]int{32, 64 / c.block[1], 1}
		res, found := launch(t, m, Launch{Kernel: k, Grid: grid, Block: c.block, Params: pointers(src, dst), L2: c.l2})
		if len(found) != 0 {
			t.Fatal(found)
		}
		if want := (count.Traffic{L2Bytes: c.l2.Bytes, DRAMReadBytes: c.reads, DRAMWriteBytes: c.writes, OneLineIn: 1}); *res.Traffic != want {
			t.Errorf("%s: %+v, want %+v", c.what, *res.Traffic, want)
		}
	}
}

// TestMatmulTraffic: Halide's matrix multiplication of 256x256 floats, 256 KiB each. A block
// makes 64x32 of them, of 32 rows of A (32 KiB) and 64 columns of B (64 KiB), 4 blocks
// side by side, 8 above one another.
func TestMatmulTraffic(t *testing.T) {
	const matrix = 256 * 256 * 4
	for _, c := range []struct {
		what    string
		l2      count.L2
		a, b, c int64 // how often each matrix is moved
	}{
		{"all fits", count.L2{Bytes: 1 << 20, Wave: 1}, 1, 1, 1},
		{"a block's operands fit: A stays for its neighbours, B comes for each row of blocks", count.L2{Bytes: 160 << 10, Wave: 1}, 1, 8, 1},
		{"nothing fits", count.L2{Bytes: 64 << 10, Wave: 1}, 4, 8, 1},
		{"a row of blocks together shares A", count.L2{Bytes: 64 << 10, Wave: 4}, 1, 8, 1},
		{"two rows of blocks together share B too", count.L2{Bytes: 64 << 10, Wave: 8}, 1, 4, 1},
		{"all blocks together", count.L2{Bytes: 64 << 10, Wave: 32}, 1, 1, 1},
	} {
		k, m, params, _ := matmul(t)
		res, _ := launch(t, m, Launch{Kernel: k, Grid: [3]int{4, 8, 1}, Block: [3]int{32, 4, 1}, Params: params, L2: c.l2})
		if res.Traffic.DRAMReadBytes != (c.a+c.b)*matrix || res.Traffic.DRAMWriteBytes != c.c*matrix {
			t.Errorf("%s: %+v, want %d and %d bytes", c.what, *res.Traffic, (c.a+c.b)*matrix, c.c*matrix)
		}
		if res.Count.ColdBytes != 3*matrix || res.Count.BlockBytes != (4+8+1)*matrix {
			t.Errorf("%d cold bytes, %d of blocks", res.Count.ColdBytes, res.Count.BlockBytes)
		}
	}
}

// TestTrafficIsDeterministic: whatever the order of warps and blocks, the number of workers,
// and however many lines are kept.
func TestTrafficIsDeterministic(t *testing.T) {
	defer func(n int64) { maxTouches = n }(maxTouches)
	for _, most := range []int64{1 << 21, 9000, 700} {
		maxTouches = most
		var first Result
		for n, l := range []Launch{{Workers: 1}, {Workers: 2, Seed: 3}, {Workers: 5, Seed: 77}, {Workers: 3, NoChecks: true, Seed: 5}} {
			k, m, params, _ := matmul(t)
			l.Kernel, l.Grid, l.Block, l.Params, l.L2 = k, [3]int{4, 8, 1}, [3]int{32, 4, 1}, params, count.L2{Bytes: 160 << 10, Wave: 3}
			res, _ := launch(t, m, l)
			if n == 0 {
				first = res
			}
			if *res.Traffic != *first.Traffic || res.Count != first.Count {
				t.Errorf("%+v with seed %d and %d workers, %+v", *res.Traffic, l.Seed, l.Workers, *first.Traffic)
			}
		}
		t.Logf("%d sectors kept: %+v", most, *first.Traffic)
		if sampled := first.Traffic.OneLineIn > 1; sampled != (most < 1<<21) {
			t.Errorf("%d sectors kept: one line in %d", most, first.Traffic.OneLineIn)
		}
	}
}

// TestWrittenFirst: what a block writes before it reads it is not fetched; what it reads first
// is, and atomics read.
func TestWrittenFirst(t *testing.T) {
	for _, c := range []struct {
		body  string
		reads int64
	}{
		{"st.global.b32 [%rd4], %r7; ld.global.b32 %r11, [%rd4]; st.global.b32 [%rd5], %r11; ret;", 0},
		{"ld.global.b32 %r11, [%rd4]; st.global.b32 [%rd4], %r7; st.global.b32 [%rd5], %r11; ret;", 1},
		{"red.global.add.u32 [%rd4], 1; st.global.b32 [%rd5], %r7; ret;", 1},
	} {
		m := newTestMemory()
		const bytes = 1024 * 8 * 4
		res, found := launch(t, m, Launch{Kernel: loadKernel(t, 2, pixel+c.body), Grid: [3]int{32, 1, 1}, Block: [3]int{32, 8, 1},
			Params: pointers(image(t, m, 8), image(t, m, 8)), L2: count.L2{Bytes: 1 << 20, Wave: 1}})
		if len(found) != 0 || res.Traffic.DRAMReadBytes != c.reads*bytes || res.Traffic.DRAMWriteBytes != 2*bytes {
			t.Errorf("%s: %+v %v", c.body, *res.Traffic, found)
		}
	}
}

// TestStampsOutliveLaunches: a second launch, and one after a fault, counts what the first does.
func TestStampsOutliveLaunches(t *testing.T) {
	m := newTestMemory()
	src, dst := image(t, m, 64), image(t, m, 64)
	k := loadKernel(t, 2, copyKernel)
	var first Result
	for n := range 4 {
		l := Launch{Kernel: k, Grid: [3]int{32, 8, 1}, Block: [3]int{32, 8, 1}, Params: pointers(src, dst), Workers: 2, L2: count.L2{Bytes: 1 << 20, Wave: 4}}
		if n == 2 {
			l.Grid[1] = 9 // past the end
		}
		res, found := launch(t, m, l)
		switch {
		case n == 0:
			first = res
		case n == 2:
			if len(found) == 0 {
				t.Error("an access past the end is not found")
			}
		default:
			if *res.Traffic != *first.Traffic || res.Count != first.Count {
				t.Errorf("launch %d: %+v %+v", n, res.Count, *res.Traffic)
			}
		}
		if n == 0 {
			for _, x := range m.touchers {
				x.begin = 1<<31 - 300 // soon the stamps begin anew
				for i := range x.allocs {
					clear(x.allocs[i].stamps)
				}
			}
		}
	}
}

// TestOutputs: what counts as an output, and how often.
func TestOutputs(t *testing.T) {
	const elements = 1024 * 64
	twoKernels := loadKernel(t, 2, copyKernel)
	again := loadKernel(t, 2, pixel+"ld.global.b32 %r11, [%rd5]; add.u32 %r11, %r11, 1; st.global.b32 [%rd5], %r11; ret;")
	again.Name = "again"
	bytes := loadKernel(t, 2, pixel+"cvt.u16.u32 %rs1, %r7; st.global.b8 [%rd5], %rs1; ret;")
	bytes.Name = "bytes"
	for _, c := range []struct {
		what   string
		launch func(run func(k *Kernel, grid [3]int, blocks int, at uint64), at uint64)
		n      int
		want   int64
		width  int
	}{
		{"nothing ran", func(func(*Kernel, [3]int, int, uint64), uint64) {}, 4 * elements, 0, 0},
		{"once", func(run func(*Kernel, [3]int, int, uint64), at uint64) { run(twoKernels, [3]int{32, 8, 1}, 0, at) }, 4 * elements, elements, 4},
		{"a part of it", func(run func(*Kernel, [3]int, int, uint64), at uint64) { run(twoKernels, [3]int{32, 8, 1}, 0, at) }, 4000, 1000, 4},
		{"five runs", func(run func(*Kernel, [3]int, int, uint64), at uint64) {
			for range 5 {
				run(twoKernels, [3]int{32, 8, 1}, 0, at)
			}
		}, 4 * elements, 5 * elements, 4},
		{"an update of it", func(run func(*Kernel, [3]int, int, uint64), at uint64) {
			run(twoKernels, [3]int{32, 8, 1}, 0, at)
			run(again, [3]int{32, 8, 1}, 0, at)
		}, 4 * elements, elements, 4},
		{"in slices", func(run func(*Kernel, [3]int, int, uint64), at uint64) {
			for n := range uint64(8) {
				run(twoKernels, [3]int{32, 1, 1}, 0, at+n*8*4096)
			}
		}, 4 * elements, elements, 4},
		{"a sample of the blocks", func(run func(*Kernel, [3]int, int, uint64), at uint64) { run(twoKernels, [3]int{32, 8, 1}, 32, at) }, 4 * elements, elements, 4},
		{"bytes", func(run func(*Kernel, [3]int, int, uint64), at uint64) { run(bytes, [3]int{32, 8, 1}, 0, at) }, elements, elements, 1},
	} {
		m := newTestMemory()
		src, dst := image(t, m, 64), image(t, m, 64)
		c.launch(func(k *Kernel, grid [3]int, blocks int, at uint64) {
			launch(t, m, Launch{Kernel: k, Grid: grid, Block: [3]int{32, 8, 1}, Params: pointers(src, at), Blocks: blocks, Workers: 2})
		}, dst)
		// In two parts, as a host copies a buffer with padding.
		var sum Output
		for _, part := range [][2]int{{0, c.n / 2}, {c.n / 2, c.n - c.n/2}} {
			o, err := m.Outputs(dst+uint64(part[0]), part[1])
			if err != nil {
				t.Fatal(err)
			}
			sum.Elements, sum.Width = sum.Elements+o.Elements, max(sum.Width, o.Width)
		}
		if sum != (Output{c.want, c.width}) {
			t.Errorf("%s: %+v, want %d of %d bytes", c.what, sum, c.want, c.width)
		}
		if o, err := m.Outputs(dst, c.n); err != nil || o.Elements != 0 {
			t.Errorf("%s, read again: %+v, %v", c.what, o, err)
		}
	}
	if _, err := newTestMemory().Outputs(GlobalBase, 4); err == nil {
		t.Error("an address of nothing is accepted")
	}
}

// TestSampledColdBytes: what some of the blocks touch is a lower bound of what all do.
func TestSampledColdBytes(t *testing.T) {
	k, _, _, _ := matmul(t)
	counts := map[int]count.Kernel{}
	for _, blocks := range []int{0, 4, 8} {
		_, m, params, _ := matmul(t)
		res, _ := launch(t, m, Launch{Kernel: k, Grid: [3]int{4, 8, 1}, Block: [3]int{32, 4, 1}, Params: params, Blocks: blocks, L2: count.L2{Bytes: 1 << 20, Wave: 1}})
		counts[blocks] = res.Count
		if (res.Traffic == nil) != (blocks > 0) {
			t.Errorf("%d blocks: traffic %+v", blocks, res.Traffic)
		}
	}
	const matrix = 256 * 256 * 4
	// Every eighth block: the first of every second row, so half of A, a quarter of B.
	if c := counts[4]; c.ColdBytes != matrix/2+matrix/4+matrix/8 || c.BlockBytes != counts[0].BlockBytes {
		t.Errorf("4 blocks: %d cold bytes, %d of blocks; all: %d", c.ColdBytes, c.BlockBytes, counts[0].BlockBytes)
	}
	if c := counts[8]; c.ColdBytes >= counts[0].ColdBytes || c.ColdBytes <= counts[4].ColdBytes || counts[0].ColdBytes != 3*matrix {
		t.Error(fmt.Sprint(counts))
	}
}
