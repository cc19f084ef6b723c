package strategy

import (
	"cmp"
	"math"
	"slices"

	"gowarp/internal/plan"
	"gowarp/internal/workers"
)

// Candidate numbers: what is tried while grouping is a part of what is tried in the end.
var (
	pointsX = []int64{1, 2, 4}
	pointsY = []int64{1, 2, 4, 8}
	sumsY   = []int64{1, 2, 4, 8, 10} // where a thread keeps sums
	blockY  = []int64{1, 2, 4, 8, 16}
)

// kept is how many of the candidates a coster sees: those that issue least.
const (
	keptGrouping = 8
	keptFinal    = 32
)

// promising is of how many of what a thread may compute all thread blocks are tried: of those that issue least in the two that each is tried in first. (With more no program's prediction changes by half a percent; with 4 and 6 one loses 1 %.)
const (
	promisingGrouping = 6
	promisingFinal    = 10
)

// A worker lays out so many tiles one after the other.
const aPiece = 4

// Choices implements Chooser: of all tiles, points and windows those that issue the fewest instructions an output. What a thread computes, its points and windows, decides most of that: each is looked at in two thread blocks first,
// and but for the step of all tiles only the most promising in the others.
func (b *blockWindows) Choices(stage int, step Step) []plan.Choice {
	dims := &b.pr.Dims[b.pr.StageIndex(b.g.Out, stage)]
	if len(dims.Tiled) == 0 || dims.OfDomain() {
		return nil
	}
	var tiles []tileOf
	b.eachTile(dims, stage, step, func(windows int, threads, points []int64) {
		tiles = append(tiles, tileOf{windows, [3]int64(threads), [2]int64(points)})
	})
	best := shortlist{most: step.kept(keptGrouping, keptFinal)}
	of := make([]laidOut, len(tiles))
	layOut := func(which []int) {
		workers.InPieces(len(which), aPiece, func(j int) {
			i := which[j]
			of[i] = laidOut{stage: stage, order: i, cost: math.Inf(1)}
			if k, ok := b.candidate(stage, b.choice(dims, tiles[i].windows, tiles[i].threads[:], tiles[i].points[:])); ok {
				of[i].kernel, of[i].cost = k, b.costOf(k)
			}
		})
		for _, i := range which {
			if of[i].kernel != nil {
				best.add(of[i])
				of[i].kernel = nil
			}
		}
	}
	groups := byThread(tiles)
	var probes, rest []int
	for i := range groups {
		probes = append(probes, groups[i].probes()...)
	}
	layOut(probes)
	for i := range groups {
		g := &groups[i]
		for _, p := range g.probes() {
			g.cost = min(g.cost, of[p].cost)
		}
	}
	slices.SortStableFunc(groups, func(a, b ofThread) int { return cmp.Compare(a.cost, b.cost) })
	for i := range groups[:min(len(groups), step.kept(promisingGrouping, promisingFinal))] {
		probes := groups[i].probes()
		for _, j := range groups[i].tiles {
			if !slices.Contains(probes, j) {
				rest = append(rest, j)
			}
		}
	}
	layOut(rest)
	b.laidOut = best.all
	out := make([]plan.Choice, len(best.all))
	for i := range out {
		out[i] = best.all[i].kernel.Choice
	}
	return out
}

// tileOf is a tile that is tried.
type tileOf struct {
	windows int
	threads [3]int64
	points  [2]int64
}

// ofThread are the tiles in which a thread computes the same, by their numbers: the thread blocks that are tried with it, rows of a width one after the other.
type ofThread struct {
	tiles []int
	cost  float64 // of the best that was looked at
}

// probes are the tiles that are looked at first: one of the first width and one of the last, each in the middle of its heights.
func (t *ofThread) probes() []int {
	n := len(t.tiles)
	if n < 6 {
		return t.tiles[:1]
	}
	return []int{t.tiles[2], t.tiles[n-2]}
}

// byThread sorts tiles by what a thread computes.
func byThread(tiles []tileOf) []ofThread {
	var out []ofThread
	for i := range tiles {
		same := func(g ofThread) bool {
			of := &tiles[g.tiles[0]]
			return of.windows == tiles[i].windows && of.points == tiles[i].points
		}
		at := slices.IndexFunc(out, same)
		if at < 0 {
			at = len(out)
			out = append(out, ofThread{cost: math.Inf(1)})
		}
		out[at].tiles = append(out[at].tiles, i)
	}
	return out
}

// eachTile goes through all tiles that are tried. The lists that try gets are its own until it returns.
func (b *blockWindows) eachTile(dims *plan.Dims, stage int, step Step, try func(windows int, threads, points []int64)) {
	px, py, by := pointsX, pointsY, blockY
	if step == PowersOfTwo {
		px, py, by = pointsX[:2], []int64{1, 4, 8}, []int64{1, 4, 8}
	}
	most := int64(maxPoints)
	if b.sums() {
		most = maxSums
		if step != PowersOfTwo {
			py = sumsY
		}
	}
	if len(dims.Tiled) == 1 {
		py, by = py[:1], by[:1]
	}
	if f := &b.pr.P.Funcs[b.g.Out]; f.Partial && f.Lane >= 0 {
		px = px[:1] // neighbouring threads load neighbours: points side by side would load apart
	}
	halo := b.halo(dims.Tiled[0], stage)
	threads, points := []int64{1, 1, 1}, make([]int64, 2)
	widths := make([]int64, 0, 8)
	short := b.shortPlane(dims)
	for windows := 0; windows <= b.deepest; windows++ {
		if windows > 3 && windows < b.deepest || b.with(stage, windows).err != nil {
			continue
		}
		for _, x := range px {
			widths = append(widths[:0], 32, 64)
			if halo > 0 {
				h := ceilDiv(halo, x)
				widths = append(widths, 32-h, 64-h)
				if step != PowersOfTwo {
					widths = append(widths, 128-h)
				}
			} else if step != PowersOfTwo {
				widths = append(widths, 128)
			}
			widths = slices.DeleteFunc(widths, func(w int64) bool { return w < 8 })
			row := rowOfThreads(dims.Extent[dims.Tiled[0]], x)
			if row > 0 {
				widths = append(widths, row)
			}
			for _, w := range widths {
				heights := by
				if w == row && len(dims.Tiled) > 1 {
					heights = fullWarps(row)
				}
				for _, y := range py {
					if x*y > most {
						continue
					}
					for _, t := range heights {
						threads[0], threads[1], points[0], points[1] = w, t, x, y
						try(windows, threads, points)
					}
				}
			}
			for _, y := range py {
				if !short || x*y > most {
					continue
				}
				threads[0], threads[1], points[0], points[1] = ceilDiv(dims.Extent[dims.Tiled[0]], x), ceilDiv(dims.Extent[dims.Tiled[1]], y), x, y
				for _, planes := range fullWarps(threads[0] * threads[1]) {
					threads[2] = planes
					try(windows, threads, points)
				}
				threads[2] = 1
			}
		}
	}
}

// mostShortPlane is of how many points the first two of three tiled loops are together where a tile has them whole, and threads along the third.
const mostShortPlane = 256

// shortPlane reports whether a tile may have the first two of three tiled loops whole.
func (b *blockWindows) shortPlane(dims *plan.Dims) bool {
	return len(dims.Tiled) > 2 && dims.Extent[dims.Tiled[0]]*dims.Extent[dims.Tiled[1]] <= mostShortPlane
}

// candidate is a tile laid out, if it can be launched.
func (b *blockWindows) candidate(stage int, c plan.Choice) (*plan.Kernel, bool) {
	threads := int64(1)
	for i, t := range c.Tile {
		threads *= t / c.Points[i]
	}
	own := ownPart{stage: stage, windows: c.Windows, x: c.Points[0]}
	if len(c.Points) > 1 {
		own.y, own.rows = c.Points[1], c.Tile[1] > c.Points[1]
	}
	if threads > b.pr.Limits.ThreadsPerBlock || b.knownTooMuch(own) {
		return nil, false
	}
	k, err := b.layOut(stage, c)
	if err != nil && k != nil && b.ownTooMuch(k) {
		b.mu.Lock()
		b.tooMuch[own] = true
		b.mu.Unlock()
	}
	return k, err == nil && k.ThreadsPerBlock() <= b.pr.Limits.ThreadsPerBlock && k.SharedBytes <= b.pr.Limits.SharedBytes && k.Occupancy.ActiveBlocks > 0
}

// ownPart is what a thread holds and runs by, but for its share of what is in shared memory: how many threads a row has, or rows there are, makes no difference, but for whether there are several.
type ownPart struct {
	stage, windows int
	x, y           int64 // points
	rows           bool  // of threads: several
}

func (b *blockWindows) knownTooMuch(own ownPart) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tooMuch[own]
}

// costOf is by what candidates are told apart: the warp instructions for 32 outputs, or what the load/store unit takes if that is more.
func (b *blockWindows) costOf(k *plan.Kernel) float64 {
	issued, requests := b.est.PerOutput(k)
	cost := max(issued, plan.SchedulersPerSM*requests)
	// A device that is not full issues at a fraction of its rate.
	if want := 2 * int64(b.pr.Device.SMs); k.Tiles() < want {
		cost *= float64(want) / float64(k.Tiles())
	}
	if resident := k.ResidentShare(b.pr); resident < plan.FullOccupancy {
		cost *= plan.FullOccupancy / max(resident, 0.01)
	}
	return cost
}

// laidOut is a candidate with its cost.
type laidOut struct {
	stage, order int
	cost         float64
	kernel       *plan.Kernel
}

// shortlist is the best of candidates, the first of equals first.
type shortlist struct {
	most int
	all  []laidOut
}

func (s *shortlist) add(c laidOut) {
	at, _ := slices.BinarySearchFunc(s.all, c, func(a, b laidOut) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.order, b.order))
	})
	if at < s.most {
		s.all = slices.Insert(s.all, at, c)
		s.all = s.all[:min(len(s.all), s.most)]
	}
}

// handOut is a candidate that Choices has laid out, once: it is the caller's then.
func (b *blockWindows) handOut(stage int, c *plan.Choice) *plan.Kernel {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.laidOut {
		if l := &b.laidOut[i]; l.kernel != nil && l.stage == stage && sameTile(&l.kernel.Choice, c) {
			k := l.kernel
			l.kernel = nil
			return k
		}
	}
	return nil
}

// sameTile reports whether two choices of this strategy are the same.
func sameTile(a, b *plan.Choice) bool {
	return a.Windows == b.Windows && a.Strategy == b.Strategy && slices.Equal(a.Tile, b.Tile) && slices.Equal(a.Points, b.Points)
}
