//go:build halide

package bridge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// emitted runs a generator that was not told of gowarp and returns what it printed and what
// it lowered to.
func emitted(t testing.TB, env []string, exe string, args ...string) (out, stmt string) {
	t.Helper()
	dir := t.TempDir()
	at := slices.Index(args, "-g")
	args = slices.Concat(args[:at], []string{"-o", dir, "-e", "stmt"}, args[at:])
	out = ok(t, env, exe, args...)
	return out, text(t, filepath.Join(dir, args[slices.Index(args, "-g")+1]+".stmt"))
}

// TestVariableLeavesAlone: what a build has besides generators that want a schedule comes out
// as if there were no variable, with a line that says so.
func TestVariableLeavesAlone(t *testing.T) {
	small, python := compiled(t, "small"), tree(t).Build("venv", "bin", "python")
	script := filepath.Join("testdata", "generator.py")
	for _, c := range []struct {
		name string
		exe  string
		args []string
		note string
	}{
		{"scheduled", small, []string{"-g", "small", cudaTarget, "mistake=scheduled"}, "gowarp: small: it has a schedule of its own: left as it is\n"},
		{"scheduled in Python", python, []string{script, "-g", "pysmall", cudaTarget, "habit=scheduled"}, "gowarp: pysmall: it has a schedule of its own: left as it is\n"},
		{"no GPU", small, []string{"-g", "small", "target=x86-64-linux"}, "gowarp: small: the target x86-64-linux names no GPU: left as it is\n"},
		{"no GPU in Python", python, []string{script, "-g", "pysmall", "target=x86-64-linux", "habit=polite"}, "gowarp: pysmall: the target x86-64-linux names no GPU: left as it is\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain, want := emitted(t, nil, c.exe, c.args...)
			out, got := emitted(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp"), c.exe, c.args...)
			if got != want {
				t.Errorf("the code differs:\n%s", cmp.Diff(want, got))
			}
			if out != plain+c.note {
				t.Errorf("it prints %q, want %q", out, plain+c.note)
			}
		})
	}
	// One target of several without a GPU: the command is left as a whole.
	dir := t.TempDir()
	mixed := []string{"-g", "small", "-f", "small", "-o", dir, "-e", "static_library", "target=x86-64-linux-cuda-cuda_capability_50,x86-64-linux"}
	if out := ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_DEBUG_AUTOSCHEDULE=1"), small, mixed...); out != "gowarp: small: the target x86-64-linux names no GPU: left as it is\n" {
		t.Errorf("it prints %q", out)
	}
	// Who names gowarp is told what is wrong; so is who gives wrong parameters.
	fails(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp"), small, scheduled(t, "small", cudaTarget, "mistake=scheduled"), "gowarp: ", "sums", "compute_root()")
	fails(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp"), small, scheduled(t, "small", "target=x86-64-linux"), "has no GPU feature")
	args, _ := unaware(t)
	fails(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PARAMS=gpuu=h200"), small, args, "gowarp: ", `did you mean "gpu"?`)
	fails(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp"), small, append(args, "mistake=estimates"), "gowarp: ", "estimate")
	fails(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp"), python, []string{script, "-g", "pysmall", "-o", t.TempDir(), "-e", "stmt", cudaTarget, "habit=estimates"}, "gowarp: ", "estimate")
}

// TestSeveralTargets: one command, one library, a schedule for each target.
func TestSeveralTargets(t *testing.T) {
	targets := "target=x86-64-linux-avx-cuda-cuda_capability_86-sse41,x86-64-linux-cuda-cuda_capability_50-sse41,x86-64-linux-opencl"
	out := ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_DEBUG_AUTOSCHEDULE=1"), compiled(t, "small"),
		"-g", "small", "-f", "small", "-o", t.TempDir(), "-e", "static_library", targets)
	if n := strings.Count(out, "gowarp: 3 Funcs"); n != 3 {
		t.Errorf("it was asked %d times:\n%s", n, out)
	}
}

// TestLinkedShim: linked before Halide instead of preloaded.
func TestLinkedShim(t *testing.T) {
	t.Parallel()
	exe, lib := filepath.Join(t.TempDir(), "generator"), tree(t).Halide("lib64")
	ok(t, nil, "g++", "-std=c++17", "-O0", "-fno-rtti", "-I"+tree(t).Halide("include"), filepath.Join("testdata", "small.cc"), filepath.Join(lib, "libHalide_GenGen.a"),
		tree(t).Preload(), "-L"+lib, "-lHalide", "-Wl,-rpath,"+lib, "-Wl,-rpath,"+tree(t).Build(), "-o", exe)
	args, dir := unaware(t)
	ok(t, []string{"HL_AUTOSCHEDULER=gowarp"}, exe, args...)
	if !strings.Contains(body(t, dir, "small"), "gpu_blocks") {
		t.Error("gowarp did not schedule")
	}
	if out := ok(t, []string{"HL_AUTOSCHEDULER=gowarp"}, exe, append(args, "mistake=scheduled")...); !strings.Contains(out, "left as it is") {
		t.Errorf("it prints %q", out)
	}
	// Both ways at once are one.
	ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp"), exe, args...)
	ok(t, nil, exe, args...)
	if strings.Contains(body(t, dir, "small"), "gpu_blocks") {
		t.Error("gowarp scheduled without being asked")
	}
}

// scheduler says who scheduled a library, by the file that -e schedule writes.
func scheduler(t testing.TB, dir, library string) string {
	t.Helper()
	_, after, found := strings.Cut(text(t, filepath.Join(dir, library+".schedule.h")), "automatically generated by ")
	if !found {
		return "nobody"
	}
	name, _, _ := strings.Cut(after, "\n")
	if name = strings.TrimSpace(name); name == "" {
		return "nobody"
	}
	return name
}

// TestNinjaBuild: gowarp exec over the build of a project that never heard of it.
func TestNinjaBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ok(t, nil, tool(t, "cmake"), configure(t, dir, "Ninja")...)
	out := ok(t, nil, tree(t).Build("gowarp"), "exec", "--params", "max_registers=32", "--", tool(t, "ninja"), "-C", dir, "-j2")
	for library, want := range map[string]string{"plain": "gowarp", "plain_cpu": "nobody", "byhand": "nobody", "polite": "gowarp", "named": "Mullapudi2016", "inpython": "gowarp"} {
		if got := scheduler(t, dir, library); got != want {
			t.Errorf("%s is scheduled by %s, want %s", library, got, want)
		}
	}
	for _, note := range []string{"gowarp: byhand: it has a schedule of its own: left as it is\n", "gowarp: plain: the target host-no_runtime names no GPU: left as it is\n"} {
		if strings.Count(out, note) != 1 {
			t.Errorf("the build does not say once %q:\n%s", note, out)
		}
	}
	if out := ok(t, tree(t).OpenCLEnv(), filepath.Join(dir, "main")); strings.Count(out, ": 0 of 3403 points differ") != 6 {
		t.Errorf("%s", out)
	}
}

// TestMakeBuild: the same with make, and with another autoscheduler.
func TestMakeBuild(t *testing.T) {
	dir := t.TempDir()
	rule := func(name, command string) string {
		return fmt.Sprintf("all: %[1]s/%[1]s.schedule.h\n%[1]s/%[1]s.schedule.h:\n\tmkdir -p %[1]s && %[2]s -f %[1]s -o %[1]s -e schedule\n", name, command)
	}
	python, err := filepath.Abs(filepath.Join("testdata", "generator.py"))
	if err != nil {
		t.Fatal(err)
	}
	const host = "target=x86-64-linux"
	makefile := rule("cpp", "$(SMALL) -g small "+cudaTarget) +
		rule("byhand", "$(SMALL) -g small mistake=scheduled "+cudaTarget) +
		rule("cpu", "$(SMALL) -g small "+host) +
		rule("named", "$(SMALL) -g small -p $(MULLAPUDI) autoscheduler=Mullapudi2016 "+host) +
		rule("inpython", "$(PYTHON) $(SCRIPT) -g pysmall "+cudaTarget) +
		rule("polite", "$(PYTHON) $(SCRIPT) -g pysmall habit=polite "+cudaTarget)
	makefile += "no-schedules: cpp/cpp.schedule.h cpu/cpu.schedule.h named/named.schedule.h inpython/inpython.schedule.h\n"
	if err := os.WriteFile(filepath.Join(dir, "Makefile"), []byte(makefile), 0o666); err != nil {
		t.Fatal(err)
	}
	mullapudi := tree(t).Halide("lib64", "libautoschedule_mullapudi2016.so")
	quote := func(s string) string { return "'" + s + "'" }
	build := func(goal string, flags ...string) string {
		for _, library := range []string{"cpp", "byhand", "cpu", "named", "inpython", "polite"} {
			os.RemoveAll(filepath.Join(dir, library))
		}
		return ok(t, []string{"MAKEFLAGS="}, tree(t).Build("gowarp"), slices.Concat([]string{"exec"}, flags, []string{"--", "make", "-s", "-j2", "-C", dir, goal,
			"SMALL=" + quote(compiled(t, "small")), "MULLAPUDI=" + quote(mullapudi), "PYTHON=" + quote(tool(t, "python")), "SCRIPT=" + quote(python)})...)
	}
	check := func(want map[string]string) {
		t.Helper()
		for library, who := range want {
			if got := scheduler(t, filepath.Join(dir, library), library); got != who {
				t.Errorf("%s is scheduled by %s, want %s", library, got, who)
			}
		}
	}
	out := build("all")
	check(map[string]string{"cpp": "gowarp", "byhand": "nobody", "cpu": "nobody", "named": "Mullapudi2016", "inpython": "gowarp", "polite": "gowarp"})
	if n := strings.Count(out, "left as it is\n"); n != 2 {
		t.Errorf("%d notes, want 2:\n%s", n, out)
	}
	// Another one is given everything that names none, whatever its target.
	li := tree(t).Halide("lib64", "libautoschedule_li2018.so")
	if out := build("no-schedules", "--autoscheduler", "Li2018", "--plugin", li, "--params", "parallelism=8"); strings.Contains(out, "gowarp:") {
		t.Errorf("gowarp speaks:\n%s", out)
	}
	check(map[string]string{"cpp": "Li2018", "cpu": "Li2018", "named": "Mullapudi2016", "inpython": "Li2018"})
}
