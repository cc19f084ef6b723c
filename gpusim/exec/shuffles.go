package exec

import (
	"math/bits"

	"gowarp/gpusim/ptx"
)

// Shuffle is one shuffle of one warp, as it was executed.
type Shuffle struct {
	Line     int    `json:"line"`     // of the PTX
	Register string `json:"register"` // that is exchanged, "" for a constant
	Block    [3]int `json:"block"`
	Warp     int    `json:"warp"`  // of the block
	Lanes    uint32 `json:"lanes"` // that take part
	// From is the lane whose register each lane that takes part gets, itself where the instruction names none.
	From [32]int `json:"from"`
	// Values are what that register holds in each lane, and Undefined the lanes in which it holds nothing that was computed.
	Values    [32]uint32 `json:"values"`
	Undefined uint32     `json:"undefined"`
}

// tell hands a shuffle to who wants to know of it.
func (w *warp) tell(o *op, from *[32]int, src *lanes32, undefined uint32) {
	s := Shuffle{Line: int(o.line), Block: w.w.block, Warp: w.first / 32, Lanes: w.mask, From: *from, Values: *src, Undefined: undefined}
	data := 1
	if o.dpred.class == boolean {
		data = 2
	}
	if a := o.inst.Args[data]; a.Kind == ptx.ArgReg {
		s.Register = w.k.main.fn.Regs[a.Reg].Name
	}
	w.w.launch.OnShuffle(s)
}

// sourceLane is the lane that a shuffle takes from in a lane, and whether it names one (PTX ISA, "shfl").
func sourceLane(mode shuffleMode, lane int, b, c uint32) (int, bool) {
	at, clamp, seg := int(b&31), int(c&31), int(c>>8&31)
	most, least := lane&seg|clamp&^seg, lane&seg
	switch mode {
	case shuffleUp:
		return lane - at, lane-at >= most
	case shuffleDown:
		return lane + at, lane+at <= most
	case shuffleXor:
		return lane ^ at, lane^at <= most
	}
	j := least | at&^seg
	return j, j <= most
}

// shuffleLanes is shfl. A lane that takes part in no shuffle gives an undefined value.
func shuffleLanes(w *warp, o *op) {
	w.w.count.Shuffles++
	src := w.r32[o.a.at] // a copy: the destination may be the source
	from := w.taints[o.a.taint] | ^w.mask
	var bad, inside uint32
	var lanes [32]int
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		j, ok := sourceLane(o.shuf, lane, w.r32[o.b.at][lane], w.r32[o.c.at][lane])
		if ok {
			inside |= 1 << lane
		} else {
			j = lane
		}
		lanes[lane&31] = j
		w.r32[o.d.at][lane] = src[j&31]
		if from>>j&1 != 0 {
			bad |= 1 << lane
		}
	}
	if w.w.launch.OnShuffle != nil {
		w.tell(o, &lanes, &src, from)
	}
	bad |= w.taints[o.b.taint] | w.taints[o.c.taint]
	w.taint(o.d, bad)
	if o.dpred.class == boolean {
		p := &w.preds[o.dpred.at]
		*p = *p&^w.mask | inside
		w.taint(o.dpred, w.taints[o.b.taint]|w.taints[o.c.taint])
	}
}
