package autoscheduler

import (
	"fmt"
	"strings"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/halideir/carried"
	"gowarp/halideir/rfactor"
	"gowarp/halideir/scan"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
)

// noteInOrder says which reductions over long domains are no trees though few of their loops are parallel, and which updates have one thread a block though many are, why, and what would help.
func (s *state) noteInOrder() error {
	r, a, err := s.analysed()
	if err != nil {
		return err
	}
	host := plan.HostReasons(s.p)
	for id := range s.p.Funcs {
		f := &s.p.Funcs[id]
		if f.Partial || host[id] != "" || r.Endless[id] {
			continue
		}
		for st := 1; st < len(f.Stages); st++ {
			box, err := r.Loops(s.p, id, st)
			if err != nil {
				return err
			}
			if loops := s.oneByOne(&f.Stages[st], box); loops != "" {
				s.note("factor", -1, "%s is not split along %s: the condition of its domain reads something there, and Halide evaluates the condition beyond the end of a loop that is split; over the whole domain, of select(condition, value, old value), it is", schedule.StageLabel(f.Label, st), loops)
			}
			parallel, serial := iterations(&f.Stages[st], box)
			if loops, _ := s.carrying(id, st, a, box); !s.leavesIdle(parallel, serial) || len(loops.Carrying) > 0 {
				continue
			}
			if why := s.inOrder(id, st, r, a, box); why != "" {
				if s.whyInOrder == nil {
					s.whyInOrder = map[[2]int]string{}
				}
				s.whyInOrder[[2]int{id, st}] = why
				s.note("factor", -1, "%s runs through %d iterations in order in %s: %s", schedule.StageLabel(f.Label, st), serial, threadsInWords(parallel), why)
			}
		}
	}
	return nil
}

// threadsInWords is how many there are.
func threadsInWords(n int64) string {
	if n == 1 {
		return "one thread"
	}
	return fmt.Sprintf("%d threads", n)
}

// oneByOne are the long parallel loops of a stage that are never split (see predicated), by name.
func (s *state) oneByOne(st *halideir.Stage, box bounds.Box) string {
	var names []string
	for l, whole := range predicated(s.p, st) {
		if whole && st.Loops[l].Kind.Parallel() && box[l].Extent() >= minTiledExtent {
			names = append(names, st.Loops[l].Label)
		}
	}
	return strings.Join(names, " and ")
}

// iterations is how many there are of a stage's parallel loops, and of the others, up to maxPoints.
func iterations(st *halideir.Stage, box bounds.Box) (parallel, serial int64) {
	parallel, serial = 1, 1
	for l, loop := range st.Loops {
		n := &serial
		if loop.Kind.Parallel() {
			n = &parallel
		}
		*n = times(*n, box[l].Extent())
	}
	return parallel, serial
}

// times is n iterations of each of another loop's, up to maxPoints; of what is empty one.
func times(n, extent int64) int64 { return n * min(max(extent, 1), maxPoints/n) }

// inOrder is why an update stays in order, and what would help; empty where it does not, or partial results would not pay.
func (s *state) inOrder(fn, stage int, r *bounds.Regions, a *access.Analysis, box bounds.Box) string {
	f := &s.p.Funcs[fn]
	st := &f.Stages[stage]
	if s.atomicScatter(fn, stage, a, true) {
		return ""
	}
	if found, ok := scan.Of(s.p, a, fn, stage); ok && s.laneScans() && (found.AnyOrder || s.params.Reassociate != "0") {
		return "" // a warp may run through it
	}
	elsewhere, others, own := false, false, false
	for out, v := range st.Values {
		s.p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
			if !n.ReadsFunc() || n.Func != fn {
				return
			}
			others, own = others || n.Out != out, true
			elsewhere = elsewhere || !rfactor.SamePlaces(s.p, st, n)
		}, v)
	}
	red, ok := rfactor.Of(s.p, fn, stage)
	besides, _ := iterations(st, box)
	switch {
	case elsewhere && s.params.Mode == "gowarp" && len(carried.Of(s.p, a, fn, stage).Carrying) > 0:
		return "each iteration of its outer loops reads what the ones before have stored; those within one are independent, but so few that they take no longer in order than a launch for each of the outer ones would"
	case elsewhere:
		return "it reads its own results at other places; where no iteration needs what another one of it writes (one colour of a checkerboard, a border), its points are parallel in a Func of their own, of select(what changes, new value, old value)"
	case others:
		return "its values hang on each other; where they can be computed one after the other, each is a tree. The least or greatest with its place is one too, if of equal ones the first is taken (< or >, not <= or >=), all variables of the domain " +
			"are values of their own, and what it starts with has the type's last value, or a place before all of the domain"
	case rfactor.ConditionReadsResult(s.p, fn, st):
		return "the condition of its domain reads its own results, which another order changes; where it only hangs on those of before this update, a Func of its own for those lets it run in any order"
	case !own:
		return "of the values that one place gets the last one stays, which is a matter of order; where each place gets one at most, it is parallel as a Func of all places that reads what each gets"
	case !ok && rfactor.ConditionReads(s.p, st):
		return "its domain has a condition that reads something; over the whole domain it is a tree, of select(condition, value, what changes nothing)"
	case ok && s.params.Reassociate == "0" && !red.AnyOrder(f.Types):
		return "reassociate=0 keeps sums and products of floats in order"
	case ok && s.tried.unfactored:
		return "Halide does not lower it as a tree"
	case ok && red.Scatter && besides < narrowLoop && s.mostScatters(fn, stage, r, box) < 2:
		return "it has more than eight times as many places as points, or more than 32 MiB of them, so that threads with places of their own would clear and add up more than they scatter; of 32-bit integers (in fixed point, say) each thread adds its own atomically"
	case ok && red.Scatter && besides >= fewParallel:
		return "those that never meet are a thread each, and no thread has places of its own besides; of 32-bit integers (in fixed point, say) each adds its own atomically"
	case ok:
		return ""
	}
	return "it is not seen that any order gives the same; as old value, operator (+ * min max && || & | ^), value without the old one, it is a tree"
}
