package instructions

import (
	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// RowsApart is along how many rows of global memory a thread walks in a loop of a member that turns, where the rows of a block's threads tell them apart: each keeps a place of its own
// through all turns. Of a block whose threads are one row they are the same for all lanes and take no register of theirs.
func (e *Estimator) RowsApart(k *plan.Kernel, n *plan.Nest) int64 {
	turn := turning(n)
	if turn == 0 || n.Func == k.Out.Func {
		return 0
	}
	threads := uint64(0) // the loops of the output over rows of threads
	for i, u := range k.Out.Threads {
		if i > 0 && u.Extent > 1 {
			threads |= access.LoopBit(u.Loop)
		}
	}
	if threads == 0 {
		return 0
	}
	apart := uint64(0) // the member's loops that those move
	reads := e.pr.ExpandOf(&k.Out).Loads
	for l, loop := range e.pr.P.Funcs[n.Func].Stages[n.Stage].Loops {
		for i := range reads {
			if t := &reads[i]; t.Func == n.Func && loop.Arg >= 0 && moves(&t.Index[loop.Arg], threads) {
				apart |= access.LoopBit(l)
			}
		}
	}
	rows, shifts := map[key]bool{}, Shifts(n)
	loads := e.pr.ExpandOf(n).Loads
	for i := range loads {
		t := &loads[i]
		if _, in := k.PlaceOf(t.Func); in || len(t.Index) == 0 || !moves(&t.Index[0], turn) || !movesAny(rest(t.Index), apart) {
			continue
		}
		for _, s := range shifts {
			rows[placeKey(t.Func, t.Input, 0, rest(t.Index), s)] = true
		}
	}
	return int64(len(rows))
}
