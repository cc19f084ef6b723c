package random

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pretender is a Runner of a shell script in the place of random.cc: what it does with a
// pipeline is the body of a loop over the lines, which have a number and a text.
func pretender(t *testing.T, body string) *Runner {
	t.Helper()
	program := filepath.Join(t.TempDir(), "pretender")
	script := "#!/bin/sh\nwhile read -r number text; do\necho begin $number\n[ $number = 8 ] || echo root $number\n" + body + "\ndone\n"
	if err := os.WriteFile(program, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return &Runner{Program: program, Limit: 5 * time.Second, Bytes: 1 << 30}
}

// TestFailuresHaveAnOwner: one pipeline that crashes, hangs, or grows costs no other.
func TestFailuresHaveAnOwner(t *testing.T) {
	t.Parallel()
	r := pretender(t, `
case $number in
2|8) kill -SEGV $$;;
3) while :; do :; done;;
5) echo end $number wrong it is; exit;;
6) text=x; while :; do text=$text$text; done;;
*) echo end $number ok;;
esac`)
	var jobs []Job
	for n := uint64(1); n <= 8; n++ {
		jobs = append(jobs, Job{n, &Pipeline{Target: "host-opencl"}})
	}
	r.Bytes = 200 << 20
	results, err := r.Run(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Outcome{OK, Crash, Hang, OK, Wrong, Memory, OK, Skip} {
		if i >= len(results) || results[i].Outcome != want || results[i].Number != uint64(i+1) {
			t.Errorf("job %d should be %s: %+v", i+1, want, results)
			break
		}
	}
}

// TestKilledWithItsSimulator: what a simulator found in the pipelines before one that hangs is
// killed with it, so those run once more.
func TestKilledWithItsSimulator(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "seen")
	// A simulator's lock stays where it was killed, and there is no report.
	r := pretender(t, `
case $number in
2) if [ -e `+seen+` ]; then echo end 2 wrong it is; exit; fi; : > `+seen+`; echo end 2 ok;;
3) : > $GOWARP_GPUSIM_REPORTS/1.running; while :; do :; done;;
*) echo end $number ok;;
esac`)
	r.Limit = time.Second
	jobs := []Job{{1, &Pipeline{}}, {2, &Pipeline{}}, {3, &Pipeline{}}, {4, &Pipeline{}}}
	results, err := r.Run(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Outcome{OK, Wrong, Hang, OK} {
		if i >= len(results) || results[i].Outcome != want || results[i].Number != uint64(i+1) {
			t.Fatalf("job %d should be %s: %+v", i+1, want, results)
		}
	}
}

// TestShrinking: of a pipeline that fails because of one operator, that operator is left.
func TestShrinking(t *testing.T) {
	t.Parallel()
	r := pretender(t, `
case $text in
*"(absd "*) echo end $number wrong it is; exit;;
*) echo end $number ok;;
esac`)
	seed := uint64(0)
	for ; len(Generate(seed).Funcs) < 3 || !strings.Contains(Generate(seed).String(), "(absd "); seed++ {
	}
	p := Generate(seed)
	small, last, err := r.Shrink(t.Context(), p, Result{Outcome: Wrong}, 500)
	if err != nil {
		t.Fatal(err)
	}
	if last.Outcome != Wrong || len(small.Funcs) != 1 || size(small.Funcs[0].Values) > 6 {
		t.Errorf("seed %d was shrunk to %s\n%s", seed, last.Outcome, small.Cxx())
	}
	if !strings.Contains(small.Cxx(), "absd(") {
		t.Errorf("what fails is not in\n%s", small.Cxx())
	}
}
