package autoscheduler

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gowarp/halideir"
	"gowarp/internal/golden"
)

// TestGolden prints the schedule of every pipeline in testdata, as exported from
// Halide, for two devices. A change of schedule shows in review.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pipelines in testdata: %v", err)
	}
	for _, file := range files {
		p := load(t, file)
		for _, gpu := range []string{"sm_75", "generic"} {
			for name, kv := range map[string]map[string]string{
				"none": {"mode": "autogpu", "fusion": "none"}, "nested": {"mode": "autogpu"}, "gowarp": {},
			} {
				name = strings.TrimSuffix(filepath.Base(file), ".json") + "." + gpu + "." + name
				t.Run(name, func(t *testing.T) {
					kv["gpu"] = gpu
					prm, err := ParseParams(kv)
					if err != nil {
						t.Fatal(err)
					}
					s, err := Schedule(p, prm)
					if err != nil {
						t.Fatal(err)
					}
					if err := s.Check(p); err != nil {
						t.Fatal(err)
					}
					var b bytes.Buffer
					if err := s.Tree(&b, p); err != nil {
						t.Fatal(err)
					}
					b.WriteString("\n")
					b.WriteString(s.CPlusPlus(p))
					golden.Compare(t, filepath.Join("testdata", "golden", name+".txt"), b.Bytes())
				})
			}
		}
	}
}

func load(t testing.TB, file string) *halideir.Pipeline {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := halideir.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
