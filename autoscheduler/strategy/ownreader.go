package strategy

import (
	"slices"

	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// ownReader is the one Func of a group that reads a member, if it is a member of one stage and each of its points reads one of its own, and how what is read grows with a part of that: a copy of a reduction, mostly.
func ownReader(pr *plan.Problem, g *plan.Group, member int) (reader int, grow []bounds.Growth, ok bool) {
	reader = -1
	for _, id := range append(slices.Clone(g.Members), g.Out) {
		if id == member || !pr.Reads(id, member) {
			continue
		}
		if reader >= 0 {
			return -1, nil, false
		}
		reader = id
	}
	if !slices.Contains(g.Members, reader) || len(pr.P.Funcs[reader].Stages) != 1 {
		return -1, nil, false
	}
	grow = pr.Grow(reader, 0, func(id int) bool { return pr.Inlined[id] || id == member }).Funcs[member]
	shared := func(d bounds.Growth) bool { return !d.Provable() || !d.Fixed || d.Dim < 0 || d.Extent(1) != 1 }
	return reader, grow, len(grow) == len(pr.P.Funcs[reader].Args) && !slices.ContainsFunc(grow, shared)
}
