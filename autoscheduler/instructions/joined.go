package instructions

import (
	"slices"

	"gowarp/halideir/access"
)

// joined reports whether what a definition reads of a Func in place is a product that is one instruction (`fma.rn.f32`) with the sum it stands in: LLVM contracts those of one expression, whatever Func they come from.
func (e *Estimator) joined(reader *access.Stage, fn int) bool {
	if reader == nil || !e.pr.Inlined[e.pr.FuncOf(fn)] || !e.pr.Access.Product(e.pr.FuncOf(fn)) {
		return false
	}
	_, only := slices.BinarySearch(reader.Summed, fn)
	return only
}

// begun is how many sums of a definition have such products alone: one of each has nothing to be added to.
func (e *Estimator) begun(reader *access.Stage) (n float64) {
	if reader == nil {
		return 0
	}
	for _, of := range reader.Sums {
		if !slices.ContainsFunc(of, func(fn int) bool { return !e.joined(reader, fn) }) {
			n++
		}
	}
	return n
}
