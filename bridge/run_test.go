//go:build halide

package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gowarp/benchmarks/harness"
	"gowarp/halideir"
)

// cudaTarget does not depend on the machine's CPU.
const cudaTarget = "target=x86-64-linux-cuda-cuda_capability_86"

func tree(t testing.TB) *harness.Tree {
	t.Helper()
	tr, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	for _, lib := range []string{tr.Plugin(), tr.Preload()} {
		// Read, so that go test knows that its result depends on it.
		if _, err := os.ReadFile(lib); err != nil {
			t.Fatalf("run `make build` first: %v", err)
		}
	}
	return tr
}

// compiled builds testdata/NAME.cc.
func compiled(t testing.TB, name string) string {
	t.Helper()
	exe, err := tree(t).Compile(harness.Generator{Source: filepath.Join("bridge", "testdata", name+".cc"), Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// result is how a process ended.
type result struct {
	out  string // stdout and stderr
	code int    // -1: by a signal
}

func run(t testing.TB, env []string, exe string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, args...)
	for _, kv := range os.Environ() {
		// The variables under test come from the test alone.
		if !strings.HasPrefix(kv, "HL_") && !strings.HasPrefix(kv, "LD_PRELOAD=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s hangs; so far it printed\n%s", filepath.Base(exe), out.String())
	}
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{out.String(), cmd.ProcessState.ExitCode()}
}

// ok runs what must succeed.
func ok(t testing.TB, env []string, exe string, args ...string) string {
	t.Helper()
	r := run(t, env, exe, args...)
	if r.code != 0 {
		t.Fatalf("%s %s: exit code %d\n%s", filepath.Base(exe), strings.Join(args, " "), r.code, r.out)
	}
	return r.out
}

// fails runs what must fail by itself, with these words.
func fails(t testing.TB, env []string, exe string, args []string, words ...string) {
	t.Helper()
	r := run(t, env, exe, args...)
	if r.code <= 0 {
		t.Errorf("%s: exit code %d, want an error\n%s", strings.Join(args, " "), r.code, r.out)
	}
	for _, w := range words {
		if !strings.Contains(r.out, w) {
			t.Errorf("%s: the message lacks %q:\n%s", strings.Join(args, " "), w, r.out)
		}
	}
}

// scheduled is the command line of a generator that gowarp schedules.
func scheduled(t testing.TB, name, target string, more ...string) []string {
	return slices.Concat([]string{"-g", name, "-o", t.TempDir(), "-e", "schedule", "-p", tree(t).Plugin(), target, "autoscheduler=gowarp"}, more)
}

// dumpOf runs a generator and returns the pipeline's JSON.
func dumpOf(t testing.TB, name string, more ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pipeline.json")
	ok(t, nil, compiled(t, name), scheduled(t, name, cudaTarget, append(more, "autoscheduler.dump="+file)...)...)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decoded(t testing.TB, data []byte) *halideir.Pipeline {
	t.Helper()
	p, err := halideir.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var nameKey = regexp.MustCompile(`"(name|var)":"[^"]*"`)

// nameless blanks every name, so that two dumps can be compared for everything
// else. The index of Pipeline::get_func follows Halide's names; it goes too.
func nameless(t testing.TB, data []byte) string {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	for _, f := range doc["funcs"].([]any) {
		f := f.(map[string]any)
		delete(f, "pipeline_index")
		args := f["args"].([]any)
		for i := range args {
			args[i] = ""
		}
	}
	for _, n := range doc["nodes"].([]any) {
		n := n.(map[string]any)
		if n["op"] == "string" {
			n["v"] = "" // may quote a name
		}
	}
	out, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return nameKey.ReplaceAllString(strings.ReplaceAll(string(out), `": "`, `":"`), `"$1":""`)
}

// scripted builds testdata/scripted, the plugin that applies whatever it is told.
var scripted = sync.OnceValues(func() (string, error) {
	tr, err := harness.Find()
	if err != nil {
		return "", err
	}
	lib := tr.Build("cache", "libautoschedule_scripted.so")
	// The flags of the real plugin, whose compiled C++ it shares.
	cmd := exec.Command("go", "build", "-tags", "halide", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", lib, "./bridge/testdata/scripted")
	cmd.Dir = tr.Root
	cmd.Env = append(os.Environ(), "PKG_CONFIG_PATH="+tr.Build("pkgconfig"), "CGO_ENABLED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &exec.Error{Name: string(out), Err: err}
	}
	return lib, nil
})
