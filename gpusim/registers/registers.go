// Package registers asks ptxas, where there is one, for the registers and spills of
// simulated kernels, and works out their occupancy. It compiles as Halide's CUDA
// runtime would: with a cap of 64 registers a thread.
package registers

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"gowarp/gpusim/libcuda/simulator"
	"gowarp/internal/ptxas"
	"gowarp/occupancy"
)

// Assembler is the path of ptxas: beside this program, or on the search path; "" for none.
func Assembler() string {
	if self, err := os.Executable(); err == nil {
		return ptxas.Find(filepath.Dir(self))
	}
	return ptxas.Find()
}

// Fill adds registers, spills and occupancy to a report whose PTX texts lie in dir.
// Without ptxas it does nothing.
func Fill(r *simulator.Report, dir, assembler string) error {
	if assembler == "" {
		return nil
	}
	most := ptxas.MaxRegisters
	if s := os.Getenv("HL_CUDA_JIT_MAX_REGISTERS"); s != "" {
		if n, err := strconv.Atoi(s); err == nil && n > 0 {
			most = n
		}
	}
	modules := map[string]map[string]ptxas.Use{}
	for _, k := range r.Kernels {
		if k.Module == "" {
			continue
		}
		if modules[k.Module] == nil {
			text, err := os.ReadFile(filepath.Join(dir, k.Module))
			if err != nil {
				return fmt.Errorf("registers: %w", err)
			}
			uses, err := ptxas.Compile(assembler, string(text), r.Capability, most)
			if err != nil {
				return fmt.Errorf("registers: %s: %w", k.Name, err)
			}
			modules[k.Module] = map[string]ptxas.Use{}
			for _, u := range uses {
				modules[k.Module][u.Kernel] = u
			}
		}
		u := modules[k.Module][k.Name]
		k.Registers, k.SpillBytes = u.Registers, u.SpillBytes()
		device, known := occupancy.ForCapability(r.Capability)
		if !known || len(k.Shapes) == 0 || u.Registers == 0 {
			continue
		}
		s := k.Shapes[0]
		o, err := device.Occupancy(occupancy.Usage{Threads: s.Block[0] * s.Block[1] * s.Block[2], Registers: u.Registers, SharedBytes: s.SharedBytes})
		if err == nil {
			k.Occupancy = o.Occupancy
		}
	}
	return nil
}
