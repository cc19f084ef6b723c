//go:build halide

package bridge

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// blurs is a generator whose stages tiles of warps take.
const blurs = "benchmarks/programs/testdata/clamped_blur.cc"

var hybridParams = map[string]string{"tiling": "warp-hybrid", "cost": "issue", "frac_reg": "0.5", "warp_tile": "2x4x2"}

// TestHybridByEveryDoor: the lowering pass is there whoever asks: a generator with -p, the variable, and a
// saved schedule, which holds all of it. The schedule as source does not, and says so: it gives the code
// of registers alone.
func TestHybridByEveryDoor(t *testing.T) {
	tr := tree(t)
	generator := harness.Generator{Source: blurs, Name: "clamped_blur"}
	emit := func(g harness.Generator, s harness.Scheduler) *harness.Emission {
		t.Helper()
		e, err := tr.Emit(g, harness.EmitOptions{Target: strings.TrimPrefix(cudaTarget, "target="), Outputs: []string{"device_code", "schedule"}, Scheduler: s})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	code := func(e *harness.Emission) string { return text(t, e.File("device_code")) }

	explicit := emit(generator, harness.Gowarp(hybridParams))
	want := code(explicit)
	if !strings.Contains(want, "ld.shared") || !strings.Contains(want, "shfl") {
		t.Fatalf("no kernel that both shuffles and has shared memory:\n%s", want)
	}
	if code(emit(generator, harness.GowarpByEnvironment(hybridParams))) != want {
		t.Error("by the variable the code is another")
	}

	exe, err := tr.Compile(generator)
	if err != nil {
		t.Fatal(err)
	}
	file := savedHybrid(t, exe)
	if code(emit(generator, harness.Gowarp(map[string]string{"schedule": file}))) != want {
		t.Error("replayed the code is another")
	}

	header := text(t, explicit.File("schedule.h"))
	if !strings.Contains(header, "// This is not all of the schedule: ") {
		t.Errorf("the source does not say that it is not all:\n%s", header)
	}
	source := strings.Replace(text(t, tr.Path(blurs)), "    void generate() {",
		"    void schedule() { apply_schedule_clamped_blur(this->get_pipeline(), this->get_target()); }\n\n    void generate() {", 1)
	byHand := filepath.Join(t.TempDir(), "clamped_blur.cc")
	if err := os.WriteFile(byHand, []byte(header+source), 0o666); err != nil {
		t.Fatal(err)
	}
	registers := maps.Clone(hybridParams)
	registers["frac_reg"] = "1"
	whole := lacking(t, generator, registers, "demand_order", "chain_addresses", "vector_access")
	if code(emit(harness.Generator{Source: byHand, Name: "clamped_blur"}, harness.Unscheduled())) != code(emit(generator, harness.Gowarp(map[string]string{"schedule": whole}))) {
		t.Error("the source without the pass is not the tile with all of it in registers")
	}
}

// TestHybridByPython: the pass belongs to the pipeline that was scheduled; another pipeline over the same Funcs
// has the schedule without it, and registers.
func TestHybridByPython(t *testing.T) {
	out := ok(t, nil, tree(t).Build("venv", "bin", "python"), filepath.Join("testdata", "hybrid.py"), tree(t).Plugin())
	var scheduled, another int
	if _, err := fmt.Sscanf(out, "scheduled: %d\nanother: %d", &scheduled, &another); err != nil || scheduled == 0 || another != 0 {
		t.Errorf("accesses to the scratch: %s, %v", out, err)
	}
}

// savedHybrid is the file of a saved schedule of clamped_blur, a hybrid, which a generator exports.
func savedHybrid(t *testing.T, exe string) string {
	return savedAs(t, exe, "clamped_blur", cudaTarget, hybridParams)
}

// TestDemoteThatCannotBe: a saved schedule that has been changed by hand is refused where its scratch holds no
// such tile, and is right all the same where Halide's code has not so many registers.
func TestDemoteThatCannotBe(t *testing.T) {
	tr := tree(t)
	exe, err := tr.Compile(harness.Generator{Source: blurs, Name: "clamped_blur"})
	if err != nil {
		t.Fatal(err)
	}
	saved := text(t, savedHybrid(t, exe))
	demote := regexp.MustCompile(`("do":"demote".*?"n":)\d+`)
	if len(demote.FindAllString(saved, -1)) < 2 {
		t.Fatalf("nothing is demoted in\n%s", saved)
	}
	run := func(n string) result {
		file := filepath.Join(t.TempDir(), "schedule.json")
		if err := os.WriteFile(file, []byte(demote.ReplaceAllString(saved, "${1}"+n)), 0o666); err != nil {
			t.Fatal(err)
		}
		return run(t, nil, exe, scheduled(t, "clamped_blur", cudaTarget, "autoscheduler.check=0", "autoscheduler.schedule="+file)...)
	}
	if r := run("7000"); r.code <= 0 || !strings.Contains(r.out, "gowarp: ") || !strings.Contains(r.out, "shared memory") {
		t.Errorf("7000 registers of a lane: exit code %d\n%s", r.code, r.out)
	}
	if r := run("0"); r.code <= 0 || !strings.Contains(r.out, "n is 0, want 1") {
		t.Errorf("no register: exit code %d\n%s", r.code, r.out)
	}
}
