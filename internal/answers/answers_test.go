package answers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAnswers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "when needed")
	key, other := Key("form", "a", "bc"), Key("form", "ab", "c")
	if key == other {
		t.Fatal("one key for two questions")
	}
	if _, ok := Get[[]int](dir, key); ok {
		t.Error("an empty cache has something")
	}
	want := []int{12345, 7}
	if err := Put(dir, key, want); err != nil {
		t.Fatal(err)
	}
	if got, ok := Get[[]int](dir, key); !ok || !slices.Equal(got, want) {
		t.Error(got, ok)
	}
	if _, ok := Get[[]int](dir, other); ok {
		t.Error("another key has it too")
	}
	if _, ok := Get[string](dir, key); ok {
		t.Error("it is of another form")
	}

	// What was cut, what is of another key, what is changed, what is no JSON: it is learned again.
	name := filepath.Join(dir, key+".json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []string{"", string(text[:len(text)/2]), strings.ReplaceAll(string(text), key, other), strings.ReplaceAll(string(text), "12345", "12346"), "null", "{}"} {
		if err := os.WriteFile(name, []byte(damaged), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, ok := Get[[]int](dir, key); ok || got != nil {
			t.Errorf("%q is taken for %v", damaged, got)
		}
	}
	if err := Put(dir, key, want); err != nil {
		t.Fatal(err)
	}
	if _, ok := Get[[]int](dir, key); !ok {
		t.Error("it was not put right")
	}
	if err := Put(filepath.Join(name, "below a file"), key, want); err == nil {
		t.Error("no word of a directory that cannot be made")
	}
	if _, ok := Get[int]("", key); ok || Put("", key, 1) != nil {
		t.Error("no directory is no fault")
	}
}

// A path that is another one in every folder keeps nothing, and makes no folder where somebody happens to build.
func TestRelative(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOWARP_CACHE", "cache")
	dir, key := Dir("kind"), Key("form", "a")
	if err := Put(dir, key, 1); err == nil {
		t.Error("kept in " + dir)
	}
	if _, ok := Get[int](dir, key); ok {
		t.Error("found in " + dir)
	}
	if made, err := os.ReadDir("."); err != nil || len(made) > 0 {
		t.Error(made, err)
	}
}
