package strategy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gowarp/autoscheduler/instructions"
	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
	"gowarp/occupancy"
)

// WarpRegisters computes one tile of the output a warp, and before it the region of every
// member that the tile needs, in the registers of the warp's lanes, which exchange what
// their neighbours hold by shuffles: one overlapped tile a warp (Jangda and Guha 2020,
// section 4), all of it in registers. There is no barrier and no shared memory.
//
// A lane holds so many points of each row, and all rows of the tile and all layers of rows, unrolled. The points are
// neighbours or, as in the paper, a warp apart: then loads and stores of a warp lie side by side, and a value at a distance is in one of two
// registers, which takes two shuffles and a choice. Of a member that is read with a stride along the lanes, as where images are made smaller, a lane has
// as many times the neighbours. The
// tile is as wide as leaves the widest stage all 32 lanes. Funcs that are inlined elsewhere are
// members here where that issues fewer instructions: in registers they cost no memory.
type WarpRegisters struct{}

// Name implements Strategy.
func (WarpRegisters) Name() string { return "warp-registers" }

// minShuffleCapability is the least compute capability on which Halide 21's shuffles were
// checked; they exist from 3.0 on.
const minShuffleCapability = 50

// HasLanes says why a target and a device have no lanes that exchange registers.
func HasLanes(t *halideir.Target, d *occupancy.Device) error {
	older := func(whose string, capability int) error {
		return fmt.Errorf("compute capability %d.%d, %s, is older than 5.0, the least whose shuffles were checked", capability/10, capability%10, whose)
	}
	switch {
	case t.API != "cuda":
		return fmt.Errorf("only CUDA has lanes that exchange registers; the target is %s", t.String)
	case t.CUDACapability == 0: // Halide then compiles for one that has no shuffles
		return fmt.Errorf("the target %s names no compute capability; name one from 5.0 on, as in host-cuda-cuda_capability_75", t.String)
	case t.CUDACapability < minShuffleCapability:
		return older("the target's", t.CUDACapability)
	case d.API != occupancy.CUDA:
		return fmt.Errorf("only CUDA has lanes that exchange registers; the device is %s", d.Title)
	case d.Capability < minShuffleCapability:
		return older("that of "+d.Title, d.Capability)
	}
	return nil
}

// Prepare implements Strategy.
func (WarpRegisters) Prepare(pr *plan.Problem, g *plan.Group, o Options) (Prepared, error) {
	return prepareWarps(pr, g, o, WarpRegisters{}.Name(), 1)
}

// prepareWarps is Prepare for a strategy of warps' tiles that keeps a fraction of each member in registers.
func prepareWarps(pr *plan.Problem, g *plan.Group, o Options, name string, inRegisters float64) (Prepared, error) {
	f := &pr.P.Funcs[g.Out]
	fail := func(format string, args ...any) (Prepared, error) {
		return nil, fmt.Errorf(name+": "+format, args...)
	}
	whole := keptWarps{g, o.Warp}
	if w, ok := pr.Kept.Get(whole).(*warpTiles); ok {
		return w.called(name, inRegisters), nil
	}
	if err := HasLanes(&pr.P.Target, pr.Device); err != nil {
		return fail("%w", err)
	}
	switch {
	case len(f.Stages) != 1:
		return fail("%s has updates; its stages share no tile", f.Label)
	case readOutput(pr, g.Out):
		return fail("%s is an output that other Funcs read", f.Label)
	}
	x, y, z := warpLoops(pr, g)
	if x < 0 {
		return fail("%s has no parallel loop for the lanes", f.Label)
	}
	w := &warpTiles{inRegisters: 1, pr: pr, g: g, x: x, y: y, z: z, only: o.Warp, counted: newWarpCounts()}
	base, err := w.stage(nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	w.sets = append(w.sets, base)
	w.stageMore()
	if len(base.members) == 0 {
		w.sets = w.sets[1:]
	}
	if len(w.sets) == 0 {
		return fail("%s needs nothing that lanes could exchange", f.Label)
	}
	pr.Kept.Put(whole, w)
	return w.called(name, inRegisters), nil
}

// keptWarps is what the members and the counts of a group hang on, for all strategies of warps' tiles, while grouping and after.
type keptWarps struct {
	g    *plan.Group
	only plan.WarpChoice
}

// mostKeptWarps is of how many Funcs a pipeline may have for the counts of all its groups to be kept.
const mostKeptWarps = 300

// Forget is called once all strategies have been asked about a group: of a pipeline of very many Funcs what was counted of it is kept no longer.
func Forget(pr *plan.Problem, g *plan.Group, o Options) {
	if len(pr.P.Funcs) > mostKeptWarps {
		pr.Kept.Drop(keptWarps{g, o.Warp})
	}
}

// called is the same for a strategy of a name, with a fraction in registers.
func (w *warpTiles) called(name string, inRegisters float64) *warpTiles {
	c := *w
	c.name = name
	if inRegisters < 1 {
		return c.hybrid(inRegisters)
	}
	return &c
}

// overlaps reports whether neighbouring points along an argument of the output need the same of a Func that is, or may be, stored in the kernel.
func overlaps(pr *plan.Problem, g *plan.Group, arg int) bool {
	for id, grow := range g.Grow.Funcs {
		if id == g.Out || !g.Has(id) && !pr.Inlined[id] {
			continue
		}
		for _, d := range grow {
			if d.Known && arg >= 0 && d.Dim == arg && d.Hi > d.Lo {
				return true
			}
		}
	}
	return false
}

// warpLoops are the output's loops over lanes, rows and layers of rows: the tiled ones first. Layers are of a loop along which they
// share something.
func warpLoops(pr *plan.Problem, g *plan.Group) (x, y, z int) {
	d := &pr.Dims[pr.StageIndex(g.Out, 0)]
	loops := pr.P.Funcs[g.Out].Stages[0].Loops
	x, y, z = -1, -1, -1
	take := func(l int) {
		switch {
		case !loops[l].Kind.Parallel() || loops[l].Arg < 0 || l == x:
		case x < 0:
			x = l
		case y < 0:
			y = l
		}
	}
	if d.OfDomain() {
		return x, y, z
	}
	for _, l := range d.Tiled {
		take(l)
	}
	for l := range loops {
		if x >= 0 && d.Extent[l] > MaxSerialExtent {
			take(l)
		}
	}
	for l := range loops {
		if z < 0 && y >= 0 && l != x && l != y && loops[l].Kind.Parallel() && d.Extent[l] > 1 && overlaps(pr, g, loops[l].Arg) {
			z = l
		}
	}
	return x, y, z
}

// warpTiles is a group that is set to run in warps.
type warpTiles struct {
	name        string     // the strategy's
	inRegisters float64    // the fraction of each member's registers that stay registers
	taller      bool       // only tiles that do not fit with all of it in registers
	whole       *warpTiles // the same with all of it in registers; nil if it is that
	pr          *plan.Problem
	g           *plan.Group
	x, y, z     int
	only        plan.WarpChoice
	sets        []*warpSet // the ways to choose the members, the one with the group's own first

	counted *warpCounts
}

// warpShape is what a count depends on.
type warpShape struct {
	set *warpSet
	lanePoints
}

// lanePoints is what a lane has of the output's tile.
type lanePoints struct {
	px, rows, layers int64
	strided          bool
}

// warpCounts are the counts of a group's tiles, for several goroutines.
type warpCounts struct {
	mu    sync.Mutex
	known map[warpShape]warpCounted
}

func newWarpCounts() *warpCounts { return &warpCounts{known: map[warpShape]warpCounted{}} }

type warpCounted struct {
	warpCount
	err error
}

// warpSet is a choice of members.
type warpSet struct {
	pr      *plan.Problem // with the staged Funcs not inlined
	grow    *bounds.Group
	staged  []int
	members []warpMember // in the order in which they are computed
	reads   []laneRead   // along the lanes, consumers first
	flat    bool         // a tile has one layer: none of another may be computed in vain
}

// warpMember is what of a member does not depend on the tile.
type warpMember struct {
	fn   int
	grow []bounds.Growth
	lane int // the dimension that moves with the lanes
}

// laneRead is how one member, or the output, reads another along the lanes: at num times its own point, and up to last beyond.
type laneRead struct {
	from, of  int // among the members; from is their number for the output
	num, last int64
}

// points is how many points of a row a lane has of the member, if it has so many of the output.
func (m *warpMember) points(px int64) int64 { return px * m.grow[m.lane].Num }

// origin is a point of a lane in its dimension, from the first one of the member's tile in lane 0.
func (m *warpMember) origin(at int64) int64 { return at - m.grow[m.lane].Lo }

// stage looks at the group with some inlined Funcs among its members.
func (w *warpTiles) stage(staged []int) (*warpSet, error) {
	pr := w.pr
	s := &warpSet{pr: pr, staged: staged}
	members := slices.Clone(w.g.Members)
	if len(staged) > 0 {
		s.pr = pr.Staging(staged, append(slices.Clone(w.g.Members), w.g.Out))
		members = append(members, staged...)
		slices.Sort(members)
	}
	s.grow = s.pr.GrowAt(w.g.Out, 0, &plan.Group{Out: w.g.Out, Members: members})
	loops := pr.P.Funcs[w.g.Out].Stages[0].Loops
	for _, id := range members {
		m := warpMember{fn: id, grow: s.grow.Funcs[id], lane: -1}
		f := &pr.P.Funcs[id]
		if len(f.Stages) != 1 {
			return nil, fmt.Errorf("%s has updates, which do not run over lanes", f.Label)
		}
		if m.grow == nil {
			return nil, fmt.Errorf("%s is not needed by %s", f.Label, pr.P.Funcs[w.g.Out].Label)
		}
		if why := notInLanes(f.Types); why != "" {
			return nil, fmt.Errorf("%s: %s", f.Label, why)
		}
		for k, d := range m.grow {
			if !d.Provable() || !d.Fixed {
				return nil, fmt.Errorf("the part of %s that a tile needs has no size that Halide can prove in dimension %d", f.Label, k)
			}
			switch {
			case d.Dim < 0:
			case d.Dim == loops[w.x].Arg && m.lane >= 0:
				return nil, fmt.Errorf("two dimensions of %s move with the lanes", f.Label)
			case d.Dim == loops[w.x].Arg && (d.Num < 1 || d.Num&(d.Num-1) != 0):
				return nil, fmt.Errorf("%s is read with a stride of %d along the lanes, which is no power of two", f.Label, d.Num)
			case d.Dim == loops[w.x].Arg:
				m.lane = k
			}
		}
		if m.lane < 0 {
			return nil, fmt.Errorf("%s does not move with the lanes", f.Label)
		}
		s.members = append(s.members, m)
	}
	if f := &pr.P.Funcs[w.g.Out]; len(members) > 0 {
		if why := notInLanes(f.Types); why != "" {
			return nil, fmt.Errorf("%s: %s", f.Label, why)
		}
	}
	if err := w.readsInLanes(s); err != nil {
		return nil, err
	}
	if err := overread(s.pr, members, w.moves(s, loops[w.x].Arg, w.arg(w.y))); err != nil {
		return nil, err
	}
	s.flat = w.z < 0 || overread(s.pr, members, w.moves(s, w.arg(w.z), -1)) != nil
	return s, nil
}

// arg is the argument of the output that a loop of it runs over; -1 for none.
func (w *warpTiles) arg(loop int) int {
	if loop < 0 {
		return -1
	}
	return w.pr.P.Funcs[w.g.Out].Stages[0].Loops[loop].Arg
}

// moves says which dimensions of a member move with one of two arguments of the output.
func (w *warpTiles) moves(s *warpSet, a, b int) func(fn, dim int) bool {
	return func(fn, dim int) bool {
		g := s.grow.Funcs[fn]
		return dim < len(g) && g[dim].Dim >= 0 && (g[dim].Dim == a || g[dim].Dim == b)
	}
}

// notInLanes says which of the types no shuffle moves in Halide 21.
func notInLanes(types []halideir.Type) string {
	for _, t := range types {
		switch {
		case t.Bits == 64:
			return "values of 64 bits are not exchanged by shuffles"
		case t.Bits == 1:
			return "booleans are not kept in lanes"
		}
	}
	return ""
}

// readsInLanes: every read of a member has an index of which the lane and the register follow
// when the points of a lane are unrolled.
func (w *warpTiles) readsInLanes(s *warpSet) error {
	check := func(fn, from int) error {
		ex := s.pr.Expand[s.pr.StageIndex(fn, 0)]
		if ex.Saturated {
			return fmt.Errorf("%s is too large to look into", s.pr.P.Funcs[fn].Label)
		}
		for i := range ex.Loads {
			t := &ex.Loads[i]
			if t.Func < 0 {
				continue
			}
			for of, m := range s.members {
				if m.fn != t.Func {
					continue
				}
				if !plainIndices(t.Index) {
					return fmt.Errorf("%s reads %s at a place that is not known before it runs", s.pr.P.Funcs[fn].Label, s.pr.P.Funcs[m.fn].Label)
				}
				s.reads = append(s.reads, laneRead{from: from, of: of, num: t.Index[m.lane].Num, last: t.Index[m.lane].Offset})
			}
		}
		return nil
	}
	if err := check(w.g.Out, len(s.members)); err != nil {
		return err
	}
	for i := len(s.members) - 1; i >= 0; i-- {
		if err := check(s.members[i].fn, i); err != nil {
			return err
		}
	}
	return nil
}

// rows is how many points of a row are computed of every member, if the tile is so wide: what its readers need, who compute whole points of lanes.
func (s *warpSet) rows(lp lanePoints, width int64) []int64 {
	return s.rowsInto(make([]int64, len(s.members)), lp, width)
}

// rowsInto is rows in the place of what is in n.
func (s *warpSet) rowsInto(n []int64, lp lanePoints, width int64) []int64 {
	clear(n)
	for _, r := range s.reads {
		lo, have := int64(0), width // of the reader
		if r.from < len(s.members) {
			m := &s.members[r.from]
			lo, have = m.grow[m.lane].Lo, n[r.from]
			if !lp.strided {
				have = roundUp(have, m.points(lp.px))
			}
		}
		n[r.of] = max(n[r.of], s.members[r.of].origin(r.num*(lo+have-1)+r.last)+1)
	}
	return n
}

// width is that of the widest tile whose members fit the lanes, and how many points of a row of each are computed.
func (s *warpSet) width(lp lanePoints) (width int64, rows []int64) {
	step := int64(1)
	if !lp.strided {
		step = lp.px
	}
	rows = make([]int64, len(s.members))
	for width = plan.WarpLanes * lp.px; width > 0; width -= step {
		rows = s.rowsInto(rows, lp, width)
		fits := true
		for i := range s.members {
			fits = fits && rows[i] <= plan.WarpLanes*s.members[i].points(lp.px)
		}
		if fits {
			break
		}
	}
	return width, rows
}

// mostStagedAlone is how many inlined Funcs are tried as members one by one: each takes a count of all that is in place, of which there may be
// plan.MaxInstances. The programs have 13 at most.
const mostStagedAlone = 16

// asFew is by how much more instructions a typical tile may have with inlined Funcs as members than without any, where it would be no tile of a warp: the estimate errs by more, and where points have tests of their own, at
// the edges, a member is computed once and an inlined Func for each of them.
const asFew = .05

// stageMore looks for inlined Funcs that are better members: first what the output reads at its own
// point, all together, then each of those that are needed at the most places, readers first, as long as the count of instructions of
// a typical tile falls.
func (w *warpTiles) stageMore() {
	pr := w.pr
	best := w.sets[0]
	least := w.typical(best)
	cost := least
	if len(best.members) == 0 {
		cost = math.Inf(1) // no tile of a warp
	}
	try := func(ids ...int) {
		if len(ids) == 0 {
			return
		}
		if s, err := w.stage(append(slices.Clone(best.staged), ids...)); err == nil {
			if c := w.typical(s); c < cost {
				best, cost = s, c
			}
		}
	}
	var all, near []int
	for id := w.g.Out - 1; id >= 0; id-- {
		if !pr.Inlined[id] || best.grow.Funcs[id] == nil || !w.onlyHere(id) || len(pr.P.Funcs[id].Stages) != 1 {
			continue
		}
		all = append(all, id)
		if pr.Access.Stage(w.g.Out, 0).Pointwise(id) {
			near = append(near, id)
		}
	}
	try(near...)
	for _, id := range w.mostCalled(all) {
		if !slices.Contains(best.staged, id) {
			try(id)
		}
	}
	if len(w.sets[0].members) == 0 {
		least *= 1 + asFew
	}
	if best != w.sets[0] && (cost < least || best.exchanges()) {
		w.sets = append(w.sets, best)
	}
}

// exchanges reports whether lanes read what others have: some member at more than one place along the lanes, or at a multiple of their own.
func (s *warpSet) exchanges() bool {
	for i, r := range s.reads {
		if r.num != 1 || slices.ContainsFunc(s.reads[:i], func(o laneRead) bool { return o.of == r.of && o.last != r.last }) {
			return true
		}
	}
	return false
}

// mostCalled are those of some inlined Funcs that are needed at the most places, in their order.
func (w *warpTiles) mostCalled(ids []int) []int {
	if len(ids) <= mostStagedAlone {
		return ids
	}
	places := map[int]int64{}
	for _, id := range ids {
		for _, at := range w.pr.Sites(id) {
			if w.g.Has(at.Func) {
				places[id] += at.Calls
			}
		}
	}
	most := slices.Clone(ids)
	slices.SortStableFunc(most, func(a, b int) int { return cmp.Compare(places[b], places[a]) })
	most = most[:mostStagedAlone]
	return slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return !slices.Contains(most, id) })
}

// onlyHere reports whether an inlined Func is in no kernel but this group's.
func (w *warpTiles) onlyHere(id int) bool {
	return !w.pr.P.Funcs[id].Output && !slices.ContainsFunc(w.pr.Sites(id), func(at plan.Site) bool { return !w.g.Has(at.Func) })
}

// typicalRows and typicalPoints are of the tile by which members are chosen.
const (
	typicalRows   = 4
	typicalPoints = 2
)

func (w *warpTiles) typical(s *warpSet) float64 {
	c, err := w.count(s, lanePoints{px: typicalPoints, rows: typicalRows, layers: 1})
	if err != nil {
		if c, err = w.count(s, lanePoints{px: 1, rows: 1, layers: 1}); err != nil {
			return 1e30
		}
	}
	return c.perOutput(w.pr.Limits.MaxRegisters)
}

// Candidates of a warp tile.
var (
	warpPoints = []int64{1, 2, 4} // see legality, lanes
	warpRows   = []int64{1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32}
	warpLayers = []int64{1, 2, 4}
	warpWarps  = []int64{4, 8, 2, 1}
)

// mostUnrolled is how many instructions a lane's tile may be: lowering takes Halide more than the square of the time for twice as many, seconds
// from here on, and 16 B each have to be fetched. mostPoints is how many points of the output likewise, its colours apart, and mostExchanged how many values a
// lane takes from others: Halide lifts each out of the tests around it past all statements before, 10 s for 720 of them and .5 for 400.
const (
	mostUnrolled  = 3060
	mostPoints    = 32
	mostExchanged = 600
	mostLifted    = 12000 // of what lanes take from others under a test of the lane, times the instructions of a statement: 1.3 s for 10,700, 3.1 for 14,300, 12 for 21,000
)

// tooLong reports whether Halide would lower a tile for too long.
func (c *warpCount) tooLong() bool {
	return c.length > mostUnrolled || c.exchanged > mostExchanged || c.lifted > mostLifted
}

// hopeless is how many times the registers there are a tile may need for taller ones to be counted still.
const hopeless = 2

// Choices implements Chooser: the tiles of fewest instructions.
func (w *warpTiles) Choices(_ int, step Step) []plan.Choice {
	var all []scored
	points, rows, layers, blocks := warpPoints, warpRows, warpLayers, warpWarps
	if step == PowersOfTwo { // without 32: no prediction of a program hangs on them, and they take as long to count as all others
		rows = slices.DeleteFunc(slices.Clone(rows), func(r int64) bool { return r&(r-1) != 0 || r > 16 })
	}
	if w.y < 0 {
		rows = rows[:1]
	}
	if w.z < 0 {
		layers = layers[:1]
	}
	asked := w.only != plan.WarpChoice{}
	if asked {
		points, rows, blocks = []int64{w.only.Points}, []int64{w.only.Rows}, []int64{w.only.Warps}
		if w.z >= 0 {
			layers = []int64{max(w.only.Layers, 1)}
		}
	}
	for i, s := range w.sets {
		tall := make([]int64, len(layers)) // rows from which on there is no hope, with as many layers and no more points
		for _, px := range points {
			for j, ly := range layers {
				if ly > 1 && s.flat {
					continue
				}
				for _, r := range rows {
					if !asked && px*r*ly > mostPoints {
						break
					}
					lp := lanePoints{px: px, rows: r, layers: ly, strided: asked && w.only.Strided && px > 1}
					if w.taller && !asked && tall[j] == 0 && !w.whole.loadsTooMuch(s, lp) && !w.whole.spills(s, lp) {
						continue
					}
					if !asked && (tall[j] > 0 && r >= tall[j] || w.hopeless(s, lp)) {
						for k := j; k < len(tall); k++ { // more rows, layers and points need more
							tall[k] = r
						}
						break
					}
					if w.whole != nil && w.whole.fewest(lp) != i {
						continue // the members are those of warp-registers, so that fractions compare
					}
					for _, warps := range blocks {
						if one, ok := w.candidate(i, lp, warps, asked); ok {
							all = append(all, one)
						}
					}
				}
			}
		}
	}
	best := cheapest(all, step.kept(maxWarpCandidates, maxWarpCandidates))
	if asked {
		return best
	}
	// What costs more instructions may load less: the best once more, with its points a warp apart.
	for _, c := range best {
		if c.Warp.Points > 1 {
			lp := lanePoints{px: c.Warp.Points, rows: c.Warp.Rows, layers: c.Warp.Layers, strided: true}
			if one, ok := w.candidate(c.Warp.Set, lp, c.Warp.Warps, false); ok {
				best = append(best, one.choice)
			}
			break
		}
	}
	return best
}

// candidate is the tile of a set of members in blocks of so many warps, if there can be one; of one that was not asked for
// the registers and the extents must suffice, too.
func (w *warpTiles) candidate(set int, lp lanePoints, warps int64, asked bool) (scored, bool) {
	s := w.sets[set]
	extent := w.pr.Dims[w.pr.StageIndex(w.g.Out, 0)].Extent
	c, err := w.count(s, lp)
	switch {
	case err != nil || !asked && (w.spills(s, lp) || c.tooLong() || lp.px*lp.rows*lp.layers > mostPoints):
		return scored{}, false
	case w.scratch(s, lp, c.width)*warps > w.pr.Limits.SharedBytes:
		return scored{}, false
	case w.y < 0 && (warps > 1 || lp.rows > 1):
		return scored{}, false // warps side by side: Halide proves no constant extents
	case !asked && w.y >= 0 && warps > 1 && lp.rows*warps > max(extent[w.y], 1), !asked && w.z >= 0 && lp.layers > extent[w.z]:
		return scored{}, false
	}
	waste := float64(roundUp(extent[w.x], c.width)) / float64(extent[w.x])
	if w.y >= 0 {
		waste *= float64(roundUp(extent[w.y], lp.rows*warps)) / float64(extent[w.y])
	}
	if w.z >= 0 {
		waste *= float64(roundUp(extent[w.z], lp.layers)) / float64(extent[w.z])
	}
	return scored{
		plan.Choice{Strategy: w.name, Tile: w.blockTile(c.width, lp, warps), Warp: plan.WarpChoice{Points: lp.px, Rows: lp.rows, Layers: lp.layers, Warps: warps, Strided: lp.strided, Set: set, InRegisters: w.inRegisters}},
		c.perOutput(w.pr.Limits.MaxRegisters) * waste,
	}, true
}

// hopeless reports whether a tile needs so many times the registers that there are, or so many instructions or values of other lanes, that no larger one is looked at. One of which the registers of
// some member alone are so many is not counted.
func (w *warpTiles) hopeless(s *warpSet, lp lanePoints) bool {
	most := int64(hopeless * w.pr.Limits.MaxRegisters)
	if w.taller {
		if w.whole.loadsTooMuch(s, lp) { // as much as with all in registers
			return true
		}
	} else if w.inRegisters >= 1 {
		for i := range s.members {
			m := &s.members[i]
			slots := m.points(lp.px)
			for k, d := range m.grow {
				if k != m.lane {
					slots *= d.Extent(w.tileOf(w.tile(lp, 1, 1), d.Dim))
				}
			}
			if slots > most {
				return true
			}
		}
	}
	c, err := w.count(s, lp)
	return err == nil && (int64(c.registers) > most || c.tooLong())
}

// farTooEarly is how many times the registers there are what a stage loads may take: seen without spills are 1.7 times, with many of them 3.
const farTooEarly = 2

// spills reports whether a tile takes more registers than a search leaves it. A hybrid's are few where it has them all in turn; the compiler
// loads early, and what it then spills may be more than the tile keeps. Without such a scratch it is spilled where it is far too many.
func (w *warpTiles) spills(s *warpSet, lp lanePoints) bool {
	c, err := w.count(s, lp)
	most := w.pr.Limits.MaxRegisters - spareRegisters
	return err != nil || c.registers > most || w.inRegisters < 1 && c.early > most || c.early > farTooEarly*most
}

// loadsTooMuch reports whether the loads of some stage alone take more registers than a search leaves.
func (w *warpTiles) loadsTooMuch(s *warpSet, lp lanePoints) bool {
	c, err := w.count(s, lp)
	return err == nil && c.early > w.pr.Limits.MaxRegisters-spareRegisters
}

// fewest is the set of members with which a tile issues the fewest instructions, -1 if none can be counted.
func (w *warpTiles) fewest(lp lanePoints) int {
	best, least := -1, 0.0
	for i, s := range w.sets {
		if c, err := w.count(s, lp); err == nil && (best < 0 || c.perOutput(w.pr.Limits.MaxRegisters) < least) {
			best, least = i, c.perOutput(w.pr.Limits.MaxRegisters)
		}
	}
	return best
}

// strided is the word behind a tile of warps whose lanes have points that are a warp apart.
const strided = ":strided"

// ParseWarpChoice reads points, rows, warps and, if there are several, layers of rows, as 2x4x4, 1x2x4x2 or 2x4x4:strided.
func ParseWarpChoice(s string) (plan.WarpChoice, error) {
	c := plan.WarpChoice{Layers: 1}
	s, c.Strided = strings.CutSuffix(s, strided)
	parts := strings.Split(s, "x")
	into := []*int64{&c.Points, &c.Rows, &c.Warps, &c.Layers}
	if len(parts) == 3 {
		into = into[:3]
	}
	for i, at := range into {
		n := 0
		if len(parts) == len(into) {
			n, _ = strconv.Atoi(parts[i])
		}
		if n < 1 || n > 32 {
			return c, fmt.Errorf("three numbers from 1 to 32 are wanted, points of a row a lane, rows a lane and warps a block, as 2x4x4; a fourth is the layers of rows a lane, and 2x4x4:strided has the points of a lane a warp apart")
		}
		*at = int64(n)
	}
	if c.Points&(c.Points-1) != 0 {
		return c, fmt.Errorf("%d points of a row a lane are not a power of two", c.Points)
	}
	return c, nil
}

// spareRegisters is how far below the limit the estimate must stay: it errs by so much.
const spareRegisters = 4

// maxWarpCandidates is how many of the best by instructions a coster sees.
const maxWarpCandidates = 4

// blockTile is a block's part of the output's tiled loops.
func (w *warpTiles) blockTile(width int64, lp lanePoints, warps int64) []int64 {
	var tile []int64
	for _, l := range w.pr.Dims[w.pr.StageIndex(w.g.Out, 0)].Tiled {
		switch {
		case l == w.x && w.y < 0:
			tile = append(tile, width*warps)
		case l == w.x:
			tile = append(tile, width)
		case l == w.y:
			tile = append(tile, lp.rows*warps)
		case l == w.z:
			tile = append(tile, lp.layers)
		default:
			tile = append(tile, 1)
		}
	}
	return tile
}

func roundUp(n, k int64) int64 { return ceilDiv(n, k) * k }

// Kernel implements Prepared.
func (w *warpTiles) Kernel(stage int, c plan.Choice) (*plan.Kernel, error) {
	lp, warps := lanePoints{px: c.Warp.Points, rows: c.Warp.Rows, layers: max(c.Warp.Layers, 1), strided: c.Warp.Strided}, c.Warp.Warps
	if stage != 0 || lp.px < 1 || lp.rows < 1 || warps < 1 || c.Warp.Set < 0 || c.Warp.Set >= len(w.sets) {
		return nil, fmt.Errorf("%s: %s: %+v is no choice of points, rows, warps and members", w.name, w.pr.P.Funcs[w.g.Out].Label, c.Warp)
	}
	if w.y < 0 && (warps > 1 || lp.rows > 1) {
		return nil, fmt.Errorf("%s: %s has one loop to tile; its blocks are of one warp and one row", w.name, w.pr.P.Funcs[w.g.Out].Label)
	}
	s := w.sets[c.Warp.Set]
	if lp.layers > 1 && (w.z < 0 || s.flat) {
		return nil, fmt.Errorf("%s: %s has no layers that members share, or more of them may not be computed than are needed", w.name, w.pr.P.Funcs[w.g.Out].Label)
	}
	count, err := w.count(s, lp)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.name, err)
	}
	k := &plan.Kernel{
		Strategy: w.name, Choice: c, Registers: count.registers,
		Warp: w.tile(lp, count.width, warps),
	}
	if w.whole != nil {
		if whole, err := w.whole.count(s, lp); err == nil {
			// The compiler takes what there is all the same, to load early; only the spills go.
			k.Registers = max(k.Registers, min(whole.registers, w.pr.Limits.MaxRegisters))
		}
	}
	if s.pr != w.pr {
		k.Staged = s.pr
	}
	k.Out = w.outNest(s, k.Warp)
	w.members(s, k)
	ends := uint64(0)
	if count.bothEnds {
		for _, l := range []int{w.x, w.y, w.z} {
			if l >= 0 {
				ends |= access.LoopBit(l)
			}
		}
	}
	count.Issued += count.edge * (1 - instructions.For(w.pr).Inside(k, ends))
	k.Counted = count.Times(float64(warps))
	return k, finish(s.pr, k)
}

// tile is the part of a block that a warp has.
func (w *warpTiles) tile(lp lanePoints, width, warps int64) *plan.Warp {
	return &plan.Warp{
		X: w.x, Y: w.y, Z: w.z, Points: lp.px, Strided: lp.strided, Width: width, Rows: lp.rows, Layers: lp.layers, Warps: warps,
		InDemandOrder: w.inDemandOrder(lp),
	}
}

// inDemandOrder reports whether a lane computes what a row needs just before that row: where it has several, and no others to wait for.
func (w *warpTiles) inDemandOrder(lp lanePoints) bool {
	return w.inRegisters >= 1 && lp.rows*lp.layers > 1
}

// members lays out the members of a kernel, and the scratch that they have in shared memory.
func (w *warpTiles) members(s *warpSet, k *plan.Kernel) {
	rows := s.rows(lanePoints{px: k.Warp.Points, strided: k.Warp.Strided}, k.Warp.Width)
	for i := range s.members {
		m := &s.members[i]
		lm := plan.Member{Func: m.fn, Where: plan.AtWarp, Anchor: w.g.Out, Align: plan.WarpLanes * m.points(k.Warp.Points)}
		for _, d := range m.grow {
			lm.Extents = append(lm.Extents, d.Extent(w.tileOf(k.Warp, d.Dim)))
			lm.Bounded = append(lm.Bounded, true)
		}
		lm.Extents[m.lane] = rows[i]
		lm.Padded = slices.Clone(lm.Extents)
		lm.Padded[m.lane] = lm.Align
		lm.Demoted = w.demoted(lm.LaneSlots())
		lm.Nests = []plan.Nest{w.memberNest(m, lm.Extents, k.Warp)}
		k.Members = append(k.Members, lm)
	}
	k.Warp.Scratch = plan.PlaceScratch(s.pr, k)
}

// tileOf is the number of points of a warp's tile along an argument of the output.
func (w *warpTiles) tileOf(t *plan.Warp, arg int) int64 {
	loops := w.pr.P.Funcs[w.g.Out].Stages[0].Loops
	switch {
	case arg == loops[w.x].Arg:
		return t.Width
	case w.y >= 0 && arg == loops[w.y].Arg:
		return t.Rows
	case w.z >= 0 && arg == loops[w.z].Arg:
		return t.Layers
	}
	return 1
}

// outNest maps the output's loops: lanes and warps are threads, the points of a lane are unrolled, short
// loops that no member moves with run inside the lane; the others become blocks.
func (w *warpTiles) outNest(s *warpSet, t *plan.Warp) plan.Nest {
	st := &w.pr.P.Funcs[w.g.Out].Stages[0]
	extent := w.pr.Dims[w.pr.StageIndex(w.g.Out, 0)].Extent
	n := plan.Nest{Func: w.g.Out}
	width := t.Width
	if w.y < 0 {
		width *= t.Warps
	}
	n.Threads = []plan.Use{{Loop: w.x, Tile: width, Extent: ceilDiv(t.Width, t.Points)}}
	n.Blocks = []plan.Use{{Loop: w.x, Tile: width, Extent: ceilDiv(extent[w.x], width)}}
	n.Unrolled = []plan.Use{{Loop: w.x, Tile: t.Points, Extent: t.Points}}
	if t.Strided {
		n.Threads[0].Extent, n.Unrolled[0].Apart = plan.WarpLanes, plan.WarpLanes
	}
	if w.y >= 0 {
		n.Threads = append(n.Threads, plan.Use{Loop: w.y, Tile: t.Rows * t.Warps, Extent: t.Warps})
		n.Blocks = append(n.Blocks, plan.Use{Loop: w.y, Tile: t.Rows * t.Warps, Extent: ceilDiv(extent[w.y], t.Rows*t.Warps)})
	}
	var colours []plan.Use
	for l, loop := range st.Loops {
		switch {
		case l == w.x || l == w.y:
		case l == w.z && t.Layers > 1:
			n.Blocks = append(n.Blocks, plan.Use{Loop: l, Tile: t.Layers, Extent: ceilDiv(extent[l], t.Layers)})
		case w.inLane(s, l, loop) && t.InDemandOrder:
			// A loop around the points would have all rows done before it.
			n.Blocks = append(n.Blocks, plan.Use{Loop: l, Tile: extent[l], Extent: 1})
			colours = append(colours, plan.Use{Loop: l, Tile: extent[l], Extent: extent[l]})
		case w.inLane(s, l, loop):
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: extent[l]})
		default:
			n.Blocks = append(n.Blocks, plan.Use{Loop: l, Extent: extent[l]})
		}
	}
	n.Unrolled = append(n.Unrolled, colours...)
	if w.y >= 0 {
		n.Unrolled = append(n.Unrolled, plan.Use{Loop: w.y, Tile: t.Rows, Extent: t.Rows})
	}
	if t.Layers > 1 {
		n.Unrolled = append(n.Unrolled, plan.Use{Loop: w.z, Tile: t.Layers, Extent: t.Layers})
	}
	n.Along = n.Threads[0]
	return n
}

// inLane reports whether a lane runs through a loop of the output beside the tile's: a short
// one that no member moves with, as over the channels of a colour.
func (w *warpTiles) inLane(s *warpSet, l int, loop halideir.Loop) bool {
	return w.pr.Dims[w.pr.StageIndex(w.g.Out, 0)].Extent[l] <= MaxSerialExtent && !memberMoves(&plan.Group{Out: w.g.Out, Members: s.ids(), Grow: s.grow}, loop)
}

func (s *warpSet) ids() []int {
	out := make([]int, len(s.members))
	for i := range s.members {
		out[i] = s.members[i].fn
	}
	return out
}

// memberNest maps a member's loops: lanes along the one dimension, everything else unrolled.
func (w *warpTiles) memberNest(m *warpMember, extents []int64, t *plan.Warp) plan.Nest {
	st := &w.pr.P.Funcs[m.fn].Stages[0]
	n := plan.Nest{Func: m.fn}
	for l, loop := range st.Loops {
		if loop.Arg == m.lane {
			px := m.points(t.Points)
			lanes, points := plan.Use{Loop: l, Extent: ceilDiv(extents[m.lane], px)}, plan.Use{Loop: l, Tile: px, Extent: px}
			if t.Strided {
				lanes.Extent, points.Apart, points.Extent = plan.WarpLanes, plan.WarpLanes, ceilDiv(extents[m.lane], plan.WarpLanes)
			}
			n.Threads = []plan.Use{lanes}
			n.Unrolled = append([]plan.Use{points}, n.Unrolled...)
			continue
		}
		n.Unrolled = append(n.Unrolled, plan.Use{Loop: l, Extent: extents[loop.Arg]})
	}
	n.Along = n.Threads[0]
	return n
}
