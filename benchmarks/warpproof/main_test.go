package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gowarp/benchmarks/bench"
)

// TestReport: what cannot be done is no fault, what is wrong is, and no lines at all are an error.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	if _, err := report(&bytes.Buffer{}, dir); err == nil {
		t.Error("no lines, and no error")
	}
	write := func(size string, records ...bench.Record) {
		t.Helper()
		var all []byte
		for _, r := range records {
			r.Schema, r.GPU = bench.Schema, "sm_75"
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			all = append(append(all, line...), '\n')
		}
		if err := os.MkdirAll(filepath.Join(dir, size), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, size, "sm_75.jsonl"), all, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("131x77", bench.Record{Program: "blur", Scheduler: "gowarp", Outcome: bench.OK}, bench.Record{Program: "harris", Scheduler: "gowarp", Outcome: bench.FailsToSchedule})
	var out bytes.Buffer
	if bad, err := report(&out, dir); bad != 0 || err != nil || !strings.Contains(out.String(), "2 cells: 1 fails-to-schedule, 1 ok.") {
		t.Errorf("%d are wrong, %v:\n%s", bad, err, out.String())
	}
	write("7x5", bench.Record{Program: "blur", Scheduler: "gowarp", Outcome: bench.WrongResult}, bench.Record{Program: "harris", Scheduler: "gowarp", Outcome: bench.Faulty})
	out.Reset()
	if bad, err := report(&out, dir); bad != 2 || err != nil || !strings.Contains(out.String(), "| blur | gowarp | ok | wrong-result |") {
		t.Errorf("%d are wrong, %v:\n%s", bad, err, out.String())
	}
}
