package plan

import (
	"fmt"
	"slices"

	"gowarp/halideir"
)

// A wide type exists on a GPU only if the target has a feature that says so.
type wide struct {
	bits  int
	float bool
}

// features are Halide 21's names of them, by API. What is in no table exists everywhere.
var features = map[string]map[wide]string{
	"opencl": {{16, true}: "cl_half", {64, true}: "cl_doubles"},
	"vulkan": {
		{8, false}: "vk_int8", {16, false}: "vk_int16", {64, false}: "vk_int64",
		{16, true}: "vk_float16", {64, true}: "vk_float64",
	},
}

// missing are the types that no target of an API has.
var missing = map[string][]wide{
	"metal":  {{64, true}, {64, false}},
	"webgpu": {{16, true}, {64, true}, {64, false}},
}

// notOnDevice says why a value of a type cannot be computed on the target's GPU; empty if
// it can. Halide 21's compiler refuses such kernels, or dies: of bfloat16 in a CUDA kernel
// LLVM makes an invalid cast.
func notOnDevice(t *halideir.Target, ty halideir.Type) string {
	w := wide{ty.Bits, ty.IsFloat()}
	switch f := features[t.API][w]; {
	case ty.Code == halideir.Handle || ty.Code == halideir.Float && ty.Bits > 64:
		return ""
	case ty.Code == halideir.BFloat:
		return fmt.Sprintf("it uses %v, which Halide compiles for no GPU", ty.WithLanes(1))
	case slices.Contains(missing[t.API], w):
		return fmt.Sprintf("it uses %v, which %s does not have", ty.WithLanes(1), t.API)
	case f != "" && !slices.Contains(t.Features, f):
		return fmt.Sprintf("it uses %v, for which the target needs the feature %s", ty.WithLanes(1), f)
	}
	return ""
}
