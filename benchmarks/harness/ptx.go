package harness

import (
	"errors"
	"fmt"
	"regexp"

	"gowarp/internal/ptxas"
)

// PTX is the text of the pipeline's kernels.
func (e *Emission) PTX() (string, error) { return e.text("device_code") }

var gpuRun = regexp.MustCompile(`\bhalide_(?:cuda|opencl)_run\(`)

// LaunchSites counts the places in the lowered pipeline that launch a kernel: 0 means
// that everything runs on the host.
func (e *Emission) LaunchSites() (int, error) {
	stmt, err := e.text("stmt")
	return len(gpuRun.FindAllString(stmt, -1)), err
}

var ptxTrap = regexp.MustCompile(`(?m)^\s*(?:@\S+\s+)?trap;`)

// Ptxas compiles PTX for a device of compute capability sm (75 for 7.5) and returns
// what each kernel uses, in the order of the text.
func (t *Tree) Ptxas(ptx string, sm, maxRegisters int) ([]ptxas.Use, error) {
	return ptxas.Compile(t.Build("ptxas"), ptx, sm, maxRegisters)
}

// Limits of a launch under Halide's CUDA runtime, on every NVIDIA GPU.
const (
	MaxThreads     = 1024
	MaxThreadsZ    = 64
	MaxSharedBytes = 48 << 10
	MaxBlocksX     = 1<<31 - 1
	MaxBlocksYZ    = 65535
)

// Launch is one kernel launch.
type Launch struct {
	Kernel          string
	Blocks, Threads [3]int64
	SharedBytes     int64
}

// Check says which limit the launch breaks, if any.
func (l Launch) Check() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("kernel %s: "+format, append([]any{l.Kernel}, args...)...))
	}
	if n := l.Threads[0] * l.Threads[1] * l.Threads[2]; n > MaxThreads || n < 1 {
		bad("%v is %d threads a block, at most %d can launch", l.Threads, n, MaxThreads)
	}
	if l.Threads[2] > MaxThreadsZ {
		bad("%d threads in z, at most %d can launch", l.Threads[2], MaxThreadsZ)
	}
	for i, n := range l.Blocks {
		if most := []int64{MaxBlocksX, MaxBlocksYZ, MaxBlocksYZ}[i]; n < 1 || n > most {
			bad("%d blocks in %c, outside 1 to %d", n, 'x'+rune(i), most)
		}
	}
	if l.SharedBytes > MaxSharedBytes {
		bad("%d bytes of shared memory a block, at most %d can launch", l.SharedBytes, MaxSharedBytes)
	}
	return errors.Join(errs...)
}

// CheckPTX compiles the emission's kernels for a compute capability as Halide's
// runtime would, and refuses kernels with a trap (Halide's mark of a bound that was
// asserted too small).
func (t *Tree) CheckPTX(e *Emission, sm int) ([]ptxas.Use, error) {
	ptx, err := e.PTX()
	if err != nil {
		return nil, err
	}
	if len(ptxas.Entries(ptx)) == 0 {
		return nil, fmt.Errorf("harness: %s: no kernel in the device code: nothing runs on the GPU", e.Name)
	}
	if ptxTrap.MatchString(ptx) {
		return nil, fmt.Errorf("harness: %s: the PTX holds a trap (%s)", e.Name, e.File("device_code"))
	}
	return t.Ptxas(ptx, sm, ptxas.MaxRegisters)
}
