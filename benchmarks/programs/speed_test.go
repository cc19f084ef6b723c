//go:build halide

package programs

import (
	"os"
	"os/exec"
	"testing"

	"gowarp/benchmarks/harness"
)

// mostBytes is what a generator's process may take while it is scheduled.
const mostBytes = 200 << 20

func emitTimed(t testing.TB, name string, s harness.Scheduler) *harness.Emission {
	t.Helper()
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	e, err := tree.Emit(stock(name), harness.EmitOptions{
		Target: "host-cuda-cuda_capability_75", Scheduler: s, Outputs: []string{"schedule"},
		Env: []string{"HL_DEBUG_AUTOSCHEDULE=1"}, Fresh: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Remove(); err != nil {
		t.Error(err)
	}
	return e
}

// TestScheduleMemory: what a generator's process takes with gowarp in it, and that the
// plugin says how long it took. The time itself is the benchmark's.
func TestScheduleMemory(t *testing.T) {
	// Linux counts the peak of the process that starts a program to the program's own, and
	// here other tests have held large images: a process that has not measures.
	const fresh = "GOWARP_TEST_FRESH"
	if os.Getenv(fresh) == "" {
		again := exec.Command(os.Args[0], "-test.run=^TestScheduleMemory$")
		again.Env = append(os.Environ(), fresh+"=1")
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for _, name := range names {
		e := emitTimed(t, name, harness.Gowarp(map[string]string{"check": "0"}))
		spent, err := e.ScheduleTime()
		if err != nil {
			t.Fatal(err)
		}
		if spent.Total() <= 0 || e.PeakBytes <= 0 || e.PeakBytes > mostBytes {
			t.Errorf("%s: %.1f ms, %d MiB; at most %d MiB are wanted", name, spent.Total(), e.PeakBytes>>20, mostBytes>>20)
		}
	}
}

func BenchmarkSchedule(b *testing.B) {
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			var sum harness.ScheduleTime
			var peak int64
			for b.Loop() {
				e := emitTimed(b, name, harness.Gowarp(nil))
				spent, err := e.ScheduleTime()
				if err != nil {
					b.Fatal(err)
				}
				sum.Export += spent.Export
				sum.Schedule += spent.Schedule
				sum.Apply += spent.Apply
				peak = max(peak, e.PeakBytes)
			}
			n := float64(b.N)
			b.ReportMetric(sum.Export/n, "export-ms/op")
			b.ReportMetric(sum.Schedule/n, "schedule-ms/op")
			b.ReportMetric(sum.Apply/n, "apply-ms/op")
			b.ReportMetric(float64(peak>>20), "peak-MiB")
		})
	}
}
