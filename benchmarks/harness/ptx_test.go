package harness

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParsePtxas(t *testing.T) {
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
	want := []KernelUse{{"b", 64, 16, 20, 24, 128}, {"a", 12, 0, 0, 0, 0}}
	if diff := cmp.Diff(want, parsePtxas(log)); diff != "" {
		t.Error(diff)
	}
}

func TestTrapPattern(t *testing.T) {
	for text, want := range map[string]bool{
		"\ttrap;\n":           true,
		"\t@%p1 trap;\n":      true,
		"// trap; \n\tret;\n": false,
		".func mytrap;\n":     false,
	} {
		if got := ptxTrap.MatchString(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestLaunchCheck(t *testing.T) {
	good := Launch{"k", [3]int64{10, 65535, 1}, [3]int64{32, 32, 1}, 49152}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Launch){
		"threads":   func(l *Launch) { l.Threads[0] = 33 },
		"none":      func(l *Launch) { l.Threads[1] = 0 },
		"z threads": func(l *Launch) { l.Threads = [3]int64{1, 1, 65} },
		"y blocks":  func(l *Launch) { l.Blocks[1]++ },
		"no blocks": func(l *Launch) { l.Blocks[0] = 0 },
		"shared":    func(l *Launch) { l.SharedBytes++ },
	} {
		bad := good
		change(&bad)
		if bad.Check() == nil {
			t.Errorf("%s: %+v passed", name, bad)
		}
	}
}
