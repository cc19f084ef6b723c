package autoscheduler

import (
	"fmt"
	"strconv"
	"strings"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/grouping"
	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/plan"
	"gowarp/occupancy"
)

// defaultCapability stands for a CUDA target that names none: 7.5.
const defaultCapability = 75

// defaultInRegisters is the fraction of a hybrid tile that stays in registers if the user names none.
const defaultInRegisters = 0.5

// intelThreads is the most threads of a block on Intel's GPUs, whatever the device offers.
const intelThreads = 512

// nestings is what the parameter fusion says of nested fusion.
var nestings = map[string]strategy.Nesting{"nested": strategy.NestAlways, "auto": strategy.NestSevere}

// configure resolves the parameters: device, coster, grouping.
func (s *state) configure() error {
	d, err := s.deviceFor()
	if err != nil {
		return err
	}
	if s.params.Parallelism > 0 {
		d.SMs = s.params.Parallelism
	}
	if d.Maker() == "Intel" {
		// Sioutas et al. 2020, section 5.1: "the maximum threads per block to 512".
		d.MaxThreadsPerBlock = min(d.MaxThreadsPerBlock, intelThreads)
	}
	s.device = d
	s.coster, s.machine = coster.ByName[s.params.Cost], coster.MachineOf(&s.device)
	if s.params.Machine != "" {
		m, err := coster.ReadMachine(s.params.Machine, &s.device)
		if err != nil {
			return fmt.Errorf("autoscheduler: machine=%s: %w", s.params.Machine, err)
		}
		s.coster, s.machine = coster.Time{Machine: m}, *m
		s.note("check", -1, "what %s does in a cycle, and how soon, is as measured in %s", s.device.Title, s.params.Machine)
	}
	if s.params.Weights != "" {
		w, err := coster.ReadWeights(s.params.Weights, d.Name)
		if err != nil {
			return fmt.Errorf("autoscheduler: weights=%s: %w", s.params.Weights, err)
		}
		s.coster = coster.Algorithm2Fitted{Weights: w}
	}
	s.grouping = grouping.ByName[s.params.Grouping]
	if s.params.Fusion == "none" {
		s.grouping = grouping.None{}
	}
	s.strategies = strategy.Tilings[s.params.Tiling]
	effort, ok := search.Efforts[s.params.Effort]
	s.effort = effort
	if !ok || s.coster == nil || s.grouping == nil || s.strategies == nil {
		return fmt.Errorf("autoscheduler: cost=%s, grouping=%s, tiling=%s, effort=%s: one of them does not exist; start from DefaultParams", s.params.Cost, s.params.Grouping, s.params.Tiling, s.params.Effort)
	}
	if strings.HasPrefix(s.params.Tiling, "warp-") {
		if err := strategy.HasLanes(&s.p.Target, &s.device); err != nil {
			return fmt.Errorf("autoscheduler: tiling=%s: %w", s.params.Tiling, err)
		}
	}
	s.options = strategy.Options{Nesting: nestings[s.params.Fusion], InRegisters: defaultInRegisters}
	if s.params.FracReg != "" {
		if s.options.InRegisters, err = strconv.ParseFloat(s.params.FracReg, 64); err != nil {
			return fmt.Errorf("autoscheduler: frac_reg: %w", err)
		}
	}
	if s.params.WarpTile != "" {
		if s.options.Warp, err = strategy.ParseWarpChoice(s.params.WarpTile); err != nil {
			return fmt.Errorf("autoscheduler: warp_tile: %w", err)
		}
	}
	return s.checkLimits()
}

// deviceFor is the device that the user names, or the one that stands for the target.
func (s *state) deviceFor() (occupancy.Device, error) {
	t := &s.p.Target
	if s.params.GPU != "" {
		return lookup(s.params.GPU)
	}
	if s.p.GPU != "" {
		d, err := lookup(s.p.GPU)
		if err != nil {
			return d, fmt.Errorf("%w (the pipeline's \"gpu\"; gpu= names another)", err)
		}
		return d, nil
	}
	switch t.API {
	case "cuda":
		cc := t.CUDACapability
		if cc == 0 {
			cc = defaultCapability
		}
		d, exact := occupancy.ForCapability(cc)
		if !exact {
			s.note("check", -1, "the table has no GPU of compute capability %d.%d, the target's: scheduled for the nearest, %s (%d.%d); gpu= names another", cc/10, cc%10, d.Name, d.Capability/10, d.Capability%10)
		}
		return d, nil
	case "opencl", "metal", "vulkan", "d3d12", "webgpu":
		return occupancy.Generic(), nil
	}
	return occupancy.Device{}, fmt.Errorf("autoscheduler: the target %s has no GPU; name one, as in target=host-cuda-cuda_capability_86 or target=host-opencl", t.String)
}

// lookup is the device that the parameter gpu names.
func lookup(name string) (occupancy.Device, error) {
	d, err := occupancy.Lookup(name)
	if err != nil {
		return d, fmt.Errorf("autoscheduler: gpu=%s: %w", name, err)
	}
	return d, nil
}

// limits are what a launch may use under Halide's runtime.
func (s *state) limits() plan.Limits {
	l := plan.Limits{
		SharedBytes:       int64(s.device.SharedPerBlock),
		ThreadsPerBlock:   int64(s.device.MaxThreadsPerBlock),
		RegistersPerBlock: int64(s.device.RegistersPerBlock),
		MaxRegisters:      min(s.params.MaxRegisters, s.device.MaxRegistersPerThread),
	}
	if kb := s.params.SharedMemoryLimit; kb > 0 {
		l.SharedBytes = min(l.SharedBytes, int64(kb)<<10)
	}
	return l
}
