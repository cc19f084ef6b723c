package rows

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRecordAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	want := []Row{
		{Program: "a", Scheduler: "gowarp", Check: OpenCL, Size: [2]int{7, 5}, Outcome: OK},
		{Program: "b", Scheduler: "Li2018", Check: Simulated, Capability: 50, Outcome: "wrong result", Figures: map[string]float64{"kernels": 3}},
	}
	t.Setenv(Env, "")
	if err := Record(want[0]); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Env, path)
	for _, r := range want {
		if err := Record(r); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	t.Setenv(Env, filepath.Join(path, "below-a-file"))
	if err := Record(want[0]); err == nil {
		t.Error("a row that cannot be kept is no error")
	}
	if _, err := Read(strings.NewReader("{}\nnot json\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v, want one that names line 2", err)
	}
}

// TestMarkdown: what is wrong is counted and said, a peer's faults are said only.
func TestMarkdown(t *testing.T) {
	all := []Row{
		{Program: "blur", Scheduler: own, Check: Schedule, Outcome: OK, Figures: map[string]float64{"funcs": 3, "ms": 12.4}},
		{Program: "blur", Scheduler: own, Check: OpenCL, Size: [2]int{7, 5}, Outcome: OK},
		{Program: "blur", Scheduler: own, Check: OpenCL, Size: [2]int{70, 50}, Outcome: OK},
		{Program: "blur", Scheduler: own, Check: Simulated, Capability: 86, Size: [2]int{70, 50}, Outcome: OK, Figures: map[string]float64{"kernels": 1, "instructions": 49}},
		{Program: "blur", Scheduler: own, Check: PTXAS, Capability: 86, Outcome: OK, Figures: map[string]float64{"registers": 30}},
		{Program: "blur", Scheduler: own, Check: PTXAS, Capability: 50, Outcome: OK, Figures: map[string]float64{"registers": 40, "spills": 8}},
		{Program: "blur", Scheduler: "Li2018", Check: Simulated, Capability: 86, Outcome: "shared-race"},
		{Program: "500 on OpenCL", Check: Random, Outcome: OK, Figures: map[string]float64{"ran": 500, "right": 500}},
	}
	var b strings.Builder
	bad, err := Markdown(&b, all)
	if err != nil || bad != 0 {
		t.Fatalf("%d bad cells, %v\n%s", bad, err, &b)
	}
	for _, want := range []string{
		"| blur | 3 | 1 | 12 | - | ok, 2 sizes | - | ok | 40 / 8, 30 / 0 | - |",
		"| blur | 1 kernels, 49 warp instructions, 0 requests, 0 sectors | shared-race |",
		"| 500 on OpenCL | 500 | 500 | 0 |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q in\n%s", want, &b)
		}
	}
	all[2].Outcome, all[7].Outcome = "wrong result", "wrong"
	b.Reset()
	if bad, _ := Markdown(&b, all); bad != 2 || !strings.Contains(b.String(), "wrong result at 70x50") {
		t.Errorf("%d bad cells, want 2:\n%s", bad, &b)
	}
}
