package schedule

import (
	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// script makes directives tersely: vars by name, Funcs by label.
type script struct {
	p  *halideir.Pipeline
	ds []Directive
}

func (s *script) id(name string) int {
	for i := range s.p.Funcs {
		if s.p.Funcs[i].Label == name {
			return i
		}
	}
	return len(s.p.Funcs)
}

func (s *script) add(d Directive, name string, stage int) {
	d.Func, d.Name, d.Stage = s.id(name), name, stage
	s.ds = append(s.ds, d)
}

func (s *script) root(name string) { s.add(Directive{Do: ComputeRoot}, name, 0) }

func (s *script) at(name, where, loop string) {
	s.add(Directive{Do: ComputeAt, At: &Level{Func: s.id(where), Name: where, Var: loop}}, name, 0)
}

func (s *script) split(name string, stage int, n int64, vars ...string) {
	s.add(Directive{Do: Split, Vars: vars, N: n, Tail: TailGuardWithIf}, name, stage)
}

func (s *script) do(do Do, name string, stage int, vars ...string) {
	s.add(Directive{Do: do, Vars: vars}, name, stage)
}

// harrisSchedule fuses harris into one kernel with gray, Ix and Iy in shared
// memory.
func harrisSchedule() (*Schedule, *halideir.Pipeline) {
	p := irtest.Harris(1536, 2560)
	s := &script{p: p}
	s.root("harris")
	s.split("harris", 0, 32, "x", "x_o", "x_i")
	s.split("harris", 0, 16, "y", "y_o", "y_i")
	s.do(Reorder, "harris", 0, "x_i", "y_i", "x_o", "y_o")
	s.do(GPUBlocks, "harris", 0, "x_o", "y_o")
	s.do(GPUThreads, "harris", 0, "x_i", "y_i")
	for _, f := range []string{"gray", "Ix", "Iy"} {
		s.at(f, "harris", "x_o")
		s.add(Directive{Do: StoreIn, Memory: MemoryGPUShared}, f, 0)
		s.do(GPUThreads, f, 0, "x", "y")
	}
	s.add(Directive{Do: BoundStorage, Vars: []string{"x"}, N: 36}, "gray", 0)
	return &Schedule{
		Outputs: []string{"harris"}, Target: p.Target.String, Device: "sm_75",
		Parameters: map[string]string{"mode": "autogpu", "gpu": "sm_75"},
		Directives: s.ds,
		Kernels: []Kernel{{
			Func: s.id("harris"), Name: "harris", Strategy: "block",
			Blocks: [3]int64{48, 160, 1}, Threads: [3]int64{36, 20, 1}, SharedBytes: 7776, Registers: 32,
			Occupancy: .75, Limiters: []string{"threads"},
			Members: []Member{
				{Func: s.id("gray"), Name: "gray", Level: "block", Memory: MemoryGPUShared, Extents: []int64{36, 20}, Bytes: 2880},
				{Func: s.id("Ix"), Name: "Ix", Level: "block", Memory: MemoryGPUShared, Extents: []int64{34, 18}, Bytes: 2448},
				{Func: s.id("Iy"), Name: "Iy", Level: "block", Memory: MemoryGPUShared, Extents: []int64{34, 18}, Bytes: 2448},
			},
			Inlined: []string{"Ixx", "Iyy", "Ixy", "Sxx", "Syy", "Sxy"},
			Cost:    Cost{"listing1", 1.5},
		}},
	}, p
}

// equaliseSchedule has an update with a fused pair of reduction variables, and
// a serial stage on one thread.
func equaliseSchedule() (*Schedule, *halideir.Pipeline) {
	p := irtest.Equalise(640, 480)
	s := &script{p: p}
	s.root("hist")
	s.split("hist", 0, 128, "i", "i_o", "i_i")
	s.do(GPUBlocks, "hist", 0, "i_o")
	s.do(GPUThreads, "hist", 0, "i_i")
	s.do(Atomic, "hist", 1)
	s.do(Fuse, "hist", 1, "r.x", "r.y", "r.xy")
	s.split("hist", 1, 256, "r.xy", "r.xy_o", "r.xy_i")
	s.do(GPUBlocks, "hist", 1, "r.xy_o")
	s.do(GPUThreads, "hist", 1, "r.xy_i")
	s.root("cdf")
	s.split("cdf", 0, 128, "i", "i_o", "i")
	s.do(GPUBlocks, "cdf", 0, "i_o")
	s.do(GPUThreads, "cdf", 0, "i")
	s.do(GPUSingleThread, "cdf", 1)
	s.root("equalised")
	s.split("equalised", 0, 32, "x", "x_o", "x_i")
	s.split("equalised", 0, 8, "y", "y_o", "y_i")
	s.do(Reorder, "equalised", 0, "x_i", "y_i", "x_o", "y_o")
	s.do(GPUBlocks, "equalised", 0, "x_o", "y_o")
	s.do(GPUThreads, "equalised", 0, "x_i", "y_i")
	return &Schedule{Outputs: []string{"equalised"}, Funcs: Shapes(p), Target: p.Target.String, Device: "sm_75", Directives: s.ds}, p
}
