package autoscheduler

import (
	"fmt"
	"strings"

	"gowarp/autoscheduler/coster"
	"gowarp/halideir"
	"gowarp/occupancy"
)

// searching are the parameters that only a search for a schedule heeds.
var searching = []string{"mode", "fusion", "grouping", "tiling", "warp_tile", "frac_reg", "cost", "effort", "search", "registers", "weights", "machine", "parallelism", "reassociate"}

// contradictions refuses parameters of which one would take the effect of another, as they
// were given: a default contradicts nothing. inForce has the defaults and what a mode makes of them.
func contradictions(kv, inForce map[string]string) error {
	if file, ok := kv["schedule"]; ok {
		var idle []string
		for _, k := range searching {
			if v, ok := kv[k]; ok {
				idle = append(idle, k+"="+v)
			}
		}
		if len(idle) > 0 {
			return fmt.Errorf("schedule=%s replays a saved schedule, and nothing is searched: %s would have no effect; leave one or the other away", file, strings.Join(idle, ", "))
		}
	}
	if file, ok := kv["save"]; ok && file == kv["dump"] {
		return fmt.Errorf("save=%s and dump=%s name the same file, where the schedule would take the pipeline's place; name two", file, file)
	}
	if tile, ok := kv["warp_tile"]; ok && inForce["tiling"] != "all" && !strings.HasPrefix(inForce["tiling"], "warp") {
		return fmt.Errorf("warp_tile=%s is of tiles of warps, which tiling=%s has none of; add tiling=warp-registers, or leave it away", tile, inForce["tiling"])
	}
	if f, ok := kv["frac_reg"]; ok && inForce["tiling"] == "all" {
		return fmt.Errorf("frac_reg=%s is of hybrid tiles of warps, whose fractions tiling=all tries for itself; add tiling=warp-hybrid, or leave it away", f)
	}
	if f, ok := kv["frac_reg"]; ok && inForce["tiling"] != "warp-hybrid" {
		return fmt.Errorf("frac_reg=%s is of hybrid tiles of warps, which tiling=%s has none of; add tiling=warp-hybrid, or leave it away", f, inForce["tiling"])
	}
	if f, ok := kv["registers"]; ok && inForce["cost"] != (coster.Algorithm2{}).Name() {
		return fmt.Errorf("registers=%s is what cost=algorithm2 knows of the stages, and cost=%s takes no notice of it; add cost=algorithm2 or mode=polymage, or leave it away", f, inForce["cost"])
	}
	if f, ok := kv["weights"]; ok && inForce["cost"] != (coster.Algorithm2Fitted{}).Name() {
		return fmt.Errorf("weights=%s is of cost=algorithm2-fitted, and cost=%s takes no notice of it; add cost=algorithm2-fitted, or leave it away", f, inForce["cost"])
	}
	if f, ok := kv["machine"]; ok && inForce["cost"] != (coster.Time{}).Name() {
		return fmt.Errorf("machine=%s is of cost=time, and cost=%s takes no notice of it; add cost=time, or leave it away", f, inForce["cost"])
	}
	if f, ok := kv["machine"]; ok && kv["parallelism"] != "" {
		return fmt.Errorf("machine=%s was measured with all SMs of a device, and parallelism=%s says that there are others; leave one or the other away", f, kv["parallelism"])
	}
	if inForce["search"] == "sim" && inForce["cost"] != (coster.Time{}).Name() && inForce["cost"] != (coster.Issue{}).Name() {
		return fmt.Errorf("search=sim counts what kernels issue, and cost=%s takes no notice of it; add cost=time or cost=issue, or leave it away", inForce["cost"])
	}
	if v, ok := kv["reassociate"]; ok && inForce["mode"] != "gowarp" {
		return fmt.Errorf("reassociate=%s is of mode=gowarp, and mode=%s makes no trees of reductions; leave it away", v, inForce["mode"])
	}
	fusion, fuses := kv["fusion"]
	grouping, groups := kv["grouping"]
	if fuses && groups && (fusion == "none") != (grouping == "none") {
		return fmt.Errorf("fusion=%s and grouping=%s contradict each other: one asks for a kernel a Func, the other for Funcs computed together; give one of them", fusion, grouping)
	}
	return nil
}

// checkLimits refuses limits that the device does not have.
func (s *state) checkLimits() error {
	d := &s.device
	if kb := s.params.SharedMemoryLimit; kb<<10 > d.SharedPerBlock {
		return fmt.Errorf("autoscheduler: shared_memory_limit_kb=%d: a block of %s has at most %d KiB under Halide's runtime; give less, or leave it away", kb, d.Name, d.SharedPerBlock>>10)
	}
	if n := s.params.MaxRegisters; n > d.MaxRegistersPerThread && n != DefaultParams().MaxRegisters {
		return fmt.Errorf("autoscheduler: max_registers=%d: a thread of %s has at most %d; give fewer, or leave it away", n, d.Name, d.MaxRegistersPerThread)
	}
	if s.params.Judged() && (d.API != occupancy.CUDA || s.p.Target.API != "cuda") {
		judge := map[string]string{"ptxas": "ptxas compiles", "sim": "the simulator runs kernels"}[s.params.Search]
		return fmt.Errorf("autoscheduler: search=%s: %s for CUDA only; the target is %s and the device %s; leave it away", s.params.Search, judge, s.p.Target.String, d.Title)
	}
	return nil
}

// CheckTarget refuses a device on which the code for the pipeline's target does not run. It is
// for the plugin, whose schedule will run; on the command line a pipeline that was
// dumped for one device may be looked at as for any other.
func CheckTarget(p *halideir.Pipeline, params Params) error {
	if params.GPU == "" {
		return nil
	}
	d, err := lookup(params.GPU)
	if err != nil {
		return err
	}
	t := &p.Target
	switch {
	case t.API == "cuda" && d.API != occupancy.CUDA:
		return fmt.Errorf("autoscheduler: gpu=%s: %s runs no CUDA, and the target is %s; name a GPU of NVIDIA's, or a target such as host-opencl", params.GPU, d.Title, t.String)
	case t.API == "cuda" && t.CUDACapability > d.Capability:
		return fmt.Errorf("autoscheduler: gpu=%s: %s has compute capability %d.%d and runs no code for %d.%d, the target's; use cuda_capability_%d or older in the target, or name another GPU",
			params.GPU, d.Title, d.Capability/10, d.Capability%10, t.CUDACapability/10, t.CUDACapability%10, d.Capability)
	case t.API == "metal" && d.API == occupancy.CUDA:
		return fmt.Errorf("autoscheduler: gpu=%s: %s runs no Metal, and the target is %s; leave gpu= away", params.GPU, d.Title, t.String)
	}
	return nil
}
