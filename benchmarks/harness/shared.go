package harness

import (
	"fmt"
	"os"
	"path/filepath"
)

// RootParallel is Root with the outermost loop of each stage on all cores: the same values,
// sooner.
func RootParallel() Scheduler {
	return Scheduler{name: "RootParallel", plugin: func(t *Tree) (string, error) { return t.ownPlugin("root_parallel") }}
}

// Runtime has a generator write Halide's runtime for a target and returns the archive. What
// is emitted with the target feature no_runtime is run by a program that holds it.
func (t *Tree) Runtime(g Generator, target string) (string, error) {
	exe, err := t.Compile(g)
	if err != nil {
		return "", err
	}
	k := t.newKey("runtime") // the wheel's, whichever generator is asked
	k.text(target)
	dir, err := t.once("runtime", k, func(dir string) error {
		_, err := t.run(nil, exe, "-r", "runtime", "-e", "static_library", "-o", dir, "target="+target)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("the runtime of Halide for %s: %w", target, err)
	}
	return filepath.Join(dir, "runtime.a"), nil
}

// SharedLibrary makes a library of an emission that programs load at run time, at path. Of
// its symbols those of Halide's runtime are left to the program, if the target says
// no_runtime.
func (t *Tree) SharedLibrary(e *Emission, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("harness: %w", err)
	}
	if _, err := t.run(nil, "g++", "-shared", "-s", "-o", path, "-Wl,--whole-archive", e.File("a"), "-Wl,--no-whole-archive", "-lm"); err != nil {
		return fmt.Errorf("link %s: %w", e.Name, err)
	}
	return nil
}

// Portable makes a program, at path, of one C++ file; it depends on the C library alone. Of
// an archive of Halide's runtime, if one is given, all is in it, for the libraries that it
// loads.
func (t *Tree) Portable(source, runtime, path string) error {
	args := []string{"-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-I" + t.Halide("include"), t.Path(source), "-o", path}
	if runtime != "" {
		args = append(args, "-Wl,--whole-archive", runtime, "-Wl,--no-whole-archive", "-rdynamic")
	}
	if _, err := t.run(nil, "g++", append(args, "-static-libstdc++", "-static-libgcc", "-ldl", "-lpthread", "-lm", "-s")...); err != nil {
		return fmt.Errorf("compile %s: %w", source, err)
	}
	return nil
}
