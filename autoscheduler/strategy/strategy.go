// Package strategy holds the ways to run a group. A strategy turns a group and a
// choice into a Layout; everything else (prices, legality, directives) is a
// function of that Layout. A strategy is a file of its own.
package strategy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gowarp/halideir"
	"gowarp/internal/plan"
)

// Strategy is a way to run a group.
type Strategy interface {
	// Name is the word for it in parameters, schedules and explanations.
	Name() string
	// Prepare does what does not depend on the choice. It fails, and says why, where the
	// group cannot be run this way at all.
	Prepare(pr *plan.Problem, g *plan.Group, o Options) (Prepared, error)
}

// Prepared is a strategy that is set to run one group.
type Prepared interface {
	// Kernel lays out one stage of the group's output with the given tile. It may be called by several goroutines, each with another choice.
	Kernel(stage int, c plan.Choice) (*plan.Kernel, error)
}

// Sizer is a Prepared that can tell the thread block of a kernel without laying it out, for a
// search that wants to know no more of most candidates.
type Sizer interface {
	// Block is Kernel(stage, c).Block, for a choice that Kernel takes.
	Block(stage int, c plan.Choice) [3]int64
}

// GroupingSkipper is a Strategy that may have no part in deciding which Funcs are computed together.
type GroupingSkipper interface {
	WhileGrouping() bool
}

// Chooser is a Prepared with choices of its own, instead of those of Tiles.
type Chooser interface {
	// Choices are the candidates for one stage, the most promising first.
	Choices(stage int, step Step) []plan.Choice
}

// SeveralPointed is a Prepared whose kernels have several points a thread.
type SeveralPointed interface{ SeveralPoints() }

// scored is a choice with what a strategy itself thinks of it, lower is better.
type scored struct {
	choice plan.Choice
	cost   float64
}

// kept is how many of its candidates a strategy offers, of those that it prices itself.
func (s Step) kept(grouping, final int) int {
	switch s {
	case PowersOfTwo:
		return grouping
	case StepOfTwo:
		return final
	}
	return math.MaxInt
}

// cheapest are the best n of a strategy's candidates, the first of equals first.
func cheapest(all []scored, n int) []plan.Choice {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(all[i].cost, all[j].cost) })
	var out []plan.Choice
	for _, i := range order[:min(n, len(order))] {
		out = append(out, all[i].choice)
	}
	return out
}

// Options are the parameters that strategies heed.
type Options struct {
	Nesting Nesting
	Warp    plan.WarpChoice // the only one for strategies of warps; the zero value: any
	// InRegisters is the fraction of each member that a hybrid tile of a warp keeps in registers.
	InRegisters float64
}

// Nesting says when members are computed at a thread loop.
type Nesting uint8

// The values of Nesting.
const (
	NestNever  Nesting = iota
	NestAlways         // wherever nestedfusion finds that it repeats no work
	NestSevere         // only in groups whose resource needs are severe; see Severe
)

// Severe reports whether a kernel needs so much that nested fusion is worth its loss of
// parallelism. Sioutas et al. 2020, section 4.3, name the cases (many active threads, much shared
// memory); the figures are those of their published implementation.
func Severe(k *plan.Kernel) bool {
	return k.SharedBytes > severeSharedBytes || k.Occupancy.Occupancy < severeOccupancy || k.Occupancy.ActiveThreads > severeActiveThreads
}

const (
	severeSharedBytes   = 32 << 10
	severeOccupancy     = 0.3
	severeActiveThreads = 900
)

// Tilings names the sets of strategies that the parameter tiling may allow, each in the
// order of preference for ties.
var Tilings = map[string][]Strategy{
	"block":          {Root{}, BlockTile{}},
	"block-window":   {BlockWindow{}},
	"warp-registers": {WarpRegisters{}},
	"warp-shared":    {WarpShared{}},
	"warp-hybrid":    {WarpHybrid{}},
	"warp":           {WarpRegisters{}, Root{}, BlockTile{}},
	"all":            {Root{}, BlockTile{}, BlockPrivate{}, BlockColumns{}, BlockCells{}, BlockWindow{}, BlockRows{}, LaneScan{}, ChunkScan{}, WarpRegisters{}, WarpFractions{InRegisters: quarters, Taller: true}},
}

// quarters are the fractions in registers of hybrid tiles of a warp among which a coster chooses. Halide's directives do not say such
// tiles, so they come after the tiles in registers alone, which win where both cost the same.
var quarters = []float64{.75, .5, .25, 0}

// Otherwise are the strategies for what those of a tiling cannot do.
var Otherwise = []Strategy{Root{}, BlockTile{}}

// IsOtherwise reports whether a strategy, by its name, is one of Otherwise.
func IsOtherwise(name string) bool {
	return slices.ContainsFunc(Otherwise, func(st Strategy) bool { return st.Name() == name })
}

// OfWarps reports whether a strategy, by its name, makes tiles of warps.
func OfWarps(name string) bool { return strings.HasPrefix(name, "warp-") }

// MaxSerialExtent is the largest untiled dimension that a thread runs through
// serially: colour channels and the like (Sioutas et al. 2020, section 4.2: "loops with
// low iteration count are not tiled").
const MaxSerialExtent = 4

// maxTurns is the same where a group has members that do not move with the dimension, which blocks along it would compute anew each: the classes of a softmax, the channels that are divided by their norm. Not of the papers' modes (plan.Problem.LongTurns).
const maxTurns = 64

// outNest lays out the loops of a group's output stage. Tiled loops are split
// into blocks and threads. Of the others, impure ones run inside the thread
// in their order, or on the host; short ones that no member moves with do too; the rest become blocks.
func outNest(pr *plan.Problem, g *plan.Group, stage int, c plan.Choice) (plan.Nest, error) {
	st := &pr.P.Funcs[g.Out].Stages[stage]
	dims := &pr.Dims[pr.StageIndex(g.Out, stage)]
	if len(c.Tile) != len(dims.Tiled) {
		return plan.Nest{}, fmt.Errorf("strategy: %s has %d tiled loops, the choice has %d tiles", pr.P.Funcs[g.Out].Label, len(dims.Tiled), len(c.Tile))
	}
	// One array for the three lists: a search lays out thousands of nests.
	loops, t := len(st.Loops), len(dims.Tiled)
	uses := make([]plan.Use, 2*loops+t)
	n := plan.Nest{Func: g.Out, Stage: stage, Threads: uses[0:0:t], Serial: uses[t : t : t+loops], Blocks: uses[t+loops : t+loops]}
	for i, l := range dims.Tiled {
		t := c.Tile[i]
		if t < 1 {
			return plan.Nest{}, fmt.Errorf("strategy: %s: tile %d of loop %s is below 1", pr.P.Funcs[g.Out].Label, t, st.Loops[l].Label)
		}
		n.Threads = append(n.Threads, plan.Use{Loop: l, Tile: t, Extent: t})
		n.Blocks = append(n.Blocks, plan.Use{Loop: l, Tile: t, Extent: ceilDiv(dims.Extent[l], t)})
	}
	n.Along = along(&n)
	for l, loop := range st.Loops {
		switch {
		case slices.Contains(dims.Tiled, l):
		case slices.Contains(dims.Carrying, l):
			n.Host = append(n.Host, plan.Use{Loop: l, Extent: dims.Extent[l]})
		case !pr.Parallel(g.Out, stage, l):
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: dims.Extent[l]})
		case turnsInThread(pr, g, dims, l, loop):
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: dims.Extent[l]})
		default:
			n.Blocks = append(n.Blocks, plan.Use{Loop: l, Extent: dims.Extent[l]})
		}
	}
	unroll(pr, &n, func(loop halideir.Loop) bool {
		if bounded(pr.P, &pr.P.Funcs[g.Out], loop.Arg) {
			return true
		}
		_, whole := pr.Fits.Whole(g.Out, loop.Arg)
		return whole
	})
	return n, nil
}

// turnsInThread reports whether a thread runs through a loop that is not tiled.
func turnsInThread(pr *plan.Problem, g *plan.Group, dims *plan.Dims, l int, loop halideir.Loop) bool {
	members := len(g.Members) > 0
	switch {
	case slices.Contains(dims.Held, l) && len(dims.Tiled) > 0:
		return true
	case len(dims.Tiled) == 0 || memberMoves(g, loop):
		return false
	case dims.Extent[l] <= MaxSerialExtent && (loop.Kind.Parallel() || dims.Atomic):
		return members || fillsDevice(pr, dims, 1)
	}
	return pr.LongTurns && members && dims.Extent[l] <= maxTurns && loop.Kind.Parallel() && fillsDevice(pr, dims, 2)
}

// fillsDevice reports whether the tiled loops alone give every SM all the threads that it
// can hold, or a part of them. Where they do not, as under a recurrence along the longest dimension, short
// loops are parallelism that is needed.
func fillsDevice(pr *plan.Problem, dims *plan.Dims, part int64) bool {
	threads := int64(1)
	for _, l := range dims.Tiled {
		threads *= dims.Extent[l]
	}
	return part*threads >= int64(pr.Device.SMs)*int64(pr.Device.MaxThreadsPerSM)
}

// along is the thread-x loop of a nest that has thread loops.
func along(n *plan.Nest) plan.Use {
	if len(n.Threads) == 0 {
		return plan.Use{Loop: -1}
	}
	return n.Threads[0]
}

// memberMoves reports whether the region of a member moves with the loop: it
// would need the loop's whole range, which is known only at run time.
func memberMoves(g *plan.Group, loop halideir.Loop) bool {
	for _, m := range g.Members {
		for _, d := range g.Grow.Funcs[m] {
			if d.Known && d.Dim == loop.Arg {
				return true
			}
		}
	}
	return false
}

// tileByArg is the tile of the output over each of its dimensions.
func tileByArg(pr *plan.Problem, n *plan.Nest) []int64 {
	f := &pr.P.Funcs[n.Func]
	tile := make([]int64, len(f.Args))
	for i := range tile {
		tile[i] = 1
	}
	loops := f.Stages[n.Stage].Loops
	for _, uses := range [][]plan.Use{n.Threads, n.Serial} {
		for _, u := range uses {
			if a := loops[u.Loop].Arg; a >= 0 {
				tile[a] = u.Extent
			}
		}
	}
	for _, u := range n.Unrolled {
		if a := loops[u.Loop].Arg; a >= 0 {
			tile[a] *= u.Extent
		}
	}
	return tile
}

// readOutput reports whether a Func is an output that others of the pipeline read. The inner part of a tile of it must not be
// split again: Halide 21 drops the tile's guard (schedule.CheckForms, read-output).
func readOutput(pr *plan.Problem, fn int) bool {
	return pr.P.Funcs[fn].Output && len(pr.Access.Consumers(fn)) > 0
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
