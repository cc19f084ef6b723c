package schedule

import (
	"fmt"
	"slices"
	"strings"

	"gowarp/halideir"
	"gowarp/halideir/rfactor"
)

// factorStep is what a directive RFactor does to a pipeline, as the directives before it left that.
func factorStep(p *halideir.Pipeline, d *Directive) (rfactor.Step, error) {
	s := rfactor.Step{Func: d.Func, Stage: d.Stage, Lane: -1}
	if d.Func >= len(p.Funcs) || d.Stage >= len(p.Funcs[d.Func].Stages) {
		return s, fmt.Errorf("there is no Func %d with a stage %d", d.Func, d.Stage)
	}
	st := &p.Funcs[d.Func].Stages[d.Stage]
	for i, v := range d.Vars {
		l := slices.IndexFunc(st.Loops, func(l halideir.Loop) bool { return l.Label == v })
		if l < 0 || st.Loops[l].RVar < 0 {
			return s, fmt.Errorf("%s has no reduction variable %q", StageLabel(p.Funcs[d.Func].Label, d.Stage), v)
		}
		s.Kept = append(s.Kept, rfactor.Kept{RVar: st.Loops[l].RVar, Factor: d.Multiples[i]})
	}
	return s, nil
}

// Factored is the pipeline that the schedule's other directives are for: p, with its reductions factored.
func (s *Schedule) Factored(p *halideir.Pipeline) (*halideir.Pipeline, error) {
	return factored(p, s.Directives)
}

func factored(p *halideir.Pipeline, ds []Directive) (*halideir.Pipeline, error) {
	others := false
	for i := range ds {
		d := &ds[i]
		if d.Do != RFactor {
			others = true
			continue
		}
		fail := func(err error) error { return fmt.Errorf("schedule: directive %d, %s: %w", i, d, err) }
		if others {
			return nil, fail(fmt.Errorf("reductions are factored before anything else is done"))
		}
		if err := d.shape(); err != nil {
			return nil, fail(err)
		}
		step, err := factorStep(p, d)
		if err != nil {
			return nil, fail(err)
		}
		if p, err = rfactor.Apply(p, step); err != nil {
			return nil, fail(err)
		}
	}
	return p, nil
}

// Factoring is a directive RFactor for who writes source: Funcs have the ids that they have in the end.
type Factoring struct {
	Func, Stage   int
	Partial, Copy int
	Kept          []FactorVar
	args          []int // that the update of the partial results loops over
	rvars         int   // of that
	all           []int // arguments of the Func
	mixed         bool  // some computed place is in front of an argument of the Func's own
}

// call is the update of fn with its reduction variables split, and pairs are what rfactor takes of it. Names of Halide's have the prefix in front; pair is how
// a reduction variable and the variable in its place are written together.
func (f *Factoring) call(fn, prefix, tail, pair string) (call, pairs string) {
	call = fmt.Sprintf("%s.update(%d)", fn, f.Stage-1)
	var all []string
	for _, k := range f.Kept {
		rvar := fmt.Sprintf("%s.rvars(%d)[%d]", fn, f.Stage-1, k.RVar)
		if k.Factor > 0 {
			call += fmt.Sprintf(".split(%s, %sRVar(%q), %sRVar(%q), %d, %s)", rvar, prefix, k.Outer, prefix, k.Inner, k.Factor, tail)
			rvar = fmt.Sprintf("%sRVar(%q)", prefix, k.Inner)
		}
		all = append(all, fmt.Sprintf(pair, rvar, fmt.Sprintf("%sVar(%q)", prefix, k.Pure)))
	}
	return call, strings.Join(all, ", ")
}

// ordered is an update and the order that its loops are to have.
type ordered struct {
	update string
	loops  []string
}

// orders are the updates whose loops Halide leaves in another order than those of an update without a schedule: it has the new arguments of partial results in the places of the
// reduction variables, and computed places in front of the others.
func (f *Factoring) orders(intm, fn string, d dialect) []ordered {
	order := func(of string, update, rvars int, args []int) ordered {
		out := ordered{update: fmt.Sprintf("%s.update(%d)", of, update)}
		for k := range rvars {
			out.loops = append(out.loops, of+"."+d.rvar(update, k))
		}
		for _, k := range args {
			out.loops = append(out.loops, of+"."+d.arg(k))
		}
		return out
	}
	out := []ordered{order(intm, 0, f.rvars, f.args)}
	if f.mixed {
		out = append(out, order(fn, f.Stage-1, len(f.Kept), f.all))
	}
	return out
}

// FactorVar is a reduction variable of a Factoring, with the names that are made of it.
type FactorVar struct {
	RVar               int // its position in the update before
	Factor             int64
	Pure, Inner, Outer string
}

// factorings are those of the directives, in their order.
func factorings(p *halideir.Pipeline, ds []Directive) []Factoring {
	var out []Factoring
	for i := range ds {
		d := &ds[i]
		if d.Do != RFactor {
			break
		}
		step, err := factorStep(p, d)
		var places []halideir.NodeID
		if err == nil {
			places = p.Funcs[d.Func].Stages[d.Stage].Args
			p, err = rfactor.Apply(p, step)
		}
		if err != nil {
			break // Check has found no fault
		}
		for j := range out {
			for _, id := range []*int{&out[j].Func, &out[j].Partial, &out[j].Copy} {
				if *id >= d.Func {
					*id += rfactor.Made
				}
			}
		}
		f := Factoring{Func: d.Func + rfactor.Made, Stage: d.Stage, Partial: d.Func, Copy: d.Func + 1}
		computed := false
		for k, a := range places {
			own := rfactor.OwnPlace(p, a, k)
			f.mixed, computed = f.mixed || own && computed, computed || !own
			f.all = append(f.all, k)
		}
		f.rvars = len(p.Funcs[d.Func].Stages[1].RVars)
		for _, l := range p.Funcs[d.Func].Stages[1].Loops {
			if l.Arg >= 0 {
				f.args = append(f.args, l.Arg)
			}
		}
		intm, reduced := &p.Funcs[f.Partial], &p.Funcs[f.Func].Stages[f.Stage]
		for j, k := range step.Kept {
			v := FactorVar{RVar: k.RVar, Factor: k.Factor, Pure: intm.Args[len(intm.Args)-len(step.Kept)+j]}
			if k.Factor > 0 {
				v.Inner, v.Outer = reduced.RVars[j].Name, v.Pure+"_s"
			}
			f.Kept = append(f.Kept, v)
		}
		out = append(out, f)
	}
	return out
}
