package bench

import (
	"fmt"

	"gowarp/benchmarks/harness"
	"gowarp/occupancy"
)

// Target is a device and the newest code that Halide emits for it.
type Target struct {
	Device     occupancy.Device
	Capability int // Halide's target feature, 86 for 8.6
}

// ParseTarget reads a device's name, or sm_86 for the representative of a capability.
func ParseTarget(word string) (Target, error) {
	d, err := occupancy.Lookup(word)
	if err != nil {
		return Target{}, err
	}
	if d.API != occupancy.CUDA {
		return Target{}, fmt.Errorf("%s is not a CUDA device; kernels of others are not counted here", d.Title)
	}
	c := harness.HalideCapability(d.Capability)
	if c == 0 {
		return Target{}, fmt.Errorf("%s has compute capability %d.%d, for which Halide emits no code", d.Title, d.Capability/10, d.Capability%10)
	}
	return Target{d, c}, nil
}

// Halide is the target string.
func (t Target) Halide() string { return fmt.Sprintf("host-cuda-cuda_capability_%d", t.Capability) }
