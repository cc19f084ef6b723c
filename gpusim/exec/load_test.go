package exec

import (
	"os"
	"path/filepath"
	"testing"

	"gowarp/gpusim/ptx"
)

// TestLoadCorpus decodes all that Halide emitted for our test pipelines.
func TestLoadCorpus(t *testing.T) {
	files, _ := filepath.Glob("../ptx/testdata/*.ptx")
	if len(files) == 0 {
		t.Fatal("no corpus")
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ptx.Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(m)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(f), err)
			continue
		}
		if len(loaded.Kernels) == 0 {
			t.Errorf("%s: no kernels", f)
		}
	}
}
