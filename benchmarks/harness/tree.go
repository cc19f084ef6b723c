package harness

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Tree is a checkout of the project whose build directory has been set up.
type Tree struct {
	Root string // absolute
	// toolchain identifies the Halide wheel and the other pinned packages.
	toolchain []byte
}

// Find returns the checkout that holds the working directory.
var Find = sync.OnceValues(func() (*Tree, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("harness: %w", err)
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte("module gowarp\n")) {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, errors.New("harness: not inside a checkout of gowarp")
		}
		dir = parent
	}
	t := &Tree{Root: dir}
	t.toolchain, err = os.ReadFile(t.Build("venv", ".gowarp-stamp"))
	if err != nil {
		return nil, fmt.Errorf("harness: the checkout is not set up, run `make setup`: %w", err)
	}
	return t, nil
})

// Path names a file of the checkout.
func (t *Tree) Path(elem ...string) string {
	return filepath.Join(append([]string{t.Root}, elem...)...)
}

// Build names a file under build/.
func (t *Tree) Build(elem ...string) string {
	return t.Path(append([]string{"build"}, elem...)...)
}

// Halide names a file of the Halide wheel.
func (t *Tree) Halide(elem ...string) string {
	return t.Build(append([]string{"halide"}, elem...)...)
}

// Plugin is the gowarp plugin as `make build` leaves it.
func (t *Tree) Plugin() string { return t.Build("libautoschedule_gowarp.so") }

// Preload is the library that makes HL_AUTOSCHEDULER work on unmodified generators.
func (t *Tree) Preload() string { return t.Build("libgowarp_preload.so") }
