package exec

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"gowarp/gpusim/check"
	"gowarp/gpusim/ptx"
)

// runAll runs every kernel once, with pointers to little memory.
func runAll(t *testing.T, loaded *Module) int {
	ran := 0
	for _, k := range loaded.Kernels {
		if k.LocalBytes > 1<<12 || k.StaticShared > MaxSharedBytes || k.ParamBytes > 4096 {
			continue
		}
		mem := NewMemory(make([]byte, 1<<16), 1<<16, nil)
		p, err := mem.Alloc(4096)
		if err != nil {
			t.Fatal(err)
		}
		params := make([]byte, k.ParamBytes)
		for i := range k.ParamSizes {
			if k.ParamSizes[i] == 8 {
				binary.LittleEndian.PutUint64(params[k.ParamOffsets[i]:], p)
			}
		}
		var log check.Log
		ran++
		_, _ = Run(t.Context(), mem, Launch{Kernel: k, Grid: [3]int{2, 1, 1}, Block: [3]int{40, 1, 1}, SharedBytes: max(0, min(1024, MaxSharedBytes-k.StaticShared)),
			Params: params, Workers: 1, MaxSteps: 1 << 14}, &log)
	}
	return ran
}

// FuzzRun decodes and runs any text that parses: it may be refused or found wrong, but
// nothing may crash or hang.
func FuzzRun(f *testing.F) {
	files, _ := filepath.Glob("../ptx/testdata/*.ptx")
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil && len(text) < 6000 {
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ptx.Parse(text)
		if err != nil {
			return
		}
		loaded, err := Load(m)
		if err != nil {
			return
		}
		runAll(t, loaded)
	})
}

// TestMutated exchanges words of Halide's own kernels for one another, which keeps far more
// texts alive than changed bytes do.
func TestMutated(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	files, _ := filepath.Glob("../ptx/testdata/*.ptx")
	var pool []string
	var texts []string
	words := regexp.MustCompile(`[%\w.$]+`)
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) < 9000 {
			texts = append(texts, string(b))
			pool = append(pool, words.FindAllString(string(b), -1)...)
		}
	}
	ran := 0
	for range 8000 {
		text := texts[r.IntN(len(texts))]
		for range 1 + r.IntN(3) {
			at := words.FindAllStringIndex(text, -1)
			w := at[r.IntN(len(at))]
			text = text[:w[0]] + pool[r.IntN(len(pool))] + text[w[1]:]
		}
		m, err := ptx.Parse(text)
		if err != nil {
			continue
		}
		loaded, err := Load(m)
		if err != nil {
			continue
		}
		ran += runAll(t, loaded)
	}
	if ran < 300 {
		t.Errorf("only %d mutated kernels ran", ran)
	}
}
