package bench

import (
	"strings"
	"testing"
)

// TestProgressSaysWhy: the line of a cell that is not ok has its reason, that of others none.
func TestProgressSaysWhy(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, 1, []float64{1, 1})
	p.finished(&Record{Program: "harris,widht=4", Scheduler: "root", GPU: "t4", Outcome: FailsToSchedule, Reason: "no GeneratorParam named: widht", CellSeconds: 2}, 1)
	p.finished(&Record{Program: "harris", Scheduler: "root", GPU: "t4", Outcome: OK, CellSeconds: 3}, 1)
	for i, want := range []string{
		"harris,widht=4  root  t4  fails-to-schedule (2.0 s): no GeneratorParam named: widht",
		"harris  root  t4  ok (3.0 s)",
	} {
		if line := strings.Split(out.String(), "\n")[i]; !strings.HasSuffix(line, want) {
			t.Errorf("%q does not end in %q", line, want)
		}
	}
}
