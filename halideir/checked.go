package halideir

import "github.com/tidwall/gjson"

// Checked is, of a dump, a schedule that Halide was asked to lower before one was taken, and what came out otherwise than it has it. It says which
// schedule that was and nothing of what is in it: whoever schedules the pipeline again tells by that whether it is the same.
type Checked struct {
	Schedule string  `json:"schedule"` // its digest (schedule.Digest)
	Faults   []Fault `json:"faults"`   // none: it is the one that was taken
}

// Fault is what came of a Func, or with WholeSchedule of the schedule.
type Fault struct {
	Func int       `json:"func"`
	Kind FaultKind `json:"kind"`
}

// WholeSchedule is the Func of a fault of which it is not known which kernel is at fault.
const WholeSchedule = -1

// FaultKind is how a Func comes out otherwise than a schedule has it.
type FaultKind string

// The kinds of faults.
const (
	Differs  FaultKind = "differs"  // its kernel is another than was expected
	Unneeded FaultKind = "unneeded" // Halide needs no point of it at the estimated sizes
	Torn     FaultKind = "torn"     // its update was to be atomic and is not
	Unproven FaultKind = "unproven" // Halide cannot prove that the extents that it is given do
	// Unbounded: with it inlined Halide finds no bounds of what it reads.
	Unbounded FaultKind = "unbounded"
)

func (d *decoder) checked(at *path, v gjson.Result) (c Checked) {
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "schedule":
			c.Schedule = d.str(at, v)
		case "faults":
			d.array(at, v, func(v gjson.Result, at *path) { c.Faults = append(c.Faults, d.fault(at, v)) })
		}
	})
	return c
}

func (d *decoder) fault(at *path, v gjson.Result) (f Fault) {
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "func":
			if n := d.int64(at, v); n == WholeSchedule {
				f.Func = WholeSchedule
			} else {
				f.Func = d.index(at, v)
			}
		case "kind":
			f.Kind = FaultKind(d.word(at, v, string(Differs), string(Unneeded), string(Torn), string(Unproven), string(Unbounded)))
		}
	})
	return f
}
