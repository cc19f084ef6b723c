package harness

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Program is a compiled pipeline that can be run.
type Program struct {
	tree *Tree
	Path string
	// Env is the environment that the pipeline's device wants.
	Env []string
	// Mins are the first coordinates of buffers, by name, where they are not 0.
	Mins map[string][]int
	// Parts are the buffers, by name, that are parts of larger ones, also on the GPU, and how many elements earlier the rows of those begin.
	Parts map[string]int
}

// Link makes an executable of an emission with a static library and its registration.
func (t *Tree) Link(e *Emission) (*Program, error) {
	path, err := t.linkWith("runner", e)
	if err != nil {
		return nil, err
	}
	return &Program{tree: t, Path: path, Env: t.OpenCLEnv()}, nil
}

// linkWith links an emission with a main program, a C++ file of benchmarks/harness/cxx.
func (t *Tree) linkWith(main string, e *Emission) (string, error) {
	object, err := t.cxx(main, t.Path("benchmarks", "harness", "cxx", main+".cc"), main+".o",
		[]string{"-std=c++17", "-O1", "-c", "-I" + t.Halide("include"), "-I" + t.Halide("share", "tools")}, nil)
	if err != nil {
		return "", err
	}
	archives := []string{e.File("a")}
	if e.runtime != "" {
		runtime, err := t.Runtime(e.generator, e.runtime)
		if err != nil {
			return "", err
		}
		archives = append(archives, runtime)
	}
	k := t.newKey("program")
	for _, file := range append([]string{object, e.File("registration.cpp")}, archives...) {
		if err := k.file(file); err != nil {
			return "", fmt.Errorf("harness: %w", err)
		}
	}
	dir, err := t.once("program", k, func(dir string) error {
		args := append([]string{"-std=c++17", "-I" + t.Halide("include"), object, e.File("registration.cpp")}, archives...)
		_, err := t.run(nil, "g++", append(args, "-o", filepath.Join(dir, "program"), "-ldl", "-lpthread", "-rdynamic")...)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("link %s: %w", e.Name, err)
	}
	return filepath.Join(dir, "program"), nil
}

// OpenCLEnv makes Halide's runtime take PoCL where several OpenCL platforms are
// installed, and keeps PoCL's compiled kernels under build/.
func (t *Tree) OpenCLEnv() []string {
	dir := t.Build("cache", "pocl")
	_ = os.MkdirAll(dir, 0o777) // PoCL itself says so when it cannot write there
	return []string{"POCL_CACHE_DIR=" + dir, "HL_OCL_PLATFORM_NAME=Portable Computing Language"}
}

// Args are a pipeline's arguments: *Array for buffers, anything that fmt prints for scalars.
type Args map[string]any

// Run runs the program on the inputs and returns its outputs, whose shapes the
// caller names.
func (p *Program) Run(in Args, out map[string][]int) (map[string]*Array, error) {
	results, _, err := p.run(in, out, 0)
	return results, err
}

// Time runs the program and also returns the wall time of so many synchronised calls.
func (p *Program) Time(in Args, out map[string][]int, samples int) (map[string]*Array, []time.Duration, error) {
	return p.run(in, out, samples)
}

func (p *Program) run(in Args, out map[string][]int, samples int) (map[string]*Array, []time.Duration, error) {
	dir, err := tempDir()
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	var args []string
	for _, name := range slices.Sorted(maps.Keys(in)) {
		value := in[name]
		if a, ok := value.(*Array); ok {
			path := filepath.Join(dir, name+".npy")
			if err := WriteNPY(path, a); err != nil {
				return nil, nil, err
			}
			value = path
		}
		args = append(args, fmt.Sprintf("%s=%v", name, value))
	}
	file := func(name string) string { return filepath.Join(dir, "out-"+name+".npy") }
	for _, name := range slices.Sorted(maps.Keys(out)) {
		args = append(args, name+"="+file(name)+":"+numbers(out[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Mins)) {
		args = append(args, "--min."+name+"="+numbers(p.Mins[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Parts)) {
		args = append(args, fmt.Sprintf("--part.%s=%d", name, p.Parts[name]))
	}
	if samples > 0 {
		args = append(args, fmt.Sprintf("--samples=%d", samples))
	}
	log, err := p.tree.run(p.Env, p.Path, args...)
	if err != nil {
		return nil, nil, err
	}
	var times []time.Duration
	for line := range strings.Lines(log) {
		var ns int64
		if _, err := fmt.Sscanf(line, "sample_ns %d", &ns); err == nil {
			times = append(times, time.Duration(ns))
		}
	}
	if len(times) != samples {
		return nil, nil, fmt.Errorf("harness: %d of %d samples came back", len(times), samples)
	}
	results := map[string]*Array{}
	for name, shape := range out {
		a, err := ReadNPY(file(name))
		if err != nil {
			return nil, nil, err
		}
		if !slices.Equal(a.Shape, shape) {
			return nil, nil, fmt.Errorf("harness: output %s has shape %v, asked for %v", name, a.Shape, shape)
		}
		results[name] = a
	}
	return results, times, nil
}

// numbers writes extents or coordinates as the runner reads them.
func numbers(list []int) string {
	var words []string
	for _, n := range list {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}
