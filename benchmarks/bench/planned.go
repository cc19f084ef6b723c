package bench

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gowarp/autoscheduler"
	"gowarp/benchmarks/harness"
	"gowarp/internal/plan"
)

// planned is what gowarp says of one of its kernels.
type planned struct {
	strategy  string
	threads   [3]int64
	own, halo int64 // points, at the estimated size
}

// planning asks gowarp how it does each kernel. The plugin writes the pipeline, which is scheduled here once more: what
// the plugin lists must be the same schedule. Where Halide made something else of its first one the dump says so, and it is answered again; where that was in a search with trials,
// of which the dump says nothing, nothing is known of the kernels' plans.
func (m *measurement) planning(g harness.Generator, o harness.EmitOptions) error {
	params := m.job.Scheduler.Resolved(m.target.Device)
	p, e, err := m.tree.Export(g, o)
	if err != nil {
		return fmt.Errorf("bench: the schedule once more: %w", err)
	}
	parsed, err := autoscheduler.ParseParams(params)
	if err != nil {
		return err
	}
	r, err := autoscheduler.Run(p, parsed)
	if errors.Is(err, autoscheduler.ErrReplayed) {
		m.rec.Unplanned = "a saved schedule is replayed"
		return nil
	} else if err != nil {
		return err
	}
	var tree strings.Builder
	if err := r.Schedule.Tree(&tree, p); err != nil {
		return err
	}
	if !strings.Contains(e.Log, tree.String()) {
		m.rec.Unplanned = "Halide made something else of the first schedule, and another was taken"
		return nil
	}
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if !k.Host {
				m.plan = append(m.plan, plannedOf(r.Problem, k))
			}
		}
	}
	return nil
}

func plannedOf(pr *plan.Problem, k *plan.Kernel) planned {
	out := planned{strategy: k.Strategy, threads: k.Block, own: pr.Regions.Funcs[k.Out.Func].Points()}
	for i := range k.Members {
		member := &k.Members[i]
		needed := pr.Regions.Funcs[member.Func].Points()
		out.own += needed
		out.halo += max(0, member.StoredPoints()*k.Times(member)-needed)
	}
	return out
}

var ofStage = regexp.MustCompile(`^.*?_s\d+_`)

// StageOf is the part of a kernel's name that says of which stage it is: a stage that is emitted as a special case too
// has two kernels.
func StageOf(kernel string) string { return ofStage.FindString(kernel) }

// assign gives the kernels that are launched, one after the other, their plans.
func (m *measurement) assign(launches []harness.Launch) {
	if m.plan == nil {
		return
	}
	var first []harness.Launch
	seen := map[string]bool{}
	for _, l := range launches {
		if !seen[l.Kernel] {
			seen[l.Kernel] = true
			first = append(first, l)
		}
	}
	if len(first) != len(m.plan) {
		m.rec.Unplanned = fmt.Sprintf("%d kernels are launched, %d are planned", len(first), len(m.plan))
		return
	}
	byName, byStage := map[string]planned{}, map[string]planned{}
	for i, l := range first {
		if l.Threads != m.plan[i].threads {
			m.rec.Unplanned = fmt.Sprintf("kernel %s has blocks of %v threads, planned are %v", l.Kernel, l.Threads, m.plan[i].threads)
			return
		}
		byName[l.Kernel] = m.plan[i]
		byStage[StageOf(l.Kernel)] = m.plan[i]
	}
	for i := range m.rec.Kernels {
		k := &m.rec.Kernels[i]
		p, ok := byName[k.Name]
		if !ok {
			p = byStage[StageOf(k.Name)]
		}
		k.Strategy, k.OwnPoints, k.HaloPoints = p.strategy, p.own, p.halo
	}
}
