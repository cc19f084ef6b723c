package autoscheduler

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"gowarp/halideir"
)

// TestPredictedIsScheduled: a session that goes on from a prediction has the schedules that one of its own has, the first one and those after faults, and the cost was that of what the search took.
func TestPredictedIsScheduled(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no pipelines", err)
	}
	compared := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		given := map[string]string{"gpu": "rtx2080ti", "align": "0"} // nothing behind the tiles changes a cost
		params, err := ParseParams(given)
		if err != nil {
			t.Fatal(err)
		}
		p, err := halideir.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		own := NewSession(p, params, false)
		predicted, err := Predict(data, given)
		if err != nil {
			continue // its schedule says what is wrong
		}
		compared++
		if predicted.Session(true).foreseen != nil {
			t.Errorf("%s: whoever wants reasons gets a search without them", file)
		}
		foreseen := predicted.Session(false)
		if foreseen.foreseen == nil {
			t.Fatalf("%s: the session has nothing to go on from", file)
		}
		same := func(what string, a, b *Result, err error) {
			t.Helper()
			switch {
			case err != nil:
				t.Fatalf("%s: %s: %v", file, what, err)
			case (a == nil) != (b == nil):
				t.Fatalf("%s: %s: one of the sessions has no answer", file, what)
			case a != nil && !bytes.Equal(a.Schedule.JSON(), b.Schedule.JSON()):
				t.Errorf("%s: %s: the schedule is another after a prediction:\n%s\n%s", file, what, b.Schedule.JSON(), a.Schedule.JSON())
			}
		}
		want, err := own.First()
		if err != nil {
			t.Fatal(file, err)
		}
		got, err := foreseen.First()
		same("first", want, got, err)
		cost := 0.
		for _, f := range want.Found {
			cost += f.Cost
		}
		if cost != predicted.Cost {
			t.Errorf("%s costs %g, and %g was predicted", file, cost, predicted.Cost)
		}
		for range 2 {
			var faults []Fault
			for _, l := range want.Launches() {
				faults = append(faults, Fault{Func: l.Func})
			}
			if want, err = own.RunnerUp(faults); err != nil {
				t.Fatal(file, err)
			}
			got, err = foreseen.RunnerUp(faults)
			if same("after faults", want, got, err); want == nil {
				break
			}
		}
	}
	if compared == 0 {
		t.Error("no pipeline was predicted")
	}
}
