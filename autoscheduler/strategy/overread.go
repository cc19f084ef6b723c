package strategy

import (
	"fmt"
	"slices"
	"sync"

	"gowarp/halideir"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// far is a distance beyond every image: there only a clamp keeps a read within the buffer.
const far = 1 << 24

// overread says why members may not be computed beyond the edge of what the output needs. A
// warp computes whole tiles of them, also where the output ends in the middle of one; what
// they read from outside the kernel must then be clamped to the input's own size, or the pipeline would ask for
// larger inputs than the algorithm does. Clamps to numbers do not count: they are looked at with inputs
// of half the estimated size. Only dimensions of members that move with the tile go beyond the edge, and what moves with those.
func overread(pr *plan.Problem, members []int, moves func(fn, dim int) bool) error {
	o := overreader{requests: plan.Once(pr, keptRequests{}, func() *requests { return newRequests(pr) }), pr: pr, in: map[int]bool{}}
	for _, id := range members {
		o.in[id] = true
	}
	for _, id := range members {
		for dim := range pr.P.Funcs[id].Args {
			if !moves(id, dim) {
				continue
			}
			if err := o.clamped(id, dim); err != nil {
				return err
			}
		}
	}
	return nil
}

// moved is a dimension of a Func of which more is asked for.
type moved struct{ fn, dim int }

type overreader struct {
	*requests
	pr *plan.Problem
	in map[int]bool // what is computed in the kernel
}

// requests is what holds for every kernel of a problem, and is worked out once.
type requests struct {
	p    *halideir.Pipeline // with smaller inputs
	mu   sync.Mutex         // of more
	more map[moved]error    // why more of what lies outside of a kernel may not be asked for; the same whoever asks first
}

type keptRequests struct{}

func newRequests(pr *plan.Problem) *requests {
	smaller := *pr.P
	smaller.Inputs = slices.Clone(pr.P.Inputs)
	for i := range smaller.Inputs {
		in := &smaller.Inputs[i]
		in.Dims = slices.Clone(in.Dims)
		for k := range in.Dims {
			if e := in.Dims[k].ExtentEstimate; e != nil {
				half := max(1, *e/2)
				in.Dims[k].ExtentEstimate = &half
			}
		}
	}
	return &requests{p: &smaller, more: map[moved]error{}}
}

// clamped checks what a Func reads from outside, inlined Funcs looked through, when it is computed beyond the image in one
// dimension.
func (o *overreader) clamped(fn, dim int) error {
	for stage := range o.pr.P.Funcs[fn].Stages {
		box, err := o.pr.Regions.Loops(o.pr.P, fn, stage)
		if err != nil {
			return err
		}
		for l, loop := range o.pr.P.Funcs[fn].Stages[stage].Loops {
			if loop.Arg != dim {
				continue
			}
			var base, beyond halideir.Env
			for i, iv := range box {
				d := int64(0)
				if i == l {
					d = far
				}
				base.Lo, base.Hi = append(base.Lo, iv.Lo), append(base.Hi, iv.Hi)
				beyond.Lo, beyond.Hi = append(beyond.Lo, iv.Lo+d), append(beyond.Hi, iv.Hi+d)
			}
			if err := o.reads(fn, stage, base, beyond, len(o.pr.P.Funcs)); err != nil {
				return err
			}
		}
	}
	return nil
}

// reads compares what a stage reads over two ranges of its loops.
func (o *overreader) reads(fn, stage int, base, moved halideir.Env, depth int) error {
	label := o.pr.P.Funcs[fn].Label
	for _, e := range o.pr.Regions.Edges(fn, stage) {
		if e.Func == fn {
			continue
		}
		from, ok1 := bounds.EvalBox(o.p, e, base)
		to, ok2 := bounds.EvalBox(o.p, e, moved)
		if !ok1 || !ok2 {
			return fmt.Errorf("%s reads a region that is not known before it runs", label)
		}
		switch {
		case slices.Equal(from, to):
		case e.Func < 0:
			for k := range to {
				if from[k] == to[k] {
					continue
				}
				if lo, hi, ok := o.whole(e.Input, k); !ok || to[k].Lo < lo || to[k].Hi > hi {
					return fmt.Errorf("%s would read beyond the edge of the input %s in dimension %d: no boundary condition of the input's size holds it back", label, o.pr.P.Inputs[e.Input].Label, k)
				}
			}
		case o.in[e.Func]:
		case o.pr.P.Funcs[e.Func].Output:
			return fmt.Errorf("%s would read beyond the edge of %s, an output, which is as large as its caller made it", label, o.pr.P.Funcs[e.Func].Label)
		case !o.pr.Inlined[e.Func]:
			for k := range to {
				if from[k] == to[k] {
					continue
				}
				if err := o.asked(e.Func, k); err != nil {
					return err
				}
			}
		case depth == 0 || len(o.pr.P.Funcs[e.Func].Stages) != 1:
			return fmt.Errorf("%s: what it reads is too deep", label)
		default:
			at, ok1 := o.asLoops(e.Func, from)
			to, ok2 := o.asLoops(e.Func, to)
			if ok1 && ok2 {
				if err := o.reads(e.Func, 0, at, to, depth-1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// whole is an input's own range in one dimension.
func (o *overreader) whole(input, k int) (lo, hi int64, ok bool) {
	d := &o.p.Inputs[input].Dims[k]
	get := func(fixed halideir.NodeID, estimate *int64) int64 {
		if fixed != halideir.NoNode {
			if v, is := o.p.EvalInt(fixed, halideir.Env{}); is {
				return v
			}
		}
		if estimate == nil {
			ok = false
			return 0
		}
		return *estimate
	}
	ok = true
	lo = get(d.Min, d.MinEstimate)
	return lo, lo + get(d.Extent, d.ExtentEstimate) - 1, ok
}

// asLoops is a box of a pure Func as bounds of its loops.
func (o *overreader) asLoops(fn int, at bounds.Box) (env halideir.Env, ok bool) {
	for _, l := range o.pr.P.Funcs[fn].Stages[0].Loops {
		if l.Arg < 0 || l.Arg >= len(at) {
			return env, false
		}
		env.Lo, env.Hi = append(env.Lo, at[l.Arg].Lo), append(env.Hi, at[l.Arg].Hi)
	}
	return env, true
}

// asked: what lies outside may be asked for more, as long as it does not hand that on to an input. What it reads of this kernel's members is
// computed elsewhere, too.
func (o *overreader) asked(fn, dim int) error {
	at := moved{fn, dim}
	if err, ok := o.known(at); ok {
		return err
	}
	var err error
	switch f := &o.pr.P.Funcs[fn]; {
	case f.Extern != nil:
		err = fmt.Errorf("more of %s, an extern stage, would be asked for than the output needs", f.Label)
	case slices.ContainsFunc(f.Bounds, func(b halideir.Bound) bool { return b.Var == f.Args[dim] }):
		err = fmt.Errorf("more of %s in dimension %d would be asked for than the output needs, and its bounds are given", f.Label, dim)
	default:
		outside := overreader{requests: o.requests, pr: o.pr}
		err = outside.clamped(fn, dim)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.more[at] = err
	return err
}

func (r *requests) known(at moved) (why error, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	why, ok = r.more[at]
	return why, ok
}
