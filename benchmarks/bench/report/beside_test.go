package report

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"gowarp/benchmarks/bench"
)

// unexplained are figures above an expert's without a reason, and reasons for figures that are not above.
func unexplained(records []bench.Record, why map[[2]string]string) (missing, needless []string) {
	used := map[[2]string]bool{}
	for _, p := range pages(records) {
		for _, name := range p.programs {
			for _, c := range p.compare(name) {
				at := [2]string{c.program, c.figure}
				if !c.above() {
					continue
				}
				used[at] = true
				if why[at] == "" {
					missing = append(missing, c.program+", "+c.figure+": "+c.overBoth())
				}
			}
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(why), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if !used[at] {
			needless = append(needless, at[0]+", "+at[1])
		}
	}
	return missing, needless
}

// TestReasonsStand: in the committed lines every figure above an expert's has its reason, and no reason stands for one that is not.
func TestReasonsStand(t *testing.T) {
	records, complaints, err := bench.ReadAll("../../results/rtx2080ti.jsonl")
	if err != nil || len(complaints) > 0 {
		t.Fatal(err, complaints)
	}
	why, err := statedReasons(reasonsCSV)
	if err != nil {
		t.Fatal(err)
	}
	missing, needless := unexplained(records, why)
	for _, m := range missing {
		t.Errorf("%s; look at the kernels and add a row to reasons.csv", m)
	}
	for _, n := range needless {
		t.Errorf("%s: not above any expert's any more; take the row out of reasons.csv", n)
	}
}

// TestUnexplained: what is above and what is not, by the app or by hand, with and without a reason.
func TestUnexplained(t *testing.T) {
	line := func(scheduler string, instructions, sectors float64, launches int) bench.Record {
		r := bench.Record{Program: "harris", Scheduler: scheduler, GPU: "rtx2080ti", Outcome: bench.OK,
			Counted: &bench.Simulated{Size: []int{768, 512}, Per32: map[string]float64{"warp_instructions": instructions, "sectors": sectors}}}
		r.Counted.Launches = launches
		return r
	}
	// The app has 119 instructions, 65 sectors, 1 launch.
	records := []bench.Record{line(own, 118, 65.2, 2), line("expert", 110, 70, 2)}
	why := map[[2]string]string{{"harris", "launches"}: "because", {"harris", "sectors"}: "it was so once"}
	missing, needless := unexplained(records, why)
	if want := []string{"harris, instructions: 1.07 times those by hand"}; !slices.Equal(missing, want) {
		t.Errorf("missing %q, want %q", missing, want)
	}
	if want := []string{"harris, sectors"}; !slices.Equal(needless, want) {
		t.Errorf("needless %q, want %q", needless, want)
	}
	var b strings.Builder
	pages(records)[0].besideExperts(&b, why)
	for _, want := range []string{"| harris | 768x512 | 118 | 0.99 | 1.07 | 65.2 | 1.00 | 0.93 | 2 | 2.00 | 1.00 |", "- harris, launches (2.00 times the app's): because", "**no reason is stated**"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestStatedReasons: what is no file of reasons is said.
func TestStatedReasons(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "its head is not",
		"program,why,figure\n":                  "its head is not",
		"program,figure,why\na,b\n":             "wrong number of fields",
		"program,figure,why\nharris,speed,x\n":  `no figure is called "speed"`,
		"program,figure,why\nharris,sectors,\n": "row 2: no reason",
		"program,figure,why\nharris,sectors,x\nharris,sectors,y\n": "row 3: sectors of harris stand there already",
	} {
		if _, err := statedReasons(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
