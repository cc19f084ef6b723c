package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// recordingCUDA builds the stand-in driver and returns the directory that holds it
// as libcuda.so.
func (t *Tree) recordingCUDA() (string, error) {
	source := t.Path("benchmarks", "harness", "cxx", "recording_cuda.c")
	k := t.newKey("recordingcuda")
	if err := k.file(source); err != nil {
		return "", fmt.Errorf("harness: %w", err)
	}
	return t.once("recordingcuda", k, func(dir string) error {
		_, err := t.run(nil, "gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", source, "-o", filepath.Join(dir, "libcuda.so"))
		return err
	})
}

// Launches returns the kernel launches that a program emitted for CUDA makes on
// these inputs, in order. It needs no GPU and runs no kernel: the program runs
// on a stand-in for the driver that records.
func (p *Program) Launches(in Args, out map[string][]int) ([]Launch, error) {
	driver, err := p.tree.recordingCUDA()
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "gowarp-launches-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	// HL_CUDA_JIT_MAX_REGISTERS and the device's own variables mean nothing here.
	recorded := &Program{tree: p.tree, Path: p.Path, Mins: p.Mins, Parts: p.Parts, Env: append(slices.Clone(p.Env), "LD_LIBRARY_PATH="+driver, "GOWARP_LAUNCHES="+f.Name(), "HL_GPU_DEVICE=0")}
	if _, err := recorded.Run(in, out); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(f.Name())
	if err != nil {
		return nil, err
	}
	var launches []Launch
	for line := range strings.Lines(string(text)) {
		var l Launch
		if _, err := fmt.Sscanf(line, "%s %d %d %d %d %d %d %d", &l.Kernel, &l.Blocks[0], &l.Blocks[1], &l.Blocks[2],
			&l.Threads[0], &l.Threads[1], &l.Threads[2], &l.SharedBytes); err != nil {
			return nil, fmt.Errorf("harness: launch record %q: %w", line, err)
		}
		launches = append(launches, l)
	}
	if len(launches) == 0 {
		return nil, errors.New("harness: the program launched no kernel")
	}
	return launches, nil
}
