package autoscheduler

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gowarp/autoscheduler/coster"
)

// TestWeights: weights from a file price as those built in do if they are the same, twice as much if they are twice as large, and a file that
// is no good is refused with what is wrong.
func TestWeights(t *testing.T) {
	p := exported(t)["harris.json"]
	dir := t.TempDir()
	file := filepath.Join(dir, "w.json")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cost := func(kv ...string) float64 {
		t.Helper()
		r, err := Run(p, given(t, append([]string{"cost", "algorithm2-fitted", "grouping", "none", "gpu", "v100"}, kv...)...))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, f := range r.Found {
			sum += f.Cost - coster.LaunchMicroseconds*float64(len(f.Layout.Kernels))
		}
		return sum
	}
	encoded := func(device string, times float64) string {
		t.Helper()
		w := coster.FittedWeights
		for i := range w {
			w[i] *= times
		}
		text, err := coster.EncodeWeights(device, w)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	builtIn := cost()
	for _, times := range []float64{1, 2} {
		put(encoded("v100", times))
		if got := cost("weights", file); math.Abs(got/builtIn-times) > 1e-9 {
			t.Errorf("weights %v times as large: cost %v, %v without the file", times, got, builtIn)
		}
	}
	good := encoded("v100", 1)
	change := func(old, new string) string {
		t.Helper()
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not in\n%s", old, good)
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, c := range map[string]struct{ text, want string }{
		"another device":  {encoded("h200", 1), `fitted to kernels for "h200", the schedule is for v100`},
		"another format":  {change("gowarp-weights", "gowarp-profile"), `its format is "gowarp-profile"`},
		"another version": {change(`"version": 1`, `"version": 7`), "it is of version 7"},
		"one is missing":  {change(`"overlap"`, `"overlaps"`), `no weight of "overlap"`},
		"one is null":     {change(`"overlap": 0.405`, `"overlap": null`), `no weight of "overlap"`},
		"one too many":    {change(`"overlap"`, `"halo": 1, "overlap"`), `a weight of "halo", which is no term`},
		"negative":        {change(`"overlap": 0.405`, `"overlap": -1`), `its weight of "overlap" is -1`},
		"NaN":             {change(`"overlap": 0.405`, `"overlap": NaN`), "it is no file of weights"},
		"beyond numbers":  {change(`"overlap": 0.405`, `"overlap": 1e999`), "it is no file of weights"},
		"cut off":         {good[:len(good)/2], "it is no file of weights"},
		"more behind":     {good + "{}", "more behind its end"},
	} {
		put(c.text)
		_, err := Schedule(p, given(t, "cost", "algorithm2-fitted", "gpu", "v100", "weights", file))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "autoscheduler: weights=") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := Schedule(p, given(t, "cost", "algorithm2-fitted", "weights", filepath.Join(dir, "none.json"))); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := ParseParams(map[string]string{"cost": "issue", "weights": file}); err == nil || !strings.Contains(err.Error(), "cost=issue takes no notice of it") {
		t.Errorf("weights of another cost: %v", err)
	}
}
