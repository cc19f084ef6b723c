//go:build halide

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gowarp/internal/wholefile"
)

// write writes a file so that nobody ever sees half of it. A device or a pipe is written to and never
// replaced: root can rename a file over /dev/stdout.
func write(name string, data []byte) error {
	// Stat follows links that lead to no path, such as /dev/stdout's to a pipe.
	if info, err := os.Stat(name); err == nil {
		if info.IsDir() {
			return errors.New("it is a folder; name a file in it, as " + filepath.Join(name, "pipeline.json"))
		}
		if !info.Mode().IsRegular() {
			return writeThrough(name, data)
		}
		// What a link leads to is replaced, not the link.
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	} else if _, err := os.Lstat(name); err == nil {
		return errors.New("it is a link that leads nowhere; remove it, or name another file")
	}
	folder := filepath.Dir(name)
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("the folder " + folder + " does not exist; make it, or name another file")
	case err != nil || !info.IsDir():
		return errors.New(folder + " is not a folder; name another file")
	}
	return wholefile.Write(name, data)
}

// writeThrough writes to what is there and is no file.
func writeThrough(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
