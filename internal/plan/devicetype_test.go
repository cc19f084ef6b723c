package plan

import (
	"strings"
	"testing"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

func TestTypesOnDevice(t *testing.T) {
	bf16 := halideir.Type{Code: halideir.BFloat, Bits: 16, Lanes: 1}
	for _, c := range []struct {
		api, features string
		typ           halideir.Type
		why           string
	}{
		{"cuda", "", irtest.F32, ""}, {"cuda", "", irtest.F16, ""}, {"cuda", "", irtest.F64, ""}, {"cuda", "", irtest.I64, ""}, {"cuda", "", bf16, "bfloat16"},
		{"opencl", "", irtest.F32, ""}, {"opencl", "", irtest.F16, "cl_half"}, {"opencl", "", irtest.F64, "cl_doubles"}, {"opencl", "cl_doubles", irtest.F64, ""},
		{"opencl", "cl_half", irtest.F16, ""}, {"opencl", "", irtest.I64, ""}, {"opencl", "cl_half", bf16, "bfloat16"},
		{"metal", "", irtest.I64, "metal does not have"}, {"metal", "", irtest.F16, ""}, {"webgpu", "", irtest.F16, "webgpu does not have"}, {"webgpu", "", irtest.U8, ""},
		{"vulkan", "", irtest.U8, "vk_int8"}, {"vulkan", "vk_int8", irtest.U8, ""}, {"vulkan", "", irtest.I32, ""}, {"vulkan", "", irtest.Bool, ""},
	} {
		// The type may be the Func's own, or only pass through.
		for _, own := range []bool{true, false} {
			b := irtest.New()
			b.Target("x", c.api, 0)
			in := b.Input("in", irtest.F32, 64)
			stored := irtest.F32
			if own {
				stored = c.typ
			}
			f := b.Func("f", []string{"x"}, stored, func(v []irtest.Expr) irtest.Expr { return in.At(v[0]).Cast(c.typ).Cast(stored) })
			b.Output(f, 64)
			p := b.Build()
			p.Target.Features = strings.Fields(c.features)
			why := HostReasons(p)[f.ID]
			if (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
				t.Errorf("%v on %s with %q: %q, want %q", c.typ, c.api, c.features, why, c.why)
			}
		}
	}
}

// TestIntrinsicsOnDevice: functions that Halide's C-like kernels lack stay on the host but under CUDA.
func TestIntrinsicsOnDevice(t *testing.T) {
	for api, host := range map[string]bool{"cuda": false, "opencl": true, "metal": true} {
		b := irtest.New()
		b.Target("x", api, 0)
		in := b.Input("in", irtest.U32, 64)
		f := b.Func("f", []string{"x"}, irtest.U32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0]).Call("popcount") })
		b.Output(f, 64)
		p := b.Build()
		for i := range p.Nodes {
			if p.Nodes[i].Name == "popcount" {
				p.Nodes[i].Call = halideir.CallPureIntrinsic
			}
		}
		if why := HostReasons(p)[f.ID]; (why != "") != host {
			t.Errorf("popcount on %s: %q", api, why)
		}
	}
}
