package schedule

import (
	"fmt"
	"slices"
	"strings"

	"gowarp/halideir"
	"gowarp/halideir/rfactor"
)

// otherForms says in words which updates that are factored Halide's own rfactor refuses as they are written, or makes ask for more than they need, a line each.
func otherForms(p *halideir.Pipeline, ds []Directive) []string {
	var forms, alone, conditions []string
	for i := range ds {
		d := &ds[i]
		if d.Do != RFactor {
			break
		}
		step, err := factorStep(p, d)
		if err != nil {
			break // Check has found no fault
		}
		f := &p.Funcs[d.Func]
		st := &f.Stages[d.Stage]
		if st.ArgExtreme != nil {
			alone = append(alone, StageLabel(f.Label, d.Stage))
		} else if !rfactor.AsWritten(p, st) {
			r, _ := rfactor.Of(p, d.Func, d.Stage)
			if slices.ContainsFunc(r.Values, func(o rfactor.Operation) bool { return o.Bits != "" }) {
				alone = append(alone, StageLabel(f.Label, d.Stage))
			} else {
				forms = append(forms, restatement(p, f, d.Stage))
			}
		}
		if st.Predicate != halideir.NoNode && !f.Partial {
			conditions = append(conditions, StageLabel(f.Label, d.Stage))
		}
		if p, err = rfactor.Apply(p, step); err != nil {
			break
		}
	}
	var lines []string
	if forms != nil {
		lines = append(append(lines, "Halide's rfactor refuses some updates as they are written. Have them so in the source before this is applied:"), forms...)
	}
	if alone != nil {
		lines = append(lines, "Halide's rfactor knows no operators of bits, and no least or greatest with its place. gowarp alone factors these, with autoscheduler.schedule=FILE, where FILE is what gowarp schedule --format json writes: "+strings.Join(alone, ", "))
	}
	if conditions != nil {
		lines = append(lines, "Where a domain has conditions, Halide's rfactor may ask for what is read all over the domain; gowarp's asks for what they let through: "+strings.Join(conditions, ", "))
	}
	return lines
}

// restatement is an update as Halide's rfactor takes it.
func restatement(p *halideir.Pipeline, f *halideir.Func, stage int) string {
	st := &f.Stages[stage]
	without := ""
	if rfactor.ConditionReads(p, st) {
		without = withoutConditions
	}
	return update(p, f, stage, st.Restated) + without
}

const withoutConditions = ", without the conditions of its domain that read something"

// update is an update that stores these values, as an author writes it.
func update(p *halideir.Pipeline, f *halideir.Func, stage int, ids []halideir.NodeID) string {
	var args, values []string
	for _, id := range f.Stages[stage].Args {
		args = append(args, p.Expr(id))
	}
	for _, id := range ids {
		values = append(values, p.Expr(id))
	}
	value := strings.Join(values, ", ")
	if len(values) > 1 {
		value = "Tuple(" + value + ")"
	}
	return fmt.Sprintf("%s: %s(%s) = %s", StageLabel(f.Label, stage), f.Label, strings.Join(args, ", "), value)
}
