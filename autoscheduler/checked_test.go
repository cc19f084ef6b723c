package autoscheduler

import (
	"slices"
	"strings"
	"testing"

	"gowarp/halideir"
)

// TestChecked: a pipeline whose dump holds what came of its schedules is scheduled as it was when it was dumped, and the reasons say why; where that is of another
// schedule it comes to the first, and says so.
func TestChecked(t *testing.T) {
	p := twoChains()
	id := func(label string) int {
		return slices.IndexFunc(p.Funcs, func(f halideir.Func) bool { return f.Label == label })
	}
	prm := paperParams()
	var digests, schedules []string
	for _, faults := range [][][]Fault{nil, {{{Func: id("first")}}}, {{{Func: id("first")}}, {{Func: id("second")}}}} {
		r, err := runnerUp(p, prm, faults, false)
		if err != nil || r == nil {
			t.Fatal(r, err)
		}
		digests, schedules = append(digests, r.Schedule.Digest()), append(schedules, string(r.Schedule.JSON()))
	}
	differs := func(label string) []halideir.Fault {
		return []halideir.Fault{{Func: id(label), Kind: halideir.Differs}}
	}
	const other = "not checked by Halide"
	for _, c := range []struct {
		name    string
		checked []halideir.Checked
		params  func(*Params)
		want    int      // of schedules
		says    []string // nil: nothing
	}{
		{"nothing", nil, nil, 0, nil},
		{"one fault", []halideir.Checked{{Schedule: digests[0], Faults: differs("first")}, {Schedule: digests[1]}}, nil, 1, []string{"the kernel of first came out otherwise"}},
		{"two", []halideir.Checked{{Schedule: digests[0], Faults: differs("first")}, {Schedule: digests[1], Faults: differs("second")}, {Schedule: digests[2]}}, nil, 2,
			[]string{"the kernel of first came out otherwise", "the kernel of second came out otherwise"}},
		{"the first after all", []halideir.Checked{{Schedule: digests[0], Faults: differs("first")}, {Schedule: digests[1], Faults: differs("second")}, {Schedule: digests[0]}}, nil, 0,
			[]string{"the kernel of second came out otherwise"}},
		{"another schedule", []halideir.Checked{{Schedule: digests[1], Faults: differs("first")}, {Schedule: digests[1]}}, nil, 0, []string{other}},
		{"another one after the first", []halideir.Checked{{Schedule: digests[0], Faults: differs("first")}, {Schedule: digests[2], Faults: differs("second")}, {Schedule: digests[2]}}, nil, 0, []string{other}},
		{"none that was taken", []halideir.Checked{{Schedule: digests[0], Faults: differs("first")}}, nil, 0, []string{other}},
		{"no such Func", []halideir.Checked{{Schedule: digests[0], Faults: []halideir.Fault{{Func: len(p.Funcs), Kind: halideir.Differs}}}, {Schedule: digests[1]}}, nil, 0, []string{other}},
		{"nobody checks", []halideir.Checked{{Schedule: digests[0], Faults: differs("first")}, {Schedule: digests[1]}}, func(p *Params) { p.Check = "0" }, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dumped, prm := *p, prm
			dumped.Checked = c.checked
			if c.params != nil {
				c.params(&prm)
			}
			s, remarks, err := ScheduleAndRemark(&dumped, prm)
			if err != nil {
				t.Fatal(err)
			}
			if string(s.JSON()) != schedules[c.want] {
				t.Errorf("it is not schedule %d", c.want)
			}
			r, err := Run(&dumped, prm)
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Schedule.JSON()) != schedules[c.want] {
				t.Errorf("with reasons it is not schedule %d", c.want)
			}
			text := strings.Join(remarks, "\n")
			if c.says == nil && text != "" {
				t.Errorf("it says %q", text)
			}
			for _, want := range c.says {
				if !strings.Contains(text, want) || !strings.Contains(strings.Join(r.Remarks(), "\n"), want) {
					t.Errorf("it says %q, with reasons %q; want %q", text, r.Remarks(), want)
				}
			}
		})
	}
}
