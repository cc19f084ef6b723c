// Command gowarp-gpusim is the simulator's process. The stand-in libcuda.so beside it
// starts it, with a socket as file 3 and device memory as file 4; nobody else does.
package main

import (
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"gowarp/gpusim/libcuda/simulator"
)

func main() {
	if err := serve(); err != nil {
		slog.Error("gowarp-gpusim", "error", err)
		os.Exit(1)
	}
}

func serve() error {
	// Ctrl-C is for the host; the socket's end tells when it is gone.
	signal.Ignore(os.Interrupt, syscall.SIGHUP)
	for fd := 3; fd <= 4; fd++ {
		var st syscall.Stat_t
		if err := syscall.Fstat(fd, &st); err != nil {
			return fmt.Errorf("file %d is not open: libcuda.so starts this program, people use `gowarp verify -- COMMAND`", fd)
		}
		syscall.CloseOnExec(fd)
	}
	o, err := simulator.FromEnvironment(os.Getenv)
	if err != nil {
		return err
	}
	return simulator.Serve(os.NewFile(3, "host"), os.NewFile(4, "memory"), o)
}
