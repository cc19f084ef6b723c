package autoscheduler

import (
	"gowarp/autoscheduler/search"
	"gowarp/halideir"
	"gowarp/internal/ptxas"
)

// Trial is, with search=ptxas, the schedule in which every kernel is run in the n-th best of its few ways, or in its last one: compiled, all of them say how many
// registers each way takes. Kernels do not depend on each other, so that one schedule tries all at once. It is nil where no kernel has so many.
func Trial(p *halideir.Pipeline, params Params, n int) (*Result, error) {
	r, err := run(p, params, tried{trial: n}, false)
	if err != nil {
		return nil, err
	}
	ways := 0
	for _, f := range r.Found {
		ways = max(ways, f.Ways)
	}
	if n >= ways {
		return nil, nil
	}
	return r, nil
}

// Compiled adds what ptxas said of the kernels of a trial; nothing of those that Halide left out. A stage with a special case has two, of which the one that needs more is
// the one that matters.
func (r *Result) Compiled(uses []ptxas.Use, into map[string]search.Compiled) {
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if k.Host {
				continue
			}
			fn := &r.Problem.P.Funcs[k.Out.Func]
			c, found := search.Compiled{}, false
			for i := range uses {
				if u := &uses[i]; u.Of(fn.Name, k.Out.Stage) {
					found = true
					c.Registers, c.SpillBytes = max(c.Registers, u.Registers), max(c.SpillBytes, u.SpillStores+u.SpillLoads)
				}
			}
			if found {
				into[search.Identity(r.Problem, k)] = c
			}
		}
	}
}
