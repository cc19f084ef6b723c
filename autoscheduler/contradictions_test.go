package autoscheduler

import (
	"strings"
	"testing"

	"gowarp/halideir"
)

// TestContradictions: parameters that cannot both hold, and limits that a device does not
// have, are errors that name them.
func TestContradictions(t *testing.T) {
	for _, c := range []struct {
		params string // as HL_AUTOSCHEDULER_PARAMS
		words  string // of the error; none if it is fine
	}{
		{"schedule=a.json,fusion=none", "schedule=a.json replays a saved schedule, and nothing is searched: fusion=none would have no effect"},
		{"schedule=a.json,cost=listing1,parallelism=8", "cost=listing1, parallelism=8 would have no effect"},
		{"schedule=a.json,gpu=h200,max_registers=80,check=0", ""},
		{"fusion=none,grouping=greedy", "fusion=none and grouping=greedy contradict each other"},
		{"fusion=overlap,grouping=none", "fusion=overlap and grouping=none contradict each other"},
		{"fusion=none,grouping=none", ""},
		{"fusion=auto,grouping=greedy", ""},
		{"grouping=none", ""},
		{"reassociate=0", ""},
		{"reassociate=0,mode=autogpu", "reassociate=0 is of mode=gowarp, and mode=autogpu makes no trees"},
		{"save=a.json,dump=a.json", "save=a.json and dump=a.json name the same file"},
		{"schedule=a.json,save=b.json", ""},
		{"schedule=a.json,reassociate=0", "reassociate=0 would have no effect"},
		{"warp_tile=2x4x4", ""},
		{"frac_reg=.5", "frac_reg=.5 is of hybrid tiles of warps, whose fractions tiling=all tries for itself"},
		{"warp_tile=2x4x4,mode=autogpu", "warp_tile=2x4x4 is of tiles of warps, which tiling=block has none of"},
		{"warp_tile=2x4x4,tiling=block-window", "tiling=block-window has none of"},
		{"warp_tile=2x4x4,tiling=all", ""},
		{"gpu=rtx2080ti,shared_memory_limit_kb=64", "shared_memory_limit_kb=64: a block of rtx2080ti has at most 48 KiB"},
		{"gpu=generic,shared_memory_limit_kb=48", "a block of generic has at most 32 KiB"},
		{"gpu=rtx2080ti,shared_memory_limit_kb=48", ""},
		{"gpu=gtx680,max_registers=100", "max_registers=100: a thread of gtx680 has at most 63"},
		{"gpu=gtx680", ""},
		{"gpu=h20", `unknown device "h20": did you mean h200?`},
		{"gpu=sm_99", "the nearest are sm_90 (h100) and sm_100 (b200)"},
		{"gpu=sm_20", "the nearest is sm_30 (gtx680)"},
		{"gpu=sm_130", "the nearest is sm_121 (gb10)"},
	} {
		kv := map[string]string{}
		for _, pair := range strings.Split(c.params, ",") {
			k, v, _ := strings.Cut(pair, "=")
			kv[k] = v
		}
		prm, err := ParseParams(kv)
		if err == nil && prm.Schedule == "" {
			_, err = Schedule(load(t, "testdata/hist.json"), prm)
		}
		if (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", c.params, err, c.words)
		}
	}
}

// TestCheckTarget: the plugin refuses a GPU that does not run the target's code.
func TestCheckTarget(t *testing.T) {
	for _, c := range []struct {
		api        string
		capability int
		gpu, words string
	}{
		{"cuda", 86, "rtx2080ti", "has compute capability 7.5 and runs no code for 8.6"},
		{"cuda", 75, "rtx2080ti", ""},
		{"cuda", 50, "h200", ""},
		{"cuda", 0, "gtx980", ""},
		{"cuda", 50, "iris-xe", "Intel Iris Xe Graphics (96 EU) runs no CUDA"},
		{"opencl", 0, "iris-xe", ""},
		{"opencl", 0, "rtx2080ti", ""},
		{"metal", 0, "h200", "runs no Metal"},
		{"cuda", 86, "", ""},
		{"cuda", 86, "nothing", "unknown device"},
	} {
		p := &halideir.Pipeline{Target: halideir.Target{String: "target", API: c.api, CUDACapability: c.capability}}
		err := CheckTarget(p, Params{GPU: c.gpu})
		if (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestNearestCapability: a target whose capability the table lacks is scheduled for the
// nearest, which is said.
func TestNearestCapability(t *testing.T) {
	for capability, want := range map[int]string{20: "nearest, gtx680 (3.0)", 85: "nearest, a100 (8.0)", 130: "nearest, gb10 (12.1)", 86: ""} {
		p := load(t, "testdata/harris.json")
		p.Target.API, p.Target.CUDACapability = "cuda", capability
		r, err := Run(p, DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, n := range r.Notes {
			if n.Pass == "check" {
				said += n.Text
			}
		}
		if !strings.Contains(said, want) || (said == "") != (want == "") {
			t.Errorf("%d: %q", capability, said)
		}
	}
}
