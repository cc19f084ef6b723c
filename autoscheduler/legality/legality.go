// Package legality is the last gate: it rejects every kernel that no device
// could launch, or that Halide compiles to something else than was meant,
// whoever asks for it. Each rule is a row of Rules and has a test of its own.
package legality

import (
	"fmt"

	"gowarp/internal/plan"
)

// Rule is one reason for which a kernel cannot be.
type Rule struct {
	Name  string
	Check func(pr *plan.Problem, k *plan.Kernel) error
}

// Rules are all the rules, in the order in which they are checked.
var Rules = []Rule{
	{"apart", apart},
	{"loops-once", loopsOnce},
	{"thread-dimensions", threadDimensions},
	{"threads-per-block", threadsPerBlock},
	{"grid", gridLimits},
	{"shared-bytes", sharedBytes},
	{"shared-widths", sharedWidths},
	{"registers", registers},
	{"impure-order", impureOrder},
	{"point-tails", pointTails},
	{"thread-anchor", threadAnchor},
	{"thread-size", threadSize},
	{"fused-blocks", fusedBlocks},
	{"member-read", memberRead},
	{"member-order", memberOrder},
	{"nested-clamps", nestedClamps},
	{"scatter-places", scatterPlaces},
	{"tuple-threads", tupleThreads},
	{"tuple-widths", tupleWidths},
	{"lanes", lanes},
	{"warp-members", warpMembers},
	{"warp-scratch", warpScratch},
}

// Check applies every rule and returns the first violation, named by its rule.
func Check(pr *plan.Problem, k *plan.Kernel) error {
	if k.Host {
		return nil
	}
	pr = k.View(pr)
	for _, r := range Rules {
		if err := r.Check(pr, k); err != nil {
			return &violation{format: "legality: %s: %s: %v", args: []any{pr.P.Funcs[k.Out.Func].Label, r.Name, err}}
		}
	}
	return nil
}

// A violation puts itself into words only where somebody reads them: a search breaks rules
// all the time.
type violation struct {
	format string
	args   []any
}

func (v *violation) Error() string { return fmt.Sprintf(v.format, v.args...) }

func violationf(format string, args ...any) error { return &violation{format, args} }

// apart: an earlier schedule that computed the Func together with others came out otherwise
// than expected.
func apart(pr *plan.Problem, k *plan.Kernel) error {
	if len(k.Members) == 0 {
		return nil
	}
	fn := k.Out.Func
	for i := 0; i < len(k.Members) && !pr.Apart[fn]; i++ {
		fn = k.Members[i].Func
	}
	if pr.Apart[fn] {
		return violationf("%s has a kernel of its own: computed with others, it did not come out as expected", pr.P.Funcs[fn].Label)
	}
	return nil
}

// loopsOnce: every loop of a stage is unrolled, serial, a thread loop, a block loop or the host's; only a
// split one is two or three of them.
func loopsOnce(pr *plan.Problem, k *plan.Kernel) error {
	for n := range k.Nests() {
		loops := pr.P.Funcs[n.Func].Stages[n.Stage].Loops
		var few [8]int // of all but the strangest stages
		seen := few[:min(len(loops), len(few))]
		if len(loops) > len(few) {
			seen = make([]int, len(loops))
		}
		for _, uses := range [][]plan.Use{n.Serial, n.Threads, n.Blocks, n.Host} {
			for _, u := range uses {
				if u.Tile > 0 {
					seen[u.Loop]++
				} else {
					seen[u.Loop] += 2
				}
			}
		}
		for _, u := range n.Unrolled {
			switch {
			case u.Tile == 0:
				seen[u.Loop] += 2
			case seen[u.Loop] == 1: // into blocks and points alone; else the rest of one that is split is among the others
				seen[u.Loop]++
			}
		}
		for l, c := range seen {
			if c != 2 {
				return violationf("loop %s of %s is mapped %d/2 times", loops[l].Label, pr.P.Funcs[n.Func].Label, c)
			}
		}
	}
	return nil
}

// threadDimensions: CUDA, OpenCL and Metal have three.
func threadDimensions(pr *plan.Problem, k *plan.Kernel) error {
	for n := range k.Nests() {
		if len(n.Threads) > 3 {
			return violationf("%s has %d thread loops, 3 are the most", pr.P.Funcs[n.Func].Label, len(n.Threads))
		}
	}
	return nil
}

// threadsPerBlock: the product and each dimension.
func threadsPerBlock(pr *plan.Problem, k *plan.Kernel) error {
	if t := k.ThreadsPerBlock(); t < 1 || t > pr.Limits.ThreadsPerBlock {
		return violationf("%d threads a block, %d are the most", t, pr.Limits.ThreadsPerBlock)
	}
	for i, t := range k.Block {
		if most := pr.Device.MaxBlock[i]; most > 0 && t > int64(most) {
			return violationf("%d threads in dimension %d of the block, %d are the most", t, i, most)
		}
	}
	return nil
}

// gridLimits: CUDA allows 2^31-1 blocks in x, 65535 in y and z.
func gridLimits(pr *plan.Problem, k *plan.Kernel) error {
	for i, b := range k.Grid {
		if most := pr.Device.MaxGrid[i]; b < 1 || most > 0 && b > int64(most) {
			return violationf("%d blocks in dimension %d of the grid, %d are the most", b, i, most)
		}
	}
	return nil
}

// sharedBytes: Halide's CUDA runtime never opts in to more than 48 KiB a block.
func sharedBytes(pr *plan.Problem, k *plan.Kernel) error {
	if k.SharedBytes > pr.Limits.SharedBytes {
		return violationf("%d B of shared memory a block, %d are the most", k.SharedBytes, pr.Limits.SharedBytes)
	}
	return nil
}

// sharedWidths: Halide 21 adds allocations up in bytes and places each at a multiple of the widest
// element, so that two narrow ones that are no such multiple reach past the end: what is there
// it drops, with all that depends on it. Padding makes all a multiple (plan.PadElements) but those of
// no dimension.
func sharedWidths(pr *plan.Problem, k *plan.Kernel) error {
	if k.Warp != nil {
		return nil // lanes hold them
	}
	widest := int64(0)
	for i := range k.Members {
		if m := &k.Members[i]; m.Where == plan.AtBlock {
			for _, t := range pr.P.Funcs[m.Func].Types {
				widest = max(widest, t.Bytes())
			}
		}
	}
	narrow := 0
	for i := range k.Members {
		m := &k.Members[i]
		if m.Where != plan.AtBlock || len(m.Padded) > 0 {
			continue
		}
		f := &pr.P.Funcs[m.Func]
		for _, t := range f.Types {
			if t.Bytes() < widest {
				narrow++
			}
		}
		if narrow > 1 {
			return violationf("%s, of no dimension and of fewer than the %d B of the widest in shared memory, has another such beside it", f.Label, widest)
		}
	}
	return nil
}

// registers: a block's registers come from one SM's file.
func registers(pr *plan.Problem, k *plan.Kernel) error {
	if r := int64(k.Registers) * k.ThreadsPerBlock(); pr.Limits.RegistersPerBlock > 0 && r > pr.Limits.RegistersPerBlock {
		return violationf("%d threads of %d registers need %d, a block has %d", k.ThreadsPerBlock(), k.Registers, r, pr.Limits.RegistersPerBlock)
	}
	return nil
}

// impureOrder: loops whose iterations depend on each other stay serial and keep their
// order.
func impureOrder(pr *plan.Problem, k *plan.Kernel) error {
	for n := range k.Nests() {
		loops := pr.P.Funcs[n.Func].Stages[n.Stage].Loops
		for _, uses := range [][]plan.Use{n.Unrolled, n.Threads, n.Blocks} {
			for _, u := range uses {
				if !pr.Parallel(n.Func, n.Stage, u.Loop) {
					return violationf("loop %s of %s runs in order and cannot be parallel", loops[u.Loop].Label, pr.P.Funcs[n.Func].Label)
				}
			}
		}
		carrying := pr.Dims[pr.StageIndex(n.Func, n.Stage)].Carrying
		for i, u := range n.Host {
			if n != &k.Out || len(k.Members) > 0 || i >= len(carrying) || carrying[i] != u.Loop {
				return violationf("loop %s of %s runs on the host, and is none that carries all dependences", loops[u.Loop].Label, pr.P.Funcs[n.Func].Label)
			}
		}
		if n == &k.Out && len(n.Host) < len(carrying) {
			return violationf("loops of %s are parallel whose dependences no loop of the host carries", pr.P.Funcs[n.Func].Label)
		}
		last := -1
		for _, u := range n.Serial {
			if pr.Parallel(n.Func, n.Stage, u.Loop) {
				continue
			}
			if u.Loop < last {
				return violationf("loop %s of %s would run outside one that it runs inside", loops[u.Loop].Label, pr.P.Funcs[n.Func].Label)
			}
			last = u.Loop
		}
	}
	return nil
}

// pointTails: which tail the points side by side may have. Only an output's extents can be told apart before a
// launch, so only it can have points for whole groups alone, which shift inwards past no edge. Only what no one
// else has laid out can be rounded up: the output of a group that is not the pipeline's, where no input would have to be larger or no more points are computed. What is in
// shared memory is tested point by point: Halide 21 does not see the size of its storage otherwise. A window is
// unrolled as a whole, since a tail would take its constant size away.
func pointTails(pr *plan.Problem, k *plan.Kernel) error {
	if k.Warp != nil {
		return nil // lanes and warpMembers; bound_extent gives what lanes hold its constant size
	}
	for n := range k.Nests() {
		f := &pr.P.Funcs[n.Func]
		out := n == &k.Out
		if n.Whole && (!out || !f.Output || n.Stage != 0 || len(f.Stages) != 1 || len(n.Unrolled) == 0) {
			return fmt.Errorf("%s has points for whole groups alone, and is no output of one stage with points side by side", f.Label)
		}
		for _, u := range n.Unrolled {
			loop := f.Stages[n.Stage].Loops[u.Loop].Label
			switch {
			case u.Tile == 0 && len(n.Threads) > 0:
				return fmt.Errorf("loop %s of %s is unrolled as a whole, outside a window", loop, f.Label)
			case u.Tile == 0:
			case u.Tail == plan.ShiftInwards && !n.Whole:
				return fmt.Errorf("points of loop %s of %s are shifted inwards, before its first where there are fewer than %d", loop, f.Label, u.Tile)
			case n.Whole && u.Tail != plan.ShiftInwards:
				return fmt.Errorf("points of loop %s of %s are for whole groups, with another tail", loop, f.Label)
			case u.Tail == plan.RoundUp && !out:
				if members := membersOf(k); u.Tile > plan.MorePoints || !pr.Roundable(members, n.Func) {
					return fmt.Errorf("points of loop %s of %s are rounded up to %d; what it reads would have to be larger", loop, f.Label, u.Tile)
				}
			case u.Tail == plan.RoundUp && (f.Output || len(f.Stages) != 1 && len(k.Members) > 0):
				return fmt.Errorf("points of loop %s of %s are rounded up; there may be no place for them", loop, f.Label)
			case u.Tail == plan.RoundUp && (u.Tile > plan.MorePoints || !pr.Absorbs(n.Func)) && !pr.MultipleAlong(n.Func, n.Stage, u.Loop, u.Tile):
				return fmt.Errorf("points of loop %s of %s are rounded up to %d; an input would have to be larger", loop, f.Label, u.Tile)
			case u.Tail == plan.Guarded && out && len(k.Members) > 0:
				return fmt.Errorf("points of loop %s of %s are tested one by one; what its threads hold would have no constant size", loop, f.Label)
			}
		}
	}
	return nil
}

// membersOf is the Funcs that a kernel computes besides its output.
func membersOf(k *plan.Kernel) []int {
	var ids []int
	for i := range k.Members {
		ids = append(ids, k.Members[i].Func)
	}
	return ids
}

// threadAnchor: a member in a thread goes into the innermost thread loop of a Func of
// this kernel that has one stage and thread loops. At an outer thread loop
// Halide 21 emits a kernel without the member's loads.
func threadAnchor(pr *plan.Problem, k *plan.Kernel) error {
	for i := range k.Members {
		m := &k.Members[i]
		if m.Where != plan.AtThread {
			continue
		}
		n := nestOf(k, m.Anchor)
		if n == nil {
			return violationf("%s is computed in the threads of a Func that is not in the kernel", pr.P.Funcs[m.Func].Label)
		}
		if len(n.Threads) == 0 || len(pr.P.Funcs[m.Anchor].Stages) != 1 {
			return violationf("%s is computed in the threads of %s, which has no one innermost thread loop", pr.P.Funcs[m.Func].Label, pr.P.Funcs[m.Anchor].Label)
		}
		for j := range m.Nests {
			if len(m.Nests[j].Threads) > 0 {
				return violationf("%s is computed in a thread and has thread loops", pr.P.Funcs[m.Func].Label)
			}
		}
	}
	return nil
}

// threadSize: what a thread keeps has a size that Halide can prove, and so has the Func in
// whose threads it is computed. Halide 21 moves anything else to a global buffer that it sizes on the
// host, block by block and thread by thread, and gets wrong.
func threadSize(pr *plan.Problem, k *plan.Kernel) error {
	bounded := map[int]bool{k.Out.Func: true}
	for i := range k.Members {
		bounded[k.Members[i].Func] = k.Members[i].Fixed()
	}
	for i := range k.Members {
		m := &k.Members[i]
		if m.Where == plan.AtThread && (!bounded[m.Func] || !bounded[m.Anchor]) {
			return violationf("%s is computed in the threads of %s without a constant size", pr.P.Funcs[m.Func].Label, pr.P.Funcs[m.Anchor].Label)
		}
	}
	return nil
}

// maxFusedBlocks is the number of block loops that may share a grid dimension above members.
const maxFusedBlocks = 2

// fusedBlocks: from three fused block loops on, or with the tiled ones among them, Halide 21 no
// longer sees that a block needs one point of each dimension of a member: it checks the storage with a
// trap in the kernel that fires.
func fusedBlocks(pr *plan.Problem, k *plan.Kernel) error {
	n := &k.Out
	if len(k.Members) > 0 && (n.Fused > maxFusedBlocks || n.Fused > 1 && n.Fused == len(n.Blocks) || n.Wrap > 0) {
		return violationf("%d of %d block loops share a grid dimension above members; %d of the outer ones may", n.Fused, len(n.Blocks), maxFusedBlocks)
	}
	return nil
}

// nestOf is the nest of a Func that is computed once a block, or nil.
func nestOf(k *plan.Kernel, fn int) *plan.Nest {
	if k.Out.Func == fn {
		return &k.Out
	}
	if i := k.MemberIndex(fn); i >= 0 && k.Members[i].Where == plan.AtBlock {
		return &k.Members[i].Nests[0]
	}
	return nil
}

// memberRead: Halide refuses compute_at of a Func that nothing inside the loop reads: at
// the block the output or a later member must, in a thread the anchor or what is computed in its threads.
func memberRead(pr *plan.Problem, k *plan.Kernel) error {
	for i := range k.Members {
		m := &k.Members[i]
		found := m.Where != plan.AtThread && pr.StageReads(k.Out.Func, k.Out.Stage, m.Func)
		if m.Where == plan.AtThread {
			if n := nestOf(k, m.Anchor); n != nil {
				found = pr.StageReads(n.Func, n.Stage, m.Func)
			}
		}
		for j := i + 1; j < len(k.Members) && !found; j++ {
			if m.Where == plan.AtThread && (k.Members[j].Where != plan.AtThread || k.Members[j].Anchor != m.Anchor) {
				continue
			}
			for s := range k.Members[j].Nests {
				found = found || pr.StageReads(k.Members[j].Func, s, m.Func)
			}
		}
		if !found {
			return violationf("nothing at the level of %s reads it", pr.P.Funcs[m.Func].Label)
		}
	}
	return nil
}

// memberOrder: a member comes before all that read it.
func memberOrder(pr *plan.Problem, k *plan.Kernel) error {
	for i := range k.Members {
		for s := range k.Members[i].Nests {
			for j := i + 1; j < len(k.Members); j++ {
				if pr.StageReads(k.Members[i].Func, s, k.Members[j].Func) {
					return violationf("%s reads %s, which is computed after it", pr.P.Funcs[k.Members[i].Func].Label, pr.P.Funcs[k.Members[j].Func].Label)
				}
			}
		}
	}
	return nil
}
