//go:build halide

package bundle_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/bundle"
	"gowarp/benchmarks/bundle/run"
)

// TestReplaceable: a bundle is made where one was, or a part of one, and nowhere else.
func TestReplaceable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"empty":            {nil, true},
		"precious":         {map[string]string{"thesis.tex": "x"}, false},
		"another manifest": {map[string]string{"manifest.json": `{"schema":1,"name":"an app"}`, "app.js": "x"}, false},
		"no JSON":          {map[string]string{"manifest.json": "{"}, false},
		"finished":         {map[string]string{"manifest.json": `{"schema":1,"id":"i","gpu":"h200","target":"t"}`, "run": "x"}, true},
		"an older one":     {map[string]string{"manifest.json": `{"schema":7,"id":"i","gpu":"h200","target":"t"}`, "run": "x"}, true},
		"unfinished":       {map[string]string{"manifest.json": `{"schema":1,"unfinished":true,"gpu":"h200","target":"t"}`, "worker": "x"}, true},
	} {
		dir := t.TempDir()
		for file, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := bundle.Replaceable(dir); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := bundle.Replaceable(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := bundle.Replaceable(file); err == nil {
		t.Error("a file would be replaced")
	}
}

// stopper ends a context when what is written holds a word.
type stopper struct {
	bytes.Buffer
	word string
	stop func()
}

func (s *stopper) Write(p []byte) (int, error) {
	if strings.Contains(string(p), s.word) {
		s.stop()
	}
	return s.Buffer.Write(p)
}

// TestBadPrograms: programs that do not compile, or on which the generator never ends, are rows with the reason, the
// others go on; a bundle that was stopped is none, and is made again where it was.
func TestBadPrograms(t *testing.T) {
	t.Parallel()
	tree, o := tiny(t)
	o.Schedulers, o.Scale, o.Limits.CPUSeconds = o.Schedulers[:1], 1, 10 // seconds: what is right takes up to 3 on a slow machine
	for name, body := range map[string]string{"bad": "nosuch();", "hangs": "for (volatile int i = 0;; i = i + 1) {}"} {
		path := filepath.Join(t.TempDir(), name+".cc")
		text := "#include \"Halide.h\"\nclass G : public Halide::Generator<G> {\npublic:\n    Output<Buffer<float, 1>> out{\"out\"};\n    void generate() {\n        " + body + "\n    }\n};\nHALIDE_REGISTER_GENERATOR(G, " + name + ")\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := bench.FindProgram(tree, tree.Root, path)
		if err != nil {
			t.Fatal(err)
		}
		o.Programs = append([]bench.Program{p}, o.Programs...) // first, where whatever all need would need it
	}
	slices.SortFunc(o.Programs, func(a, b bench.Program) int { return strings.Compare(a.Name, b.Name) })

	ctx, stop := context.WithCancel(t.Context())
	log := &stopper{word: "bundle: hangs", stop: stop}
	o.Log = log
	if _, err := bundle.Build(ctx, tree, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	if _, err := bundle.Open(o.Dir); err == nil || !strings.Contains(err.Error(), "make it again") {
		t.Errorf("what was stopped opens: %v", err)
	}
	if _, err := bundle.Build(t.Context(), tree, o); err != nil {
		t.Fatal(err)
	}
	m, err := bundle.Open(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	failing := m.Failing()
	if len(failing) != 2 || !strings.Contains(failing[0], "bad: program-fails: bad.cc:6") || !strings.Contains(failing[1], "hangs: timed-out") || !strings.Contains(failing[1], "after 10 s of processor time") {
		t.Errorf("failing: %q", failing)
	}
	_, errs, code := rehearse(t, tree, o.Dir, "--size", "estimate", "--registers", "64", "--rounds", "1")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	all, _, err := run.ReadFile(filepath.Join(o.Dir, "lines.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, l := range all {
		got[l.Program] = l.Outcome
	}
	if got["bad"] != bench.ProgramFails || got["hangs"] != bench.TimedOut || got["harris,height=128,width=128"] != bench.OK || len(all) != 3 {
		t.Errorf("%v", got)
	}
}
