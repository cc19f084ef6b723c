package bench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

func line(program, scheduler, outcome string) string {
	return `{"schema":1,"program":"` + program + `","scheduler":"` + scheduler + `","gpu":"t4","up_to":"static","outcome":"` + outcome + `"}`
}

func TestReadLeavesOutWhatIsNoRecord(t *testing.T) {
	text := strings.Join([]string{line("a", "root", OK), "", "{", `{"schema":2,"program":"a"}`, `{"schema":1,"program":"a","scheduler":"root","gpu":"t4"}`, line("b", "root", OK)}, "\n")
	records, complaints, err := Read(strings.NewReader(text), "x")
	if err != nil || len(records) != 2 || records[1].Program != "b" {
		t.Fatalf("%v, %v", records, err)
	}
	for i, want := range []string{"x:3: not a record", "x:4: a record of version 2", "x:5: a record without"} {
		if i >= len(complaints) || !strings.HasPrefix(complaints[i], want) {
			t.Errorf("complaints %q, want %q at %d", complaints, want, i)
		}
	}
}

// TestStore: a file that ends in half a line takes whole lines again, later lines stand for
// earlier ones, and two runs cannot write at once.
func TestStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "t4.jsonl")
	if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(line("b", "root", TimedOut)+"\n"+`{"schema":1,"progr`), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := openStore(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openStore(path); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("opened twice: %v", err)
	}
	for _, r := range []Record{{Schema: 1, Program: "b", Scheduler: "root", GPU: "t4", UpTo: UpToStatic, Outcome: OK}, {Schema: 1, Program: "a", Scheduler: "root", GPU: "t4", UpTo: UpToStatic, Outcome: OK}} {
		if err := s.append(&r); err != nil {
			t.Fatal(err)
		}
	}
	records, complaints, err := ReadFile(path)
	if err != nil || len(records) != 3 || len(complaints) != 1 {
		t.Fatalf("%d records, %q, %v", len(records), complaints, err)
	}
	if records, err = s.compact(); err != nil || len(records) != 2 || records[0].Program != "a" || records[1].Outcome != OK {
		t.Fatalf("%v, %v", records, err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	again, complaints, err := ReadFile(path)
	if err != nil || len(again) != 2 || complaints != nil {
		t.Errorf("%v, %q, %v", again, complaints, err)
	}
}

func TestKnown(t *testing.T) {
	c := cell{job: Job{Limits: Limits{CPUSeconds: 60, CellSeconds: 300, MemoryBytes: 1 << 32}}}
	c.rec = Record{Key: "k", Program: "a", Scheduler: "root", GPU: "t4", UpTo: UpToStatic}
	for _, x := range []struct {
		key, outcome string
		cpu          int
		memory       int64
		want         bool
	}{
		{"k", OK, 1, 1, true}, // the limits did not matter
		{"other", OK, 60, 1 << 32, false},
		{"k", TimedOut, 60, 1, true},
		{"k", TimedOut, 59, 1 << 40, false},
		{"k", OutOfMemory, 1, 1 << 32, true},
		{"k", OutOfMemory, 1, 1 << 31, false},
		{"k", Broken, 60, 1 << 32, false},
	} {
		r := c.rec
		r.Key, r.Outcome, r.Limits = x.key, x.outcome, Limits{x.cpu, 300, x.memory}
		if got, _ := known([]Record{r}, c); got != x.want {
			t.Errorf("%+v: kept %v", x, got)
		}
	}
}

func TestFailureText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"emit a for b: harness: generator: exit status 1\nwarning\nUnhandled exception: Error: /tmp/build/a.cc: extent of f.v0 is not constant\nmore", "Error: a.cc: extent of f.v0 is not constant"},
		{"emit a for b: harness: generator: exit status 1\nUnhandled exception: gowarp: autoscheduler: fusion=cold", "gowarp: autoscheduler: fusion=cold"},
		{"emit a for b: harness: generator: exit status 1\nUnhandled exception: Error:", "emit a for b: harness: generator: exit status 1"},
		{"emit a for b: harness: generator: signal: aborted\nterminate called after throwing an instance of 'std::bad_alloc'", "terminate called after throwing an instance of 'std::bad_alloc'"},
		{"harness: p: exit status 1\nUnhandled exception: Error: In definition of Func \"m\":\nAll of its references must agree.\nmore", "Error: In definition of Func \"m\": All of its references must agree."},
		{"only this", "only this"},
		{"harness: p: exit status 1\nlast words", "last words"},
	} {
		if got := firstLine(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestOutOfMemory: whatever process of a cell got no more memory, the line says so, and is made anew under a higher limit.
func TestOutOfMemory(t *testing.T) {
	l := Limits{CPUSeconds: 60, CellSeconds: 300, MemoryBytes: 2 << 30}
	for text, want := range map[string]string{
		"emit a for b: harness: sh: signal: aborted\nterminate called after throwing an instance of 'std::bad_alloc'":        OutOfMemory,
		"harness: p: exit status 1\nCUDA error: CUDA_ERROR_OUT_OF_MEMORY cuInit failed":                                      OutOfMemory,
		"harness: p: exit status 1\nfatal error: runtime: cannot allocate memory":                                            OutOfMemory,
		"harness: p: exit status 1\nError: Out of memory (halide_malloc returned nullptr)":                                   OutOfMemory,
		"harness: p: exit status 1\nCUDA error: CUDA_ERROR_INVALID_VALUE cuLaunchKernel failed":                              FailsToRun,
		"harness: p: exit status 1\nError: Input buffer in is accessed at 600, which is beyond the max (599) in dimension 0": FailsToRun,
	} {
		m := &measurement{job: Job{Limits: l}, rec: &Record{}}
		if ended, err := m.judge(&harness.Simulation{Failure: errors.New(text)}, nil); err != nil || !ended || m.rec.Outcome != want {
			t.Errorf("%q: %s (%s), %v", text, m.rec.Outcome, m.rec.Reason, err)
		}
	}
}
