package plan

import (
	"fmt"
	"regexp"

	"gowarp/halideir"
)

// deviceFunction matches the functions that Halide's GPU runtimes implement: its
// mathematical ones, which carry their type.
var deviceFunction = regexp.MustCompile(`^[a-z0-9_]+_f(16|32|64)$`)

// HostReason says why a Func cannot run on the GPU; empty if it can. Extern
// stages and calls of the user's own C functions run on the host.
func HostReason(p *halideir.Pipeline, fn int) string {
	f := &p.Funcs[fn]
	if f.Extern != nil {
		return fmt.Sprintf("an extern stage (%s) runs where its author put it", f.Extern.Name)
	}
	seen := map[halideir.NodeID]bool{}
	var work []halideir.NodeID
	push := func(ids ...halideir.NodeID) {
		for _, id := range ids {
			if id != halideir.NoNode && !seen[id] {
				seen[id] = true
				work = append(work, id)
			}
		}
	}
	for i := range f.Stages {
		st := &f.Stages[i]
		push(st.Args...)
		push(st.Values...)
		push(st.Predicate)
	}
	for len(work) > 0 {
		n := &p.Nodes[work[len(work)-1]]
		work = work[:len(work)-1]
		push(n.Args...)
		if n.Op != halideir.OpCall {
			continue
		}
		switch n.Call {
		case halideir.CallExtern, halideir.CallExternCPlusPlus, halideir.CallPureExtern:
			if !deviceFunction.MatchString(n.Name) {
				return fmt.Sprintf("it calls %s, which exists only on the host", n.Name)
			}
		}
	}
	return ""
}
