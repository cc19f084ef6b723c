package autoscheduler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gowarp/halideir"
)

// BenchmarkSchedule is what the plugin does between Halide's export and its directives:
// decode, verify, schedule, for compute capability 7.5.
func BenchmarkSchedule(b *testing.B) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		b.Fatal("no pipelines", err)
	}
	prm, err := ParseParams(map[string]string{"gpu": "sm_75"})
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, err := halideir.Decode(data)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := Schedule(p, prm); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
