//go:build halide

package bridge

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tool is a program of the pinned Python environment.
func tool(t testing.TB, name string) string { return tree(t).Build("venv", "bin", name) }

// makes runs make in the checkout.
func makes(t testing.TB, args ...string) {
	t.Helper()
	for _, f := range []string{"Makefile", "bridge/cmake/gowarpConfig.cmake.in", "bridge/cmake/package.cmake"} {
		// Read, so that go test knows that its result depends on it.
		if _, err := os.ReadFile(tree(t).Path(f)); err != nil {
			t.Fatal(err)
		}
	}
	// Not the flags of the make that runs this test.
	ok(t, []string{"MAKEFLAGS=", "MFLAGS=", "MAKELEVEL="}, "make", append([]string{"-s", "-C", tree(t).Root}, args...)...)
}

// installed installs gowarp for /opt/gowarp as those do who make packages, and moves it
// to a place of which nothing was told.
func installed(t testing.TB) (prefix string) {
	t.Helper()
	dest := filepath.Join(t.TempDir(), "dest dir")
	makes(t, "install", "PREFIX=/opt/gowarp", "DESTDIR="+dest)
	prefix = filepath.Join(t.TempDir(), "moved here")
	if err := os.Rename(filepath.Join(dest, "opt", "gowarp"), prefix); err != nil {
		t.Fatal(err)
	}
	return prefix
}

// files are the files under a folder, relative to it.
func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, err = filepath.Rel(dir, path)
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestInstallAndUninstall(t *testing.T) {
	t.Parallel()
	prefix := installed(t)
	got := files(t, prefix)
	for _, want := range []string{
		"bin/gowarp", "lib/libautoschedule_gowarp.so", "lib/libgowarp_preload.so", "lib/gowarp/gpusim/libcuda.so", "lib/gowarp/gpusim/gowarp-gpusim",
		"lib/cmake/gowarp/gowarpConfig.cmake", "lib/cmake/gowarp/gowarpConfigVersion.cmake", "share/doc/gowarp/README.md", "share/doc/gowarp/LICENSE",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s was not installed", want)
		}
	}
	// Nothing points back into the checkout.
	for _, name := range got {
		data, err := os.ReadFile(filepath.Join(prefix, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(tree(t).Root+"/")) {
			t.Errorf("%s names %s", name, tree(t).Root)
		}
	}
	// What else lies there stays.
	other := filepath.Join(prefix, "lib", "other.so")
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	makes(t, "uninstall", "PREFIX="+prefix)
	if left := files(t, prefix); !slices.Equal(left, []string{"lib/other.so"}) {
		t.Errorf("make uninstall leaves %q", left)
	}
}

// TestInstalledCommands: what is installed finds its parts by itself.
func TestInstalledCommands(t *testing.T) {
	t.Parallel()
	gowarp := filepath.Join(installed(t), "bin", "gowarp")
	args, dir := unaware(t)
	ok(t, nil, gowarp, slices.Concat([]string{"exec", "--params", "max_registers=32", "--", compiled(t, "small")}, args)...)
	if !strings.Contains(body(t, dir, "small"), "gpu_blocks") {
		t.Error("gowarp exec did not schedule")
	}
	const jit = `
import halide as hl
x, y, xi, yi = hl.Var("x"), hl.Var("y"), hl.Var("xi"), hl.Var("yi")
f = hl.Func("f")
f[x, y] = x + 2 * y
f.gpu_tile(x, y, xi, yi, 8, 8)
out = f.realize([16, 8], hl.Target("host-cuda-cuda_capability_50"))
out.copy_to_host()
assert out[5, 3] == 11
`
	if out := ok(t, nil, gowarp, "verify", "--", tool(t, "python"), "-c", jit); !strings.Contains(out, "no findings") {
		t.Errorf("gowarp verify says %s", out)
	}
}

// configure is cmake on testdata/project.
func configure(t testing.TB, dir, generator string, more ...string) (args []string) {
	h := tree(t).Halide("lib64", "cmake")
	return slices.Concat([]string{"-G", generator, "-S", tree(t).Path("bridge", "testdata", "project"), "-B", dir, "-DHalide_DIR=" + filepath.Join(h, "Halide"),
		"-DHalideHelpers_DIR=" + filepath.Join(h, "HalideHelpers"), "-DPython3_EXECUTABLE=" + tool(t, "python"), "-DCMAKE_MAKE_PROGRAM=" + tool(t, "ninja")}, more)
}

// TestCMake: find_package(gowarp), AUTOSCHEDULER gowarp::gowarp, PARAMS.
func TestCMake(t *testing.T) {
	t.Parallel()
	prefix, dir := installed(t), t.TempDir()
	ok(t, nil, tool(t, "cmake"), configure(t, dir, "Ninja", "-DWITH_GOWARP=ON", "-DCMAKE_PREFIX_PATH="+prefix)...)
	ok(t, nil, tool(t, "ninja"), "-C", dir, "-j2")
	out := ok(t, tree(t).OpenCLEnv(), filepath.Join(dir, "main"))
	if strings.Count(out, ": 0 of 3403 points differ") != 6 {
		t.Errorf("%s", out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "plain.schedule.h"))
	if err != nil || !strings.Contains(string(text), "autoscheduler=gowarp autoscheduler.max_registers=32") || !strings.Contains(string(text), "gpu_blocks") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestCMakeFinds: from the build tree, and what the package refuses.
func TestCMakeFinds(t *testing.T) {
	t.Parallel()
	tree(t) // depends on the plugin
	script := filepath.Join(t.TempDir(), "find")
	if err := os.MkdirAll(script, 0o777); err != nil {
		t.Fatal(err)
	}
	find := func(text string) result {
		if err := os.WriteFile(filepath.Join(script, "CMakeLists.txt"), []byte("cmake_minimum_required(VERSION 3.28)\nproject(p LANGUAGES NONE)\n"+text+`
get_target_property(where gowarp::gowarp IMPORTED_LOCATION)
message(STATUS "plugin: ${where}")
`), 0o666); err != nil {
			t.Fatal(err)
		}
		return run(t, nil, tool(t, "cmake"), "-G", "Ninja", "-S", script, "-B", t.TempDir(), "-DCMAKE_MAKE_PROGRAM="+tool(t, "ninja"), "-DCMAKE_PREFIX_PATH="+tree(t).Build())
	}
	for text, words := range map[string]string{
		"find_package(gowarp REQUIRED)":                                 "plugin: " + tree(t).Plugin(),
		"find_package(gowarp 0.1 REQUIRED)\nfind_package(gowarp 0.1.0)": "plugin: " + tree(t).Plugin(),
		"set(Halide_VERSION 21.0.3)\nfind_package(gowarp REQUIRED)":     "plugin: ",
	} {
		if r := find(text); r.code != 0 || !strings.Contains(r.out, words) {
			t.Errorf("%s: exit code %d\n%s", text, r.code, r.out)
		}
	}
	for text, words := range map[string][]string{
		"find_package(gowarp 0.9 REQUIRED)":                          {"0.9", "gowarpConfig.cmake"},
		"find_package(gowarp 1 REQUIRED)":                            {"gowarpConfig.cmake"},
		"set(Halide_VERSION 210.0.0)\nfind_package(gowarp REQUIRED)": {"built for Halide 21.0.0", "uses Halide", "210.0.0"},
		"set(Halide_VERSION 19.0.0)\nfind_package(gowarp REQUIRED)":  {"built for Halide 21.0.0"},
	} {
		r := find(text)
		flat := strings.Join(strings.Fields(r.out), " ") // cmake breaks lines
		for _, w := range words {
			if r.code == 0 || !strings.Contains(flat, w) {
				t.Errorf("%s: exit code %d, the message lacks %q\n%s", text, r.code, w, r.out)
			}
		}
	}
	// A package whose plugin is gone says so.
	lone := t.TempDir()
	for _, f := range []string{"gowarpConfig.cmake", "gowarpConfigVersion.cmake"} {
		data, err := os.ReadFile(tree(t).Build("lib", "cmake", "gowarp", f))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(lone, f), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if r := find("set(gowarp_DIR " + lone + ")\nfind_package(gowarp REQUIRED)"); r.code == 0 || !strings.Contains(r.out, "libautoschedule_gowarp.so is neither") {
		t.Errorf("exit code %d\n%s", r.code, r.out)
	}
}
