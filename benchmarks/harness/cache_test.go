package harness

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

func TestOnce(t *testing.T) {
	tree := &Tree{Root: t.TempDir()}
	var fills atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			k := tree.newKey("kind")
			k.text("a")
			dir, err := tree.once("kind", k, func(dir string) error {
				fills.Add(1)
				return os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o666)
			})
			if err != nil {
				t.Error(err)
			} else if _, err := os.Stat(filepath.Join(dir, "f")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := fills.Load(); n != 1 {
		t.Errorf("filled %d times", n)
	}

	// A failure is not kept.
	k := tree.newKey("kind")
	k.text("b")
	broken := errors.New("broken")
	if _, err := tree.once("kind", k, func(string) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if _, err := tree.once("kind", k, func(string) error { return nil }); err != nil {
		t.Errorf("second try: %v", err)
	}
}

func TestKeySeparatesParts(t *testing.T) {
	tree := &Tree{}
	a, b := tree.newKey("k"), tree.newKey("k")
	a.text("ab", "c")
	b.text("a", "bc")
	if a.String() == b.String() {
		t.Error("same key for different parts")
	}
}

// TestKeyOfSources: another text of a file that is included, directly or not, is another key; files that include each other end.
func TestKeyOfSources(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	keyOf := func() string {
		t.Helper()
		k := (&Tree{}).newKey("k")
		if err := k.sources(filepath.Join(dir, "a.cc"), map[string]bool{}); err != nil {
			t.Fatal(err)
		}
		return k.String()
	}
	write("a.cc", "#include \"b.h\"\n#include \"Halide.h\"\n#include <vector>\n")
	write("b.h", "  # include \"c.h\"\n")
	write("c.h", "#include \"b.h\"\nint c;\n")
	before := keyOf()
	if again := keyOf(); again != before {
		t.Error("another key for the same files")
	}
	write("c.h", "#include \"b.h\"\nlong c;\n")
	if keyOf() == before {
		t.Error("the same key for another c.h")
	}
}
