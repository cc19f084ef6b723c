package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestEnvironment(t *testing.T) {
	ch := choice{"gowarp", "/lib/libautoschedule_gowarp.so", "gpu=h200"}
	got := environment([]string{"A=b", "LD_PRELOAD=/a.so"}, "/lib/libgowarp_preload.so", ch)
	for _, w := range []string{"A=b", "LD_PRELOAD=/lib/libgowarp_preload.so:/a.so", "HL_AUTOSCHEDULER=gowarp",
		"HL_AUTOSCHEDULER_PLUGIN=/lib/libautoschedule_gowarp.so", "HL_AUTOSCHEDULER_PARAMS=gpu=h200"} {
		if !slices.Contains(got, w) {
			t.Errorf("%q is missing from %v", w, got)
		}
	}
}

// TestChosen: flags before the environment before gowarp, and mistakes before the build.
func TestChosen(t *testing.T) {
	dir := t.TempDir()
	plugin := filepath.Join(dir, "li.so")
	if err := os.WriteFile(plugin, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		env  map[string]string
		want choice
		err  string
	}{
		{nil, nil, choice{"gowarp", "", ""}, ""},
		{[]string{"--params", "gpu=h200"}, map[string]string{"HL_AUTOSCHEDULER_PARAMS": "gpu=sm_86"}, choice{"gowarp", "", "gpu=h200"}, ""},
		{nil, map[string]string{"HL_AUTOSCHEDULER": "Li2018", "HL_AUTOSCHEDULER_PLUGIN": plugin, "HL_AUTOSCHEDULER_PARAMS": "parallelism=4"}, choice{"Li2018", plugin, "parallelism=4"}, ""},
		{[]string{"--autoscheduler", "Li2018", "--plugin", plugin, "--params", "any=thing"}, nil, choice{"Li2018", plugin, "any=thing"}, ""},
		{[]string{"--autoscheduler", "Li2018"}, nil, choice{}, "where is the autoscheduler Li2018?"},
		{nil, map[string]string{"HL_AUTOSCHEDULER": "Li2018"}, choice{}, "where is the autoscheduler Li2018?"},
		{[]string{"--plugin", filepath.Join(dir, "none.so")}, nil, choice{}, "no plugin at"},
		{[]string{"--params", "foo"}, nil, choice{}, `--params foo: "foo" is not KEY=VALUE`},
		{nil, map[string]string{"HL_AUTOSCHEDULER_PARAMS": "foo"}, choice{}, `HL_AUTOSCHEDULER_PARAMS foo: "foo" is not KEY=VALUE`},
		{[]string{"--params", "gpu=h200,,mode=autogpu"}, nil, choice{}, `"" is not KEY=VALUE`},
		{[]string{"--params", "gpu=h200,autoscheduler.gpu=sm_86"}, nil, choice{}, "gpu is given twice"},
		{[]string{"--params", "gpuu=h200"}, nil, choice{}, `did you mean "gpu"?`},
		{nil, map[string]string{"HL_AUTOSCHEDULER_PARAMS": "max_registers=many"}, choice{}, "max_registers=many"},
	} {
		var got choice
		var err error
		cmd := execCommand()
		cmd.Action = func(ctx *cli.Context) error {
			got, err = chosen(ctx, func(key string) string { return c.env[key] })
			return nil
		}
		app := cli.NewApp()
		app.Commands = []*cli.Command{cmd}
		if err := app.Run(append([]string{"gowarp", "exec"}, c.args...)); err != nil {
			t.Fatal(err)
		}
		switch {
		case c.err == "" && (err != nil || got != c.want):
			t.Errorf("%v %v: %+v, %v; want %+v", c.args, c.env, got, err, c.want)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%v %v: error %v, want one with %q", c.args, c.env, err, c.err)
		}
	}
}

func TestSplitParams(t *testing.T) {
	got, err := splitParams(`dump=a\,b\\c.json,autoscheduler.gpu=h200`)
	if err != nil || len(got) != 2 || got["dump"] != `a,b\c.json` || got["gpu"] != "h200" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestPreloadable: the dynamic linker splits LD_PRELOAD at blanks and colons.
func TestPreloadable(t *testing.T) {
	name, remove, err := preloadable("/opt/lib/x.so")
	if err != nil || name != "/opt/lib/x.so" {
		t.Errorf("%q, %v", name, err)
	}
	remove()
	for _, dir := range []string{"my folder", "a:b"} {
		library := filepath.Join(t.TempDir(), dir, "x.so")
		if err := os.MkdirAll(filepath.Dir(library), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(library, []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
		name, remove, err := preloadable(library)
		if err != nil || strings.ContainsAny(name, " :") {
			t.Fatalf("%q, %v", name, err)
		}
		if data, err := os.ReadFile(name); err != nil || string(data) != "text" {
			t.Errorf("%q, %v", data, err)
		}
		remove()
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"gowarp", "version"}, 0},
		{[]string{"gowarp", "help"}, 0},
		{[]string{"gowarp", "nothing"}, exitUsage},
		{[]string{"gowarp", "schedule"}, exitUsage},
		{[]string{"gowarp", "schedule", "--no-such-flag"}, exitUsage},
		{[]string{"gowarp", "schedule", "no-such-file.json"}, exitFailure},
	} {
		var out, errs bytes.Buffer
		if got := run(c.args, strings.NewReader(""), &out, &errs); got != c.want {
			t.Errorf("%v: exit code %d, want %d (%s)", c.args, got, c.want, errs.String())
		}
		if (c.want == 0) != (errs.Len() == 0) {
			t.Errorf("%v: stderr %q", c.args, errs.String())
		}
	}
}

// TestNeverRan: a command that is none, or may not be run, is named with the reason alone; one that ran and failed hands on its exit code.
func TestNeverRan(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("no command\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"./nowhere"}, "exec: ./nowhere cannot be run: no such file or directory"},
		{[]string{plain}, "exec: " + plain + " cannot be run: permission denied"},
		{[]string{"no-such-command-anywhere"}, `exec: no-such-command-anywhere cannot be run: executable file not found in $PATH`},
		{[]string{"sh", "-c", "exit 7"}, "exec: sh: exit status 7"},
		{[]string{"true"}, ""},
	} {
		var err error
		app := cli.NewApp()
		app.Writer, app.ErrWriter = &bytes.Buffer{}, &bytes.Buffer{}
		app.ExitErrHandler = func(*cli.Context, error) {}
		app.Action = func(ctx *cli.Context) error {
			err = execute(ctx, os.Environ())
			return nil
		}
		if failed := app.Run(append([]string{"gowarp", "--"}, c.args...)); failed != nil {
			t.Fatal(failed)
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.args, got, c.want)
		}
	}
}
