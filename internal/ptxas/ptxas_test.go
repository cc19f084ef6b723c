package ptxas

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	log := `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'b' for 'sm_75'
ptxas info    : Function properties for b
    16 bytes stack frame, 20 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 16 bytes cumulative stack size, 128 bytes smem, 400 bytes cmem[0]
ptxas info    : Compile time = 3.1 ms
ptxas info    : Compiling entry function 'a' for 'sm_75'
ptxas info    : Function properties for a
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers, 376 bytes cmem[0]
`
	ptx := ".visible .entry a(\n.visible .entry b(\n"
	got, err := Parse(log, ptx)
	if err != nil {
		t.Fatal(err)
	}
	want := []Use{{"a", 12, 0, 0, 0, 0}, {"b", 64, 16, 20, 24, 128}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := Parse(log, ptx+".entry c()"); err == nil {
		t.Errorf("a kernel of which nothing is said: %v", got)
	}
}

func TestOf(t *testing.T) {
	const kernel = "_kernel_blur_y_1_s0_y_y_block_id_y"
	if !Of(kernel, "blur_y$1", 0) || Of(kernel, "blur_y$1", 1) || Of(kernel, "blur_y", 0) {
		t.Error("whose kernel it is")
	}
}

// TestBadAssembler: one that hangs, fails or prints rubbish is an error that can be printed.
func TestBadAssembler(t *testing.T) {
	defer func(d time.Duration) { longest = d }(longest)
	for body, want := range map[string]string{
		"exec sleep 100":           "did not end within",
		"sleep 100 & wait":         "did not end within",
		"echo no licence; exit 3":  `exit status 3: "no licence"`,
		`printf '\033[2J\000\377'`: `said nothing of the kernel k: "\x1b[2J\x00\xff"`,
	} {
		// What ends by itself may take as long as a busy machine needs.
		if longest = time.Minute; strings.HasPrefix(want, "did not end") {
			longest = 300 * time.Millisecond
		}
		file := filepath.Join(t.TempDir(), "ptxas")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+body+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(file, ".entry k(", 75, MaxRegisters); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}
