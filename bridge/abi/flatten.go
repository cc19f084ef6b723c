//go:build halide

package abi

import (
	"fmt"
	"strings"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
)

// flatDirective is a gowarp_directive in Go.
type flatDirective struct {
	op           string
	fn, stage    int
	vars         []string
	n, offset    int64
	tail, memory string
	atFunc       int
	atStage      int
	atVar        string
	multiples    []int64
	special      bool
}

// flatten replaces the labels of original loops by their positions ("@0" is
// the innermost): C++ then needs no rule for labels. What is no such label
// was named by an earlier directive and stays.
func flatten(p *halideir.Pipeline, ds []schedule.Directive) ([]flatDirective, error) {
	flat := make([]flatDirective, len(ds))
	for i := range ds {
		d := &ds[i]
		if i > 0 && ds[i-1].Do == schedule.RFactor { // names loops as that left them
			var err error
			if p, err = (&schedule.Schedule{Directives: ds[i-1 : i]}).Factored(p); err != nil {
				return nil, err
			}
		}
		f := flatDirective{
			op: string(d.Do), fn: d.Func, stage: d.Stage, n: d.N, offset: d.Offset,
			tail: string(d.Tail), memory: string(d.Memory), multiples: d.Multiples, special: d.Special,
		}
		for _, v := range d.Vars {
			name, err := loopName(p, d.Func, d.Stage, v)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d.Do, err)
			}
			f.vars = append(f.vars, name)
		}
		if d.At != nil {
			name, err := loopName(p, d.At.Func, d.At.Stage, d.At.Var)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d.Do, err)
			}
			f.atFunc, f.atStage, f.atVar = d.At.Func, d.At.Stage, name
		}
		flat[i] = f
	}
	return flat, nil
}

func loopName(p *halideir.Pipeline, fn, stage int, label string) (string, error) {
	if fn < 0 || fn >= len(p.Funcs) {
		return "", fmt.Errorf("there is no Func %d, but %d Funcs", fn, len(p.Funcs))
	}
	f := &p.Funcs[fn]
	if label == "" || strings.HasPrefix(label, "@") {
		return "", fmt.Errorf("%q is no label of a loop of %s", label, f.Label)
	}
	if stage >= 0 && stage < len(f.Stages) {
		for k := range f.Stages[stage].Loops {
			if f.Stages[stage].Loops[k].Label == label {
				return fmt.Sprintf("@%d", k), nil
			}
		}
	}
	return label, nil
}

// message is err as the user reads it: every message of gowarp's says who speaks.
func message(err error) string {
	s := err.Error()
	if strings.HasPrefix(s, "gowarp: ") {
		return s
	}
	return "gowarp: " + s
}
