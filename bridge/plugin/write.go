//go:build halide

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gowarp/internal/wholefile"
)

// write writes a file so that nobody ever sees half of it.
func write(name string, data []byte) error {
	f, err := destination(name)
	switch {
	case err != nil:
		return err
	case f.through:
		return writeThrough(f.name, data)
	}
	return wholefile.Write(f.name, data)
}

// file is where something can be written.
type file struct {
	name    string
	through bool // it is there and no regular file
}

// destination is the file that a user names, or what is wrong with the name. A device or a pipe is written to and never
// replaced: root can rename a file over /dev/stdout.
func destination(name string) (file, error) {
	// Stat follows links that lead to no path, such as /dev/stdout's to a pipe.
	if info, err := os.Stat(name); err == nil {
		if info.IsDir() {
			return file{}, errors.New("it is a folder; name a file in it, as " + filepath.Join(name, "out.json"))
		}
		if !info.Mode().IsRegular() {
			return file{name: name, through: true}, nil
		}
		// What a link leads to is replaced, not the link.
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return file{}, err
		}
	} else if _, err := os.Lstat(name); err == nil {
		return file{}, errors.New("it is a link that leads nowhere; remove it, or name another file")
	}
	folder := filepath.Dir(name)
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return file{}, errors.New("the folder " + folder + " does not exist; make it, or name another file")
	case err != nil || !info.IsDir():
		return file{}, errors.New(folder + " is not a folder; name another file")
	}
	return file{name: name}, nil
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
