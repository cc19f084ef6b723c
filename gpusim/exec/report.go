package exec

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"

	"gowarp/gpusim/check"
	"gowarp/gpusim/ptx"
)

// find records a finding.
func (w *warp) find(line int32, kind check.Kind, lane int, detail string) {
	w.w.log.Add(check.Finding{Kind: kind, Kernel: w.k.Name, Line: int(line), Block: w.w.block, Thread: w.thread(lane), Detail: detail})
}

// fail records a finding that ends the launch, as it would on a GPU.
func (w *warp) fail(line int32, kind check.Kind, lane int, format string, args ...any) {
	w.find(line, kind, lane, fmt.Sprintf(format, args...))
	w.w.fail(kind)
}

// sameValue reports whether a store leaves memory as it is.
func (w *warp) sameValue(o *op, lane int) bool {
	if o.atomic || o.rmw != nil {
		return false
	}
	var now []byte
	size := int(o.size)
	n := size * len(o.vec)
	if o.space == ptx.Shared || o.space == ptx.Generic && w.addr[lane] < GlobalBase {
		now = w.w.shared[w.addr[lane]:][:n]
	} else if b, err := w.w.memory.Bytes(w.addr[lane], n); err == nil {
		now = b
	}
	want := make([]byte, n)
	for k, s := range o.vec {
		put(want[k*size:], size, w.get(s, lane))
	}
	return bytes.Equal(now, want)
}

// undefined reports that an undefined value matters.
func (w *warp) undefined(line int32, s slot, lanes uint32, what string) {
	lane := bits.TrailingZeros32(lanes)
	b := w.blame(s, lane)
	w.find(line, b.kind, lane, "an undefined value "+what+": "+b.why)
}

// origin remembers the first undefined value that goes to an allocation; it
// is a finding if the host reads it.
func (w *warp) origin(o *op, s slot, lane int) {
	a := w.w.cached(o, w.addr[lane], int(o.size))
	if a == nil {
		return
	}
	a.origin.once.Do(func() {
		b := w.blame(s, lane)
		a.origin.kernel, a.origin.line, a.origin.block, a.origin.thread = w.k.Name, int(o.line), w.w.block, w.thread(lane)
		a.origin.blame, a.origin.kind, a.origin.set = b.why, b.kind, true
	})
}

// culprit is where an undefined value came from.
type culprit struct {
	kind   check.Kind
	why    string
	memory bool // that nothing has written
}

// blame follows an undefined value back through the instructions that compute it,
// along operands that are still undefined in this lane, to where it came from.
func (w *warp) blame(s slot, lane int) culprit {
	seen := map[int32]bool{}
	for range 1000 {
		if seen[s.taint] {
			break
		}
		seen[s.taint] = true
		def := w.definition(s)
		if def == nil {
			return culprit{kind: check.Uninitialised, why: "a register that nothing has set"}
		}
		if def.inst != nil {
			switch def.inst.Op {
			case "shfl":
				if w.taints[def.a.taint]>>lane&1 == 0 {
					return culprit{kind: check.InactiveLane, why: fmt.Sprintf("the shuffle in line %d took it from a lane that does not take part or whose value is undefined", def.line)}
				}
			case "ld":
				if def.inst.Space != ptx.Param {
					return culprit{check.Uninitialised, fmt.Sprintf("line %d loads it from %s that nothing has written", def.line, spaceName(def.inst.Space)), true}
				}
			}
		}
		next := slot{taint: -1}
		for _, operand := range append(slices.Clone(def.vec), def.a, def.b, def.c) {
			if w.taints[operand.taint]>>lane&1 != 0 && !seen[operand.taint] {
				next = operand
				break
			}
		}
		if next.taint < 0 {
			return culprit{kind: check.Uninitialised, why: fmt.Sprintf("computed in line %d from values that have been overwritten since", def.line)}
		}
		s = next
	}
	return culprit{kind: check.Uninitialised, why: "it depends on itself and nothing else has set it"}
}

// definition is an instruction that writes a register. PTX has nearly one for each.
func (w *warp) definition(s slot) *op {
	var found *op
	visited := map[*code]bool{}
	var search func(c *code)
	search = func(c *code) {
		if c == nil || visited[c] {
			return
		}
		visited[c] = true
		for b := range c.blocks {
			for i := range c.blocks[b].ops {
				o := &c.blocks[b].ops[i]
				writes := o.d.taint == s.taint || o.dpred.taint == s.taint
				if o.inst != nil && (o.inst.Op == "ld" || o.inst.Op == "mov") {
					for _, v := range o.vec {
						writes = writes || v.taint == s.taint && o.d.taint != s.taint && o.inst.Args[0].Kind == ptx.ArgList
					}
				}
				if writes && s.taint != 0 {
					found = o
				}
			}
			search(c.blocks[b].callee)
		}
	}
	search(w.k.main)
	return found
}
