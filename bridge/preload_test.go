//go:build halide

package bridge

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unaware is the command line of a user who never heard of gowarp.
func unaware(t testing.TB, more ...string) (args []string, dir string) {
	dir = t.TempDir()
	return slices.Concat([]string{"-g", "small", "-o", dir, "-e", "schedule", cudaTarget}, more), dir
}

// preloaded goes through a link: the dynamic linker splits LD_PRELOAD at blanks and
// colons, which the checkout's path may hold.
func preloaded(t testing.TB, env ...string) []string {
	link := filepath.Join(t.TempDir(), "preload.so")
	if err := os.Symlink(tree(t).Preload(), link); err != nil {
		t.Fatal(err)
	}
	return append([]string{"LD_PRELOAD=" + link}, env...)
}

// body is an emitted schedule without the comments, which quote the command line.
func body(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name+".schedule.h"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestVariableIsAsGoodAsThePlugin(t *testing.T) {
	small := compiled(t, "small")
	explicit := scheduled(t, "small", cudaTarget)
	ok(t, nil, small, explicit...)
	args, dir := unaware(t)
	if out := ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp"), small, args...); out != "" {
		t.Errorf("it prints %q", out)
	}
	got, want := body(t, dir, "small"), body(t, explicit[3], "small")
	if got != want || !strings.Contains(got, "gpu_blocks") {
		t.Errorf("by the variable:\n%s\nby -p:\n%s", got, want)
	}
}

func TestWithoutTheVariableNothingHappens(t *testing.T) {
	small := compiled(t, "small")
	args, dir := unaware(t)
	alone, dirAlone := unaware(t)
	for _, env := range [][]string{preloaded(t), preloaded(t, "HL_AUTOSCHEDULER="), preloaded(t, "HL_AUTOSCHEDULER_PARAMS=nonsense")} {
		got, want := run(t, env, small, args...), run(t, nil, small, alone...)
		if got != want {
			t.Errorf("%v: %+v, want %+v", env, got, want)
		}
		if body(t, dir, "small") != body(t, dirAlone, "small") {
			t.Error("the schedule differs")
		}
	}
	// Children that are no generators do not notice.
	if out := ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp"), "/bin/echo", "hello"); out != "hello\n" {
		t.Errorf("echo says %q", out)
	}
}

func TestParametersOfTheVariable(t *testing.T) {
	small := compiled(t, "small")
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	exists := func(name string) bool { _, err := os.Stat(name); return err == nil }

	args, _ := unaware(t)
	ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PARAMS=max_registers=32,dump="+a), small, args...)
	if !exists(a) {
		t.Error("dump was not passed on")
	}
	os.Remove(a)

	// What the command line says wins.
	args, _ = unaware(t, "autoscheduler.dump="+b)
	ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PARAMS=dump="+a), small, args...)
	if exists(a) || !exists(b) {
		t.Error("the variable won over the command line")
	}
	os.Remove(b)

	// An explicit choice of the same autoscheduler is completed.
	args, _ = unaware(t, "autoscheduler=gowarp")
	ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PARAMS=dump="+a), small, args...)
	if !exists(a) {
		t.Error("autoscheduler=gowarp was not completed")
	}
	os.Remove(a)

	// With its plugin too, though from another place: it is not loaded twice.
	copied := filepath.Join(dir, "libautoschedule_gowarp.so")
	data, err := os.ReadFile(tree(t).Plugin())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, data, 0o777); err != nil {
		t.Fatal(err)
	}
	args, _ = unaware(t, "autoscheduler=gowarp", "-p", copied)
	out := ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_DEBUG_AUTOSCHEDULE=1"), small, args...)
	if strings.Contains(out, "loaded twice") {
		t.Errorf("the plugin was loaded twice:\n%s", out)
	}
	// And the variable can say which.
	args, _ = unaware(t)
	ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PLUGIN="+copied), small, args...)
}

func TestExplicitAutoschedulerWins(t *testing.T) {
	small := compiled(t, "small")
	mullapudi := tree(t).Halide("lib64", "libautoschedule_mullapudi2016.so")
	plain, dirPlain := unaware(t, "-p", mullapudi, "autoscheduler=Mullapudi2016")
	ok(t, nil, small, plain...)
	args, dir := unaware(t, "-p", mullapudi, "autoscheduler=Mullapudi2016")
	ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PARAMS=mode=autogpu"), small, args...)
	if body(t, dir, "small") != body(t, dirPlain, "small") {
		t.Error("the schedule is not Mullapudi2016's")
	}

	// A -p without a choice gets gowarp's plugin beside its own.
	args, dir = unaware(t, "-p", mullapudi)
	ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp"), small, args...)
	if !strings.Contains(body(t, dir, "small"), "gpu_blocks") {
		t.Error("gowarp did not schedule")
	}
}

func TestAnotherAutoscheduler(t *testing.T) {
	small := compiled(t, "small")
	mullapudi := tree(t).Halide("lib64", "libautoschedule_mullapudi2016.so")
	args, dir := unaware(t)
	ok(t, preloaded(t, "HL_AUTOSCHEDULER=Mullapudi2016", "HL_AUTOSCHEDULER_PLUGIN="+mullapudi, "HL_AUTOSCHEDULER_PARAMS=parallelism=16"), small, args...)
	data, err := os.ReadFile(filepath.Join(dir, "small.schedule.h"))
	if err != nil || !strings.Contains(string(data), "autoscheduler=Mullapudi2016 autoscheduler.parallelism=16") {
		t.Errorf("%v\n%s", err, data)
	}
	fails(t, preloaded(t, "HL_AUTOSCHEDULER=Mullapudi2016"), small, args, "gowarp: HL_AUTOSCHEDULER=Mullapudi2016", "HL_AUTOSCHEDULER_PLUGIN")
}

func TestErrorsOfTheVariable(t *testing.T) {
	small := compiled(t, "small")
	args, _ := unaware(t)
	fails(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PLUGIN=/nonexistent/plugin.so"), small, args,
		"there is no plugin at /nonexistent/plugin.so", "make build")
	for _, params := range []string{"mode", "=x", "mode=", "a=b=c", "mode=autogpu,", "mode=autogpu,,gpu=h200"} {
		fails(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PARAMS="+params), small, args,
			"gowarp: HL_AUTOSCHEDULER_PARAMS:", "is not KEY=VALUE")
	}
	fails(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PARAMS=gpu=h200,autoscheduler.gpu=sm_86"), small, args,
		"gowarp: HL_AUTOSCHEDULER_PARAMS: autoscheduler.gpu is given twice")
	// What is no library.
	for _, file := range []string{filepath.Join("testdata", "small.cc"), t.TempDir()} {
		fails(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PLUGIN="+file), small, args, "gowarp: HL_AUTOSCHEDULER_PLUGIN: "+file+" is no shared library")
	}
	// A comma in a value.
	commas := filepath.Join(t.TempDir(), `a,b\c.json`)
	ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PARAMS=max_registers=32,dump="+strings.NewReplacer(`\`, `\\`, `,`, `\,`).Replace(commas)), small, args...)
	if _, err := os.Stat(commas); err != nil {
		t.Error(err)
	}
	// The library alone, without the plugin beside it.
	alone := filepath.Join(t.TempDir(), "libgowarp_preload.so")
	data, err := os.ReadFile(tree(t).Preload())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(alone, data, 0o777); err != nil {
		t.Fatal(err)
	}
	fails(t, []string{"LD_PRELOAD=" + alone, "HL_AUTOSCHEDULER=gowarp"}, small, args, "there is no plugin at "+filepath.Dir(alone))
	// Nothing to do with scheduling.
	ok(t, []string{"LD_PRELOAD=" + alone, "HL_AUTOSCHEDULER=gowarp"}, small, "-r", "runtime", "-o", t.TempDir(), "-e", "static_library", "target=x86-64-linux")
	ok(t, []string{"LD_PRELOAD=" + alone, "HL_AUTOSCHEDULER=gowarp"}, small, "-g", "small", "-o", t.TempDir(), "-e", "cpp_stub")
	// What is wrong with the rest is still Halide's to say.
	fails(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp"), small, []string{"-g"}, "gengen")
	fails(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp"), small, []string{"-g", "small", "-o", t.TempDir(), "-e", "schedule"}, "Unhandled exception")
}

func TestPythonGenerators(t *testing.T) {
	python := tree(t).Build("venv", "bin", "python")
	script := filepath.Join("testdata", "generator.py")
	dir := t.TempDir()
	args := []string{script, "-g", "pysmall", "-o", dir, "-e", "schedule", cudaTarget}
	ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp"), python, args...)
	if !strings.Contains(body(t, dir, "pysmall"), "gpu_blocks") {
		t.Error("gowarp did not schedule")
	}
	fails(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PLUGIN=/nonexistent.so"), python, args, "there is no plugin at")
	want := body(t, dir, "pysmall")

	// As Halide documents it, with parameters.
	dir = t.TempDir()
	dump := filepath.Join(dir, "p.json")
	args = []string{script, "-g", "pysmall", "-o", dir, "-e", "schedule", "-p", tree(t).Plugin(), cudaTarget, "autoscheduler=gowarp", "autoscheduler.max_registers=32", "autoscheduler.dump=" + dump}
	ok(t, nil, python, args...)
	if got := body(t, dir, "pysmall"); got != want {
		t.Errorf("by -p:\n%s\nby the variable:\n%s", got, want)
	}
	decoded(t, []byte(text(t, dump)))
	os.Remove(dump)
	ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PARAMS=dump="+dump), python, script, "-g", "pysmall", "-o", dir, "-e", "schedule", cudaTarget)
	decoded(t, []byte(text(t, dump)))
	fails(t, nil, python, append(args, "autoscheduler.gpu=nonsense"), "gowarp: ", "nonsense", "RuntimeError: Generator failed")
	fails(t, nil, python, append(args, "habit=scheduled"), "gowarp: ", "sums", "compute_root()", "RuntimeError: Generator failed")
}
