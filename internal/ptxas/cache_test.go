package ptxas

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCache(t *testing.T) {
	c := Cache{filepath.Join(t.TempDir(), "made", "when needed")}
	key, other := Key("a", "bc"), Key("ab", "c")
	if key == other {
		t.Fatal("one key for two texts")
	}
	if _, ok := c.Get(key); ok {
		t.Error("an empty cache has something")
	}
	uses := []Use{{"k", 64, 16, 20, 24, 128}, {Kernel: "l", Registers: 12}}
	if err := c.Put(key, uses); err != nil {
		t.Fatal(err)
	}
	got, ok := c.Get(key)
	if diff := cmp.Diff(uses, got); !ok || diff != "" {
		t.Error(ok, diff)
	}
	if _, ok := c.Get(other); ok {
		t.Error("another key has it too")
	}

	// What was cut, what is of another key, what is no JSON: it is asked again, and put right.
	file := filepath.Join(c.Dir, key+".json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []string{"", string(text[:len(text)/2]), strings.ReplaceAll(string(text), key, other), "null", "{}"} {
		if err := os.WriteFile(file, []byte(damaged), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, ok := c.Get(key); ok {
			t.Errorf("%q is taken for %v", damaged, got)
		}
	}
	if err := c.Put(key, uses); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Get(key); !ok {
		t.Error("it was not put right")
	}
	if left, err := filepath.Glob(filepath.Join(c.Dir, "new-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}

	if err := (Cache{filepath.Join(file, "below a file")}).Put(key, uses); err == nil {
		t.Error("no word of a directory that cannot be made")
	}
	if _, ok := (Cache{}).Get(key); ok || (Cache{}).Put(key, uses) != nil {
		t.Error("no directory is no fault")
	}
}
