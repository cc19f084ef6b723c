// Package wholefile reads and writes files as one piece.
package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Read is os.ReadFile whose error has the cause without the path, which whoever names the file in a message of their own has already.
func Read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	var e *fs.PathError
	if errors.As(err, &e) {
		err = e.Err
	}
	return data, err
}

// Write makes a file of these bytes, readable by all, so that nobody ever sees half of it: under another name in the same folder first, then
// renamed. What there was stays where they cannot all be written, as on a full disk.
func Write(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	var e *fs.PathError
	switch {
	case errors.As(err, &e): // its path is that other name
		return fmt.Errorf("no file can be made in %s: %w", filepath.Dir(path), e.Err)
	case err != nil:
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
	if err = f.Chmod(0o644); err != nil { // CreateTemp makes a private one
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
