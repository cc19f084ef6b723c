package harness

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
)

// limit stops a command that hangs; the slowest legitimate one (a full-size program
// on PoCL with a cold kernel cache) takes about a minute.
const limit = 10 * time.Minute

// run executes a command in the root of the checkout and returns what it printed.
// A failure carries its beginning and its end.
func (t *Tree) run(env []string, program string, args ...string) (string, error) {
	out, _, err := t.measured(env, program, args...)
	return out, err
}

// usage is what a command took.
type usage struct {
	peakBytes int64 // its largest resident set
	wall, cpu time.Duration
}

// measured is run that also returns what the command took.
func (t *Tree) measured(env []string, program string, args ...string) (string, usage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = t.Root
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	u := usage{wall: time.Since(start)}
	if ctx.Err() != nil {
		err = fmt.Errorf("stopped after %s", limit)
	}
	if err != nil {
		text := strings.TrimSpace(out.String())
		// Compilers put the cause first, generators last.
		if most := 2000; len(text) > 2*most {
			text = text[:most] + "\n[…]\n" + text[len(text)-most:]
		}
		return out.String(), u, fmt.Errorf("harness: %s: %w\n%s", filepath.Base(program), err, text)
	}
	u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.peakBytes = r.Maxrss << 10 // Linux counts KiB
	}
	return out.String(), u, nil
}

// forgetPeak gives free memory back and forgets how much this process once held: Linux
// counts that into the peak of every process that is started from here, because the child
// shares our memory until it executes its program.
func forgetPeak() {
	debug.FreeOSMemory()
	// proc(5): 5 resets the peak resident set. Where it is forbidden, peaks are too high.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// Generator is a Halide generator in one C++ file.
type Generator struct {
	Source string            // path, relative to the root of the checkout or absolute
	Name   string            // the name that it is registered under
	Params map[string]string // GeneratorParams
}

// Compile builds the generator's executable, or finds the one built before, and
// returns its path. The executable is a stock one: nothing of gowarp is in it.
func (t *Tree) Compile(g Generator) (string, error) {
	source := g.Source
	if !filepath.IsAbs(source) {
		source = t.Path(source)
	}
	libs := []string{t.Halide("lib64", "libHalide_GenGen.a"), "-L" + t.Halide("lib64"), "-lHalide", "-Wl,-rpath," + t.Halide("lib64")}
	exe, err := t.halideCxx("generator", source, "generator", libs)
	if _, ended := endedBy(err); ended {
		return "", &GeneratorFailure{Text: err.Error()}
	}
	return exe, err
}

// ownInclude is the inclusion of a file that lies beside the one that includes it.
var ownInclude = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"]+)"`)

// sources adds a C++ file to a key, and the files beside it that it includes.
func (k *key) sources(file string, seen map[string]bool) error {
	seen[file] = true
	if err := k.file(file); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, m := range ownInclude.FindAllSubmatch(text, -1) {
		included := filepath.Join(filepath.Dir(file), string(m[1]))
		if seen[included] {
			continue
		}
		if _, err := os.Stat(included); err != nil {
			continue // of Halide, or missing: the compiler will say
		}
		if err := k.sources(included, seen); err != nil {
			return err
		}
	}
	return nil
}

// cxx compiles one C++ file into dir/output, cached by the content of the file, of what it includes from beside it, and
// the flags.
func (t *Tree) cxx(kind, source, output string, flags, libs []string) (string, error) {
	return t.compiled(kind, source, output, flags, libs, func() ([]string, error) { return nil, nil })
}

// compiled is cxx with a flag besides, worked out where the file has to be compiled, that makes no difference to what comes out.
func (t *Tree) compiled(kind, source, output string, flags, libs []string, header func() ([]string, error)) (string, error) {
	k := t.newKey(kind)
	if err := k.sources(source, map[string]bool{}); err != nil {
		return "", fmt.Errorf("harness: %w", err)
	}
	k.text(flags...)
	k.text(libs...)
	dir, err := t.once(kind, k, func(dir string) error {
		found, err := header()
		if err != nil {
			return err
		}
		_, err = t.run(nil, "g++", slices.Concat(found, flags, []string{source, "-o", filepath.Join(dir, output)}, libs)...)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("compile %s: %w", source, err)
	}
	return filepath.Join(dir, output), nil
}

// rootPlugin builds the autoscheduler "Root", which computes every Func at root in
// plain loops.
func (t *Tree) rootPlugin() (string, error) { return t.ownPlugin("root") }

// rootGPUPlugin builds the autoscheduler "RootGPU", which gives every stage a kernel.
func (t *Tree) rootGPUPlugin() (string, error) { return t.ownPlugin("root_gpu") }

func (t *Tree) ownPlugin(name string) (string, error) {
	return t.cxx(strings.ReplaceAll(name, "_", "")+"plugin", t.Path("benchmarks", "harness", "cxx", name+"_plugin.cc"), "libautoschedule_"+name+".so",
		[]string{"-std=c++17", "-O0", "-shared", "-fPIC", "-I" + t.Halide("include")},
		[]string{"-L" + t.Halide("lib64"), "-lHalide"})
}

// pairs returns m as sorted key=value words, each key behind a prefix.
func pairs(prefix string, m map[string]string) []string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		words = append(words, prefix+key+"="+m[key])
	}
	return words
}
