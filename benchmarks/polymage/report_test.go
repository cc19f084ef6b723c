package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gowarp/benchmarks/textfile"
)

const results = "../results/polymage/"

// TestCommittedReport: the report that is committed is the one of the data that is committed beside it.
func TestCommittedReport(t *testing.T) {
	want, err := os.ReadFile(results + "report.md")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := run(&got, results, ""); err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Error("benchmarks/results/polymage/report.md is not what the lines and candidates beside it give; go run ./benchmarks/polymage prints it")
	}
	for _, p := range paper {
		if !strings.Contains(got.String(), "| "+textfile.Cell(p.program)+" ") {
			t.Errorf("%s is missing", p.program)
		}
	}
}

// TestPublished: table 4's geometric means are those that the paper states, 1.65 and 1.33, as far as its rounded times give them.
func TestPublished(t *testing.T) {
	for _, gpu := range gpus {
		var v []float64
		for _, p := range paper {
			v = append(v, p.on[gpu.gpu].halide/p.on[gpu.gpu].polymage)
		}
		if m := mean(v); math.Abs(m-gpu.overHalide) > .01 {
			t.Errorf("%s: %.3f, the paper states %.2f", gpu.title, m, gpu.overHalide)
		}
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

// TestDrawn: of calibration's lines what the report needs is kept, and read again as it was.
func TestDrawn(t *testing.T) {
	dir := t.TempDir()
	lines := ""
	for i := range leastTiles + 1 {
		outcome := "ok"
		if i == leastTiles {
			outcome = "cannot-launch"
		}
		lines += fmt.Sprintf(`{"schema":1,"program":"harris","gpu":"gtx1080ti","name":"draw-%02d","outcome":%q,"predicted":{"algorithm2":%d,"issue":2.5},"counted":{"warp_instructions":%d,"sectors":7},`+
			`"kernels":[{"func":"f","members":["b@block","a@thread"],"predicted":{"algorithm2":%d},"counted":{"warp_instructions":%d,"sectors":3}},{"func":"alone%d","predicted":{},"counted":{"sectors":1}}]}`+"\n", i, outcome, i, 100-i, i, 3*i, i)
	}
	file := filepath.Join(dir, "drawn.jsonl")
	err := os.WriteFile(file, []byte(lines), 0o666)
	for _, gpu := range gpus {
		bench, failed := os.ReadFile(results + gpu.gpu + ".jsonl")
		err = errors.Join(err, failed, os.WriteFile(filepath.Join(dir, gpu.gpu+".jsonl"), bench, 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
	var first, again strings.Builder
	if err := errors.Join(run(&first, dir, file), run(&again, dir, "")); err != nil {
		t.Fatal(err)
	}
	if first.String() != again.String() {
		t.Error("another report from the files that were written")
	}
	for _, want := range []string{fmt.Sprintf("| harris | %d | -1.00 / - / - |", leastTiles), fmt.Sprintf("| harris | 1 | %d | 1.00 / - |", leastTiles)} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("no %q in\n%s", want, first.String())
		}
	}
	kernels, err := os.ReadFile(filepath.Join(dir, "kernels.csv"))
	if err != nil || !strings.Contains(string(kernels), "harris,f.s0(a b),2,,,6,3\n") {
		t.Errorf("%v: %s", err, kernels)
	}
}

// TestBadInput: files that are missing, damaged or of several GPUs are refused with their names.
func TestBadInput(t *testing.T) {
	good, err := os.ReadFile(results + "gtx1080ti.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const two = `{"schema":1,"program":"a","gpu":"gtx1080ti","scheduler":"expert","outcome":"ok","key":"k"}` + "\n" + `{"schema":1,"program":"a","gpu":"y","scheduler":"gowarp","outcome":"ok","key":"k"}` + "\n"
	schedules, parts := strings.Join(head(), ",")+"\n", strings.Join(kernelHead(), ",")+"\n"
	for name, c := range map[string]struct{ lines, schedules, parts, want string }{
		"no lines":       {"", schedules, parts, "gowarp bench writes them"},
		"spoilt lines":   {"nonsense\n", schedules, parts, "gowarp bench writes them"},
		"two GPUs":       {two, schedules, parts, "lines of y among those of gtx1080ti"},
		"another head":   {string(good), "program,schedule\n", parts, "its head is not"},
		"not a number":   {string(good), schedules + "harris,d" + strings.Repeat(",x", len(columns)) + "\n", parts, "line 2: figure 1"},
		"another head 2": {string(good), schedules, "program\n", "kernels.csv: its head is not"},
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"gtx1080ti.jsonl": c.lines, "candidates.csv": c.schedules, "kernels.csv": c.parts} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := run(&strings.Builder{}, dir, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := run(&strings.Builder{}, t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "candidates.csv") {
		t.Errorf("an empty folder: %v", err)
	}
	dir := t.TempDir()
	for file, text := range map[string]string{"candidates.csv": schedules, "kernels.csv": parts} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(&strings.Builder{}, dir, ""); err == nil || !strings.Contains(err.Error(), "gowarp bench writes them") {
		t.Errorf("no lines of a GPU: %v", err)
	}
}
