package bench

import (
	"fmt"
	"slices"
	"strings"
)

// Change is a figure of a cell that differs between two sets of records.
type Change struct {
	Program, Scheduler, GPU, Figure string
	Old, New                        string
	Worse                           bool
	Time                            bool // measured, on a machine that did other things too
}

func (c Change) String() string {
	verdict := "better"
	switch {
	case c.Time && c.Worse:
		verdict = "slower"
	case c.Time:
		verdict = "faster"
	case c.Worse:
		verdict = "worse"
	}
	return fmt.Sprintf("%s: %s, %s, %s: %s was %s, is %s", verdict, c.Program, c.Scheduler, c.GPU, c.Figure, c.Old, c.New)
}

// noise is the part by which a count may differ before it is a change. Counts are exact;
// the order in which blocks of float atomics run is not.
const noise = 0.001

// slower is how many times the time to schedule another may be before it is a change, and
// leastSeconds by how much it has to differ: it is processor time, and two runs on a machine that does other
// things differ by that much all the same.
const (
	slower       = 1.5
	leastSeconds = 0.05
)

// Compare lists what changed between two sets of records, cell by cell: the outcome, static
// figures and counts, which do not depend on the machine, and where both are of machines that
// call themselves the same, the processor time to schedule. Cells that are not in both
// are left out; compared is the number of those that are.
func Compare(old, now []Record) (changes []Change, compared int) {
	before := map[[4]string]*Record{}
	for _, r := range Latest(old) {
		before[r.cell()] = &r
	}
	for _, r := range Latest(now) {
		o := before[r.cell()]
		if o == nil {
			continue
		}
		compared++
		add := func(figure, a, b string, worse bool) {
			changes = append(changes, Change{Program: r.Program, Scheduler: r.Scheduler, GPU: r.GPU, Figure: figure, Old: a, New: b, Worse: worse})
		}
		if a, b := o.ScheduleCPUSeconds, r.ScheduleCPUSeconds; o.Machine == r.Machine && a > 0 && b > 0 && max(a, b) > max(slower*min(a, b), min(a, b)+leastSeconds) {
			add("seconds to schedule", fmt.Sprintf("%.3g", a), fmt.Sprintf("%.3g", b), b > a)
			changes[len(changes)-1].Time = true
		}
		if o.Outcome != r.Outcome {
			add("the outcome", o.Outcome, r.Outcome, o.Outcome == OK)
			continue
		}
		for _, f := range figures {
			a, known := f.of(o)
			b, also := f.of(&r)
			if !known || !also || !f.like(o, &r) {
				continue
			}
			if d := b - a; d > noise*a || -d > noise*a {
				add(f.name, fmt.Sprintf("%.5g", a), fmt.Sprintf("%.5g", b), (d > 0) != f.more)
			}
		}
	}
	return changes, compared
}

// A figure of a record, by which two are compared.
type figure struct {
	name string
	more bool // more is better
	of   func(*Record) (float64, bool)
	like func(a, b *Record) bool // whether the two compare
}

func always(a, b *Record) bool { return true }

func sameRun(a, b *Record) bool {
	return a.Counted != nil && b.Counted != nil && slices.Equal(a.Counted.Size, b.Counted.Size) && a.Counted.Blocks == b.Counted.Blocks
}

var figures = []figure{
	{"kernels", false, func(r *Record) (float64, bool) { return float64(len(r.Kernels)), true }, always},
	{"launches", false, func(r *Record) (float64, bool) { return float64(r.Launches), true }, always},
	{"the most registers a thread", false, most(func(k *Kernel) float64 { return float64(k.Registers) }), always},
	{"spilled bytes", false, sum(func(k *Kernel) float64 { return float64(k.SpillBytes) }), always},
	{"the most shared bytes a block", false, most(func(k *Kernel) float64 { return float64(k.SharedBytes) }), always},
	{"the least occupancy", true, func(r *Record) (float64, bool) {
		least, found := 1.0, false
		for _, k := range r.Kernels {
			if k.Launches > 0 {
				least, found = min(least, k.Occupancy), true
			}
		}
		return least, found
	}, always},
	counted("warp_instructions"), counted("requests"), counted("sectors"), counted("shared_wavefronts"), counted("barriers"), counted("cold_bytes"),
}

func counted(name string) figure {
	return figure{name + " for 32 outputs", false, func(r *Record) (float64, bool) {
		if r.Counted == nil {
			return 0, false
		}
		v, ok := r.Counted.Per32[name]
		return v, ok
	}, sameRun}
}

func most(of func(*Kernel) float64) func(*Record) (float64, bool) {
	return func(r *Record) (v float64, ok bool) {
		for i := range r.Kernels {
			v, ok = max(v, of(&r.Kernels[i])), true
		}
		return v, ok
	}
}

func sum(of func(*Kernel) float64) func(*Record) (float64, bool) {
	return func(r *Record) (v float64, ok bool) {
		for i := range r.Kernels {
			v += of(&r.Kernels[i])
			ok = true
		}
		return v, ok
	}
}

// Own are the schedulers of this checkout that there are lines of for a GPU, in the order of a table.
func Own(records []Record, gpu string) ([]Scheduler, error) {
	var own []Scheduler
	seen := map[string]bool{}
	for _, r := range Latest(records) {
		if r.GPU != gpu || !strings.HasPrefix(r.Scheduler, "gowarp") || r.UpTo != UpToSimulate || seen[r.Scheduler] {
			continue
		}
		seen[r.Scheduler] = true
		s, err := ParseScheduler(r.Scheduler)
		if err != nil {
			return nil, fmt.Errorf("a line of %s: %w", r.Program, err)
		}
		own = append(own, s)
	}
	return own, nil
}
