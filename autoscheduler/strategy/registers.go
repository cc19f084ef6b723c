package strategy

import (
	"gowarp/halideir"
	"gowarp/internal/plan"
)

// The estimate of a thread's registers, of the stage that needs most:
//
//	8, indices of the block and the thread and what addresses are computed in
//	1 an operation or load, up to 4: the rest reuses them
//	1 a distinct load, in every copy of an unrolled loop, up to 48: ptxas loads all before it computes
//	9 a dimension of a member that is sized at run time, up to 3 of them: its ends, and guards
//	1 an integer division, up to 6: addresses that common subexpressions keep
//	what members keep in the thread
//
// The figures are a least-squares fit to ptxas on the kernels of the programs; RATIONALE.md says
// how good it is. It knows nothing of the order in which ptxas schedules instructions.
const (
	baseRegisters     = 8
	firstRegisters    = 4
	mostTaps          = 48
	perRuntimeSize    = 9
	mostRuntimeSizes  = 3
	mostIndexDivision = 6
	// Of kernels with several points a thread, after ptxas on harris and unsharp (RATIONALE.md, "Registers").
	leastRegisters = 32
	besideHeld     = 14
)

// What LLVM unrolls by itself, as seen in Halide 21's PTX: a window of 7x7 of 22 operations and loads
// and 53 of 7 are, 8x8 of 26 and 255 of 4 are not.
const (
	mostCopies     = 64
	mostCopiedTree = 1200 // operations and loads of all copies
)

// registers estimates the registers of a thread, capped at what the runtime
// lets the compiler use.
func registers(pr *plan.Problem, k *plan.Kernel) int {
	most := 0
	for n := range k.Nests() {
		most = max(most, stageRegisters(pr, n))
	}
	held, atRunTime := 0, 0
	for i := range k.Members {
		m := &k.Members[i]
		if m.Where == plan.AtThread {
			held += int(m.Bytes+3) / 4
		}
		atRunTime += m.SizedAtRunTime()
	}
	if k.Held > 0 {
		return min(max(leastRegisters, besideHeld+k.Held), pr.Limits.MaxRegisters)
	}
	return min(baseRegisters+most+perRuntimeSize*min(atRunTime, mostRuntimeSizes)+held, pr.Limits.MaxRegisters)
}

// copies is how often the stage's expression stands in the code: the iterations of the loops, from
// the innermost on, that are unrolled by Halide or by LLVM.
func copies(pr *plan.Problem, n *plan.Nest) int {
	st := &pr.P.Funcs[n.Func].Stages[n.Stage]
	tree := int64(max(1, pr.ExpandOf(n).Tree))
	c := int64(1)
	for _, u := range n.Serial {
		switch next := c * u.Extent; {
		case u.Extent <= 1:
		case u.Unroll:
			c = next
		case !constantLoop(pr.P, st, u.Loop) || next > mostCopies || next*tree > mostCopiedTree:
			return int(c)
		default:
			c = next
		}
	}
	return int(c)
}

// constantLoop reports whether a loop runs over a reduction domain of literal extent.
func constantLoop(p *halideir.Pipeline, st *halideir.Stage, loop int) bool {
	v := st.Loops[loop].RVar
	return v >= 0 && literal(p, st.RVars[v].Extent)
}

// StageRegisters is the estimate of what one stage needs by itself, without the cap of the runtime: REGUSAGE of Jangda and
// Guha 2020, section 6, who take it from the compiler.
func StageRegisters(pr *plan.Problem, n *plan.Nest) int {
	return baseRegisters + stageRegisters(pr, n)
}

// stageRegisters is what the expression of a stage needs beside what every thread does.
func stageRegisters(pr *plan.Problem, n *plan.Nest) int {
	ex := pr.ExpandOf(n)
	taps := len(ex.Loads) * copies(pr, n)
	return min(ex.Tree, firstRegisters) + min(taps, mostTaps) + min(ex.IntDivisions, mostIndexDivision)
}
