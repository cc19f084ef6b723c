//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
)

// What scheduling may cost inside a build.
const (
	mostMilliseconds = 100
	mostBytes        = 200 << 20
)

var timed = []string{"harris", "hist"}

func emitTimed(t testing.TB, name string, s harness.Scheduler) *harness.Emission {
	t.Helper()
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	e, err := tree.Emit(harness.Generator{Source: "benchmarks/programs/" + name + "/" + name + ".cc", Name: name}, harness.EmitOptions{
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

// Export, scheduling and application together, the best of a few runs: the machine is
// busy with other tests.
func TestScheduleTime(t *testing.T) {
	for _, name := range timed {
		best, peak := 0.0, int64(0)
		for i := 0; i < 3 || best > mostMilliseconds && i < 10; i++ {
			e := emitTimed(t, name, harness.Gowarp(nil))
			spent, err := e.ScheduleTime()
			if err != nil {
				t.Fatal(err)
			}
			if total := spent.Total(); i == 0 || total < best {
				best = total
			}
			peak = max(peak, e.PeakBytes)
		}
		t.Logf("%s: %.1f ms, %d MiB at most in the generator's process", name, best, peak>>20)
		if best > mostMilliseconds || peak > mostBytes || peak == 0 {
			t.Errorf("%s took %.1f ms and %d MiB, at most %d ms and %d MiB are wanted", name, best, peak>>20, mostMilliseconds, mostBytes>>20)
		}
	}
}

func BenchmarkSchedule(b *testing.B) {
	for _, name := range timed {
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
