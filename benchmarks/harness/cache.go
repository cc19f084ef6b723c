package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// A key is the content hash of everything that an artefact is made from.
type key struct{ h hash.Hash }

func (t *Tree) newKey(kind string) *key {
	k := &key{sha256.New()}
	k.text(kind)
	k.text(string(t.toolchain))
	return k
}

// text adds strings, each with its length so that ("ab","c") and ("a","bc") differ.
func (k *key) text(parts ...string) {
	for _, p := range parts {
		fmt.Fprintf(k.h, "%d:%s", len(p), p)
	}
}

// file adds a file's content.
func (k *key) file(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(k.h, "%d:", info.Size())
	_, err = io.Copy(k.h, f)
	return err
}

func (k *key) String() string { return hex.EncodeToString(k.h.Sum(nil))[:24] }

// tempDir is a directory for files that one call needs. It is outside the checkout: go
// test keeps results of tests whose files in the checkout stay the same, directories
// included.
func tempDir() (string, error) { return os.MkdirTemp("", "gowarp-") }

// once returns the directory build/cache/kind/key, and calls fill to make its content
// when it is not there yet. Other processes that want the same directory wait; a fill
// that fails leaves nothing behind.
func (t *Tree) once(kind string, k *key, fill func(dir string) error) (string, error) {
	base := t.Build("cache", kind)
	dir := filepath.Join(base, k.String())
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(base, 0o777); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("harness: lock %s: %w", lock.Name(), err)
	}
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	tmp, err := os.MkdirTemp(base, ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := fill(tmp); err != nil {
		return "", err
	}
	return dir, os.Rename(tmp, dir)
}

// ContentKey is the hash of files and texts, and of the toolchain: what is made from them
// alone is the same where the key is.
func (t *Tree) ContentKey(kind string, files []string, texts ...string) (string, error) {
	k := t.newKey(kind)
	for _, f := range files {
		if err := k.file(f); err != nil {
			return "", fmt.Errorf("harness: %w", err)
		}
	}
	k.text(texts...)
	return k.String(), nil
}
