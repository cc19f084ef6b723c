package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Replaceable is an error if a bundle may not be made in a directory, since what is there was never a bundle and would be
// removed. An unfinished bundle is one.
func Replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return fmt.Errorf("bundle: %w", err)
	}
	// That of another version is one too, and of one that was stopped there may be no more than this.
	if m, err := read(dir); err != nil || m.Schema == 0 || m.GPU == "" || m.Target == "" || m.ID == "" && !m.Unfinished {
		return fmt.Errorf("bundle: %s is there and is no bundle; it would be removed: name another directory, or remove it", dir)
	}
	return nil
}

// begin empties a directory for the bundle of a manifest. At every moment its manifest is there or it is empty, so that
// whatever ends this, the next one may begin anew.
func begin(dir string, m *Manifest) error {
	if err := Replaceable(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	m.Unfinished = true
	if err := m.Write(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	for _, e := range entries {
		if e.Name() == ManifestFile {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("bundle: %w", err)
		}
	}
	return nil
}
