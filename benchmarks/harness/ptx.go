package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// MaxRegisters is the cap under which Halide 21's CUDA runtime compiles kernels
// unless HL_CUDA_JIT_MAX_REGISTERS says otherwise.
const MaxRegisters = 64

// PTX is the text of the pipeline's kernels.
func (e *Emission) PTX() (string, error) { return e.text("device_code") }

var gpuRun = regexp.MustCompile(`\bhalide_(?:cuda|opencl)_run\(`)

// LaunchSites counts the places in the lowered pipeline that launch a kernel: 0 means
// that everything runs on the host.
func (e *Emission) LaunchSites() (int, error) {
	stmt, err := e.text("stmt")
	return len(gpuRun.FindAllString(stmt, -1)), err
}

// KernelPrefix is how the name of the kernel of a stage begins in Halide's code: stage 0 is the pure definition. What follows are the
// loops of its blocks.
func KernelPrefix(fn string, stage int) string {
	return fmt.Sprintf("kernel_%s_s%d_", strings.NewReplacer("$", "_", ".", "_").Replace(fn), stage)
}

// KernelUse is what ptxas says of a kernel.
type KernelUse struct {
	Kernel       string
	Registers    int // a thread
	StackBytes   int
	SpillStores  int // bytes
	SpillLoads   int // bytes
	StaticShared int // bytes; Halide's shared memory is dynamic and not in here
}

var (
	ptxasEntry  = regexp.MustCompile(`Compiling entry function '([^']+)'`)
	ptxasSpills = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	ptxasUsed   = regexp.MustCompile(`Used (\d+) registers`)
	ptxasShared = regexp.MustCompile(`(\d+) bytes smem`)
	ptxEntry    = regexp.MustCompile(`\.entry\s+(\w+)`)
	ptxTrap     = regexp.MustCompile(`(?m)^\s*(?:@\S+\s+)?trap;`)
)

// Ptxas compiles PTX for a device of compute capability sm (75 for 7.5) and returns
// what each kernel uses, in the order of the text.
func (t *Tree) Ptxas(ptx string, sm, maxRegisters int) ([]KernelUse, error) {
	dir, err := tempDir()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "kernels.ptx")
	if err := os.WriteFile(file, []byte(ptx), 0o666); err != nil {
		return nil, err
	}
	log, err := t.run(nil, t.Build("ptxas"), "-v", fmt.Sprintf("-arch=sm_%d", sm), "--maxrregcount", strconv.Itoa(maxRegisters),
		"-o", filepath.Join(dir, "kernels.cubin"), file)
	if err != nil {
		return nil, fmt.Errorf("ptxas for sm_%d: %w", sm, err)
	}
	uses := parsePtxas(log)
	if want := len(ptxEntry.FindAllString(ptx, -1)); len(uses) != want {
		return nil, fmt.Errorf("harness: ptxas reported %d of %d kernels:\n%s", len(uses), want, log)
	}
	// ptxas reports in an order of its own.
	byName := map[string]KernelUse{}
	for _, u := range uses {
		byName[u.Kernel] = u
	}
	uses = uses[:0]
	for _, m := range ptxEntry.FindAllStringSubmatch(ptx, -1) {
		uses = append(uses, byName[m[1]])
	}
	return uses, nil
}

func parsePtxas(log string) []KernelUse {
	var uses []KernelUse
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // the patterns only match digits
	for line := range strings.Lines(log) {
		if m := ptxasEntry.FindStringSubmatch(line); m != nil {
			uses = append(uses, KernelUse{Kernel: m[1]})
		}
		if len(uses) == 0 {
			continue
		}
		u := &uses[len(uses)-1]
		if m := ptxasSpills.FindStringSubmatch(line); m != nil {
			u.StackBytes, u.SpillStores, u.SpillLoads = number(m[1]), number(m[2]), number(m[3])
		}
		if m := ptxasUsed.FindStringSubmatch(line); m != nil {
			u.Registers = number(m[1])
		}
		if m := ptxasShared.FindStringSubmatch(line); m != nil {
			u.StaticShared = number(m[1])
		}
	}
	return uses
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
func (t *Tree) CheckPTX(e *Emission, sm int) ([]KernelUse, error) {
	ptx, err := e.PTX()
	if err != nil {
		return nil, err
	}
	if !ptxEntry.MatchString(ptx) {
		return nil, fmt.Errorf("harness: %s: no kernel in the device code: nothing runs on the GPU", e.Name)
	}
	if ptxTrap.MatchString(ptx) {
		return nil, fmt.Errorf("harness: %s: the PTX holds a trap (%s)", e.Name, e.File("device_code"))
	}
	return t.Ptxas(ptx, sm, MaxRegisters)
}
