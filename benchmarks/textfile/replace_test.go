package textfile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReplace: a file is replaced; a device and what a link leads to are written to.
func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plot.svg")
	if err := Replace(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, []byte("new")); err != nil {
		t.Error(err)
	}
	if err := Replace("/dev/full", []byte("x")); err == nil {
		t.Error("a device was not written to")
	}
	if info, err := os.Stat("/dev/full"); err != nil || info.Mode().IsRegular() {
		t.Fatalf("a device was replaced: %v, %v", info, err)
	}
	// Through a link it is the file behind it that changes.
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := Replace(link, []byte("linked")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "linked" {
		t.Errorf("%q, %v", b, err)
	}
}
