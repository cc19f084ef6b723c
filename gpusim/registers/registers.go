// Package registers asks ptxas, where there is one, for the registers and spills of
// simulated kernels, and works out their occupancy. It compiles as Halide's CUDA
// runtime would: with a cap of 64 registers a thread.
package registers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"

	"gowarp/gpusim/libcuda/simulator"
	"gowarp/occupancy"
)

// Cap is CU_JIT_MAX_REGISTERS of Halide 21's CUDA runtime, unless
// HL_CUDA_JIT_MAX_REGISTERS says otherwise.
const Cap = 64

// Find is the path of ptxas: beside this program, or on the search path; "" for none.
func Find() string {
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), "ptxas")
		if _, err := os.Stat(beside); err == nil {
			return beside
		}
	}
	path, err := exec.LookPath("ptxas")
	if err != nil {
		return ""
	}
	return path
}

var pattern = regexp.MustCompile(`Compiling entry function '([^']+)'|(\d+) bytes spill stores, (\d+) bytes spill loads|Used (\d+) registers`)

type use struct{ registers, spills int }

func parse(log []byte) map[string]use {
	uses := map[string]use{}
	name := ""
	number := func(b []byte) int { n, _ := strconv.Atoi(string(b)); return n } // the pattern matches digits
	for _, m := range pattern.FindAllSubmatch(log, -1) {
		switch u := uses[name]; {
		case m[1] != nil:
			name = string(m[1])
		case m[2] != nil:
			u.spills = number(m[2]) + number(m[3])
			uses[name] = u
		default:
			u.registers = number(m[4])
			uses[name] = u
		}
	}
	return uses
}

// Fill adds registers, spills and occupancy to a report whose PTX texts lie in dir.
// Without ptxas it does nothing.
func Fill(r *simulator.Report, dir, ptxas string) error {
	if ptxas == "" {
		return nil
	}
	most := Cap
	if s := os.Getenv("HL_CUDA_JIT_MAX_REGISTERS"); s != "" {
		if n, err := strconv.Atoi(s); err == nil && n > 0 {
			most = n
		}
	}
	modules := map[string]map[string]use{}
	for _, k := range r.Kernels {
		if k.Module == "" {
			continue
		}
		if modules[k.Module] == nil {
			log, err := exec.Command(ptxas, "-v", fmt.Sprintf("-arch=sm_%d", r.Capability), "--maxrregcount", strconv.Itoa(most),
				"-o", os.DevNull, filepath.Join(dir, k.Module)).CombinedOutput()
			if err != nil {
				return fmt.Errorf("registers: ptxas on %s: %w\n%s", k.Name, err, log)
			}
			modules[k.Module] = parse(log)
		}
		u := modules[k.Module][k.Name]
		k.Registers, k.SpillBytes = u.registers, u.spills
		device, known := occupancy.ForCapability(r.Capability)
		if !known || len(k.Shapes) == 0 || u.registers == 0 {
			continue
		}
		s := k.Shapes[0]
		o, err := device.Occupancy(occupancy.Usage{Threads: s.Block[0] * s.Block[1] * s.Block[2], Registers: u.registers, SharedBytes: s.SharedBytes})
		if err == nil {
			k.Occupancy = o.Occupancy
		}
	}
	return nil
}
