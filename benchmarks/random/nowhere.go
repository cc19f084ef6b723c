package random

import (
	"fmt"
	"slices"

	"gowarp/halideir/bounds"
)

// mostDomainPoints are looked at; a larger domain has some where its predicates hold.
const mostDomainPoints = 4096

// somewhere refuses a domain whose predicates hold at no point: what a Func is needed over an empty region for, Halide 21's allocations and
// checks at run time refuse, whatever the schedule.
func (v *env) somewhere(d *Domain) error {
	var from, extent []int64
	points := int64(1)
	for _, s := range d.Spans {
		at, known := v.number(d, nil, s[0])
		n, counted := v.number(d, nil, s[1])
		if !known || !counted {
			return nil
		}
		from, extent = append(from, at), append(extent, n)
		if points *= n; points > mostDomainPoints || points <= 0 {
			return nil
		}
	}
	for p := range points {
		at := slices.Clone(from)
		for k, n := range extent {
			at[k] += p % n
			p /= n
		}
		if !slices.ContainsFunc(d.Where, func(w *Expr) bool { holds, known := v.number(d, at, w); return known && holds == 0 }) {
			return nil
		}
	}
	return fmt.Errorf("the predicates of %s hold nowhere", d.Name)
}

// number is an integer expression's value at a point of a domain, where that is known.
func (v *env) number(d *Domain, at []int64, e *Expr) (n int64, known bool) {
	if e.Op == "rvar" && e.Name == d.Name && at != nil {
		return at[e.K], true
	}
	if len(e.Args) != 2 || e.Op == "call" || e.Op == "load" || isFold(e.Op) {
		t, r, err := v.eval(e)
		return int64(r.Lo), err == nil && !t.float() && r.Lo == r.Hi
	}
	a, there := v.number(d, at, e.Args[0])
	b, too := v.number(d, at, e.Args[1])
	if !there || !too {
		return 0, false
	}
	truth := func(is bool) (int64, bool) {
		if is {
			return 1, true
		}
		return 0, true
	}
	switch e.Op {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "<":
		return truth(a < b)
	case "==":
		return truth(a == b)
	case "%":
		if b > 0 {
			return a - b*bounds.FloorDiv(a, b), true
		}
	}
	return 0, false
}
