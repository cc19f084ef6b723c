package wholefile_test

import (
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gowarp/internal/wholefile"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a file")
	for _, text := range []string{"first", "second, longer", ""} {
		if err := wholefile.Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := wholefile.Read(path); err != nil || string(got) != text {
			t.Errorf("%q, %v, want %q", got, err, text)
		}
	}
	// What cannot be put in its place leaves nothing beside it.
	if err := os.MkdirAll(filepath.Join(dir, "folder", "in it"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Write(filepath.Join(dir, "folder"), []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	nowhere := filepath.Join(dir, "nowhere", "x")
	if err := wholefile.Write(nowhere, nil); err == nil || !strings.HasPrefix(err.Error(), "no file can be made in "+filepath.Dir(nowhere)+": ") || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestFullDisk: what cannot be written whole leaves the old file, and nothing else.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a file")
	if err := wholefile.Write(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 12, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	err := wholefile.Write(path, make([]byte, 1<<13))
	if back := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); back != nil {
		t.Fatal(back)
	}
	if err == nil {
		t.Error("a full disk is no error")
	}
	if got, err := wholefile.Read(path); err != nil || string(got) != "old" {
		t.Errorf("%q, %v", got, err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("left are %v, %v", files, err)
	}
}

func TestReadSaysWhyAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nosuch")
	_, err := wholefile.Read(path)
	if !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "nosuch") {
		t.Errorf("%v", err)
	}
}
