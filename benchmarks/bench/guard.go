package bench

import (
	"fmt"
	"slices"
)

// Change is a figure of a cell that differs between two sets of records.
type Change struct {
	Program, Scheduler, GPU, Figure string
	Old, New                        string
	Worse                           bool
}

func (c Change) String() string {
	verdict := "better"
	if c.Worse {
		verdict = "worse"
	}
	return fmt.Sprintf("%s: %s, %s, %s: %s was %s, is %s", verdict, c.Program, c.Scheduler, c.GPU, c.Figure, c.Old, c.New)
}

// noise is the part by which a count may differ before it is a change. Counts are exact;
// the order in which blocks of float atomics run is not.
const noise = 0.001

// Compare lists what changed between two sets of records, cell by cell, in what does not
// depend on the machine: the outcome, static figures and counts. Cells that are not in both
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
			changes = append(changes, Change{r.Program, r.Scheduler, r.GPU, figure, a, b, worse})
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
