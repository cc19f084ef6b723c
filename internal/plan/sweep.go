package plan

import (
	"encoding/binary"
	"math"
	"slices"

	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
)

// Sweep is a buffer in global memory that a kernel loads from, or the one that it stores to, and along which loops of its output the blocks go through it: of others each iteration
// touches nearly the same part of it.
type Sweep struct {
	Func, Input int // as in Tap
	Bytes       float64
	Loops       uint64 // as access.Index.Loops
}

type sweepKey struct {
	stage   int
	members string
}

// Sweeps are those of a kernel: of what it loads, each buffer once, and at last of what it stores.
func (k *Kernel) Sweeps(pr *Problem) []Sweep {
	key := sweepKey{stage: pr.StageIndex(k.Out.Func, k.Out.Stage)}
	if len(k.Members) > 0 {
		var b []byte
		for i := range k.Members {
			b = binary.AppendVarint(b, int64(k.Members[i].Func))
		}
		key.members = string(b)
	}
	return Once(k.View(pr), key, func() []Sweep { return k.sweeps(pr) })
}

func (k *Kernel) sweeps(pr *Problem) []Sweep {
	var members []int
	for i := range k.Members {
		members = append(members, k.Members[i].Func)
	}
	slices.Sort(members)
	s := sweeper{pr: pr, view: k.View(pr), k: k, grow: pr.GrowAt(k.Out.Func, k.Out.Stage, &Group{Out: k.Out.Func, Members: members})}
	for n := range k.Nests() {
		loads := s.view.ExpandOf(n).Loads
		for i := range loads {
			if _, in := k.PlaceOf(loads[i].Func); !in {
				s.add(loads[i].Func, loads[i].Input, n, loads[i].Index)
			}
		}
	}
	out := Sweep{Func: k.Out.Func, Input: -1, Bytes: pr.BufferBytes(k.Out.Func, -1)}
	if st := pr.Access.Stage(k.Out.Func, k.Out.Stage); st != nil {
		out.Loops = s.along(&k.Out, st.Store, pr.Regions.Funcs[k.Out.Func])
	}
	return append(s.found, out)
}

type sweeper struct {
	pr, view *Problem
	k        *Kernel
	grow     *bounds.Group
	found    []Sweep
}

func (s *sweeper) add(fn, input int, n *Nest, index []access.Index) {
	var box bounds.Box
	switch {
	case fn >= 0:
		box = s.pr.Regions.Funcs[fn]
	case input >= 0:
		box = s.pr.Regions.Inputs[input]
	default:
		return
	}
	i := slices.IndexFunc(s.found, func(o Sweep) bool { return o.Func == fn && o.Input == input })
	if i < 0 {
		i = len(s.found)
		s.found = append(s.found, Sweep{Func: fn, Input: input, Bytes: s.pr.BufferBytes(fn, input)})
	}
	s.found[i].Loops |= s.along(n, index, box)
}

// along is the loops of the kernel's output with which a place in a buffer moves through half of a dimension of it or more.
func (s *sweeper) along(n *Nest, index []access.Index, box bounds.Box) (loops uint64) {
	for d := range index {
		x := &index[d]
		for l := range s.pr.P.Funcs[n.Func].Stages[n.Stage].Loops {
			if !x.DependsOn(l) {
				continue
			}
			step := 0.0
			if terms, ok := x.Terms(); ok {
				for _, t := range terms {
					if t.Loop == l {
						step = math.Abs(float64(t.Num))
					}
				}
			} else if x.Kind == access.Affine && x.Loop == l {
				step = math.Abs(float64(x.Num)) / float64(x.Den)
			} else if s.pr.P.Funcs[n.Func].Stages[n.Stage].Loops[l].Arg == d {
				step = math.Inf(1) // nobody knows where: near the point itself, as where an image is warped
			}
			size := 1.0
			if d < len(box) {
				size = float64(box[d].Extent())
			}
			loops |= s.moved(n, l, step, size)
		}
	}
	return loops
}

// moved is the loops of the output that take a place through half of size where one of a nest's loops takes it a step further.
func (s *sweeper) moved(n *Nest, loop int, step, size float64) (loops uint64) {
	out := &s.k.Out
	far := func(l int, step float64) bool {
		return 2*step*float64(s.pr.Dims[s.pr.StageIndex(out.Func, out.Stage)].Extent[l]-1) >= size
	}
	if n == out {
		if far(loop, step) {
			return access.LoopBit(loop)
		}
		return 0
	}
	arg := s.pr.P.Funcs[n.Func].Stages[n.Stage].Loops[loop].Arg
	grow := s.grow.Funcs[n.Func]
	if arg < 0 || arg >= len(grow) {
		return 0 // a loop of the domain, all of which every block goes through
	}
	for l, o := range s.pr.P.Funcs[out.Func].Stages[out.Stage].Loops {
		switch g := grow[arg]; {
		case !g.Known:
			loops |= access.LoopBit(l) // as far as is known
		case o.Arg >= 0 && o.Arg == g.Dim && far(l, step*math.Abs(float64(g.Num))/float64(g.Den)):
			loops |= access.LoopBit(l)
		}
	}
	return loops
}

// Again is how often blocks in the order of these loops, innermost first, read a swept buffer from DRAM, where so many run at a time and a cache holds so many bytes: in each iteration of a loop
// that does not take them through it, if that touches more of all buffers than the cache holds. Iterations that run at the same time read it once.
func Again(blocks []Use, all []Sweep, of int, cache, atATime float64) float64 {
	again, inner := 1.0, 1.0
	for p, u := range blocks {
		e := float64(max(u.Extent, 1))
		if all[of].Loops&access.LoopBit(u.Loop) == 0 && e > 1 {
			if turns := math.Ceil(e / max(1, math.Floor(atATime/inner))); turns > 1 && touched(blocks[p:], all) > cache {
				again *= turns
			}
		}
		inner *= e
	}
	return again
}

// touched is the bytes of all buffers that one iteration of each of these loops touches.
func touched(held []Use, all []Sweep) float64 {
	sum := 0.0
	for i := range all {
		part := all[i].Bytes
		for _, u := range held {
			if all[i].Loops&access.LoopBit(u.Loop) != 0 {
				part /= float64(max(u.Extent, 1))
			}
		}
		sum += part
	}
	return sum
}
