package autoscheduler

import (
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// largestCell is the largest number of points that alternate in what they compute.
const largestCell = 8

// align has stored Funcs that compute by cells begin at a whole one: in f(x) = select(x % 2 == 0, a(x / 2), b(x / 2)), each point of a thread that has two or four side by side is of one kind then,
// which Halide sees when it compiles, and computes one of the two at one place; else every point computes both. Experts write align_bounds. Regions grow by up to a cell, so that the
// kernels are laid out once more; groups stay. What would have an input be larger is left. An output is where its caller has it.
func align(s *state) error {
	s.aligned = nil
	if s.params.Mode != "gowarp" || s.p.Target.API != "cuda" || s.params.Align == "0" {
		return nil
	}
	base, _, err := s.analysed()
	if err != nil {
		return err
	}
	aligned := map[int][]int64{}
	regions := base
	for i, g := range s.groups {
		moduli := s.moduli(g, s.found[i].Layout.Kernels)
		if moduli == nil || slices.Contains(s.tried.unaligned, g.Out) {
			continue
		}
		aligned[g.Out] = moduli
		if r := base.Aligned(s.p, aligned); r != nil {
			regions = r
			s.note("align", g.Out, "begins at whole cells, which %v points make along its dimensions", moduli)
		} else {
			delete(aligned, g.Out)
		}
	}
	if len(aligned) == 0 {
		return nil
	}
	if err := s.setRegions(regions); err != nil {
		return err
	}
	s.aligned = aligned
	return tile(s)
}

// setRegions has the groups be of other regions.
func (s *state) setRegions(r *bounds.Regions) error {
	pr := *s.problem // whoever forked the state has the regions that it had
	pr.SetRegions(r)
	pr.Kept = plan.NewKept() // what was worked out with the others
	pr.Dims = slices.Clone(pr.Dims)
	searcher := *s.searcher
	searcher.Problem = &pr
	s.problem, s.searcher = &pr, &searcher
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

// moduli is how many points make a cell, by argument of a group's output, that a thread computes whole; nil where there are no cells, or it computes none.
func (s *state) moduli(g *plan.Group, kernels []*plan.Kernel) []int64 {
	f, k := &s.p.Funcs[g.Out], kernels[0]
	if f.Output || len(f.Bounds) > 0 || len(kernels) != 1 || k.Host || k.With != nil {
		return nil
	}
	cells := s.cells(g, k)
	var out []int64
	for l, points := range wholePoints(k) {
		arg := f.Stages[0].Loops[l].Arg
		if arg < 0 {
			continue
		}
		if m := halideir.GCD(cells[arg], points); m > 1 {
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
	if len(k.Members) == 0 {
		return out
	}
	member := func(id int) bool {
		return slices.ContainsFunc(k.Members, func(m plan.Member) bool { return m.Func == id })
	}
	grown := view.Grow(g.Out, 0, func(id int) bool { return view.Inlined[id] || member(id) })
	for i := range k.Members {
		m := &k.Members[i]
		grow := grown.Funcs[m.Func]
		of(m.Func, func(arg int) int {
			if arg < len(grow) && grow[arg].Known && grow[arg].Num == grow[arg].Den {
				return grow[arg].Dim
			}
			return -1
		})
	}
	return out
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
