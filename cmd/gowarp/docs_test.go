package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func called(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(append([]string{"gowarp"}, args...), strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// TestHelpIsComplete: the help of every command lists each of its options with a text, and the
// README names every command.
func TestHelpIsComplete(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range newApp(nil, io.Discard, io.Discard).Commands {
		if c.Hidden {
			continue
		}
		code, help, _ := called(t, "help", c.Name)
		if code != 0 || !strings.Contains(help, c.Usage) {
			t.Errorf("help %s: exit code %d\n%s", c.Name, code, help)
		}
		for _, f := range append(c.Flags, cli.HelpFlag) {
			for _, name := range f.Names() {
				if !strings.Contains(help, dashed(name)) {
					t.Errorf("help %s does not list %s", c.Name, dashed(name))
				}
			}
			if d, ok := f.(cli.DocGenerationFlag); !ok || d.GetUsage() == "" {
				t.Errorf("%s: %s has no text", c.Name, f.Names())
			}
		}
		if c.OnUsageError == nil {
			t.Errorf("%s: its wrong options are not usage errors", c.Name)
		}
		if c.Name != "version" && !strings.Contains(string(readme), "gowarp "+c.Name) {
			t.Errorf("the README does not name gowarp %s", c.Name)
		}
	}
}

// TestReadmeExamples runs the README's lines for the command line on a pipeline as it would be
// dumped.
func TestReadmeExamples(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	pipeline, err := os.ReadFile("../../autoscheduler/testdata/harris.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("harris.json", pipeline)
	for name, gpu := range map[string]string{"a.json": "t4", "b.json": "h200"} {
		code, out, errs := called(t, "schedule", filepath.Join(dir, "harris.json"), "--gpu", gpu, "--format", "json")
		if code != 0 {
			t.Fatal(errs)
		}
		write(name, []byte(out))
	}
	ran := map[string]bool{}
	for line := range strings.Lines(string(readme)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
		line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "source <("), ")")
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "build/gowarp" || words[1] == "exec" || words[1] == "verify" {
			continue
		}
		for i, w := range words {
			if strings.HasSuffix(w, ".json") {
				words[i] = filepath.Join(dir, w)
			}
		}
		want := 0
		if words[1] == "diff" {
			want = exitFailure // they differ
		}
		code, out, errs := called(t, words[1:]...)
		if code != want || out == "" || errs != "" {
			t.Errorf("%s: exit code %d, %d bytes, %s", line, code, len(out), errs)
		}
		ran[words[1]] = true
	}
	for _, name := range []string{"schedule", "explain", "diff", "ir", "devices", "completion"} {
		if !ran[name] {
			t.Errorf("the README has no example of gowarp %s that was run", name)
		}
	}
}

// TestCompletionKnowsEveryOption: each option is offered, and those whose values are words offer
// words that the command takes.
func TestCompletionKnowsEveryOption(t *testing.T) {
	app := newApp(nil, io.Discard, io.Discard)
	for _, c := range app.Commands {
		if c.Hidden {
			continue
		}
		offered := strings.Join(candidates(app, []string{c.Name, "--"}), " ") + " " + strings.Join(candidates(app, []string{c.Name, "-"}), " ") + " "
		for _, word := range flagWords(c.Flags) {
			if !strings.Contains(offered, word+" ") {
				t.Errorf("%s: %s is not offered", c.Name, word)
			}
		}
	}
	for _, option := range []string{"--gpu", "--param", "--format", "--dump"} {
		for _, value := range candidates(app, []string{"schedule", option, ""}) {
			if strings.HasSuffix(value, "=") {
				for _, v := range candidates(app, []string{"schedule", option, value}) {
					if strings.HasPrefix(v, "tiling=warp-") || v == "search=ptxas" || v == "search=sim" {
						continue // the sample's target is OpenCL, which has no lanes, no ptxas and no simulator
					}
					works(t, option, v)
				}
				continue
			}
			works(t, option, value)
		}
	}
}

func works(t *testing.T, option, value string) {
	t.Helper()
	if code, _, errs := called(t, "schedule", "../../autoscheduler/testdata/hist.json", option, value); code != 0 {
		t.Errorf("completed %s %s: exit code %d: %s", option, value, code, errs)
	}
}
