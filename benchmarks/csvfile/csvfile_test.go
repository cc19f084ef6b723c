package csvfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.csv")
	head, rows := []string{"program", "it's, \"said\""}, [][]string{{"harris", "1"}, {"un\nsharp", ""}}
	if err := Write(file, head, rows); err != nil {
		t.Fatal(err)
	}
	got, err := Read(file, head, "-csv")
	if diff := cmp.Diff(rows, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := Read(file, []string{"program"}, "-csv"); err == nil || !strings.Contains(err.Error(), file+": its head is not program; make it anew with -csv") {
		t.Errorf("another head: %v", err)
	}
	if err := os.WriteFile(file, []byte("a,b\n1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file, []string{"a", "b"}, "-csv"); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a row too short: %v", err)
	}
}
