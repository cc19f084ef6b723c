package instructions

import (
	"sync"

	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// function is what one comes to: instructions of floating-point units, and others.
type function struct{ float, rest float64 }

// functions are counted in what Halide 21 makes for sm_75 of 32-bit floats: polynomials of its own or of libdevice, on the path of usual arguments. Of those that no program
// has here a share is of floats as of those that are. A lerp is a product and a product with its sum; what its weight leaves of one is shared by all of that weight.
var functions = map[string]function{
	"floor": {0, 1}, "ceil": {0, 1}, "round": {0, 1}, "trunc": {0, 1}, "is_nan": {0, 1}, "lerp": {2, 0},
	"exp": {12, 8}, "log": {15, 10}, "pow": {26, 30}, "sin": {32, 22}, "cos": {33, 22}, "tan": {25, 16}, "asin": {16, 11}, "acos": {16, 11}, "atan": {16, 10}, "atan2": {30, 20},
	"sinh": {22, 15}, "cosh": {22, 15}, "tanh": {12, 8},
}

// units are the functions that special-function units have an instruction for.
var units = map[string]bool{"sqrt": true, "fast_inverse": true, "fast_inverse_sqrt": true}

// Instructions of PTX for operations that are more than one.
const (
	difference  = 4  // the absolute one of two integers: both of them, a comparison and a choice
	conditionOf = 4  // a choice between two conditions: there are no predicates to choose from, but both with what decides, its opposite, and what either says
	roundedDown = 5  // more for a division of integers with a sign, by what only a run knows: towards minus infinity
	special     = 20 // a function that is not in functions
	// Of 64-bit floats, of their own units: an estimate of a reciprocal and the products and sums that refine it, and a polynomial of libdevice's.
	doubleDivision = 9
	doubleFunction = 25
)

// operations are those of a definition.
type operations struct {
	terms          Terms
	float, special float64
	double         float64 // of these and others, instructions of the units of 64-bit floats
	casts          float64 // of the conversions in terms, those of its own values: points may share them
	repeats        []repeat
	moving         []moving    // of these, what not all loops have a part in
	places         *operations // that work out places which hang on data: all others are in the terms of addresses
	again          *operations // of what the values of a tuple have in common, if that is anything that is loaded
	loadedAgain    float64     // loads among that
}

// moving is what some loops have a part in.
type moving struct {
	loops uint64
	operations
}

// operations are those of a stage, or of the points of a cell, kept.
func (e *Estimator) operations(fn, stage int) *operations {
	if fn >= len(e.pr.P.Funcs) {
		o, _ := e.ofKinds.LoadOrStore([2]int{fn, stage}, sync.OnceValue(func() *operations {
			o := stageOperations(e.pr.StageOf(fn, stage))
			return &o
		}))
		return o.(func() *operations)()
	}
	kept := &e.ops[e.pr.StageIndex(fn, stage)]
	if o := kept.Load(); o != nil {
		return o
	}
	o := stageOperations(e.pr.Access.Stage(fn, stage))
	kept.Store(&o) // whoever is first: all find the same
	return &o
}

func stageOperations(st *access.Stage) operations {
	o := operationsOf(&st.Value)
	if st.Uniform.Total() > 0 { // Halide has the host compute it before the kernel, which gets it as a parameter
		uniform := operationsOf(&st.Uniform)
		o.terms = o.terms.Plus(&uniform.terms, -1)
		o.float -= uniform.float
		o.special -= uniform.special
		o.double -= uniform.double
		o.casts -= uniform.casts
	}
	for i := range st.Moving {
		o.moving = append(o.moving, moving{st.Moving[i].Loops, operationsOf(&st.Moving[i].Ops)})
	}
	o.repeats = repeatsOf(st)
	if st.LoadedAgain > 0 {
		again := operationsOf(&st.Again)
		o.again, o.loadedAgain = &again, float64(st.LoadedAgain)
	}
	if st.PlacesFromData {
		places := operationsOf(&st.Address)
		o.places = &places
	}
	return o
}

// compute adds a definition's operations at so many points. Places that are constants take none.
func (p *Part) compute(o *operations, points float64, constants bool) {
	p.Terms = p.Terms.Plus(&o.terms, points)
	p.Float += points * o.float
	p.Special += points * o.special
	p.Double += points * o.double
	if o.places != nil && !constants {
		p.compute(o.places, points, false)
	}
}

var (
	floats  = [...]access.Kind{access.Float16, access.Float32, access.Float64}
	integer = [...]access.Kind{access.Int8, access.Int16, access.Int32, access.Int64}
)

// operationsOf are those of an expression. Products of floats that are added to something are one instruction with the sum.
func operationsOf(o *access.Ops) operations {
	r := operations{casts: float64(o.Class(access.Cast) - o.Widths - o.Extended)}
	r.terms[Conversion], r.terms[Width] = r.casts, float64(o.Widths+o.Wide-o.Stored)
	sum := func(kinds []access.Kind, classes ...access.Class) (n float64) {
		for _, c := range classes {
			for _, k := range kinds {
				n += float64(o.Count[c][k])
			}
		}
		return n
	}
	r.float = sum(floats[:], access.AddSub, access.Mul, access.MinMax) - float64(o.Fused-o.Scaled+o.Chosen)
	r.double = doubles(o)
	r.special = sum(floats[:], access.Div) - float64(o.Scaled) + float64(o.Unknown)
	r.terms[Choice] = float64(o.Class(access.Compare)+o.Class(access.Select)+o.Class(access.Logic)) + (conditionOf-1)*float64(o.Count[access.Select][access.Bool])
	r.terms[Choice] += 2 * float64(o.Chosen)
	r.terms[Integer] = sum(integer[:], access.AddSub, access.Mul, access.MinMax) + float64(o.Class(access.Bitwise)+o.Class(access.Other)) + float64((difference-1)*o.Apart) - float64(o.FusedInts)
	r.terms[Integer] += float64(o.Shifts + roundedDown*(o.Unknown-o.Plain))
	r.terms[UnsignedDivision] = float64(o.Unsigned)
	r.terms[Division] = sum(integer[:], access.Div, access.Mod) - float64(o.Shifts+o.Unknown+o.Unsigned)
	for name, n := range o.Special {
		cost, ok := functions[name]
		switch {
		case units[name]:
			r.special += float64(n)
		case ok:
			r.terms[Function] += cost.rest * float64(n)
			r.float += cost.float * float64(n)
		default:
			r.terms[Function] += special * float64(n)
		}
	}
	return r
}

// doubles is how many instructions of the units of 64-bit floats an expression comes to. Of the sums that a product stands in, and of the divisions by literals, they have their part of all floats.
func doubles(o *access.Ops) float64 {
	of := func(k access.Kind) float64 {
		return float64(o.Count[access.AddSub][k] + o.Count[access.Mul][k] + o.Count[access.MinMax][k])
	}
	plain := of(access.Float64)
	if plain > 0 {
		plain -= float64(o.Fused) * plain / (plain + of(access.Float32) + of(access.Float16))
	}
	return plain + float64(o.Count[access.Compare][access.Float64]+o.Count[access.Cast][access.Float64]) +
		doubleDivision*float64(o.Count[access.Div][access.Float64]) + doubleFunction*float64(o.Count[access.Special][access.Float64])
}

// shareMoving takes out of so many points and of the turns what not all of them compute: points that differ along other loops only have it in common, and what all turns find the same the
// compiler computes before the first. Of conversions it returns what is left of a point's, and takes nothing out.
func (c *Count) shareMoving(n *plan.Nest, o *operations, some *kind) (casts float64) {
	casts = o.casts
	points := float64(len(some.points))
	for i := range o.moving {
		m := &o.moving[i]
		left := shareOf(n, m.loops) / points
		for _, u := range n.Unrolled {
			if m.loops&access.LoopBit(u.Loop) != 0 {
				left *= float64(some.distinct(u))
			}
		}
		if left < 1 {
			c.Turn.compute(&m.operations, -(1-left)*points, true)
			c.Turn.Terms[Conversion] += (1 - left) * points * m.casts
			casts -= (1 - left) * m.casts
		}
	}
	return casts
}

// shareCalled takes out of an inlined definition at a point what only some of its arguments have a part in, where it was computed at the same place along those.
func (e *Estimator) shareCalled(p *Part, n *plan.Nest, call *plan.Call, does *operations, s Shift, each float64) {
	loops := e.pr.P.Funcs[e.pr.FuncOf(call.Func)].Stages[0].Loops
	along := make([]access.Index, 0, 4)
	for i := range does.moving {
		m := &does.moving[i]
		along = along[:0]
		for l := range loops {
			if m.loops&access.LoopBit(l) != 0 && loops[l].Arg < len(call.Index) {
				along = append(along, call.Index[loops[l].Arg])
			}
		}
		if !e.seen.moved.Add(uint64(e.placeOf(n, call.Func, 0, i, along, s))) {
			p.compute(&m.operations, -each, true)
		}
	}
}

// Definition is what the operations of a stage's definition come to, without what it loads.
func Definition(st *access.Stage) plan.Counts {
	var p Part
	o := stageOperations(st)
	p.compute(&o, 1, false)
	return plan.Counts{Issued: p.issued(), Float: p.Float, Special: p.Special, Double: p.Double}
}

// OfPoint is at most what a point of a stage costs, with nothing that its neighbours have already.
func OfPoint(pr *plan.Problem, fn, stage int) float64 {
	ex := pr.Expand[pr.StageIndex(fn, stage)]
	st := pr.Access.Stage(fn, stage)
	if st == nil {
		return 0
	}
	n := Definition(st).Issued
	for i := range ex.Calls {
		n += Definition(pr.Access.Stage(ex.Calls[i].Func, 0)).Issued
	}
	for i := range ex.Loads {
		n++
		for d := range ex.Loads[i].Index {
			x := &ex.Loads[i].Index[d]
			if d > 0 {
				n += Weights[Row]
			}
			if x.Clamped {
				n += Weights[ClampedRow]
			}
			if x.Kind == access.Unknown {
				n += Weights[AnyPlace] + Weights[AnyElement]
			}
		}
	}
	return n
}
