package harness

import (
	"os"
	"path/filepath"
	"testing"
)

func TestBestDevice(t *testing.T) {
	tree := &Tree{Root: t.TempDir()}
	for _, c := range []struct{ says, target string }{
		{"NVIDIA H200, 9.0", "host-cuda-cuda_capability_86"},
		{"Tesla T4, 7.5\\nTesla T4, 7.5", "host-cuda-cuda_capability_75"},
		{"GTX 1080 Ti, 6.1", "host-cuda-cuda_capability_61"},
		{"RTX 5090, 12.0", "host-cuda-cuda_capability_86"},
		{"GTX 480, 2.0", "host-opencl"}, // older than anything that Halide emits for
		{"No devices were found", "host-opencl"},
		{"", "host-opencl"},
	} {
		bin := t.TempDir()
		script := "#!/bin/sh\nprintf '" + c.says + "\\n'\n"
		if err := os.WriteFile(filepath.Join(bin, "nvidia-smi"), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+":/bin:/usr/bin")
		if d := tree.BestDevice(); d.Target != c.target {
			t.Errorf("nvidia-smi says %q: %+v, want the target %s", c.says, d, c.target)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if d := tree.BestDevice(); d.Target != "host-opencl" {
		t.Errorf("without nvidia-smi: %+v", d)
	}
}
