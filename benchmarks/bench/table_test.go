package bench

import (
	"strings"
	"testing"

	"gowarp/autoscheduler"
)

// TestSchedulers: every label of the table reads back as it is, and no two are the same; each
// value of fusion has a row.
func TestSchedulers(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Schedulers() {
		label := s.Label()
		if seen[label] {
			t.Errorf("%s is there twice", label)
		}
		seen[label] = true
		back, err := ParseScheduler(label)
		if err != nil || back.Label() != label {
			t.Errorf("%s reads back as %s: %v", label, back.Label(), err)
		}
	}
	if !seen["gowarp"] {
		t.Error("the default has no row")
	}
	for _, row := range autoscheduler.Table {
		if row.Key != "fusion" {
			continue
		}
		for _, v := range row.Values {
			if !seen["gowarp:fusion="+v+",mode=autogpu"] {
				t.Errorf("fusion=%s has no row", v)
			}
		}
	}
}

// TestPeersKnowTheDevice: parameters that say how large the device is follow it.
func TestPeersKnowTheDevice(t *testing.T) {
	for gpu, want := range map[string]string{"t4": "40", "h200": "132"} {
		target, err := ParseTarget(gpu)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Li2018", "Anderson2021"} {
			if got := (Scheduler{Name: name}).Resolved(target.Device)["parallelism"]; got != want {
				t.Errorf("%s on %s: parallelism %s, want %s", name, gpu, got, want)
			}
		}
		if gpu == "h200" && target.Capability != 86 {
			t.Errorf("Halide emits for %d on an H200", target.Capability)
		}
	}
	if _, err := ParseTarget("generic"); err == nil || !strings.Contains(err.Error(), "CUDA") {
		t.Errorf("generic: %v", err)
	}
}

// TestExperts: the facts are complete enough to be set beside counts.
func TestExperts(t *testing.T) {
	if len(Experts) < 14 {
		t.Errorf("%d experts", len(Experts))
	}
	for name, e := range Experts {
		if e.Counted.Size[0] < 1 || e.Counted.Size[1] < 1 || e.Counted.WarpInstructions <= 0 || e.Counted.Sectors <= 0 || e.Counted.Launches < 1 {
			t.Errorf("%s: %+v", name, e.Counted)
		}
		if p := e.Profiled; p != nil && p.DRAMMB < p.CompulsoryMB {
			t.Errorf("%s moves %v MB, less than the %v that it has to", name, p.DRAMMB, p.CompulsoryMB)
		}
		if CountedSize(name) != e.Counted.Size {
			t.Errorf("%s is not counted at its expert's size", name)
		}
	}
}
