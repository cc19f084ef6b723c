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

// lanes says how a coordinate changes from lane to lane. In lane n it is by (step n + phase) / den, rounded down, more than in the first; 0 / 0 where it does not change, or nobody knows how.
// x / 2 and (x + 1) / 2 are one place in a lane with an even x, and two in the next: their phases are 0 and 1.
type lanes struct {
	step, phase, den int32
}

// A course is what a coordinate of a point is beside its value in the first lane.
type course struct {
	clamp clamp
	lanes lanes
}

// courses are those of a point's coordinates.
type courses [maxSpotDims]course

const (
	acrossBits = 20      // of what lanes say
	mostDen    = 1 << 10 // what changes more slowly is the same in all lanes
)

// across is a number for what lanes make of a coordinate beside its value in the first one: 0 where that is a multiple of the lane.
func (l lanes) across() uint64 {
	if l.den <= 1 {
		return 0
	}
	return uint64(l.phase)*mostDen + uint64(l.den-1)
}

// clamp is that of an index of a Func that is computed at such a point: its own or one of what it hangs on.
func (in *courses) clamp(x *access.Index, loops []halideir.Loop) clamp {
	out := unclamped
	switch {
	case x.Clamped && x.Likely:
		out = atEdges
	case x.Clamped:
		out = everywhere
	}
	for l := range loops {
		if arg := loops[l].Arg; arg >= 0 && arg < maxSpotDims && in[arg].clamp > out && x.DependsOn(l) {
			out = in[arg].clamp
		}
	}
	return out
}

// lanes says how an index of a Func that is computed at such a point changes from lane to lane.
func (in *courses) lanes(x *access.Index, loops []halideir.Loop, at [maxSpotDims]int64) (out lanes) {
	if x.Kind != access.Affine {
		return out
	}
	arg := loops[x.Loop].Arg
	if arg < 0 || arg >= maxSpotDims || in[arg].lanes.step == 0 {
		return out
	}
	of := &in[arg].lanes
	step, den := int64(of.step)*x.Num, int64(of.den)*x.Den
	total := int64(0)
	if den > 1 {
		total = x.Num*(int64(of.phase)+int64(of.den)*at[arg]) + int64(of.den)*x.Offset
		by := halideir.GCD(step, den)
		step, den, total = step/by, den/by, bounds.FloorDiv(total, by)
	}
	if den >= mostDen || max(step, -step) >= 1<<acrossBits {
		return out
	}
	return lanes{int32(step), int32(total - bounds.FloorDiv(total, den)*den), int32(den)}
}

// of are the courses of what is read at such a point by these indices.
func (in *courses) of(idx []access.Index, loops []halideir.Loop, at [maxSpotDims]int64) (out courses) {
	for d := range min(len(idx), maxSpotDims) {
		out[d] = course{in.clamp(&idx[d], loops), in.lanes(&idx[d], loops, at)}
	}
	return out
}

// apart reports whether a coordinate is no multiple of the lane.
func (in *courses) apart(arg int) bool {
	return arg >= 0 && arg < maxSpotDims && in[arg].lanes.den > 1
}

// across is what tells places apart that these indices have at one in the first lane, by the first coordinate and by the others.
func (in *courses) across(idx []access.Index, loops []halideir.Loop, at [maxSpotDims]int64) (out [2]uint64) {
	for d := range min(len(idx), maxSpotDims) {
		if x := &idx[d]; x.Kind != access.Affine || x.Den == 1 && !in.apart(loops[x.Loop].Arg) {
			continue
		}
		out[min(d, 1)] += in.lanes(&idx[d], loops, at).across() << (d * acrossBits)
	}
	return out
}

// courses are those of a stage's own points, which lie one after the other along the lanes.
func (c *counter) courses(grow []bounds.Growth, lane int) (out courses) {
	for k, d := range grow {
		switch {
		case k != lane:
		case c.strided:
			out[k].lanes = lanes{step: 1, den: 1}
		default:
			out[k].lanes = lanes{step: int32(c.px * d.Num), den: 1}
		}
	}
	return out
}
