package autoscheduler

import (
	"fmt"

	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
)

// What is worth a warning: a kernel to which much of a run's predicted time goes, more than a moment, in fewer threads than a few blocks have; and a Func of some size that the host computes.
const (
	slowSeconds  = 1e-3
	slowShare    = .2
	slowThreads  = 1024
	manyOnHost   = 1 << 14 // points
	milliseconds = 1e3
)

// Warnings are what the author of a pipeline wants to know without asking: what keeps the GPU idle for much of a run, and what does not run on it though no extern stage is why.
func (r *Result) Warnings() []string {
	var out []string
	if r.Elsewhere != "" {
		out = append(out, r.Elsewhere)
	}
	pr := r.Problem
	if pr == nil {
		return out
	}
	for id := range pr.P.Funcs {
		if why := plan.HostReason(pr.P, id); why != "" && pr.P.Funcs[id].Extern == nil && !pr.Inlined[id] && pr.Regions.Funcs[id].Points() >= manyOnHost {
			out = append(out, fmt.Sprintf("%s runs on the host, one point after the other: %s", pr.P.Funcs[id].Label, why))
		}
	}
	if r.Unit != "seconds" {
		return out
	}
	total := 0.0
	for _, f := range r.Found {
		total += f.Cost
	}
	for _, f := range r.Found {
		for i, k := range f.Layout.Kernels {
			cost := f.Prices[i].Cost
			threads := k.ThreadsPerBlock() * k.Tiles() / k.Launches()
			if k.Host || cost < slowSeconds || cost < slowShare*total || threads >= slowThreads {
				continue
			}
			why := r.InOrder[[2]int{k.Out.Func, k.Out.Stage}]
			if why == "" {
				why = "HL_DEBUG_AUTOSCHEDULE=2 has the reasons for its kernel"
			}
			out = append(out, fmt.Sprintf("%s takes %.3g of the %.3g ms that a run is predicted to take, in %s: %s", schedule.StageLabel(pr.P.Funcs[k.Out.Func].Label, k.Out.Stage), cost*milliseconds, total*milliseconds, threadsInWords(threads), why))
		}
	}
	return out
}
