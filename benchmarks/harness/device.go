package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Device is what a pipeline can run on.
type Device struct {
	Name   string
	Target string   // Halide's target string
	Env    []string // for programs that run on it
	GPU    bool
}

// capabilities that Halide 21 has target features for, newest first.
var halideCapabilities = []int{86, 80, 75, 70, 61, 50, 35, 32, 30}

// HalideCapability is the newest that Halide emits code for and a device of this capability
// runs, both times ten; 0 if there is none.
func HalideCapability(capability int) int {
	for _, c := range halideCapabilities {
		if c <= capability {
			return c
		}
	}
	return 0
}

// BestDevice is an NVIDIA GPU if there is one, else the CPU by OpenCL.
func (t *Tree) BestDevice() Device {
	if d, ok := t.nvidia(); ok {
		return d
	}
	return Device{Name: "the CPU by OpenCL (PoCL)", Target: "host-opencl", Env: t.OpenCLEnv()}
}

// nvidia asks nvidia-smi, which comes with the driver. Newer devices than Halide
// knows run the newest code that it emits.
func (t *Tree) nvidia() (Device, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader").Output()
	if err != nil {
		return Device{}, false
	}
	line, _, _ := strings.Cut(string(out), "\n")
	name, capability, ok := strings.Cut(line, ", ")
	major, minor, ok2 := strings.Cut(strings.TrimSpace(capability), ".")
	ma, err1 := strconv.Atoi(major)
	mi, err2 := strconv.Atoi(minor)
	if !ok || !ok2 || err1 != nil || err2 != nil {
		return Device{}, false
	}
	c := HalideCapability(10*ma + mi)
	if c == 0 {
		return Device{}, false
	}
	d := Device{GPU: true, Name: fmt.Sprintf("%s (compute capability %d.%d)", name, ma, mi), Target: fmt.Sprintf("host-cuda-cuda_capability_%d", c)}
	d.Env = t.libcuda()
	return d, true
}

// libcuda makes a name that Halide's runtime looks for: it opens libcuda.so, while
// drivers without their development files install libcuda.so.1 only.
func (t *Tree) libcuda() []string {
	out, err := exec.Command("ldconfig", "-p").Output()
	if err != nil || strings.Contains(string(out), "libcuda.so (") {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		name, path, ok := strings.Cut(line, " => ")
		if !ok || !strings.Contains(name, "libcuda.so.1 ") || !strings.Contains(name, "x86-64") {
			continue
		}
		dir := t.Build("cache", "libcuda")
		if os.MkdirAll(dir, 0o777) != nil {
			return nil
		}
		link := filepath.Join(dir, "libcuda.so")
		_ = os.Remove(link)
		if os.Symlink(strings.TrimSpace(path), link) == nil {
			return []string{"LD_LIBRARY_PATH=" + dir + ":" + os.Getenv("LD_LIBRARY_PATH")}
		}
	}
	return nil
}
