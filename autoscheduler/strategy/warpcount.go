package strategy

import (
	"fmt"
	"slices"
	"sync"

	"gowarp/autoscheduler/instructions"
	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/keymap"
	"gowarp/internal/plan"
)

// warpCount is what one lane does for one tile of its warp, counted from the loads and
// operations of the unrolled points. A warp issues each instruction once for its 32 lanes.
type warpCount struct {
	width       int64   // of the tile
	outputs     int64   // points of the tile
	registers   int     // a lane
	loads       int     // of memory, before the compiler puts neighbours together
	early       int     // registers, if it has what a stage loads from memory at once
	exchanged   int     // values that it takes from other lanes, before the compiler puts equal ones together
	edge        float64 // instructions besides, of a tile at an edge
	length      float64 // of the code, before LLVM finds what is the same in it
	lifted      float64 // what Halide has to do for the exchanges that stand under a test of the lane: for each it looks through the statements before
	bothEnds    bool    // whether the first tiles are at one too: what boundary conditions clamp is
	plan.Counts         // of a lane, for the whole tile
}

// Instructions of a lane beside the operations that the definitions name and the terms that the code of all kernels has (instructions.Terms). Fitted to the simulator's counts of the
// programs that are not held out (benchmarks/instructions).
const (
	laneInstructions   = 14.0 // the index of the lane, whether the tile lies inside, a branch
	lookUpInstructions = 4.0  // of a dimension's place that data tell: a product, a sum, and the address from that
	guardInstructions  = 3.0  // of a row of the output: whether the lane has a part of it
	partInstructions   = 2.0  // of a row of the output whose loads ptxas would do earlier: a comparison and a branch (Part of bridge/halidecc/demand.cc)
	partLoads          = 16   // the fewest of such a row
	// Of a tile at an edge, besides what is clamped there.
	pointTest = 5.0  // of a point of the output: whether there is one
	rowTest   = 10.0 // of a row of the output: its address, worked out anew behind its test
	// Of the code as Halide lowers it, in which every address is computed by itself.
	tileCode      = 50.0
	rowCode       = 2.5
	storedRowCode = 9.0
	anyCode       = 5.0
)

// Registers of a lane, fitted to what ptxas takes for the tiles that RATIONALE.md lists.
const (
	warpBaseRegisters = 14  // indices, addresses, what is being computed
	inOrder           = 0.8 // a value, if the stages run one after the other: ptxas computes some of them later
	loopRegisters     = 1   // the address of a point, where a loop over colours goes around the points
	spillInstructions = 4.0 // a store and a load, and the wait for them
	// Of a scratch in shared memory: what each stage waits for there.
	barrierInstructions = 1.0
)

// perOutput is the number of instructions that a warp issues for 32 points of the output. Where
// the registers do not suffice, each one that lacks is spilled and reloaded.
func (c *warpCount) perOutput(maxRegisters int) float64 {
	n := c.Issued + spillInstructions*float64(max(0, c.registers-maxRegisters))
	return n * plan.WarpLanes / float64(c.outputs)
}

// spot is a Func (or an input, below 0) at a point, relative to the origin of a lane.
type spot struct {
	fn  int
	out int
	at  [maxSpotDims]int64
	// reader is the stage, counted from 1, that has loaded a value from the warp's scratch: behind a barrier it is loaded
	// again. 0 for what stays in a register.
	reader int
	// across tells places apart that are one in the first lane (courses.across).
	across [2]uint64
}

// Readers of what is no value, in the table of rows.
const (
	anyColumn = 1 + iota
	lookedUp
)

// farCoordinate is beyond all coordinates of tiles.
const farCoordinate = 1 << 40

// unlike is beyond the coordinates of tiles that are known.
const unlike = 1 << 20

// elsewhere is a coordinate that is no multiple of a loop's, far from those of tiles: the same one wherever the loops that it hangs on are the same, or, where it hangs on data, another for each
// load at each point, as far as anybody knows.
func (c *counter) elsewhere(fn, nth int, ix *access.Index, at [maxSpotDims]int64) int64 {
	loops := c.loops(fn)
	if terms, ok := ix.Terms(); ok {
		sum := ix.Offset
		for _, t := range terms {
			sum += t.Num * coordinate(loops, t.Loop, at)
		}
		return sum
	}
	if ix.DataDependent {
		s := spot{fn: fn, out: nth, at: at}
		return farCoordinate + int64(s.key()*keyFactor>>28)
	}
	var along spot
	last, args := 0, 0
	for l := range loops {
		if arg := loops[l].Arg; ix.DependsOn(l) && arg < maxSpotDims {
			along.at[arg] = at[arg]
			last = arg
			args++
		}
	}
	if args == 1 {
		return unlike + at[last] // as if it were the loop's own, but none that others say so
	}
	return farCoordinate + int64(along.key()*keyFactor>>28)
}

// coordinate is a point's along a loop of a Func; all are at one place along arguments beyond those that are counted, which inlined Funcs may have.
func coordinate(loops []halideir.Loop, loop int, at [maxSpotDims]int64) int64 {
	if arg := loops[loop].Arg; arg < maxSpotDims {
		return at[arg]
	}
	return 0
}

// keyFactor spreads a key over all its bits.
const keyFactor = 0x9e3779b97f4a7c15

// maxSpotDims is the most dimensions of what can be counted.
const maxSpotDims = 4

// Bits of a key for the parts of a spot.
const (
	spotFuncBits   = 12
	spotOutBits    = 3
	spotAtBits     = 10 // each
	spotReaderBits = 9
)

// key stands for a spot in tables. Different spots have different keys as long
// as they are as near to the origin as tiles are; others by all but rare chance, which an estimate survives.
func (s *spot) key() uint64 {
	const half = 1 << (spotAtBits - 1)
	fn, out, reader := uint64(int64(s.fn)+1<<(spotFuncBits-1)), uint64(s.out), uint64(s.reader)
	x, y, z, w := uint64(s.at[0]+half), uint64(s.at[1]+half), uint64(s.at[2]+half), uint64(s.at[3]+half)
	if s.across == [2]uint64{} && fn>>spotFuncBits|out>>spotOutBits|reader>>spotReaderBits|(x|y|z|w)>>spotAtBits == 0 {
		return ((((((fn<<spotOutBits|out)<<spotReaderBits|reader)<<spotAtBits|x)<<spotAtBits|y)<<spotAtBits|z)<<spotAtBits | w)
	}
	key := uint64(0xcbf29ce484222325)
	for _, v := range [...]int64{int64(s.fn), int64(s.out), int64(s.reader), s.at[0], s.at[1], s.at[2], s.at[3], int64(s.across[0]), int64(s.across[1])} {
		key = (key ^ uint64(v)) * keyFactor
		key ^= key >> 29
	}
	return key
}

// The orders in which a lane may compute its points.
const (
	byStage     = iota // one stage after the other, as Halide writes it
	interleaved        // stages of one shape at once, as the compiler may
	byDemand           // what a row of the output needs just before that row
	orders
)

// counter counts one tile.
type counter struct {
	w *warpTiles
	s *warpSet
	lanePoints
	count   warpCount
	terms   instructions.Terms
	aligned *instructions.Estimator // which buffers' rows begin at vectors
	*tables
	cell    *plan.Cell          // of which lanes have whole ones, of the stage that is being counted; nil if none
	ofKinds map[int]plan.Counts // as costs, of what points of one kind compute, whose numbers are this count's alone
	tested  bool                // points have tests of their own: the output's, of which some lanes have no part of a row
	now     [orders]int         // the point that is being computed
	end     [orders]int         // the last of all
	start   int                 // interleaved, the point before the stage's first
	shape   []bounds.Growth
	stage   int           // the one that is being counted, from 1
	row     int           // of the output, the first that needs the present point
	loaded  []int         // from memory, by the stage that is being counted for each row of the output
	placed  []int         // its points that were counted for each row
	largest int           // the most points that a lane has of a stage
	colours map[int]int64 // by argument of the output: how many points a lane has along it beside the tile's
	side    int64         // how many points of a row a lane has in it
}

// tables are what a count notes, kept from count to count for their memory.
type tables struct {
	lines   keymap.Map // rows of outside buffers whose addresses are known
	buffers keymap.Map // outside buffers, and their dimensions that are clamped
	vectors keymap.Map // elements of vectors that were loaded, a bit each
	known   keymap.Map // what the lane has loaded, and computed of inlined Funcs
	fetched keymap.Map // what it has exchanged
	guarded keymap.Map // what it has computed under the test of one point
	held    keymap.Map // values in registers, by number
	joined  instructions.Products
	spans   [][orders][2]int // from which point to which each is held
	change  []int            // of values held, from one point to the next
	costs   []plan.Counts    // by Func: what its definition computes; Issued is below 0 where it is not counted yet
	members []*warpMember    // by Func; nil for others
	ends    []int64          // of members and the output: how many points of a row there are
	demoted []int64          // of members: so many of the first registers of a lane are in the scratch
	memory  []inMemory       // of inlined Funcs
}

// inMemory says of an inlined Func whether it loads from memory, itself or through others that are inlined.
type inMemory int8

// What is known of it.
const (
	unasked inMemory = iota
	loadsNothing
	loadsMemory
)

type keptTables struct{}

// tablesOf are those of a problem, empty, and whom to give them back to.
func tablesOf(pr *plan.Problem) (*tables, *sync.Pool) {
	free := plan.OnceForAll(pr, keptTables{}, func() *sync.Pool {
		return &sync.Pool{New: func() any {
			n := len(pr.P.Funcs)
			return &tables{costs: slices.Repeat([]plan.Counts{{Issued: -1}}, n), members: make([]*warpMember, n), ends: make([]int64, n), demoted: make([]int64, n), memory: make([]inMemory, n)}
		}}
	})
	t := free.Get().(*tables)
	for _, m := range []*keymap.Map{&t.lines, &t.buffers, &t.vectors, &t.known, &t.fetched, &t.guarded, &t.joined.Map, &t.held} {
		m.Clear()
	}
	t.spans = t.spans[:0]
	clear(t.memory)
	return t, free
}

// forget takes back what was noted of the Funcs of a kernel; of the others, of which there may be thousands, nothing was.
func (t *tables) forget(fns []int) {
	for _, fn := range fns {
		t.members[fn], t.ends[fn], t.demoted[fn] = nil, 0, 0
	}
}

// count counts the tile of a warp whose lanes have so many points, once.
func (w *warpTiles) count(s *warpSet, lp lanePoints) (warpCount, error) {
	shape := warpShape{s, lp}
	w.counted.mu.Lock()
	c, ok := w.counted.known[shape]
	w.counted.mu.Unlock()
	if !ok {
		c.warpCount, c.err = w.countOnce(s, lp)
		w.counted.mu.Lock()
		w.counted.known[shape] = c
		w.counted.mu.Unlock()
	}
	return c.warpCount, c.err
}

func (w *warpTiles) countOnce(s *warpSet, lp lanePoints) (warpCount, error) {
	noted, free := tablesOf(w.pr)
	defer func() {
		noted.forget(append(s.ids(), w.g.Out))
		free.Put(noted)
	}()
	c := counter{
		w: w, s: s, lanePoints: lp, colours: map[int]int64{}, ofKinds: map[int]plan.Counts{},
		tables: noted, aligned: instructions.For(s.pr),
	}
	for i := range s.members {
		m := &s.members[i]
		c.members[m.fn] = m
		if lp.strided && m.grow[m.lane].Num != 1 {
			return c.count, fmt.Errorf("%s is read with a stride along the lanes, whose points are then neighbours", s.pr.P.Funcs[m.fn].Label)
		}
	}
	var rows []int64
	c.count.width, rows = s.width(lp)
	least := plan.WarpLanes*(lp.px-1) + 1 // each lane has all its points somewhere
	if !lp.strided {
		// One lane alone would write: Halide 21 then takes its index for a constant and
		// leaves the shuffles out.
		least = 2 * lp.px
	}
	if c.count.width < least {
		return c.count, fmt.Errorf("with %d points a lane what lies beside the tile leaves room for %d points of it in %d lanes, of %d that it needs", lp.px, max(c.count.width, 0), plan.WarpLanes, least)
	}
	c.ends[w.g.Out] = c.count.width
	for i := range s.members {
		c.ends[s.members[i].fn] = rows[i]
	}
	c.count.outputs = c.count.width * lp.rows * lp.layers
	c.count.Issued = laneInstructions
	c.terms[instructions.Warp]++
	c.terms[instructions.Nest]++
	c.terms[instructions.Dimension] += float64(len(w.pr.P.Funcs[w.g.Out].Stages[0].Loops))
	outLoops := int64(1)
	for l, loop := range w.pr.P.Funcs[w.g.Out].Stages[0].Loops {
		extent := w.pr.Dims[w.pr.StageIndex(w.g.Out, 0)].Extent[l]
		switch {
		case l == w.x || l == w.y || l == w.z && lp.layers > 1 || !w.inLane(s, l, loop):
		case w.inDemandOrder(lp):
			c.colours[loop.Arg] = extent
			c.count.outputs *= extent
		default:
			outLoops *= extent
		}
	}
	c.largest = int(c.count.outputs / c.count.width * lp.px)
	for i := range s.members {
		m := &s.members[i]
		slots := m.points(lp.px)
		for k, d := range m.grow {
			if k != m.lane {
				slots *= d.Extent(c.tile(d.Dim))
			}
		}
		c.largest = max(c.largest, int(slots))
		if n := w.demoted(slots); n > 0 {
			c.demoted[m.fn] = n
			c.count.Issued += barrierInstructions
		}
	}
	for i := range s.members {
		m := &s.members[i]
		if err := c.run(m.fn, m.grow, m.lane); err != nil {
			return c.count, err
		}
	}
	before, beforeTerms, fetched := c.count.Counts, c.terms, c.fetched.Len()
	c.tested = c.count.width < plan.WarpLanes*lp.px
	if err := c.run(w.g.Out, s.grow.Funcs[w.g.Out], w.arg(w.x)); err != nil {
		return c.count, err
	}
	points := float64(lp.px * lp.rows * lp.layers)
	for _, n := range c.colours {
		points *= float64(n)
	}
	stores, outRows := points, points/float64(lp.px)
	if _, ok := c.aligned.InVectors(w.g.Out, -1, 0); ok && len(w.pr.P.Funcs[w.g.Out].Types) == 1 && c.inVectors() {
		stores /= plan.VectorLanes
		c.terms[instructions.Packed] += points * instructions.Packing(w.pr.Bytes(w.g.Out))
	}
	if c.tested {
		c.count.Issued += guardInstructions * outRows
	}
	if w.inDemandOrder(lp) && 2*c.count.exchanged < c.count.loads {
		c.count.Issued += partInstructions * min(outRows-1, float64(c.count.loads/partLoads))
	}
	c.buffer(w.g.Out, -1, len(w.pr.P.Funcs[w.g.Out].Args))
	c.terms[instructions.StoredRow] += outRows
	c.count.length += points - stores
	c.count.Issued += stores
	c.count.Requests += stores
	c.count.Sectors += points * float64(max(1, w.pr.Bytes(w.g.Out))*plan.WarpLanes) / instructions.SectorBytes
	c.count.Counts = before.Plus(c.count.Counts.Plus(before.Times(-1)).Times(float64(outLoops)))
	ofOut := c.terms.Plus(&beforeTerms, -1)
	c.terms = beforeTerms.Plus(&ofOut, float64(outLoops))
	c.count.length += c.count.Issued + tileCode + rowCode*c.terms[instructions.Row] + storedRowCode*c.terms[instructions.StoredRow] + anyCode*c.terms[instructions.AnyPlace]
	if c.tested {
		c.count.lifted = float64(c.count.exchanged) * c.count.length / float64(max(1, c.now[byStage]))
	}
	c.terms[instructions.EntryBuffer], c.terms[instructions.EntryStride], c.terms[instructions.EntryClamp] = c.terms[instructions.Buffer], c.terms[instructions.Stride], c.terms[instructions.ClampedDimension]
	inside, edge := c.terms.Inside()
	c.count.Issued += inside
	c.count.bothEnds = edge > 0
	c.count.edge += edge + float64(outLoops)*(pointTest*points+rowTest*outRows)
	c.count.outputs *= outLoops
	if w.inDemandOrder(lp) {
		c.count.registers = warpBaseRegisters + c.most(byDemand)
	} else {
		c.count.registers = warpBaseRegisters + max(int(inOrder*float64(c.most(byStage))), c.most(interleaved))
	}
	if lp.strided {
		// Halide takes all shuffles out of the tests, and the compiler puts them first; of two and a choice one value stays.
		c.count.registers += max(0, c.fetched.Len()-fetched)
	}
	if outLoops > 1 {
		c.count.registers += loopRegisters * int(points)
	}
	return c.count, nil
}

// use notes that a value is in a register from its first use, or definition, to now.
func (c *counter) use(s *spot) { c.useKey(s.key()) }

func (c *counter) useKey(key uint64) {
	i, ok := c.held.Put(key, int32(len(c.spans)))
	if !ok {
		var span [orders][2]int
		for order, now := range c.now {
			span[order] = [2]int{now, now}
		}
		c.spans = append(c.spans, span)
		return
	}
	for order, now := range c.now {
		span := &c.spans[i][order]
		span[0], span[1] = min(span[0], now), max(span[1], now)
	}
}

// most is the largest number of values that are held at once in an order.
func (c *counter) most(order int) int {
	c.change = slices.Grow(c.change[:0], c.end[order]+2)[:c.end[order]+2]
	change := c.change
	clear(change)
	for _, s := range c.spans {
		change[s[order][0]]++
		change[s[order][1]+1]--
	}
	most, n := 0, 0
	for _, d := range change {
		n += d
		most = max(most, n)
	}
	return most
}

// tile is how many points a lane has of the output's tile along an argument, -1 for none.
func (c *counter) tile(arg int) int64 {
	switch w := c.w; {
	case arg < 0:
	case arg == w.arg(w.y):
		return c.rows
	case arg == w.arg(w.x):
		return c.px
	case w.z >= 0 && arg == w.arg(w.z) && c.layers > 1:
		return c.layers
	}
	return max(c.colours[arg], 1)
}

// run counts one stage: every point of a lane.
func (c *counter) run(fn int, grow []bounds.Growth, lane int) error {
	if len(grow) > maxSpotDims {
		return fmt.Errorf("%s has more than %d dimensions", c.s.pr.P.Funcs[fn].Label, maxSpotDims)
	}
	// The compiler may interleave stages of one shape.
	if slices.Equal(grow, c.shape) {
		c.now[interleaved] = c.start
	}
	c.start, c.shape = c.now[interleaved], grow
	c.stage++
	c.loaded, c.placed = append(c.loaded[:0], 0), append(c.placed[:0], 0)
	var lo, n, apart [maxSpotDims]int64
	for k, d := range grow {
		lo[k], apart[k] = d.Lo, 1
		switch {
		case k != lane:
			n[k] = d.Extent(c.tile(d.Dim))
		case c.strided:
			n[k], apart[k] = ceilDiv(c.ends[fn], plan.WarpLanes), plan.WarpLanes
		default:
			n[k] = c.px * d.Num
		}
		if k == lane {
			c.side = n[k]
		}
	}
	c.cell = c.s.pr.CellInLane(fn, func(arg int) int64 {
		switch of := grow[arg].Dim; {
		case of != c.w.arg(c.w.x):
			return c.tile(of)
		case c.strided:
			return 1
		default:
			return halideir.GCD(c.px, c.count.width)
		}
	})
	at, inDemandOrder, layers, rows := lo, c.w.inDemandOrder(c.lanePoints), c.w.arg(c.w.z), c.w.arg(c.w.y)
	own := c.courses(grow, lane)
	var walk func(k int, layer, tileRow int64) // the first layer of the tile, and row of it, that needs the points
	walk = func(k int, layer, tileRow int64) {
		if k == len(grow) {
			if c.tested {
				c.guarded.Clear() // the compiler shares no work between points under tests of their own
			}
			if c.strided && fn != c.w.g.Out && c.ends[fn]%plan.WarpLanes != 0 {
				c.fetched.Clear() // the last of a lane's points has a test, and the compiler merges no shuffles across it
			}
			c.now[byStage]++
			c.now[interleaved]++
			row := 0
			if inDemandOrder {
				row = int(layer*c.rows + tileRow)
			}
			for len(c.loaded) <= row {
				c.loaded, c.placed = append(c.loaded, 0), append(c.placed, 0)
			}
			c.row = row
			c.now[byDemand] = (row*(len(c.s.members)+1)+c.stage-1)*c.largest + c.placed[row]
			c.placed[row]++
			for order, now := range c.now {
				c.end[order] = max(c.end[order], now)
			}
			of := fn
			if c.cell != nil {
				loops := c.loops(fn)
				of = c.cell.Kinds[c.cell.KindOf(func(loop int) int64 { return at[loops[loop].Arg] - lo[loops[loop].Arg] })].Func
			}
			c.value(of, at, &own)
			if c.members[fn] != nil {
				for out := range c.s.pr.P.Funcs[fn].Types {
					s := spot{fn: fn, out: out, at: at}
					if c.inScratch(&s) {
						c.count.Requests++
						c.count.Issued++
					} else {
						c.use(&s)
					}
				}
			}
			return
		}
		for i := range n[k] {
			at[k] = lo[k] + i*apart[k]
			if k == lane {
				walk(k+1, layer, tileRow)
			} else {
				walk(k+1, later(layer, layers, c.layers, &grow[k], at[k]), later(tileRow, rows, c.rows, &grow[k], at[k]))
			}
		}
	}
	walk(0, 0, 0)
	return nil
}

// later is the first of n rows of a lane's tile along an argument of the output that needs a point of a stage, if along the dimensions before it is this one.
func later(row int64, arg int, n int64, d *bounds.Growth, at int64) int64 {
	if arg < 0 || d.Dim != arg {
		return row
	}
	for row < n-1 && d.Extent(row+1) <= at-d.Lo {
		row++
	}
	return row
}

// inScratch reports whether a lane's value of a member is in the scratch of its warp.
func (c *counter) inScratch(s *spot) bool {
	n := c.demoted[s.fn]
	if n == 0 {
		return false
	}
	m := c.members[s.fn]
	_, slot := c.exchange(m, s)
	step := m.points(c.px)
	for k, d := range m.grow {
		if k != m.lane {
			slot += step * (s.at[k] - d.Lo)
			step *= d.Extent(c.tile(d.Dim))
		}
	}
	return slot < n
}

// exchange is how many lanes further a value of a member is, and in which register of a row.
func (c *counter) exchange(m *warpMember, s *spot) (lanes, register int64) {
	if c.strided {
		return plan.ExchangeStrided(m.origin(s.at[m.lane]))
	}
	return plan.Exchange(m.origin(s.at[m.lane]), m.points(c.px))
}

// sources are the lane's own values that it uses itself or hands on where lanes read a value: one, but of points that are a warp
// apart two for a value that lies in the next register of some lanes; and how many lanes further it is.
func (c *counter) sources(m *warpMember, s *spot) (own [2]spot, n int, lanes int64) {
	lanes, _ = c.exchange(m, s)
	own = [2]spot{*s, *s}
	n = 1
	if !c.strided {
		own[0].at[m.lane] -= lanes * m.points(c.px)
		return own, n, lanes
	}
	own[0].at[m.lane] -= lanes
	own[1].at[m.lane] = own[0].at[m.lane] + plan.WarpLanes
	if lanes != 0 && m.origin(own[1].at[m.lane]) < c.ends[m.fn] {
		n = 2
	}
	return own, n, lanes
}

// cost is what the definition of a Func, or of points of one kind, computes.
func (c *counter) cost(fn int) plan.Counts {
	if fn >= len(c.costs) {
		of, ok := c.ofKinds[fn]
		if !ok {
			of = instructions.Definition(c.s.pr.StageOf(fn, 0))
			c.ofKinds[fn] = of
		}
		return of
	}
	if c.costs[fn].Issued < 0 {
		c.costs[fn] = instructions.Definition(c.s.pr.StageOf(fn, 0))
	}
	return c.costs[fn]
}

// loops are those of a Func's points, or of those of one kind.
func (c *counter) loops(fn int) []halideir.Loop {
	return c.s.pr.P.Funcs[c.s.pr.FuncOf(fn)].Stages[0].Loops
}

// inlined reports whether a Func is, or one of whose points some are of one kind.
func (c *counter) inlined(fn int) bool { return fn >= 0 && c.s.pr.Inlined[c.s.pr.FuncOf(fn)] }

// value counts the definition of a Func, or of points of one kind, at a point, whose coordinates are clamped where it is called or not.
func (c *counter) value(fn int, at [maxSpotDims]int64, within *courses) {
	st, cost := c.s.pr.StageOf(fn, 0), c.cost(fn)
	begun := instructions.BegunSums(c.s.pr, st)
	c.count.Issued += cost.Issued + begun
	c.count.Float += cost.Float + begun
	c.count.Special += cost.Special
	c.count.Double += cost.Double
	for i := range st.Loads {
		c.load(fn, i, &st.Loads[i], at, within)
	}
}

// loads reports whether an inlined Func loads from memory, itself or through others that are inlined.
func (c *counter) loads(fn int) bool {
	if !c.inlined(fn) {
		return false
	}
	for len(c.memory) <= fn { // of points of one kind
		c.memory = append(c.memory, unasked)
	}
	if does := c.memory[fn]; does != unasked {
		return does == loadsMemory
	}
	c.memory[fn] = loadsNothing
	st := c.s.pr.StageOf(fn, 0)
	for i := range st.Loads {
		if c.fromMemory(st.Loads[i].Func) {
			c.memory[fn] = loadsMemory
			return true
		}
	}
	return false
}

// fromMemory reports whether a value of a Func, or of an input (below 0), is loaded from memory, itself or what it is computed from.
func (c *counter) fromMemory(fn int) bool {
	return fn < 0 || !c.inlined(fn) && c.member(fn) == nil || c.loads(fn)
}

// load counts one load: of a member from the lane's own registers or another's, of an inlined Func
// its definition, of what lies outside a load from memory. What the stage has had already is free.
func (c *counter) load(fn, nth int, l *access.Load, at [maxSpotDims]int64, within *courses) {
	s := spot{fn: l.Func, out: l.Out}
	if l.Func < 0 {
		s.fn = -1 - l.Input
	}
	loops := c.loops(fn)
	known := true
	for k := range l.Index {
		if k >= maxSpotDims {
			break
		}
		ix := &l.Index[k] // of 150 bytes, which are not copied
		switch ix.Kind {
		case access.Constant:
			s.at[k] = ix.Offset
		case access.Affine:
			s.at[k] = bounds.FloorDiv(ix.Num*coordinate(loops, ix.Loop, at)+ix.Offset, ix.Den)
		default:
			known = known && ix.IsSum()
			s.at[k] = c.elsewhere(fn, nth, ix, at)
		}
	}
	if m := c.member(l.Func); m != nil {
		c.fetch(m, &s)
		return
	}
	s.across = within.across(l.Index, loops, at)
	key := s.key()
	if c.fromMemory(l.Func) {
		c.useKey(key) // kept, or fetched early to hide its latency
	}
	had := &c.known
	if c.tested {
		had = &c.guarded // not merged across points with tests of their own
	}
	if c.tested && c.known.Has(key) || !had.Add(key) {
		if !l.Joined && c.joined.TakeApart(key) {
			c.count.Issued++
			c.count.Float++
		}
		return
	}
	if l.Func != fn && c.inlined(l.Func) {
		inner := within.of(l.Index, loops, at)
		c.value(l.Func, s.at, &inner)
		if l.Joined {
			c.joined.Join(key)
			c.count.Issued--
			c.count.Float--
		}
		return
	}
	c.loaded[c.row]++
	c.count.loads++
	c.count.early = max(c.count.early, warpBaseRegisters+c.loaded[c.row])
	c.count.Requests++
	c.count.Issued++
	c.buffer(l.Func, l.Input, len(l.Index))
	if !known {
		c.count.Sectors += c.sectors(l)
	}
	c.count.Further += instructions.Further(c.spread(l), 1)
	row := s
	switch {
	case !known && !chained(l.Index): // each element is worked out by itself
		c.terms[instructions.AnyPlace]++
		c.terms[instructions.AnyElement]++
		return
	case !known && l.Index[0].Kind == access.Unknown: // no constant number of elements from others of its row
		column := spot{fn: s.fn, reader: anyColumn, at: [maxSpotDims]int64{s.at[0]}}
		switch fresh := c.lines.Add(column.key()); {
		case fresh && l.Index[0].DataDependent: // the operations that it is worked out by are the definition's
			c.count.Issued++
		case fresh:
			c.terms[instructions.AnyPlace]++
		}
		c.terms[instructions.AnyElement]++
	default:
		row.at[0], row.across[0] = 0, 0
	}
	if known && c.inVectors() && len(l.Index) > 0 && l.Index[0].Kind == access.Affine && l.Index[0].Num == l.Index[0].Den {
		c.vector(l, s)
	}
	fresh := c.lines.Add(row.key())
	if fresh {
		c.terms[instructions.Row]++
		c.lookUp(row)
	}
	if s.across[0] != 0 { // no constant number of elements from others of its row
		element := row
		element.across[0] = s.across[0]
		if c.lines.Add(element.key()) && !fresh {
			c.terms[instructions.AnyElement]++
		}
	}
	for d := range l.Index {
		clamp := within.clamp(&l.Index[d], loops)
		if clamp == unclamped || d > 0 && !fresh {
			continue
		}
		of := spot{fn: s.fn, reader: d + 1}
		if c.buffers.Add(of.key()) {
			c.terms[instructions.ClampedDimension]++
		}
		switch {
		case d > 0 && clamp == atEdges:
			c.terms[instructions.LikelyRow]++
		case d > 0:
			c.terms[instructions.ClampedRow]++
		case clamp == atEdges: // it is no constant behind the row's address
			c.terms[instructions.LikelyElement]++
		default:
			c.terms[instructions.ClampedElement]++
		}
	}
	if known && fresh {
		c.count.Sectors += c.sectors(l) * float64(c.side) // what else the lanes load of the row is in L1 then
	}
}

// chained reports whether the address of an element with a place that no loop gives is that of another row's and a distance: one place is so, and all others are loops, none of them clamped.
func chained(idx []access.Index) bool {
	unknown := 0
	for d := range idx {
		switch x := &idx[d]; {
		case x.Clamped:
			return false
		case x.Anywhere():
			unknown++
		}
	}
	return unknown == 1
}

// lookUp counts what the first row costs besides of those at places that one coordinate says which hangs on data (see elsewhere): a product with a stride and a sum in each dimension but the first.
func (c *counter) lookUp(row spot) {
	told := 0
	for d := range row.at {
		switch {
		case max(row.at[d], -row.at[d]) < farCoordinate/2: // of a loop, or unlike one
			row.at[d] = 0
		case d > 0:
			told++
		}
	}
	row.reader = lookedUp
	if told > 0 && c.lines.Add(row.key()) {
		c.count.Issued += lookUpInstructions * float64(told)
	}
}

// buffer notes that the lane accesses one in global memory.
func (c *counter) buffer(fn, input, dims int) {
	s := spot{fn: fn}
	if fn < 0 {
		s.fn = -1 - input
	}
	if dims == 0 || !c.buffers.Add(s.key()) {
		return
	}
	c.terms[instructions.Buffer]++
	c.terms[instructions.Stride] += float64(dims - 1)
}

// inVectors reports whether the lanes' points begin at multiples of plan.VectorLanes.
func (c *counter) inVectors() bool {
	return !c.strided && c.px%plan.VectorLanes == 0 && c.count.width%plan.VectorLanes == 0
}

// vector counts an element that was counted as a load of its own as a part of one of a whole vector, once all of it is loaded.
func (c *counter) vector(l *access.Load, s spot) {
	first, ok := c.aligned.InVectors(l.Func, l.Input, l.Out)
	if !ok {
		return
	}
	at := s.at[0] - first
	s.at[0] = bounds.FloorDiv(at, plan.VectorLanes)
	if bit := int32(1) << (at - s.at[0]*plan.VectorLanes); c.vectors.Or(s.key(), bit)|bit == 1<<plan.VectorLanes-1 {
		c.count.Issued -= plan.VectorLanes - 1
		c.count.Requests -= plan.VectorLanes - 1
		c.count.edge += plan.VectorLanes - 1
		c.count.length += plan.VectorLanes - 1
		c.terms[instructions.Packed] += plan.VectorLanes * instructions.Unpacking(l.Type.Bytes())
	}
}

// sectors is how many sectors of global memory the lanes of a warp ask for at once, of which points side by side share some.
func (c *counter) sectors(l *access.Load) float64 {
	if len(l.Index) == 0 {
		return 1
	}
	if x := &l.Index[0]; x.Kind == access.Unknown && x.DataDependent && c.s.pr.BufferBytes(l.Func, l.Input) <= instructions.TableBytes {
		return 1
	}
	return c.spread(l)
}

// spread is in how many sectors the elements are that the lanes of a warp load together, wherever those are.
func (c *counter) spread(l *access.Load) float64 {
	const lanes = float64(plan.WarpLanes)
	if len(l.Index) == 0 {
		return 1
	}
	switch x := &l.Index[0]; {
	case x.Kind == access.Constant:
		return 1
	case x.Kind == access.Unknown && x.DataDependent:
		return lanes / 2 // lanes near each other read near each other
	case x.Kind == access.Affine:
		stride := float64(max(x.Num, -x.Num)) / float64(x.Den)
		return min(lanes, max(1, lanes*stride*float64(l.Type.Bytes())/instructions.SectorBytes))
	}
	return max(1, lanes*float64(l.Type.Bytes())/instructions.SectorBytes)
}

// fetch counts what it takes a lane to have a value of a member: nothing if it is its own or was fetched before, a shuffle, or a load
// from the scratch; where it may be in one of two registers, both and a choice.
func (c *counter) fetch(m *warpMember, s *spot) {
	sources, n, lanes := c.sources(m, s)
	if c.inScratch(&sources[0]) {
		s.reader = c.stage // behind a barrier it is loaded again
	}
	if lanes != 0 {
		c.count.exchanged += n
	}
	key := s.key()
	if c.fetched.Add(key) {
		for i := range sources[:n] {
			own := &sources[i]
			inScratch := c.inScratch(own)
			if !inScratch {
				c.use(own)
			}
			if inScratch || lanes != 0 {
				c.count.Requests++
				c.count.Issued++
			}
		}
		if n > 1 {
			c.count.Issued++
		}
	}
	c.useKey(key)
}

// member is the member that a Func is, nil for inputs too.
func (c *counter) member(fn int) *warpMember {
	if fn < 0 {
		return nil
	}
	return c.members[c.s.pr.FuncOf(fn)]
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
