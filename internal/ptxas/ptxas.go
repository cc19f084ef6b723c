// Package ptxas asks NVIDIA's assembler what kernels in PTX use: registers, spills, stack. It compiles as Halide's CUDA runtime does, with a cap
// on the registers of a thread.
package ptxas

import (
	"context"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// MaxRegisters is the cap of Halide 21's CUDA runtime, CU_JIT_MAX_REGISTERS, unless HL_CUDA_JIT_MAX_REGISTERS says otherwise.
const MaxRegisters = 64

// Use is what ptxas says of a kernel.
type Use struct {
	Kernel       string
	Registers    int // a thread
	StackBytes   int
	SpillStores  int // bytes
	SpillLoads   int // bytes
	StaticShared int // bytes; Halide's shared memory is dynamic and not in here
}

// Prefix is how the name of the kernel of a stage begins in Halide's code: stage 0 is the pure definition. What follows are the
// loops of its blocks. In PTX an underscore may stand before it.
func Prefix(fn string, stage int) string {
	return fmt.Sprintf("kernel_%s_s%d_", strings.NewReplacer("$", "_", ".", "_").Replace(fn), stage)
}

// Of reports whether a kernel of that name is that of a stage.
func Of(kernel, fn string, stage int) bool {
	return strings.HasPrefix(strings.TrimPrefix(kernel, "_"), Prefix(fn, stage))
}

// SpillBytes are those that a thread stores and loads.
func (u *Use) SpillBytes() int { return u.SpillStores + u.SpillLoads }

// Find is the path of ptxas: in one of the directories, or on the search path; "" for none.
func Find(dirs ...string) string {
	for _, dir := range dirs {
		beside := filepath.Join(dir, "ptxas")
		if _, err := os.Stat(beside); err == nil {
			return beside
		}
	}
	path, err := exec.LookPath("ptxas")
	if err != nil {
		return ""
	}
	return path
}

// Version is what a ptxas calls itself.
func Version(path string) (string, error) {
	text, err := run(path, "--version")
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1], nil
}

// longest is the time that a ptxas gets: the slowest of the programs takes seconds.
var longest = 3 * time.Minute

// run is what a ptxas prints.
func run(path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second // for what it started and left
	text, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("ptxas: %s did not end within %v", path, longest)
	case err != nil:
		return "", fmt.Errorf("ptxas: %s: %w%s", path, err, quoted(string(text)))
	}
	return string(text), nil
}

// quoted is the beginning of what was printed, behind a colon; whatever bytes it has.
func quoted(text string) string {
	const most = 400
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if len(text) > most {
		text = text[:most] + " …"
	}
	return fmt.Sprintf(": %q", text)
}

// Compile compiles PTX for a device of compute capability sm (75 for 7.5) and returns what each kernel uses, in the order of the text.
func Compile(path, ptx string, sm, maxRegisters int) ([]Use, error) {
	file, err := os.CreateTemp("", "gowarp-*.ptx")
	if err != nil {
		return nil, fmt.Errorf("ptxas: %w", err)
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(ptx); err != nil {
		file.Close()
		return nil, fmt.Errorf("ptxas: %w", err)
	}
	if err := file.Close(); err != nil {
		return nil, fmt.Errorf("ptxas: %w", err)
	}
	log, err := run(path, "-v", fmt.Sprintf("-arch=sm_%d", sm), "--maxrregcount", strconv.Itoa(maxRegisters), "-o", os.DevNull, file.Name())
	if err != nil {
		return nil, fmt.Errorf("for sm_%d: %w", sm, err)
	}
	return Parse(log, ptx)
}

var (
	entry   = regexp.MustCompile(`Compiling entry function '([^']+)'`)
	spills  = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	used    = regexp.MustCompile(`Used (\d+) registers`)
	shared  = regexp.MustCompile(`(\d+) bytes smem`)
	entries = regexp.MustCompile(`\.entry\s+(\w+)`)
)

// Entries are the names of the kernels of a text, in its order.
func Entries(ptx string) []string {
	var names []string
	for name := range Bodies(ptx) {
		names = append(names, name)
	}
	return names
}

// Bodies are the kernels of a text, in its order: each one's name, and what follows it up to the next kernel.
func Bodies(ptx string) iter.Seq2[string, string] {
	return func(yield func(name, body string) bool) {
		at := entries.FindAllStringSubmatchIndex(ptx, -1)
		for i, m := range at {
			end := len(ptx)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			if !yield(ptx[m[2]:m[3]], ptx[m[3]:end]) {
				return
			}
		}
	}
}

// Parse reads what ptxas said of a text, which it does in an order of its own.
func Parse(log, ptx string) ([]Use, error) {
	by := map[string]*Use{}
	var u *Use
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // the patterns only match digits
	for line := range strings.Lines(log) {
		if m := entry.FindStringSubmatch(line); m != nil {
			u = &Use{Kernel: m[1]}
			by[u.Kernel] = u
		}
		if u == nil {
			continue
		}
		if m := spills.FindStringSubmatch(line); m != nil {
			u.StackBytes, u.SpillStores, u.SpillLoads = number(m[1]), number(m[2]), number(m[3])
		}
		if m := used.FindStringSubmatch(line); m != nil {
			u.Registers = number(m[1])
		}
		if m := shared.FindStringSubmatch(line); m != nil {
			u.StaticShared = number(m[1])
		}
	}
	var uses []Use
	for _, name := range Entries(ptx) {
		if by[name] == nil {
			return nil, fmt.Errorf("ptxas: it said nothing of the kernel %s%s", name, quoted(log))
		}
		uses = append(uses, *by[name])
	}
	return uses, nil
}
