//go:build halide

package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/halideir/schedule"
)

// TestDumpIsChecked: where Halide made something else of the first schedule, the command line comes to the schedule that the generator took, and says why; with
// other parameters it says that it does not.
func TestDumpIsChecked(t *testing.T) {
	dir := t.TempDir()
	dump, saved := filepath.Join(dir, "pipeline.json"), filepath.Join(dir, "schedule.json")
	ok(t, nil, compiled(t, "sides"), scheduled(t, "sides", cudaTarget, "autoscheduler.gpu=h100", "autoscheduler.dump="+dump, "autoscheduler.save="+saved)...)
	data, err := os.ReadFile(dump)
	if err != nil {
		t.Fatal(err)
	}
	p := decoded(t, data)
	if len(p.Checked) < 2 || len(p.Checked[0].Faults) == 0 || len(p.Checked[len(p.Checked)-1].Faults) > 0 {
		t.Fatalf("the dump says of its check %+v", p.Checked)
	}
	r, err := autoscheduler.Run(p, autoscheduler.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	took, err := schedule.Decode([]byte(text(t, saved)))
	if err != nil {
		t.Fatal(err)
	}
	if r.Schedule.Digest() != took.Digest() {
		t.Errorf("the command line comes to\n%s\nthe generator took\n%s", r.Schedule.JSON(), took.JSON())
	}
	gowarp := tree(t).Build("gowarp")
	if out := ok(t, nil, gowarp, "explain", dump); !strings.Contains(out, "the schedule that the generator took") {
		t.Errorf("explain does not say what it explains:\n%s", out)
	}
	if out := ok(t, nil, gowarp, "explain", dump, "--param", "mode=autogpu"); !strings.Contains(out, "not checked by Halide") {
		t.Errorf("explain does not say that it is another schedule:\n%s", out)
	}
}
