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

// GeneratorFailure is how a generator failed by itself: its source does not compile, or it
// runs under a limit and fails.
type GeneratorFailure struct {
	TooSlow bool // it used up its processor time
	Text    string
}

func (f *GeneratorFailure) Error() string { return f.Text }

// unfitError is why a program is nothing that the harness can run: a type of its arguments.
type unfitError string

func (e unfitError) Error() string { return string(e) }

// ByItself reports whether an error is how a program failed by itself, and will again: a
// process of it ended badly that nobody stopped, or it is nothing that the harness can run.
// Other errors are the machine's.
func ByItself(err error) bool {
	var failed *GeneratorFailure
	var unfit unfitError
	if errors.As(err, &failed) || errors.As(err, &unfit) {
		return true
	}
	_, ended := endedBy(err)
	return ended
}

// endedBy is the signal of which a process died, 0 if it ended with an exit code. It is false
// where somebody else ended the process, the user or a kernel that is out of memory, or where
// none was started.
func endedBy(err error) (syscall.Signal, bool) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0, true
	}
	switch status.Signal() {
	case syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT:
		return status.Signal(), false
	}
	return status.Signal(), true
}

// generatorFailure tells failures that will happen again from those of the machine.
func generatorFailure(err error, cpuSeconds int) (*GeneratorFailure, bool) {
	signal, ended := endedBy(err)
	switch {
	case cpuSeconds == 0 || !ended:
		return nil, false
	case signal == syscall.SIGXCPU:
		return &GeneratorFailure{TooSlow: true, Text: fmt.Sprintf("%v\nstopped after %d s of processor time", err, cpuSeconds)}, true
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
