package bench

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"gowarp/benchmarks/harness"
)

// thisMachine reads what Linux says of itself; what it does not say is left empty.
func thisMachine() Machine {
	m := Machine{Cores: runtime.NumCPU(), OS: runtime.GOOS}
	m.CPU = field("/proc/cpuinfo", "model name", ":")
	kib, _ := strconv.ParseInt(strings.TrimSuffix(field("/proc/meminfo", "MemTotal", ":"), " kB"), 10, 64)
	m.MemoryBytes = kib << 10
	if name := strings.Trim(field("/etc/os-release", "PRETTY_NAME", "="), `"`); name != "" {
		m.OS = name
	}
	return m
}

// field is the value of the first line KEY SEPARATOR VALUE of a file.
func field(path, key, separator string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		k, v, ok := strings.Cut(line, separator)
		if ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// Versions are those of what a figure may depend on.
func Versions(tree *harness.Tree) map[string]string {
	v := map[string]string{"go": runtime.Version()}
	requirements, err := os.ReadFile(tree.Path("scripts", "requirements.txt"))
	if err != nil {
		return v
	}
	for line := range strings.Lines(string(requirements)) {
		name, version, ok := strings.Cut(strings.TrimSpace(line), "==")
		switch {
		case ok && name == "halide":
			v["halide"] = version
		case ok && strings.HasPrefix(name, "nvidia-cuda-nvcc"):
			v["ptxas"] = version
		}
	}
	return v
}

// Commit is what git calls the source, "" outside a repository.
func Commit(tree *harness.Tree) string {
	cmd := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=12")
	cmd.Dir = tree.Root
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
