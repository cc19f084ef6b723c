package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
)

// maxInput is the largest file that is read: a pipeline of a thousand stages has a
// hundredth of it, and what is larger is another kind of file.
const maxInput = 256 << 20

// readInput reads a whole file, or standard input for "-". what says in errors what the
// file should have been.
func readInput(c *cli.Context, name, what string) ([]byte, error) {
	data, err := readBounded(c, name, what)
	switch {
	case err != nil:
		return nil, err
	case len(data) == 0:
		return nil, fmt.Errorf("%s is empty; %s is wanted", displayName(name), what)
	case len(data) > maxInput:
		return nil, tooLarge(name, what)
	}
	return data, nil
}

func readBounded(c *cli.Context, name, what string) ([]byte, error) {
	r := c.App.Reader
	if name == "" {
		return nil, usagef("the name of a file is empty; %s is wanted", what)
	}
	if name != "-" {
		f, err := os.Open(name)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("there is no file %s", name)
		case err != nil:
			return nil, err
		}
		defer f.Close()
		switch info, err := f.Stat(); {
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, fmt.Errorf("%s is a folder, a file is wanted", name)
		case info.Size() > maxInput:
			return nil, tooLarge(name, what)
		}
		r = f
	}
	return io.ReadAll(io.LimitReader(r, maxInput+1))
}

func tooLarge(name, what string) error {
	return fmt.Errorf("%s has more than %d MiB; is it %s?", displayName(name), maxInput>>20, strings.TrimSuffix(what, ","))
}

// displayName is a file's name in messages.
func displayName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}
