package legality

import "gowarp/internal/plan"

// tupleThreads: Halide computes all values of a Tuple before it stores the first, and where a stage has fewer thread loops than the block has dimensions of threads
// it tests at each store, not before, whether a thread is the one that stores. An update that reads what it writes is then read by threads while another one stores, a race even if
// no thread uses what it read.
func tupleThreads(pr *plan.Problem, k *plan.Kernel) error {
	for i := range k.Members {
		m := &k.Members[i]
		f := &pr.P.Funcs[m.Func]
		if len(f.Types) < 2 || m.Where != plan.AtBlock && m.Where != plan.AtBlockGlobal {
			continue
		}
		for j := range m.Nests {
			n := &m.Nests[j]
			if n.Stage == 0 || !pr.StageReads(m.Func, n.Stage, m.Func) {
				continue
			}
			for d, threads := range k.Block {
				if threads > 1 && d >= len(n.Threads) {
					return violationf("%s.update(%d) computes %d values of what it has stored in %d dimensions of threads, and the block has more", f.Label, n.Stage-1, len(f.Types), len(n.Threads))
				}
			}
		}
	}
	return nil
}

// tupleWidths: Halide 21 makes one array of all that a block keeps in shared memory, and counts in it in elements of each type. The values of a Tuple of several widths can stand at one number of elements so, in
// different bytes; of two stores one after the other at one index its simplifier leaves the second, and the first value is never written.
func tupleWidths(pr *plan.Problem, k *plan.Kernel) error {
	for i := range k.Members {
		m := &k.Members[i]
		f := &pr.P.Funcs[m.Func]
		if m.Where != plan.AtBlock {
			continue
		}
		for _, t := range f.Types {
			if t.Bytes() != f.Types[0].Bytes() {
				return violationf("%s has values of %d and of %d B in shared memory", f.Label, f.Types[0].Bytes(), t.Bytes())
			}
		}
	}
	return nil
}
