package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const results = "../results/polymage/"

// TestCommittedReport: the report that is committed is the one of the data that is committed beside it.
func TestCommittedReport(t *testing.T) {
	want, err := os.ReadFile(results + "report.md")
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "c.csv")
	var got strings.Builder
	if err := run(&got, results+"gtx1080ti.jsonl", results+"candidates.csv", again); err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Error("benchmarks/results/polymage/report.md is not what the lines and candidates beside it give; make polymage writes it")
	}
	a, _ := os.ReadFile(results + "candidates.csv")
	if b, err := os.ReadFile(again); err != nil || string(a) != string(b) {
		t.Errorf("the candidates are written otherwise than they were read (%v)", err)
	}
	for _, p := range paper {
		if !strings.Contains(got.String(), "| "+escaped(p.program)+" ") {
			t.Errorf("%s is missing", p.program)
		}
	}
}

// TestPublished: table 4's geometric mean is the one that the paper states, 1.65.
func TestPublished(t *testing.T) {
	var v []float64
	for _, p := range paper {
		v = append(v, p.halide/p.polymage)
	}
	if m := mean(v); m < 1.645 || m > 1.655 {
		t.Errorf("%.3f, the paper states 1.65", m)
	}
}

// TestPicked: what the least cost picks is held against the best.
func TestPicked(t *testing.T) {
	c := func(cost, instructions float64) candidate {
		var c candidate
		c.figures[0], c.figures[predictions] = cost, instructions
		return c
	}
	if got := picked([]candidate{c(3, 10), c(1, 25), c(2, 40)}, 0, predictions); got != 2.5 {
		t.Errorf("%v, want 25/10", got)
	}
}

// TestBadInput: files that are missing, damaged or of several GPUs are refused with their names.
func TestBadInput(t *testing.T) {
	file := func(text string) string {
		f := filepath.Join(t.TempDir(), "f.csv")
		if err := os.WriteFile(f, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return f
	}
	lines := results + "gtx1080ti.jsonl"
	for name, c := range map[string]struct{ lines, candidates, want string }{
		"no lines":     {file(""), "", "gowarp bench writes them"},
		"spoilt lines": {file("nonsense\n"), "", "gowarp bench writes them"},
		"another head": {lines, file("program,schedule\n"), "its head is not"},
		"not a number": {lines, file(strings.Join(head(), ",") + "\nharris,d" + strings.Repeat(",x", len(columns)) + "\n"), "line 2, algorithm2"},
		"two GPUs":     {file(`{"schema":1,"program":"a","gpu":"x","scheduler":"expert","outcome":"ok","key":"k"}` + "\n" + `{"schema":1,"program":"a","gpu":"y","scheduler":"gowarp","outcome":"ok","key":"k"}` + "\n"), file(strings.Join(head(), ",") + "\n"), "one GPU is wanted"},
		"no such file": {lines, "nothing.csv", "nothing.csv"},
	} {
		if err := run(&strings.Builder{}, c.lines, c.candidates, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
