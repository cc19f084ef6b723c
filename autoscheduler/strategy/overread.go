package strategy

import (
	"fmt"

	"gowarp/halideir"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// far is a distance from every image at which a clamp shows: nothing else keeps a read there
// within the buffer.
const far = 1 << 24

// overread says why members may not be computed beyond the edge of what the output needs. A
// warp computes whole tiles of them, also where the output ends in the middle of one; what
// they read from outside the kernel must then be clamped to it, or the pipeline would ask for
// larger inputs than the algorithm does.
func overread(pr *plan.Problem, members []int) error {
	o := overreader{pr: pr, edges: bounds.EdgesByConsumer(pr.P), in: map[int]bool{}, sound: map[int]bool{}}
	for _, id := range members {
		o.in[id] = true
	}
	for _, id := range members {
		for s := range pr.P.Funcs[id].Stages {
			if err := o.clamped(id, s); err != nil {
				return err
			}
		}
	}
	return nil
}

type overreader struct {
	pr    *plan.Problem
	edges [][][]*halideir.Edge
	in    map[int]bool
	sound map[int]bool // Funcs outside of which it is known that more of them asks for no more input
}

// clamped checks what a stage reads from outside, inlined Funcs looked through, when its
// loops are far from the image.
func (o *overreader) clamped(fn, stage int) error {
	box, err := o.pr.Regions.Loops(o.pr.P, fn, stage)
	if err != nil {
		return err
	}
	loops := o.pr.P.Funcs[fn].Stages[stage].Loops
	for _, away := range []int64{-far, far} {
		for l := range box {
			if loops[l].Arg < 0 {
				continue
			}
			env := halideir.Env{Lo: make([]int64, len(box)), Hi: make([]int64, len(box))}
			for i, iv := range box {
				env.Lo[i], env.Hi[i] = iv.Lo, iv.Hi
			}
			env.Lo[l], env.Hi[l] = env.Lo[l]+away, env.Hi[l]+away
			if err := o.reads(fn, stage, env, len(o.pr.P.Funcs)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *overreader) reads(fn, stage int, env halideir.Env, depth int) error {
	pr := o.pr
	label := pr.P.Funcs[fn].Label
	for _, e := range o.edges[fn][stage] {
		if e.Func == fn {
			continue
		}
		var at halideir.Env
		for k, rg := range e.Box {
			lo, ok1 := pr.P.EvalInt(rg.Lo, env)
			hi, ok2 := pr.P.EvalInt(rg.Hi, env)
			if !ok1 || !ok2 {
				return fmt.Errorf("%s reads a region that is not known before it runs", label)
			}
			at.Lo, at.Hi = append(at.Lo, lo), append(at.Hi, hi)
			if e.Func < 0 && lo <= hi {
				if whole := pr.Regions.Inputs[e.Input][k]; lo < whole.Lo || hi > whole.Hi {
					return fmt.Errorf("%s would read beyond the edge of the input %s in dimension %d: no boundary condition holds it back", label, pr.P.Inputs[e.Input].Label, k)
				}
			}
		}
		switch {
		case e.Func < 0 || o.in[e.Func]:
		case pr.Inlined[e.Func]:
			if depth == 0 || len(pr.P.Funcs[e.Func].Stages) != 1 {
				return fmt.Errorf("%s: what it reads is too deep", label)
			}
			if env, ok := o.asLoops(e.Func, at); ok {
				if err := o.reads(e.Func, 0, env, depth-1); err != nil {
					return err
				}
			}
		default:
			if err := o.asked(e.Func); err != nil {
				return err
			}
		}
	}
	return nil
}

// asLoops is a box of a pure Func as bounds of its loops.
func (o *overreader) asLoops(fn int, at halideir.Env) (halideir.Env, bool) {
	var env halideir.Env
	for _, l := range o.pr.P.Funcs[fn].Stages[0].Loops {
		if l.Arg < 0 || l.Arg >= len(at.Lo) {
			return env, false
		}
		env.Lo, env.Hi = append(env.Lo, at.Lo[l.Arg]), append(env.Hi, at.Hi[l.Arg])
	}
	return env, true
}

// asked: what lies outside may be asked for more, as long as it does not hand that on to an
// input. Clamps to numbers do not count: at other sizes than the estimated ones they hold nothing back.
func (o *overreader) asked(fn int) error {
	if o.sound[fn] {
		return nil
	}
	o.sound[fn] = true
	if o.pr.P.Funcs[fn].Extern != nil {
		return fmt.Errorf("more of %s, an extern stage, would be asked for than the output needs", o.pr.P.Funcs[fn].Label)
	}
	for s := range o.pr.P.Funcs[fn].Stages {
		if err := o.clamped(fn, s); err != nil {
			return err
		}
	}
	return nil
}
