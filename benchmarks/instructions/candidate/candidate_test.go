package candidate

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRead: a file that is not there has no lines, a last line that was cut short is left out, and a line of something else is an error.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	if c, err := Read(filepath.Join(dir, "none.jsonl")); err != nil || c != nil {
		t.Errorf("%v, %v", c, err)
	}
	line := `{"program":"p","kernel":"k.s0","key":"a","way":{"out":1,"stage":0,"choice":{}},"grid":[1,1,1],"block":[32,1,1],"counted":{"integer":1,"float":2,"special":3,"memory":4,"control":5}}` + "\n"
	for text, want := range map[string]int{line + line: 2, "\n" + line: 1, line + line[:40]: 1, line + "{}\n" + line: -1} {
		file := filepath.Join(dir, "lines.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := Read(file)
		if (err != nil) != (want < 0) || err == nil && len(c) != want {
			t.Errorf("%q: %d lines, %v", text, len(c), err)
		}
		if err == nil && c[0].Counted.Issued() != 15 {
			t.Errorf("%v instructions", c[0].Counted.Issued())
		}
	}
}
