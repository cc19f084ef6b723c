package strategy

import (
	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
)

// A clamp is what keeps a coordinate within bounds.
type clamp uint8

const (
	unclamped clamp = iota
	atEdges         // a boundary condition, which the interior is without
	everywhere
)

// A course is what a coordinate of a point is beside its value in the first lane: how it is kept within bounds, and how it changes from lane to lane. In lane n it is by
// (step n + phase) / den, rounded down, more than in the first; 0 / 0 where it does not change, or nobody knows how. x / 2 and (x + 1) / 2
// are one place in a lane with an even x, and two in the next: their phases are 0 and 1.
type course struct {
	clamp            clamp
	step, phase, den int32
}

// courses are those of a point's coordinates.
type courses [maxSpotDims]course

const (
	acrossBits = 20      // of what a course says
	mostDen    = 1 << 10 // what changes more slowly is the same in all lanes
)

// across is a number for what lanes make of a coordinate beside its value in the first one: 0 where that is a multiple of the lane.
func (c course) across() uint64 {
	if c.den <= 1 {
		return 0
	}
	return uint64(c.phase)*mostDen + uint64(c.den-1)
}

// of is the course of an index of a Func that is computed at such a point: its own or one of what it hangs on.
func (in *courses) of(x *access.Index, loops []halideir.Loop, at [maxSpotDims]int64) course {
	var out course
	switch {
	case x.Clamped && x.Likely:
		out.clamp = atEdges
	case x.Clamped:
		out.clamp = everywhere
	}
	for l := range loops {
		if arg := loops[l].Arg; arg >= 0 && arg < maxSpotDims && x.DependsOn(l) {
			out.clamp = max(out.clamp, in[arg].clamp)
		}
	}
	of := in.along(x, loops)
	if of == nil {
		return out
	}
	arg := loops[x.Loop].Arg
	step, den := int64(of.step)*x.Num, int64(of.den)*x.Den
	total := x.Num*(int64(of.phase)+int64(of.den)*at[arg]) + int64(of.den)*x.Offset
	by := halideir.GCD(step, den)
	step, den, total = step/by, den/by, bounds.FloorDiv(total, by)
	if den >= mostDen || max(step, -step) >= 1<<acrossBits {
		return out
	}
	out.step, out.phase, out.den = int32(step), int32(total-bounds.FloorDiv(total, den)*den), int32(den)
	return out
}

// along is the course of the coordinate that an index is a part or a multiple of, nil where it has none, or lanes do not change it.
func (in *courses) along(x *access.Index, loops []halideir.Loop) *course {
	if x.Kind != access.Affine {
		return nil
	}
	arg := loops[x.Loop].Arg
	if arg < 0 || arg >= maxSpotDims || in[arg].step == 0 {
		return nil
	}
	return &in[arg]
}

// divides reports whether the course of an index may have a phase.
func (in *courses) divides(x *access.Index, loops []halideir.Loop) bool {
	of := in.along(x, loops)
	return of != nil && (of.den > 1 || x.Den > 1)
}

// courses are those of a stage's own points, which lie one after the other along the lanes.
func (c *counter) courses(grow []bounds.Growth, lane int) (out courses) {
	for k, d := range grow {
		switch {
		case k != lane:
		case c.strided:
			out[k].step, out[k].den = 1, 1
		default:
			out[k].step, out[k].den = int32(c.px*d.Num), 1
		}
	}
	return out
}
