package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gowarp/benchmarks/bench"
)

// TestTimes: the median of all samples, the least, and the rounds' spread over the median.
func TestTimes(t *testing.T) {
	s := &series{}
	s.add([]float64{10, 12, 11}, 1) // median 11
	s.add([]float64{20, 22}, 0)     // median 21
	want := &Times{Median: 12, Best: 10, Samples: 5, Spread: .8333, Starved: 1, Rounds: []float64{11, 21}}
	if diff := cmp.Diff(want, s.times()); diff != "" {
		t.Error(diff)
	}
	if (&series{}).times() != nil {
		t.Error("times of nothing")
	}
	for in, want := range map[float64]float64{123456: 123500, .0123456: .01235, -1.23456: -1.235, 0: 0} {
		if got := short(in); got != want {
			t.Errorf("short(%v) = %v, want %v", in, got, want)
		}
	}
}

// TestRatiosAreOfRounds: a scheduler is held against the base in the same round, so that a
// clock that halves in the second round changes no ratio.
func TestRatiosAreOfRounds(t *testing.T) {
	g := &group{runner: &runner{device: Device{CopyGBs: 100}}}
	make := func(name string, rounds ...float64) *cell {
		c := &cell{times: map[[2]string]*series{}}
		c.about.Scheduler, c.line.Scheduler, c.line.Outcome, c.line.CompulsoryBytes = name, name, bench.OK, 1e6
		s := &series{}
		for _, us := range rounds {
			s.add([]float64{us}, 0)
		}
		c.times[timed[0]] = s
		return c
	}
	cells := []*cell{make("gowarp", 20, 40, 66), make(base, 40, 80, 120)}
	g.compare(cells)
	if got, want := *cells[0].line.OverBase, [3]float64{.5, .5, .55}; got != want {
		t.Errorf("over the base %v, want %v", got, want)
	}
	// 1 MB in 40 us is 25 GB/s of 100.
	if got := cells[0].line.CopyShare; got != .25 {
		t.Errorf("share of the copy bandwidth %v", got)
	}
	// A base that failed is none.
	cells = []*cell{make("gowarp", 20), make(base, 40)}
	cells[1].line.Outcome = Unstable
	g.compare(cells)
	if cells[0].line.OverBase != nil || cells[1].line.GPUCold != nil {
		t.Errorf("%+v %+v", cells[0].line, cells[1].line)
	}
}

// TestReadFile: the last line of a cell holds, half a line is none.
func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	text := `{"schema":1,"program":"p","scheduler":"a","outcome":"ok","register_cap":64}
{"schema":1,"program":"p","scheduler":"a","outcome":"crashed","register_cap":255}
{"schema":1,"program":"p","sched
{"schema":1,"program":"p","scheduler":"a","outcome":"crashed","register_cap":64}
`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	lines, unread, err := ReadFile(path)
	if err != nil || unread != 1 || len(lines) != 2 || lines[0].Outcome != Crashed || lines[1].Cap != 255 {
		t.Errorf("%+v %d %v", lines, unread, err)
	}
	if lines, _, err := ReadFile(path + "none"); lines != nil || err != nil {
		t.Errorf("%v %v", lines, err)
	}
}

// TestTable: every line is a row, what failed with its reason, and the means are of those
// that ran.
func TestTable(t *testing.T) {
	times := func(us float64) *Times { return &Times{Median: us, Best: us, Samples: 10, Starved: 5} }
	d := Device{Name: "GPU", CopyGBs: 1000, SMs: 4, Capability: 90}
	lines := []Line{
		{Device: d, Program: "p", Extents: []int{64, 32}, Size: "estimate", Scheduler: "gowarp", Cap: 64, Outcome: bench.OK, GPUCold: times(20), WallCold: times(30), Launches: 2, OverBase: &[3]float64{.5, .4, .6}, CopyShare: .25},
		{Device: d, Program: "q", Size: "estimate", Scheduler: "gowarp", Cap: 64, Outcome: bench.OK, GPUCold: times(20), OverBase: &[3]float64{2, 2, 2}, Unchecked: "slow"},
		{Device: d, Program: "q", Size: "estimate", Scheduler: "Li2018", Cap: 64, Outcome: bench.TimedOut, Reason: "a|b"},
		{Device: d, Program: "q", Size: "estimate", Scheduler: "gowarp", Cap: 255, Outcome: bench.OK, GPUCold: times(19)},
	}
	var b strings.Builder
	if err := Markdown(&b, lines); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## GPU, size `estimate`, at most 64 registers a thread", "at most 255 registers",
		"| p 64x32 | gowarp | 2 | 20 | 20 | 0.0 % | - | 30 | 50 % | 0.5 (0.4–0.6) | 25 % | 0 |\n",
		"| q (unchecked) | gowarp |", "| q | Li2018 | timed-out: a\\|b |",
		"| gowarp | 1 | 2 | 2 |\n", "| Li2018 | - | 0 | 1 |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}
