package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		env    []string
		params string
		want   []string
	}{
		"plain":     {nil, "", []string{"LD_PRELOAD=/lib/libgowarp_preload.so", "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PLUGIN=/lib/libautoschedule_gowarp.so"}},
		"preloaded": {[]string{"LD_PRELOAD=/a.so"}, "", []string{"LD_PRELOAD=/lib/libgowarp_preload.so:/a.so"}},
		"params":    {nil, "gpu=h200", []string{"HL_AUTOSCHEDULER_PARAMS=gpu=h200"}},
	} {
		got := environment(c.env, "/lib/libgowarp_preload.so", "/lib/libautoschedule_gowarp.so", c.params)
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %q is missing from %v", name, w, got)
			}
		}
	}
	got := environment([]string{"HL_AUTOSCHEDULER=Li2018", "HL_AUTOSCHEDULER_PLUGIN=/li.so"}, "/lib/libgowarp_preload.so", "/lib/libautoschedule_gowarp.so", "")
	for _, e := range got {
		if e == "HL_AUTOSCHEDULER=gowarp" || strings.HasPrefix(e, "HL_AUTOSCHEDULER_PLUGIN=/lib") {
			t.Errorf("%s overrides what the user set", e)
		}
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
