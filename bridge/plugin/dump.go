//go:build halide

package main

import (
	"errors"
	"os"
	"path/filepath"
)

// writeAtomically writes a file so that nobody ever sees half of it: under
// another name in the same folder first, then renamed.
func writeAtomically(name string, data []byte) (err error) {
	folder := filepath.Dir(name)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return errors.New("the folder " + folder + " does not exist; make it, or name another file")
	}
	f, err := os.CreateTemp(folder, "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close() // again after a failed Close, harmlessly
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	// CreateTemp makes a private file; a dump is as readable as what a compiler writes.
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
