package autoscheduler

import (
	"fmt"
	"testing"

	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/occupancy"
)

// TestPaperPlatforms: the two platforms of Sioutas et al. 2020, table 2, are in the device
// table with the paper's figures. The 64 KiB a block that the paper gives the RTX 2080 Ti have to be asked for, which
// Halide 21's runtime does not.
func TestPaperPlatforms(t *testing.T) {
	for name, want := range map[string]struct{ capability, sms, shared, optin int }{
		"rtx2080ti": {75, 68, 48 << 10, 64 << 10},
		"xavier":    {72, 8, 48 << 10, 96 << 10},
	} {
		d, err := occupancy.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if d.Capability != want.capability || d.SMs != want.sms || d.SharedPerBlock != want.shared || d.SharedPerBlockOptin != want.optin ||
			d.MaxThreadsPerBlock != 1024 || d.RegistersPerSM != 65536 || d.MaxRegistersPerThread < 255 {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// blurs is two 3x3 stencils over an image of n by n.
func blurs(n int64) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, n+4, n+4)
	stencil := func(at func(...any) irtest.Expr, v []irtest.Expr) irtest.Expr {
		sum := at(v[0], v[1])
		for i := 1; i < 9; i++ {
			sum = sum.Add(at(v[0].Add(i%3), v[1].Add(i/3)).Mul(float64(i)))
		}
		return sum
	}
	f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return stencil(in.At, v) })
	g := b.Func("g", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return stencil(f.At, v) })
	b.Output(g, n, n)
	return b.Build()
}

// TestEmbedded: "a number of blocks less than 2-4 times the number of SMs" is inefficient
// (section 4.2). A small image that keeps an embedded GPU busy with large tiles
// has to be cut finer for a large one.
func TestEmbedded(t *testing.T) {
	const n = 160
	blocks := map[string]int64{}
	for _, gpu := range []string{"tegra-k1", "xavier", "rtx2080ti"} {
		prm, err := ParseParams(map[string]string{"mode": "autogpu", "gpu": gpu})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(blurs(n), prm)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range r.Schedule.Kernels {
			tiles, threads := k.Blocks[0]*k.Blocks[1]*k.Blocks[2], k.Threads[0]*k.Threads[1]*k.Threads[2]
			if want := 2 * int64(r.Problem.Device.SMs); tiles < want || threads%32 != 0 || threads > 1024 || k.SharedBytes > 48<<10 {
				t.Errorf("%s: %s has %d blocks of %d threads with %d B, wanted are at least %d blocks", gpu, k.Name, tiles, threads, k.SharedBytes, want)
			}
			blocks[gpu] = tiles
		}
	}
	if blocks["tegra-k1"] >= blocks["rtx2080ti"] || blocks["xavier"] >= blocks["rtx2080ti"] {
		t.Errorf("blocks of the output's kernel %v: fewer SMs should do with fewer", blocks)
	}
}

// TestIntel: at most 512 threads a block and half the largest tile (section 5.1), on a
// pipeline that takes more of both where it may.
func TestIntel(t *testing.T) {
	for _, gpu := range []string{"iris-xe", "arc-a770"} {
		t.Run(gpu, func(t *testing.T) {
			p := load(t, "testdata/harris.json")
			p.Target = halideir.Target{String: "x86-64-linux-opencl", Arch: "x86", OS: "linux", Bits: 64, API: "opencl", Features: []string{"opencl"}}
			intel, err := ParseParams(map[string]string{"mode": "autogpu", "gpu": gpu})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(p, intel)
			if err != nil {
				t.Fatal(err)
			}
			if r.Problem.Limits.ThreadsPerBlock != 512 {
				t.Errorf("%d threads a block are allowed", r.Problem.Limits.ThreadsPerBlock)
			}
			cuda, err := Run(load(t, "testdata/harris.json"), paperParams())
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range r.Problem.Dims {
				for j, tile := range d.Tiles {
					if whole := cuda.Problem.Dims[i].Tiles[j]; whole.Max > 2*whole.Min && whole.Max < 512 && tile.Max != whole.Max/2 {
						t.Errorf("stage %d: tiles up to %d, CUDA's up to %d", i, tile.Max, whole.Max)
					}
				}
			}
			for _, k := range r.Schedule.Kernels {
				if threads := k.Threads[0] * k.Threads[1] * k.Threads[2]; threads > 512 {
					t.Errorf("%s has %d threads", k.Name, threads)
				}
			}
		})
	}
}

// TestCapabilities: every capability from 5.0 to 8.6 that Halide has a target for, and devices
// named beyond it, each with its own limits.
func TestCapabilities(t *testing.T) {
	for _, c := range []struct {
		capability int
		gpu        string // "" for the one that stands for the capability
		device     string
	}{
		{50, "", "gtx750ti"}, {61, "", "gtx1080ti"}, {70, "", "v100"}, {75, "", "rtx2080ti"}, {80, "", "a100"}, {86, "", "rtx3090"},
		{0, "", "rtx2080ti"}, {86, "h200", "h200"}, {86, "sm_100", "b200"}, {70, "xavier", "xavier"}, {30, "tegra-k1", "tegra-k1"},
	} {
		t.Run(fmt.Sprintf("%d %s", c.capability, c.gpu), func(t *testing.T) {
			p := load(t, "testdata/harris.json")
			p.Target.API, p.Target.CUDACapability = "cuda", c.capability
			kv := map[string]string{}
			if c.gpu != "" {
				kv["gpu"] = c.gpu
			}
			prm, err := ParseParams(kv)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(p, prm)
			if err != nil {
				t.Fatal(err)
			}
			d, err := occupancy.Lookup(c.device)
			if err != nil {
				t.Fatal(err)
			}
			if r.Schedule.Device != c.device || r.Problem.Device.SMs != d.SMs {
				t.Errorf("scheduled for %s with %d SMs, want %s with %d", r.Schedule.Device, r.Problem.Device.SMs, c.device, d.SMs)
			}
			for _, k := range r.Schedule.Kernels {
				threads := int(k.Threads[0] * k.Threads[1] * k.Threads[2])
				o, err := d.Occupancy(occupancy.Usage{Threads: threads, Registers: k.Registers, SharedBytes: int(k.SharedBytes)})
				if err != nil || o.ActiveBlocks == 0 || o.Occupancy != k.Occupancy {
					t.Errorf("%s: occupancy %v, the calculator has %v (%v)", k.Name, k.Occupancy, o.Occupancy, err)
				}
			}
		})
	}
}

// forCUDA has a pipeline be for GPUs of a compute capability, times ten.
func forCUDA(p *halideir.Pipeline, capability int) {
	p.Target.API, p.Target.CUDACapability, p.Target.String = "cuda", capability, fmt.Sprintf("host-cuda-cuda_capability_%d", capability)
}
