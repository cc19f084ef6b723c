package textfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
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

// TestCompressed: lines come back from a compressed file, the same lines are the same bytes, and what is no such file is an error.
func TestCompressed(t *testing.T) {
	lines := []map[string]int{{"a": 1}, {"b": 2}}
	var kept [][]byte
	for range 2 {
		path := filepath.Join(t.TempDir(), "lines.jsonl.gz")
		if err := ReplaceLines(path, lines); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if err := errors.Join(err, f.Close()); err != nil || string(text) != "{\"a\":1}\n{\"b\":2}\n" {
			t.Errorf("%q, %v", text, err)
		}
		bytes, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, bytes)
	}
	if string(kept[0]) != string(kept[1]) || kept[0][0] != 0x1f {
		t.Errorf("%x and %x", kept[0], kept[1])
	}
	path := filepath.Join(t.TempDir(), "text.gz")
	if err := os.WriteFile(path, []byte("no such thing"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

// TestEachLine: lines are handed out trimmed, with their numbers, until somebody objects; a file that is not there has none, and one of longer lines is an error.
func TestEachLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(path, []byte("one\n\n  three \nfour"), 0o666); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("enough")
	read := func(path string, most, last int) (got []string, err error) {
		err = EachLine(path, most, func(n int, line []byte) error {
			got = append(got, fmt.Sprintf("%d:%s", n, line))
			if n == last {
				return stop
			}
			return nil
		})
		return got, err
	}
	if got, err := read(path, 100, 0); err != nil || strings.Join(got, " ") != "1:one 2: 3:three 4:four" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := read(path, 100, 2); err != stop || len(got) != 2 {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := read(path, 5, 0); !errors.Is(err, bufio.ErrTooLong) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v of a line of 8 bytes where 5 are the most", err)
	}
	if got, err := read(path+"none", 100, 0); err != nil || got != nil {
		t.Errorf("%q, %v of no file", got, err)
	}
}
