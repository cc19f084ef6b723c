package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// GeneratorFailure is how a generator that runs under a limit failed by itself.
type GeneratorFailure struct {
	TooSlow bool // it used up its processor time
	Text    string
}

func (f *GeneratorFailure) Error() string { return f.Text }

// generatorFailure tells failures that will happen again from those of the machine, such as
// a process killed for memory.
func generatorFailure(err error, cpuSeconds int) (*GeneratorFailure, bool) {
	var exit *exec.ExitError
	if cpuSeconds == 0 || !errors.As(err, &exit) {
		return nil, false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled() && status.Signal() == syscall.SIGXCPU:
		return &GeneratorFailure{TooSlow: true, Text: fmt.Sprintf("%v\nstopped after %d s of processor time", err, cpuSeconds)}, true
	case ok && status.Signaled() && status.Signal() == syscall.SIGKILL:
		return nil, false
	}
	return &GeneratorFailure{Text: err.Error()}, true
}

const failureFile = "failure.json"

func (f *GeneratorFailure) write(dir string) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, failureFile), b, 0o666)
}

// readFailure returns the failure that was written to a directory, if there is one.
func readFailure(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, failureFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f := &GeneratorFailure{}
	if err := json.Unmarshal(b, f); err != nil {
		return fmt.Errorf("harness: %s: %w", dir, err)
	}
	return f
}
