package autoscheduler

import "slices"

// InlineReason is why a Func is computed where it is used, or is not. The costs are in the
// coster's units over the whole pipeline, and zero where the decision did not need them.
type InlineReason struct {
	Func    int
	Inlined bool
	Why     string
	Points  float64 // of the Func
	Reads   float64 // of the Func, over all its readers
	Again   float64 // what computing it in its readers costs more than they cost now
	Global  float64 // what keeping it in global memory costs
	Shared  float64 // what keeping it in shared memory is taken to cost
}

// inlineReasons says of every Func, in the order of ids, why it is inlined or not: as decided,
// or else what kept it from being asked.
func (s *state) inlineReasons() []InlineReason {
	out := make([]InlineReason, len(s.p.Funcs))
	for id := range out {
		r, asked := s.inlines[id]
		if !asked {
			r.Why = s.notInlinable(id)
		}
		r.Func = id
		out[id] = r
	}
	return out
}

// notInlinable says why Halide cannot inline a Func, or why nothing would be gained; empty if
// it can.
func (s *state) notInlinable(id int) string {
	f := &s.p.Funcs[id]
	consumers := s.problem.Access.Consumers(id)
	switch {
	case s.tried.plain || slices.Contains(s.tried.stored, id):
		return "Halide makes something else of the pipeline once Funcs are inlined"
	case f.Output:
		return "it is an output"
	case s.problem.Host[id] != "":
		return s.problem.Host[id]
	case len(f.Stages) != 1:
		return "it has updates"
	case f.Partial && (!s.copiesScatter(id) || s.atomicScatter(id-1, 1, s.problem.Access, true)):
		return "it holds partial results"
	case len(consumers) == 0:
		return "nothing reads it"
	case s.unclamped[id]:
		return "its bitwise_xor says where something is accessed, and Halide would lose a clamp around that in place"
	}
	for _, c := range consumers {
		if s.p.Funcs[c.Func].Extern != nil {
			return "an extern stage takes it"
		}
	}
	return ""
}

// PassNames are the names of the passes, in their order.
func PassNames(params Params) []string {
	var names []string
	for _, p := range tableFor(params) {
		names = append(names, p.name)
	}
	return names
}
