//go:build halide

package bridge

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Estimates that cannot be, that contradict each other, or that are as large as they can be:
// a message or a schedule.
func TestEstimates(t *testing.T) {
	for _, c := range []struct {
		given string
		words []string // nil: it is scheduled
	}{
		{"out=0,0,0,48", []string{"output blur_y: the estimate of dimension 0 (x) has extent 0; it must be from 1 to"}},
		{"out=0,-5,0,48", []string{"blur_y", "the estimated extent of x, -5, is negative; say blur_y.set_estimate(x, MIN, EXTENT)"}},
		{"out=0,64,0,-2147483648", []string{"blur_y", "the estimated extent of y, -2147483648, is negative"}},
		{"out=0,2147483647,0,2147483647", []string{"blur_y", "more than 2^40 points"}},
		{"out=2147483647,64,0,48", []string{"more than Halide can index; check the estimates"}},
		{"out=-2147483648,64,0,48", []string{"more than Halide can index; check the estimates"}},
		{"out=0,1000000,0,1000000", nil},
		{"out=0,2147483647,0,1", nil},
		{"out=5,64,-7,48", nil},        // without the column that the update writes
		{"image=0,4,0,4", nil},         // less than the output needs
		{"image=1000,64,1000,48", nil}, // elsewhere
		{"image=0,0,0,0", nil},
		{"image=0,-1,0,-1", []string{"image", "the estimated extent -1 is negative in dimension 0; say image.dim(0).set_estimate(MIN, EXTENT)"}},
		{"bound=0,32", nil}, // half of what is estimated
		{"bound=8,64", nil},
		{"bound=0,0", []string{"output blur_y", "has extent 0"}},
		{"bound=0,-4", []string{"blur_y", "its bound says that the extent of x is -4, which is negative"}},
		{"parallelism=0", []string{"parallelism=0: a whole number from 1"}},
	} {
		t.Run(c.given, func(t *testing.T) {
			t.Parallel()
			args := []string{"estimates", tree(t).Plugin(), c.given}
			if c.words != nil {
				fails(t, nil, compiled(t, "driver"), args, append(c.words, "gowarp: ")...)
			} else if out := ok(t, nil, compiled(t, "driver"), args...); slowWarning.ReplaceAllString(out, "") != "scheduled\n" {
				t.Errorf("it prints %q", out)
			}
		})
	}
}

// slowWarning is that of a stage that few threads run for much of the time, as an update of one row of 2^31 points is.
var slowWarning = regexp.MustCompile(`(?m)^gowarp: warning: \S+ takes \S+ of the \S+ ms that a run is predicted to take, in \d+ threads: .*\n`)

// preloadedC builds testdata/NAME.c, a library to preload.
func preloadedC(t testing.TB, name string) string {
	t.Helper()
	lib := filepath.Join(t.TempDir(), name+".so")
	if out, err := exec.Command("cc", "-O1", "-Wno-infinite-recursion", "-shared", "-fPIC", filepath.Join("testdata", name+".c"), "-o", lib, "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return "LD_PRELOAD=" + lib
}

// A Halide of another minor version is refused by name, before anything of it is touched.
func TestAnotherHalide(t *testing.T) {
	env, small := preloadedC(t, "version"), compiled(t, "small")
	for _, v := range []string{"19.0.0", "21.1.0", "210.0.0"} {
		fails(t, []string{env, "VERSION=" + v}, small, scheduled(t, "small", cudaTarget), "gowarp: this plugin was built for Halide 21.0.0, and the loaded Halide is "+v)
	}
	ok(t, []string{env, "VERSION=21.0.9"}, small, scheduled(t, "small", cudaTarget)...)
}

// What is no file is written to; nothing is ever put in its place. (Through links in a folder
// of the test's own: root could lose a device.)
func TestDumpToWhatIsNoFile(t *testing.T) {
	small, dir := compiled(t, "small"), t.TempDir()
	link := func(name, target string) string {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		return "autoscheduler.dump=" + filepath.Join(dir, name)
	}
	fails(t, nil, small, scheduled(t, "small", cudaTarget, link("full", "/dev/full")), "gowarp: dump=", "no space left on device")
	fails(t, nil, small, scheduled(t, "small", cudaTarget, link("nowhere", "nothing")), "gowarp: dump=", "leads nowhere")
	fails(t, nil, small, scheduled(t, "small", cudaTarget, "autoscheduler.dump="+dir), "gowarp: dump=", "it is a folder")
	if out := ok(t, nil, small, scheduled(t, "small", cudaTarget, link("stdout", "/proc/self/fd/1"))...); !strings.HasPrefix(out, `{"format":"gowarp-pipeline"`) {
		t.Errorf("on stdout: %q", out)
	}
	if err := os.WriteFile(filepath.Join(dir, "real.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ok(t, nil, small, scheduled(t, "small", cudaTarget, link("link", "real.json"))...)
	if data, err := os.ReadFile(filepath.Join(dir, "real.json")); err != nil || len(data) == 0 {
		t.Errorf("behind a link: %d bytes, %v", len(data), err)
	}
	for _, name := range []string{"full", "nowhere", "stdout", "link"} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", name)
		}
	}
}

// A disk that is full: a message, no half of a file, and what was there before is still there.
func TestDumpToAFullDisk(t *testing.T) {
	if err := exec.Command("unshare", "-rm", "true").Run(); err != nil {
		t.Skip("this test mounts a file system of its own, which is not allowed here: ", err)
	}
	dir := t.TempDir()
	// 8 KiB hold the old file and no dump beside it.
	script := `mount -t tmpfs -o size=8k tmpfs "$0" && echo old >"$0/p.json" && "$@"; code=$?; echo holds: $(ls -A "$0"); cat "$0/p.json"; exit $code`
	args := append([]string{"-rm", "sh", "-c", script, dir, compiled(t, "features")}, scheduled(t, "features", cudaTarget, "autoscheduler.dump="+filepath.Join(dir, "p.json"))...)
	r := run(t, nil, "unshare", args...)
	if r.code <= 0 || !strings.Contains(r.out, "gowarp: dump=") || !strings.Contains(r.out, "no space left on device") || !strings.HasSuffix(r.out, "\nholds: p.json\nold\n") {
		t.Errorf("exit code %d\n%s", r.code, r.out)
	}
}
