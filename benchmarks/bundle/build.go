package bundle

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/harness"
)

// Host is what the libraries ask of the processor: AVX2 and what came with it in 2013
// (Intel's Haswell, AMD's Excavator), so every x86-64 server that holds a GPU. Halide's
// `host` would be the machine that builds.
const Host = "x86-64-linux-avx-avx2-f16c-fma-sse41"

// MaxBytes is what a bundle may hold: 60 MiB, so that it travels where 64 are the limit.
const MaxBytes = 60 << 20

// Options say what a bundle is made of.
type Options struct {
	Dir        string // made anew, see Replaceable
	Programs   []bench.Program
	Schedulers []bench.Scheduler
	// Draw, if not nil, names the schedulers of each program in the place of Schedulers.
	Draw      func(bench.Program) ([]bench.Scheduler, error)
	Target    bench.Target
	Limits    bench.Limits
	Tolerance harness.Tolerance
	// Scale is how many times the estimated size, in both dimensions of an image, the large
	// size of each program is; 0: it is such that compulsory traffic is LargeL2s times the
	// device's L2; 1: there is none.
	Scale    int
	Workers  int
	MaxBytes int64
	Log      io.Writer
}

// LargeL2s is how much more than the L2 a pipeline moves at its large size: then little of
// what one run left there serves the next.
const LargeL2s = 4

// The small size is an eighth of the estimated one: 192x320 for 1536x2560, as in Sioutas et
// al. 2020, where launches weigh. It is a quarter or half where extents would be below least:
// tiles that are shifted inwards at an edge refuse extents below their own.
const (
	smaller = 8
	least   = 64
)

// Schedulers are those of the bundle: gowarp as it is by default and as the scheduler of Sioutas et al.,
// and everyone else of the benchmark.
func Schedulers() []bench.Scheduler {
	all := []bench.Scheduler{
		{Name: "gowarp"},
		{Name: "gowarp", Params: map[string]string{"mode": "autogpu", "fusion": "nested"}},
	}
	for _, s := range bench.Schedulers() {
		if s.Name != "gowarp" {
			all = append(all, s)
		}
	}
	return all
}

// Build makes a bundle and returns its size in bytes. A program that fails by itself is rows with the reason (Program.Fails).
func Build(ctx context.Context, tree *harness.Tree, o Options) (int64, error) {
	if len(o.Programs) == 0 {
		return 0, errors.New("bundle: no programs")
	}
	for _, p := range o.Programs {
		if err := bench.CheckParams(tree, p, o.Target.Halide(), o.Limits); err != nil {
			return 0, fmt.Errorf("bundle: %w", err)
		}
	}
	photo, err := tree.Photograph("coffee", 0, 0)
	if err != nil {
		return 0, err
	}
	m := &Manifest{
		Schema: Schema, Commit: bench.Commit(tree), Versions: bench.Versions(tree),
		GPU: o.Target.Device.Name, Target: o.HalideTarget(), Photograph: photo.Shape,
	}
	if err := begin(o.Dir, m); err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(o.Dir, PhotographFile), photo.Data, 0o666); err != nil {
		return 0, fmt.Errorf("bundle: %w", err)
	}
	if err := programs(ctx, tree, o); err != nil {
		return 0, err
	}
	for _, p := range o.Programs {
		fmt.Fprintf(o.Log, "bundle: %s\n", p.Label())
		made, err := o.program(ctx, tree, p)
		if stopped := ctx.Err(); stopped != nil { // what was running says nothing
			err = stopped
		}
		if err != nil {
			return 0, fmt.Errorf("bundle: %s: %w", p.Label(), err)
		}
		m.Programs = append(m.Programs, *made)
	}
	if m.ID, err = contents(o.Dir); err != nil {
		return 0, err
	}
	if m.Glibc, err = glibc(filepath.Join(o.Dir, WorkerFile), filepath.Join(o.Dir, MicroFile)); err != nil {
		return 0, err
	}
	m.Unfinished = false
	if err := m.Write(o.Dir); err != nil {
		return 0, err
	}
	size, err := DirBytes(o.Dir)
	if err != nil {
		return 0, err
	}
	if o.MaxBytes > 0 && size > o.MaxBytes {
		return size, fmt.Errorf("bundle: %s holds %.1f MiB, more than %.0f; leave out programs or schedulers", o.Dir, mib(size), mib(o.MaxBytes))
	}
	return size, nil
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }

// glibc is the newest version of the C library that programs name symbols of: its symbols
// are never older than the functions behind them.
func glibc(paths ...string) (string, error) {
	var newest [2]int
	for _, path := range paths {
		f, err := elf.Open(path)
		if err != nil {
			return "", fmt.Errorf("bundle: %w", err)
		}
		symbols, err := f.ImportedSymbols()
		f.Close()
		if err != nil {
			return "", fmt.Errorf("bundle: %s: %w", path, err)
		}
		for _, s := range symbols {
			var v [2]int
			if _, err := fmt.Sscanf(s.Version, "GLIBC_%d.%d", &v[0], &v[1]); err == nil && slices.Compare(v[:], newest[:]) > 0 {
				newest = v
			}
		}
	}
	return fmt.Sprintf("%d.%d", newest[0], newest[1]), nil
}

// contents is the hash of what a bundle's times follow from.
func contents(dir string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, inside := filepath.Rel(dir, path)
		if err = errors.Join(err, inside); err != nil || d.IsDir() || slices.Contains([]string{RunnerFile, MicroFile, ManifestFile}, name) {
			return err
		}
		b, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n", name, len(b))
		h.Write(b)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("bundle: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil))[:12], nil
}

// DirBytes is how many bytes the files of a directory hold.
func DirBytes(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("bundle: %w", err)
	}
	return n, nil
}

// HalideTarget is the target string of the cells.
func (o Options) HalideTarget() string {
	return fmt.Sprintf("%s-cuda-cuda_capability_%d-no_runtime", Host, o.Target.Capability)
}

// programs makes those that run a bundle.
func programs(ctx context.Context, tree *harness.Tree, o Options) error {
	runtime, err := o.runtime(tree)
	if err != nil {
		return err
	}
	if err := tree.Portable("benchmarks/bundle/cxx/worker.cc", runtime, filepath.Join(o.Dir, WorkerFile)); err != nil {
		return err
	}
	if err := tree.Portable("benchmarks/bundle/cxx/micro.cc", "", filepath.Join(o.Dir, MicroFile)); err != nil {
		return err
	}
	absolute, err := filepath.Abs(o.Dir)
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	// Without cgo it depends on nothing.
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(absolute, RunnerFile), "./benchmarks/bundle/runner")
	cmd.Dir, cmd.Env = tree.Root, append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("bundle: the runner: %w\n%s", err, out)
	}
	return nil
}

// runtime is Halide's, as the first program writes it that can: it is the wheel's, the same of all.
func (o Options) runtime(tree *harness.Tree) (path string, err error) {
	for _, p := range o.Programs {
		if path, err = tree.Runtime(p.Generator(nil), "x86-64-linux-cuda"); err == nil || !harness.ByItself(err) {
			break
		}
	}
	return path, err
}

// sizes are the estimated one, a multiple of it and a fraction of it. Multiples keep what a
// schedule by hand asks of extents.
func (o Options) sizes(tree *harness.Tree, root *harness.Emission) ([]Size, error) {
	args, err := tree.Describe(root, 0, 0)
	if err != nil {
		return nil, err
	}
	sizes := []Size{{Name: "estimate", Arguments: args}}
	width, height, ok := image(args)
	if !ok {
		return sizes, nil
	}
	scale := o.Scale
	if scale == 0 {
		scale = 1
		for want := LargeL2s * int64(o.Target.Device.L2Bytes); int64(scale*scale)*sizes[0].CompulsoryBytes() < want; {
			scale++
		}
	}
	part := smaller
	for part > 1 && min(width, height)/part < least {
		part /= 2
	}
	for _, other := range []struct {
		name          string
		width, height int
	}{{"large", scale * width, scale * height}, {"small", width / part, height / part}} {
		if other.width == width {
			continue
		}
		if args, err = tree.Describe(root, other.width, other.height); err != nil {
			return nil, err
		}
		// Halide's buffers have extents and offsets of 31 bits.
		const most = 1<<31 - 1
		if !slices.ContainsFunc(args, func(a harness.Argument) bool { return a.Bytes() > most }) {
			sizes = append(sizes, Size{Name: other.name, Arguments: args})
		}
	}
	return sizes, nil
}

// image are the first two extents of the first output that are no channels or taps: those
// that Describe takes for its size.
func image(args []harness.Argument) (width, height int, ok bool) {
	const small = 64
	for _, a := range args {
		if a.Kind != harness.Output {
			continue
		}
		long := slices.DeleteFunc(slices.Clone(a.Shape), func(n int) bool { return n <= small })
		switch len(long) {
		case 0:
			return 0, 0, false
		case 1:
			return long[0], long[0], true
		}
		return long[0], long[1], true
	}
	return 0, 0, false
}

// Failing are the programs that fail by themselves, each with the reason.
func (m *Manifest) Failing() (programs []string) {
	for _, p := range m.Programs {
		if p.Fails != "" {
			programs = append(programs, p.Name+": "+p.Fails)
		}
	}
	return programs
}

// Print says what a bundle holds.
func (m *Manifest) Print(w io.Writer) {
	cells, failed := 0, map[string]int{}
	for _, p := range m.Programs {
		for _, c := range p.Cells {
			cells++
			if c.Outcome != bench.OK {
				failed[c.Outcome]++
			}
		}
	}
	var words []string
	for _, k := range []string{bench.FailsToSchedule, bench.FailsToLower, bench.TimedOut, bench.OutOfMemory, bench.ProgramFails} {
		if failed[k] > 0 {
			words = append(words, fmt.Sprintf("%d %s", failed[k], k))
		}
	}
	if words == nil {
		words = []string{"none failed"}
	}
	fmt.Fprintf(w, "%d programs, %d cells (%s), for %s, %s; runs on glibc %s or newer\n", len(m.Programs), cells, strings.Join(words, ", "), m.GPU, m.Target, m.Glibc)
}
