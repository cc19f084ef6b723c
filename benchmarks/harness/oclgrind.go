package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// fullFence makes every barrier order local and global memory, as a GPU's does. Halide
// writes barrier(0) where it sees nothing to order, which to the letter orders nothing.
const fullFence = "-Dbarrier(fence)=barrier(CLK_LOCAL_MEM_FENCE|CLK_GLOBAL_MEM_FENCE)"

// unsupported is what Oclgrind's check of undefined values says of an instruction that clang's
// optimiser makes of a quotient and a remainder by the same number; unoptimised code has none.
const (
	unsupported = "Unsupported instruction: freeze"
	unoptimised = " -cl-opt-disable"
)

// oclgrindDriver is Oclgrind's library, found from its command.
func oclgrindDriver() (string, error) {
	command, err := exec.LookPath("oclgrind")
	if err == nil {
		command, err = filepath.EvalSymlinks(command)
	}
	if err != nil {
		return "", fmt.Errorf("harness: no Oclgrind, run `make setup`: %w", err)
	}
	found, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(command)), "lib*", "oclgrind", "liboclgrind-rt-icd.so"))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("harness: no liboclgrind-rt-icd.so beside %s; install the package oclgrind as Debian has it", command)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// Oclgrind runs a program emitted for OpenCL on Oclgrind, an interpreter of OpenCL kernels
// that finds accesses out of bounds, races and undefined values. It shares nothing with
// gpusim, not even the form of the kernels. Complaints are what it found, "" for nothing. Undefined values
// are complained of wherever they are used, which is not for schedules that round a Func up to whole points a thread:
// what lies beyond its end is computed, and nobody reads it. gpusim follows them to the results.
func (p *Program) Oclgrind(in Args, out map[string][]int, undefined bool) (results map[string]*Array, complaints string, err error) {
	results, complaints, err = p.oclgrind(in, out, fullFence, undefined)
	if strings.Contains(complaints, unsupported) {
		results, complaints, err = p.oclgrind(in, out, fullFence+unoptimised, undefined)
	}
	return results, complaints, err
}

func (p *Program) oclgrind(in Args, out map[string][]int, options string, undefined bool) (results map[string]*Array, complaints string, err error) {
	driver, err := oclgrindDriver()
	if err != nil {
		return nil, "", err
	}
	dir, err := tempDir()
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	log := filepath.Join(dir, "log")
	checked := &Program{tree: p.tree, Path: p.Path, Env: append(slices.Clone(p.Env),
		"OCL_ICD_VENDORS="+driver,
		"HL_OCL_PLATFORM_NAME=Oclgrind",
		"OCLGRIND_CHECK_API=1", "OCLGRIND_DATA_RACES=1", "OCLGRIND_LOG="+log,
		"OCLGRIND_BUILD_OPTIONS="+options)}
	if undefined {
		checked.Env = append(checked.Env, "OCLGRIND_UNINITIALIZED=1")
	}
	results, err = checked.Run(in, out)
	text, readErr := os.ReadFile(log)
	if err == nil {
		err = readErr
	}
	return results, strings.TrimSpace(string(text)), err
}
