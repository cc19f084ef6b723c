package strategy

import (
	"fmt"

	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// warpCount is what one lane does for one tile of its warp, counted from the loads and
// operations of the unrolled points. A warp issues each instruction once for its 32 lanes.
type warpCount struct {
	width        int64   // of the tile
	outputs      int64   // points of the tile
	instructions float64 // a lane, of the whole tile
	shuffles     int
	registers    int // a lane
}

// Instructions beside the operations that the definitions name. The figures are counts in the code
// that ptxas makes of Halide 21's PTX.
const (
	tileInstructions  = 40.0 // indices of block, warp and lane, parameters, the ends of the tile
	rowInstructions   = 4.0  // the address of a row, clamped
	pointInstructions = 2.0  // the address of a load or store
	guardInstructions = 1.0  // the test of a point that may lie beyond the output
)

// Registers of a lane: addresses, indices and what is being computed, beside the values that are
// kept and exchanged. RATIONALE.md compares them with ptxas.
const (
	warpBaseRegisters = 14
	spillInstructions = 4.0 // a store and a load, and the wait for them
)

// perOutput is the number of instructions that a warp issues for 32 points of the output. Where
// the registers do not suffice, each one that lacks is spilled and reloaded.
func (c *warpCount) perOutput(maxRegisters int) float64 {
	n := c.instructions + spillInstructions*float64(max(0, c.registers-maxRegisters))
	return n * plan.WarpLanes / float64(c.outputs)
}

// spot is a Func (or an input, below 0) at a point, relative to the origin of a lane.
type spot struct {
	fn  int
	out int
	at  [maxSpotDims]int64
}

// maxSpotDims is the most dimensions of what can be counted.
const maxSpotDims = 4

// counter counts one tile.
type counter struct {
	w       *warpTiles
	s       *warpSet
	px      int64
	members map[int]*warpMember
	count   warpCount
	rows    map[spot]bool // rows of outside buffers whose addresses are known
	stage   map[spot]bool // what the stage has at hand: computed, loaded or exchanged
	shuffle int           // of the stage
}

// count counts the tile of a warp whose lanes hold px points of each of so many rows.
func (w *warpTiles) count(s *warpSet, px, rows int64) (warpCount, error) {
	c := counter{w: w, s: s, px: px, members: map[int]*warpMember{}, rows: map[spot]bool{}}
	halo := int64(0)
	for i := range s.members {
		m := &s.members[i]
		c.members[m.fn] = m
		halo = max(halo, m.grow[m.lane].Hi-m.grow[m.lane].Lo)
	}
	c.count.width = (plan.WarpLanes*px - halo) / px * px
	if c.count.width < 2*px {
		// One lane alone would write: Halide 21 then takes its index for a constant and
		// leaves the shuffles out.
		return c.count, fmt.Errorf("with %d points a lane %d points beside the tile leave no room in %d lanes", px, halo, plan.WarpLanes)
	}
	c.count.outputs = c.count.width * rows
	c.count.instructions = tileInstructions
	live, kept := c.lives(rows)
	most := 0
	for i := range s.members {
		m := &s.members[i]
		if err := c.run(m.fn, m.grow, m.lane, rows); err != nil {
			return c.count, err
		}
		most = max(most, live[i]+c.shuffle)
	}
	outLoops := int64(1)
	for l, loop := range w.pr.P.Funcs[w.g.Out].Stages[0].Loops {
		if l != w.x && l != w.y && w.inLane(s, l, loop) {
			outLoops *= w.pr.Dims[w.pr.StageIndex(w.g.Out, 0)].Extent[l]
		}
	}
	before := c.count.instructions
	if err := c.run(w.g.Out, s.grow.Funcs[w.g.Out], w.laneArg(), rows); err != nil {
		return c.count, err
	}
	points := float64(px * rows)
	c.count.instructions += points * (pointInstructions + guardInstructions)
	c.count.instructions = before + float64(outLoops)*(c.count.instructions-before)
	c.count.outputs *= outLoops
	most = max(most, kept+c.shuffle)
	c.count.registers = warpBaseRegisters + most
	return c.count, nil
}

func (w *warpTiles) laneArg() int { return w.pr.P.Funcs[w.g.Out].Stages[0].Loops[w.x].Arg }

// lives is the registers in which values are kept while each member is computed, itself
// included, and while the output is.
func (c *counter) lives(rows int64) (live []int, out int) {
	n := len(c.s.members)
	slots := make([]int, n)
	last := make([]int, n)
	for i := range c.s.members {
		m := &c.s.members[i]
		p := c.px
		for k, d := range m.grow {
			if k != m.lane {
				p *= d.Extent(c.tile(d.Dim, rows))
			}
		}
		slots[i] = int(p) * len(c.s.pr.P.Funcs[m.fn].Types)
		last[i] = i
		for j := i + 1; j < n; j++ {
			if c.s.pr.Reads(c.s.members[j].fn, m.fn) {
				last[i] = j
			}
		}
		if c.s.pr.Reads(c.w.g.Out, m.fn) {
			last[i] = n
		}
	}
	live = make([]int, n)
	for at := 0; at <= n; at++ {
		sum := 0
		for i := range slots {
			if i <= at && last[i] >= at {
				sum += slots[i]
			}
		}
		if at < n {
			live[at] = sum
		} else {
			out = sum
		}
	}
	return live, out
}

func (c *counter) tile(arg int, rows int64) int64 {
	w := c.w
	loops := w.pr.P.Funcs[w.g.Out].Stages[0].Loops
	switch {
	case w.y >= 0 && arg == loops[w.y].Arg:
		return rows
	case arg == loops[w.x].Arg:
		return c.px
	}
	return 1
}

// run counts one stage: every point of a lane.
func (c *counter) run(fn int, grow []bounds.Growth, lane int, rows int64) error {
	if len(grow) > maxSpotDims {
		return fmt.Errorf("%s has more than %d dimensions", c.s.pr.P.Funcs[fn].Label, maxSpotDims)
	}
	c.stage, c.shuffle = map[spot]bool{}, 0
	var lo, n [maxSpotDims]int64
	for k, d := range grow {
		lo[k] = d.Lo
		if k == lane {
			n[k] = c.px
		} else {
			n[k] = d.Extent(c.tile(d.Dim, rows))
		}
	}
	at := lo
	var walk func(k int)
	walk = func(k int) {
		if k == len(grow) {
			c.value(fn, at)
			return
		}
		for i := range n[k] {
			at[k] = lo[k] + i
			walk(k + 1)
		}
	}
	walk(0)
	c.count.shuffles += c.shuffle
	return nil
}

// value counts the definition of a Func at a point.
func (c *counter) value(fn int, at [maxSpotDims]int64) {
	st := c.s.pr.Access.Stage(fn, 0)
	c.count.instructions += float64(st.Value.Total())
	for i := range st.Loads {
		c.load(fn, &st.Loads[i], at)
	}
}

// load counts one load: of a member from the lane's own registers or another's, of an inlined Func
// its definition, of what lies outside a load from memory. What the stage has had already is free.
func (c *counter) load(fn int, l *access.Load, at [maxSpotDims]int64) {
	s := spot{fn: l.Func, out: l.Out}
	if l.Func < 0 {
		s.fn = -1 - l.Input
	}
	loops := c.s.pr.P.Funcs[fn].Stages[0].Loops
	known := true
	for k, ix := range l.Index {
		if k >= maxSpotDims {
			break
		}
		switch ix.Kind {
		case access.Constant:
			s.at[k] = ix.Offset
		case access.Affine:
			s.at[k] = bounds.FloorDiv(ix.Num*at[loops[ix.Loop].Arg]+ix.Offset, ix.Den)
		default:
			known = false
			s.at[k] = at[min(k, maxSpotDims-1)]
		}
	}
	if c.stage[s] {
		return
	}
	m := c.members[l.Func]
	if m != nil {
		d := s.at[m.lane] - m.grow[m.lane].Lo
		c.stage[s] = true
		if bounds.FloorDiv(d, c.px) != 0 {
			c.shuffle++
			c.count.instructions++
		}
		return
	}
	if l.Func >= 0 && l.Func != fn && c.s.pr.Inlined[l.Func] {
		c.stage[s] = true
		c.value(l.Func, s.at)
		return
	}
	// Halide's loads of one stage are not merged across its unrolled points.
	c.count.instructions += 1 + pointInstructions
	if !known {
		c.count.instructions += rowInstructions
		return
	}
	row := s
	row.at[0] = 0
	if !c.rows[row] {
		c.rows[row] = true
		c.count.instructions += rowInstructions
	}
}

// plainIndices reports whether every index is one loop times a number, plus a number.
func plainIndices(idx []access.Index) bool {
	for _, i := range idx {
		if i.Kind == access.Unknown || i.Clamped || i.Kind == access.Affine && i.Den != 1 {
			return false
		}
	}
	return true
}
