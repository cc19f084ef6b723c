package access

import (
	"slices"

	"gowarp/halideir"
)

// Product reports whether the value of a Func is a product of two floats. Computed in place in sums it is one instruction with each of them (`fma`).
func (a *Analysis) Product(fn int) bool { return a.products[fn] }

func (a *Analysis) isProduct(f *halideir.Func) bool {
	if len(f.Stages) != 1 || len(f.Stages[0].Values) != 1 {
		return false
	}
	n := &a.p.Nodes[a.canonical[f.Stages[0].Values[0]]]
	return n.Op == halideir.OpMul && n.Type.IsFloat()
}

// floatSums finds the Funcs that a stage reads in sums of floats only, ascending, and the sums that have nothing but such terms.
func (w *walker) floatSums(values []halideir.NodeID) (summed []int, sums [][]int) {
	isTerm := map[halideir.NodeID]bool{}   // stands in a sum
	isOther := map[halideir.NodeID]bool{}  // stands elsewhere too
	isInside := map[halideir.NodeID]bool{} // a sum that is part of another
	sum := func(n *halideir.Node) bool {
		return (n.Op == halideir.OpAdd || n.Op == halideir.OpSub) && n.Type.IsFloat() && n.Type.Lanes <= 1
	}
	for _, id := range values {
		n := &w.p.Nodes[id]
		if isLoad(n) {
			continue
		}
		for _, a := range n.Args {
			c := w.a.canonical[a]
			if sum(n) {
				isTerm[c] = true
				isInside[c] = sum(&w.p.Nodes[c])
			} else {
				isOther[c] = true
			}
		}
	}
	var not []int
	for _, id := range values {
		n := &w.p.Nodes[id]
		switch {
		case !n.ReadsFunc():
		case isTerm[id] && !isOther[id]:
			summed = append(summed, n.Func)
		default:
			not = append(not, n.Func)
		}
	}
	slices.Sort(summed)
	summed = slices.DeleteFunc(slices.Compact(summed), func(fn int) bool { return slices.Contains(not, fn) })
	for _, id := range values {
		if n := &w.p.Nodes[id]; sum(n) && !isInside[id] {
			var of []int
			if w.onlyReads(id, sum, &of) && len(summed) > 0 {
				sums = append(sums, of)
			}
		}
	}
	return summed, sums
}

// mostTerms is how many terms of a sum are looked at: more are those of a sum that is read in itself again and again.
const mostTerms = 256

// onlyReads appends the Funcs that the terms of a sum are; false if there are others.
func (w *walker) onlyReads(id halideir.NodeID, sum func(*halideir.Node) bool, of *[]int) bool {
	n := &w.p.Nodes[id]
	if sum(n) {
		return w.onlyReads(w.a.canonical[n.Args[0]], sum, of) && w.onlyReads(w.a.canonical[n.Args[1]], sum, of)
	}
	if !n.ReadsFunc() || len(*of) == mostTerms {
		return false
	}
	*of = append(*of, n.Func)
	return true
}
