package strategy

import (
	"fmt"

	"gowarp/halideir/scan"
	"gowarp/internal/plan"
)

// LaneScan runs an update that is a scan (package scan) as a kernel of its own whose warps run through a row of it each, 32 iterations at a time: the lanes work out
// what the iterations add side by side and exchange what is before them. Where a thread runs through a row alone, the device has as many threads as there are rows, and along the
// innermost dimension each of a warp's loads is 32 sectors.
type LaneScan struct{}

// Name implements Strategy.
func (LaneScan) Name() string { return "lane-scan" }

// Prepare implements Strategy.
func (LaneScan) Prepare(pr *plan.Problem, g *plan.Group, _ Options) (Prepared, error) {
	found, err := scansOf(LaneScan{}.Name(), pr, g, false)
	return scans{pr, g, found}, err
}

// scansOf are the updates of a group of one Func that are scans, by stage: those with neighbours beside them (see besideRows), or the others. It is an error if there are none.
func scansOf(name string, pr *plan.Problem, g *plan.Group, beside bool) ([]*scan.Scan, error) {
	f := &pr.P.Funcs[g.Out]
	switch {
	case !pr.LaneScans:
		return nil, fmt.Errorf("%s: threads run through scans together in code for CUDA from capability 7.0 on", name)
	case len(g.Members) > 0:
		return nil, fmt.Errorf("%s: a group of several Funcs", name)
	}
	out := make([]*scan.Scan, len(f.Stages))
	any := false
	for st := 1; st < len(f.Stages); st++ {
		if found, ok := scan.Of(pr.P, pr.Access, g.Out, st); ok && (found.AnyOrder || !pr.InOrder) && besideRows(pr, g.Out, st, found.Loop) == beside {
			out[st], any = &found, true
		}
	}
	if !any {
		with := ""
		if beside {
			with = " beside whose rows are others"
		}
		return nil, fmt.Errorf("%s: no update of %s is a scan%s", name, f.Label, with)
	}
	return out, nil
}

// besideRows reports whether neighbouring threads could run through a scan beside each other, since it does not run along the innermost dimension, and that has a warp's lanes of rows or more: each
// of their loads is of a row's neighbours then, where a warp's that runs along the scan would be 32 sectors.
func besideRows(pr *plan.Problem, fn, stage, loop int) bool {
	st := pr.Access.Stage(fn, stage)
	if len(st.Store) < 2 || st.Store[0].DependsOn(loop) {
		return false
	}
	dims := &pr.Dims[pr.StageIndex(fn, stage)]
	for l, n := range dims.Extent {
		if st.Store[0].DependsOn(l) && n >= plan.WarpLanes && pr.P.Funcs[fn].Stages[stage].Loops[l].Kind.Parallel() {
			return true
		}
	}
	return false
}

type scans struct {
	pr    *plan.Problem
	g     *plan.Group
	found []*scan.Scan // by stage; nil for others
}

// scanRows are how many rows a block may have, each a warp's: fewer would leave an SM with as many warps as it has blocks. Where there are fewer rows a block has all.
var scanRows = []int64{4, 8}

// Choices implements Chooser.
func (s scans) Choices(stage int, _ Step) (out []plan.Choice) {
	if s.found[stage] == nil {
		return nil
	}
	dims := &s.pr.Dims[s.pr.StageIndex(s.g.Out, stage)]
	for i, rows := range scanRows {
		c := plan.Choice{Strategy: LaneScan{}.Name(), Tile: make([]int64, len(dims.Tiled))}
		for k := range c.Tile {
			c.Tile[k] = 1
		}
		if len(c.Tile) > 0 {
			c.Tile[0] = max(1, min(rows, dims.Extent[dims.Tiled[0]]))
		}
		if i == 0 || len(c.Tile) > 0 && c.Tile[0] == rows {
			out = append(out, c)
		}
	}
	return out
}

// Kernel implements Prepared.
func (s scans) Kernel(stage int, c plan.Choice) (*plan.Kernel, error) {
	found, f := s.found[stage], &s.pr.P.Funcs[s.g.Out]
	dims := &s.pr.Dims[s.pr.StageIndex(s.g.Out, stage)]
	if found == nil {
		return nil, fmt.Errorf("lane-scan: stage %d of %s is no scan", stage, f.Label)
	}
	n := plan.Nest{Func: s.g.Out, Stage: stage, Along: plan.Use{Loop: -1}, Scan: true}
	for l := range f.Stages[stage].Loops {
		switch {
		case l == found.Loop:
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: dims.Extent[l]})
		case len(c.Tile) > 0 && l == dims.Tiled[0]:
			n.Threads = append(n.Threads, plan.Use{Loop: l, Tile: c.Tile[0], Extent: c.Tile[0]})
			n.Blocks = append(n.Blocks, plan.Use{Loop: l, Tile: c.Tile[0], Extent: ceilDiv(dims.Extent[l], c.Tile[0])})
		default:
			n.Blocks = append(n.Blocks, plan.Use{Loop: l, Extent: dims.Extent[l]})
		}
	}
	k := &plan.Kernel{Strategy: LaneScan{}.Name(), Choice: c, Out: n, Registers: scanRegisters}
	return k, finish(s.pr, k)
}

// scanRegisters are a lane's: ptxas has 32 to 38 for sums and recurrences of floats and integers, rounded up to what it gives.
const scanRegisters = 40

// Block implements Sizer.
func (s scans) Block(_ int, c plan.Choice) [3]int64 {
	if len(c.Tile) == 0 {
		return [3]int64{plan.WarpLanes, 1, 1}
	}
	return [3]int64{plan.WarpLanes, c.Tile[0], 1}
}
