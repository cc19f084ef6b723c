package textfile

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestCell(t *testing.T) {
	if got, want := Cell("a_b|c*\n<d> $1"), `a\_b\|c\* &lt;d> \$1`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestReplaceLines: what cannot be written leaves the old file as it is.
func TestReplaceLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	content := func() string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	type line struct{ A float64 }
	if err := ReplaceLines(path, []line{{1}, {2}}); err != nil || content() != "{\"A\":1}\n{\"A\":2}\n" {
		t.Error(err, content())
	}
	if err := ReplaceLines(path, []line{{3}, {math.NaN()}}); err == nil || content() != "{\"A\":1}\n{\"A\":2}\n" {
		t.Error("a NaN was written: ", err, content())
	}
}
