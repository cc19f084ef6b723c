package autoscheduler

import (
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/instructions"
	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// largestCell is the largest number of points that alternate in what they compute.
const largestCell = 8

// align has stored Funcs that compute by cells begin at a whole one: in f(x) = select(x % 2 == 0, a(x / 2), b(x / 2)), each point of a thread that has two or four side by side is of one kind then,
// which Halide sees when it compiles, and computes one of the two at one place; else every point computes both. Experts write align_bounds. Kernels are chosen once more, priced with what points of one
// kind compute, and begin anywhere still where that is no better; so are those whose regions change with them. Groups stay. Regions grow by up to a cell. What would have an input be larger is left. An output
// of the pipeline is where its caller has it: its kernel stands twice, once for those that begin and end at whole cells, and is chosen for what is estimated.
func align(s *state) error {
	s.aligned = nil
	if s.params.Mode != "gowarp" || s.p.Target.API != "cuda" || s.params.Align == "0" {
		return nil
	}
	base, _, err := s.analysed()
	if err != nil {
		return err
	}
	before := *s
	aligned := map[int][]int64{}
	var regions *bounds.Regions
	for i, g := range s.groups {
		k := before.found[i].Layout.Kernels[0]
		f := &s.p.Funcs[g.Out]
		if (len(f.Bounds) > 0 && !f.Output) || len(before.found[i].Layout.Kernels) != 1 || k.Host || k.With != nil || slices.Contains(s.tried.unaligned, g.Out) {
			continue
		}
		cells := s.cells(g, k)
		if f.Output {
			cells = s.estimatedWhole(g.Out, cells)
		}
		if slices.ContainsFunc(cells, func(n int64) bool { return n > 1 }) {
			aligned[g.Out] = cells
			if r := base.Aligned(s.p, aligned); r != nil {
				regions = r
			} else {
				delete(aligned, g.Out)
			}
		}
	}
	rounds := []round{{before.problem.Regions, nil, before.found}}
	for len(aligned) > 0 && regions != nil {
		last := s.problem.Cells
		if err := s.setRegions(regions); err != nil {
			return err
		}
		s.problem.SetCells(s.cellsOf(aligned, before.found), last)
		if err := s.tileChanged(rounds, aligned); err != nil {
			return err
		}
		rounds = append(rounds, round{regions, aligned, s.found})
		// What is begun at whole cells is what threads compute whole ones of.
		left := map[int][]int64{}
		same := true
		worth := s.worth(before.found, aligned)
		for i, g := range s.groups {
			was := aligned[g.Out]
			if was == nil {
				continue
			}
			if m := s.moduli(g, s.found[i].Layout.Kernels, was); m != nil && (s.p.Funcs[g.Out].Output || worth(before.found[i].Cost-s.found[i].Cost)) && s.pays(g.Out, before.problem, before.found[i], s.found[i]) {
				left[g.Out] = m
			}
			same = same && slices.Equal(left[g.Out], was)
		}
		aligned = left
		if same || len(left) == 0 {
			break
		}
		regions = base.Aligned(s.p, aligned)
	}
	if len(aligned) == 0 || regions == nil { // as all was
		s.found, s.problem, s.searcher, s.groups = before.found, before.problem, before.searcher, before.groups
		return nil
	}
	for _, g := range s.groups {
		if moduli := aligned[g.Out]; moduli != nil {
			s.note("align", g.Out, "%s whole cells, which %v points make along its dimensions", s.beginsAt(g.Out), moduli)
		}
	}
	s.aligned = aligned
	return nil
}

// beginsAt says in words what an aligned Func does at whole cells.
func (s *state) beginsAt(fn int) string {
	if s.p.Funcs[fn].Output {
		return "has code of its own where it begins and ends at"
	}
	return "begins at"
}

// estimatedWhole are the cells that an output of the pipeline begins and ends at as it is estimated; at what sizes it does else a run tells, and its kernel stands twice (schedule.WholeCells).
func (s *state) estimatedWhole(out int, cells []int64) []int64 {
	f := &s.p.Funcs[out]
	if len(f.Stages) != 1 || len(f.Types) != 1 {
		return nil // stages have kernels of their own, and the components of a tuple buffers
	}
	for k, at := range s.problem.Regions.Funcs[out] {
		cells[k] = halideir.GCD(cells[k], halideir.GCD(at.Lo, at.Extent()))
	}
	return cells
}

// round is what was chosen for all groups, with these regions, where those outputs began at whole cells.
type round struct {
	regions *bounds.Regions
	aligned map[int][]int64
	found   []*search.Found
}

// touches reports whether a group is chosen otherwise now than in a round: where it begins at other cells, or something that it computes or reads has another region.
func (s *state) touches(r *round, g *plan.Group, aligned map[int][]int64) bool {
	pr := s.problem
	other := func(id int) bool { return !slices.Equal(pr.Regions.Funcs[id], r.regions.Funcs[id]) }
	touched := func(id int) bool {
		if other(id) {
			return true
		}
		for st := range s.p.Funcs[id].Stages {
			if slices.ContainsFunc(pr.Expand[pr.StageIndex(id, st)].Reads, other) {
				return true
			}
		}
		return false
	}
	return !slices.Equal(aligned[g.Out], r.aligned[g.Out]) || touched(g.Out) || slices.ContainsFunc(g.Members, touched)
}

// tileChanged chooses the kernels of groups anew, but of those that are as they were in one of the rounds, which keep theirs, and of those for which only regions have grown, which are run as before.
func (s *state) tileChanged(rounds []round, aligned map[int][]int64) error {
	s.found = make([]*search.Found, len(s.groups))
	var changed []*plan.Group
	var at []int
	for i, g := range s.groups {
		if r := slices.IndexFunc(rounds, func(r round) bool { return !s.touches(&r, g, aligned) }); r >= 0 {
			s.found[i] = rounds[r].found[i]
		} else if s.found[i] = s.asBefore(g, rounds[0].found[i], aligned); s.found[i] == nil {
			changed, at = append(changed, g), append(at, i)
		}
	}
	all := s.searcher.Strategies
	s.searcher.Strategies = slices.DeleteFunc(slices.Clone(all), func(st strategy.Strategy) bool { return strategy.IsOtherwise(st.Name()) })
	found, err := s.tileGroups(changed)
	s.searcher.Strategies = all
	if err != nil {
		return err
	}
	for i, f := range found {
		s.found[at[i]] = f
	}
	return s.asked()
}

// asBefore is a group that begins anywhere, as before, run as it was before: only regions have grown for it, by less than a cell. It is nil where that is no way to run it any more, and where somebody wants to see several.
func (s *state) asBefore(g *plan.Group, before *search.Found, aligned map[int][]int64) *search.Found {
	if aligned[g.Out] != nil || s.searcher.Few > 0 {
		return nil
	}
	f := s.searcher.Again(g, before.Choices(), coster.Final)
	if f != nil {
		f.Looks = before.Looks
	}
	return f
}

// pays reports whether a kernel that begins at whole cells is better than the one that begins anywhere: it costs less, or issues fewer instructions and costs no more than the cost errs by.
// Of an output of the pipeline no region grows for it, and where all else is even each place that is divided (x / 2, (x + 1) / 2) is known for what it is: what anywhere takes them to be is the best.
func (s *state) pays(out int, anywhere *plan.Problem, before, found *search.Found) bool {
	if found.Cost < before.Cost {
		return true
	}
	issued := func(pr *plan.Problem, f *search.Found) float64 {
		k := f.Layout.Kernels[0]
		of, _ := instructions.For(k.View(pr)).Block(k)
		return of * float64(k.Tiles())
	}
	if found.Cost > before.Cost*(1+coster.Errs(s.coster)) {
		return false
	}
	now, was := issued(s.problem, found), issued(anywhere, before)
	return now < was || (now == was && s.p.Funcs[out].Output)
}

// worth tells of what a Func's kernel gains by beginning at whole cells whether that is worth what all others lose by regions that grow: all such gains together are, or this one is alone. No region
// grows for outputs of the pipeline. (interpolate's second level of those it has made larger gains 25 ns, and what it is made of costs 300 more.)
func (s *state) worth(before []*search.Found, aligned map[int][]int64) func(gain float64) bool {
	gains, growth := 0.0, 0.0
	for i, g := range s.groups {
		more := s.found[i].Cost - before[i].Cost
		switch {
		case aligned[g.Out] == nil:
			growth += more
		case !s.p.Funcs[g.Out].Output:
			gains -= more
		}
	}
	return func(gain float64) bool { return max(gains, gain) >= growth }
}

// cellsOf are the stages of which a thread knows the cells: of outputs of groups, and of members that it computes at their points and beside them.
func (s *state) cellsOf(aligned map[int][]int64, found []*search.Found) []plan.CellsOf {
	out := s.heldCells()
	add := func(c plan.CellsOf) {
		if !slices.ContainsFunc(out, func(o plan.CellsOf) bool { return o.Func == c.Func }) {
			out = append(out, c)
		}
	}
	for i, g := range s.groups {
		moduli := aligned[g.Out]
		if moduli == nil {
			continue
		}
		add(plan.CellsOf{Func: g.Out, Moduli: moduli})
		s.membersAlong(g, found[i].Layout.Kernels[0], func(m int, along func(arg int) (bounds.Growth, bool)) {
			args := len(s.p.Funcs[m].Args)
			of := plan.CellsOf{Func: m, Moduli: slices.Repeat([]int64{1}, args), From: make([]int64, args), Beside: make([]int64, args), Member: true}
			for arg := range args {
				if grow, ok := along(arg); ok && grow.Num == 1 {
					of.Moduli[arg], of.From[arg], of.Beside[arg] = moduli[grow.Dim], grow.Lo, grow.Hi-grow.Lo
				}
			}
			add(of)
		})
	}
	return out
}

// setRegions has the groups be of other regions.
func (s *state) setRegions(r *bounds.Regions) error {
	pr := *s.problem // whoever forked the state has the regions that it had
	pr.SetRegions(r)
	pr.Cells = nil
	pr.Kept = plan.NewKept() // what was worked out with the others
	pr.Dims = slices.Clone(pr.Dims)
	s.problem = &pr
	if s.searcher != nil {
		searcher := *s.searcher
		searcher.Problem = &pr
		s.searcher = &searcher
	}
	if err := chooseDims(s); err != nil {
		return err
	}
	if err := tileBounds(s); err != nil {
		return err
	}
	s.groups = slices.Clone(s.groups)
	for i, g := range s.groups {
		s.groups[i] = pr.NewGroup(g.Out, g.Members)
	}
	return nil
}

// moduli is of how many points the cells are, by argument of a group's output, that a thread computes whole, of cells at most as large as some; nil where it computes none.
func (s *state) moduli(g *plan.Group, kernels []*plan.Kernel, most []int64) []int64 {
	f, k := &s.p.Funcs[g.Out], kernels[0]
	if len(kernels) != 1 || k.Host || k.With != nil {
		return nil
	}
	var out []int64
	for l, points := range wholePoints(k) {
		arg := f.Stages[0].Loops[l].Arg
		if arg < 0 {
			continue
		}
		if m := halideir.GCD(most[arg], points); m > 1 {
			if out == nil {
				out = slices.Repeat([]int64{1}, len(f.Args))
			}
			out[arg] = m
		}
	}
	return out
}

// wholePoints is how many neighbours along a loop of the output a thread computes, where all threads begin at a multiple of them.
func wholePoints(k *plan.Kernel) map[int]int64 {
	out := map[int]int64{}
	if w := k.Warp; w != nil {
		if w.Points > 1 && !w.Strided {
			out[w.X] = halideir.GCD(w.Points, w.Width)
		}
		if w.Y >= 0 && w.Rows > 1 {
			out[w.Y] = w.Rows
		}
		return out
	}
	for _, u := range k.Out.Unrolled {
		if u.Apart == 0 && u.Extent > 1 {
			out[u.Loop] = u.Extent
		}
	}
	return out
}

// cells is of how many points along each argument of a group's output, or of a member that is computed point by point with it, what a kernel computes is periodic; 1 where it is not, or of too many.
func (s *state) cells(g *plan.Group, k *plan.Kernel) []int64 {
	out := slices.Repeat([]int64{1}, len(s.p.Funcs[g.Out].Args))
	view := k.View(s.problem)
	of := func(fn int, argOf func(arg int) int) {
		for st := range s.p.Funcs[fn].Stages {
			loops := s.p.Funcs[fn].Stages[st].Loops
			s.periods(view, fn, st, func(loop int, n int64) {
				if arg := loops[loop].Arg; arg >= 0 {
					if a := argOf(arg); a >= 0 && lcm(out[a], n) <= largestCell {
						out[a] = lcm(out[a], n)
					}
				}
			})
		}
	}
	of(g.Out, func(arg int) int { return arg })
	s.membersAlong(g, k, func(member int, along func(arg int) (bounds.Growth, bool)) {
		of(member, func(arg int) int {
			if grow, ok := along(arg); ok {
				return grow.Dim
			}
			return -1
		})
	})
	return out
}

// membersAlong tells of each member of a kernel which of its arguments go along one of the output's, a point for a point, and how.
func (s *state) membersAlong(g *plan.Group, k *plan.Kernel, tell func(member int, along func(arg int) (bounds.Growth, bool))) {
	if len(k.Members) == 0 {
		return
	}
	view := k.View(s.problem)
	member := func(id int) bool {
		return slices.ContainsFunc(k.Members, func(m plan.Member) bool { return m.Func == id })
	}
	grown := view.Grow(g.Out, 0, func(id int) bool { return view.Inlined[id] || member(id) })
	for i := range k.Members {
		m := &k.Members[i]
		grow := grown.Funcs[m.Func]
		tell(m.Func, func(arg int) (bounds.Growth, bool) {
			if arg >= len(grow) || !grow[arg].Known || grow[arg].Num != grow[arg].Den || grow[arg].Dim < 0 {
				return bounds.Growth{}, false
			}
			return grow[arg], true
		})
	}
}

// periods tells the periods of what a stage computes, along its loops: of its own definition, of those that are inlined in it, and of the places that it loads from.
func (s *state) periods(view *plan.Problem, fn, stage int, tell func(loop int, n int64)) {
	along := func(x *access.Index, n int64) {
		if x.Kind == access.Affine && !x.Clamped && !x.Estimated && !x.DataDependent && (x.Num == 1 || x.Num == -1) && x.Den*n > 1 {
			tell(x.Loop, x.Den*n)
		}
	}
	st := &s.p.Funcs[fn].Stages[stage]
	s.ownPeriods(st.Roots(), func(dim int, n int64) {
		for l := range st.Loops {
			if st.Loops[l].Arg == dim {
				tell(l, n)
			}
		}
	})
	ex := view.Expand[view.StageIndex(fn, stage)]
	for i := range ex.Calls {
		c := &ex.Calls[i]
		s.ownPeriods(s.p.Funcs[c.Func].Stages[0].Roots(), func(dim int, n int64) {
			if dim < len(c.Index) {
				along(&c.Index[dim], n)
			}
		})
	}
	for i := range ex.Loads {
		for d := range ex.Loads[i].Index {
			along(&ex.Loads[i].Index[d], 1)
		}
	}
}

// ownPeriods tells of each variable, or variable and number, that expressions divide by a number or take the remainder of, what that number is.
func (s *state) ownPeriods(roots []halideir.NodeID, tell func(dim int, n int64)) {
	s.p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
		if n.Op != halideir.OpMod && n.Op != halideir.OpDiv {
			return
		}
		by := &s.p.Nodes[n.Args[1]]
		if by.Op != halideir.OpInt || by.Int < 2 || by.Int > largestCell {
			return
		}
		of := &s.p.Nodes[n.Args[0]]
		if of.Op == halideir.OpAdd || of.Op == halideir.OpSub {
			if s.p.Nodes[of.Args[1]].Op == halideir.OpInt {
				of = &s.p.Nodes[of.Args[0]]
			}
		}
		if of.Op == halideir.OpVar && of.Kind == halideir.VarDim {
			tell(of.Index, by.Int)
		}
	}, roots...)
}

// lcm is the least common multiple of two positive numbers.
func lcm(a, b int64) int64 { return a / halideir.GCD(a, b) * b }
