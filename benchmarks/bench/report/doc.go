// Package report makes tables in Markdown and plots of the benchmark's lines. Every figure
// in them is a line's, or follows from lines by a formula that stands beside it. It runs
// nothing and knows no program and no scheduler by name but gowarp, whose rows are
// compared with the others'.
package report

import (
	"slices"

	"gowarp/benchmarks/bench"
)

// own is the scheduler whose rows are compared with the others'.
const own = "gowarp"

// A page is the records of one GPU.
type page struct {
	gpu        string
	programs   []string
	schedulers []string // in the order of the tables
	at         map[[2]string]*bench.Record
}

// pages sorts records, the furthest of each cell, by GPU.
func pages(records []bench.Record) []*page {
	byGPU := map[string]*page{}
	var gpus []string
	for _, r := range bench.Latest(records) {
		if r.UpTo == bench.UpToSchedule {
			continue // of the plot of stages
		}
		p := byGPU[r.GPU]
		if p == nil {
			p = &page{gpu: r.GPU, at: map[[2]string]*bench.Record{}}
			byGPU[r.GPU] = p
			gpus = append(gpus, r.GPU)
		}
		cell := [2]string{r.Program, r.Scheduler}
		if old := p.at[cell]; old == nil || further(r.UpTo, old.UpTo) {
			p.at[cell] = &r
		}
		p.programs = append(p.programs, r.Program)
		p.schedulers = append(p.schedulers, r.Scheduler)
	}
	slices.Sort(gpus)
	var all []*page
	for _, g := range gpus {
		p := byGPU[g]
		slices.Sort(p.programs)
		p.programs = slices.Compact(p.programs)
		p.schedulers = inTableOrder(p.schedulers)
		all = append(all, p)
	}
	return all
}

func further(a, b string) bool { return slices.Index(bench.Stages, a) > slices.Index(bench.Stages, b) }

// inTableOrder puts schedulers into the order of the usual table, others behind them.
func inTableOrder(names []string) []string {
	slices.Sort(names)
	rest := slices.Compact(names)
	var out []string
	for _, s := range bench.Schedulers() {
		if i := slices.Index(rest, s.Label()); i >= 0 {
			out = append(out, s.Label())
			rest = slices.Delete(rest, i, i+1)
		}
	}
	// gowarp by itself, or with parameters that are no row of the usual table, stays with gowarp.
	return slices.Concat(filter(rest, func(s string) bool { return isOwn(s) }), out, filter(rest, func(s string) bool { return !isOwn(s) }))
}

func filter(list []string, keep func(string) bool) []string {
	var out []string
	for _, s := range list {
		if keep(s) {
			out = append(out, s)
		}
	}
	return out
}

func isOwn(scheduler string) bool {
	return scheduler == own || len(scheduler) > len(own) && scheduler[:len(own)+1] == own+":"
}

// per32 is a count for 32 output elements, if the record has it.
func per32(r *bench.Record, name string) (float64, bool) {
	if r == nil || r.Outcome != bench.OK || r.Counted == nil {
		return 0, false
	}
	v, ok := r.Counted.Per32[name]
	return v, ok
}

// best is gowarp's record of a program with the least of a count.
func (p *page) best(program, count string) (*bench.Record, float64) {
	var best *bench.Record
	least := 0.0
	for _, s := range p.schedulers {
		if !isOwn(s) {
			continue
		}
		r := p.at[[2]string{program, s}]
		if v, ok := per32(r, count); ok && (best == nil || v < least) {
			best, least = r, v
		}
	}
	return best, least
}
