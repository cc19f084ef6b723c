package bench

import (
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// LimitMemory holds this process, and those that it starts, to so many bytes of address
// space each.
func LimitMemory(bytes int64) error {
	if bytes <= 0 {
		return nil
	}
	l := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	if err := unix.Setrlimit(unix.RLIMIT_AS, &l); err != nil {
		return fmt.Errorf("bench: limit of %d bytes of memory: %w", bytes, err)
	}
	return nil
}

// group puts a command and all that it starts into a process group that ends with it.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
