package simulator

import (
	"strings"
	"testing"

	"gowarp/gpusim/check"
	"gowarp/gpusim/count"
)

func TestPrint(t *testing.T) {
	kernel := func(name string, n int64) *Kernel {
		return &Kernel{Name: name, Shapes: []Shape{{Grid: [3]int{4, 2, 1}, Block: [3]int{32, 8, 1}, SharedBytes: 4096, Launches: 2, BlocksRun: 8}},
			Count: count.Kernel{Launches: 2, Blocks: 16, Threads: 4096, Integer: n, WarpInstructions: n, GlobalLoads: 100, GlobalLoadSectors: 250, GlobalIdealSectors: 200, BlockBytes: 9000, ColdBytes: 8000},
			L2:    &count.Traffic{L2Bytes: 6 << 20, DRAMReadBytes: 5000, DRAMWriteBytes: 1400, OneLineIn: 1}}
	}
	r := &Report{Program: "/a/b/program", GPU: "h200", Capability: 90, Kernels: []*Kernel{kernel("first", 1234567), kernel("second", 64)},
		Outputs: &Outputs{Elements: 6400, ByWidth: []Width{{4, 6400}}}}
	print := func() string {
		var b strings.Builder
		r.Print(&b)
		return b.String()
	}
	text := print()
	for _, want := range []string{
		"program: 2 kernels on a simulated NVIDIA H200 SXM (compute capability 9.0)",
		"output elements: 6,400 of 4 bytes\n",
		"  2 launches of 4x2x1 blocks of 32x8x1 threads, 4,096 bytes of shared memory a block\n",
		"  warp instructions             1,234,567         6172.84\n",
		"    global loads                      100            0.50  2.50 sectors each\n",
		"80 % of them needed",
		"    read with an L2                 5,000           25.00  estimate for an L2 of 6 MiB\n",
		"all 2 kernels, per 32 outputs\n",
		"  second         2               0.32                 0.50     1.25          32.00\n",
		"  all            4            6173.15                 1.00     2.50          64.00\n",
		"no findings\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	r.Outputs, r.Blocks = nil, 3
	r.Kernels[0].Shapes[0].BlocksRun, r.Kernels[0].L2 = 3, nil
	r.Findings = []check.Finding{
		{Kind: check.SharedRace, Kernel: "first", Line: 17, Source: "st.shared.b32 [%r1], %r2;", Block: [3]int{1, 2, 0}, Thread: [3]int{3, 0, 0}, Detail: "what", Count: 5},
		{Kind: check.SameValueRace, Kernel: "first", Line: 19, Count: 1},
		{Kind: check.UndefinedAddress, Kernel: "first", Line: 23, Count: 1},
		{Kind: check.UndefinedAddress, Kernel: "second", Line: 29, Count: 1},
	}
	r.Errors = []string{"something (CUDA error 1)"}
	text = print()
	for _, want := range []string{
		"at most 3 blocks of a launch run",
		"; 3 of 8 blocks ran\n", "per 32 threads", "at least: of the blocks that ran\n", "all 2 kernels\n",
		"finding 1 of 1: shared-race in kernel first, PTX line 17, block 1,2,0, thread 3,0,0: what (seen 5 times in this line)\n    st.shared.b32 [%r1], %r2;\n",
		"1 note, nothing wrong; the first: same-value-race in kernel first",
		"2 notes, nothing wrong; the first: undefined-address in kernel first, PTX line 23",
		"a CUDA call failed: something (CUDA error 1)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "no findings") {
		t.Error(text)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 100000: "100,000"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
