package coster

import (
	"gowarp/halideir/access"
	"gowarp/occupancy"
)

// hardware is what Algorithm 2 knows of a GPU, in the words of Jangda and Guha 2020, table 1.
type hardware struct {
	NSMs          float64
	CoresPerSM    float64
	GlMemBW       float64 // bytes/s
	MaxShMemPerTB float64 // bytes a block
	ShMemPerSM    float64 // bytes
	MaxWarpPerSM  float64
	MaxTBPerSM    float64
	RegPerSM      float64
	MaxRegPerTh   float64
	MaxThPerSM    float64 // line 22; not in the table
	WarpSize      int64
	clock         float64 // Hz; not in the table, whose times are measured
	latency       latencies
}

// table1 is table 1, by the device's name. What the table has otherwise than the devices' own
// figures stays as printed: 16 blocks an SM on the GTX 1080 Ti (compute capability 6.1 holds 32), 256
// registers a thread (255), 96 KB a block on the V100, which a kernel has to ask for.
var table1 = map[string]hardware{
	"gtx1080ti": {NSMs: 28, CoresPerSM: 128, GlMemBW: 484e9, MaxShMemPerTB: 48 << 10, MaxTBPerSM: 16},
	"v100":      {NSMs: 80, CoresPerSM: 64, GlMemBW: 898e9, MaxShMemPerTB: 96 << 10, MaxTBPerSM: 32},
}

// The rows of table 1 that both GPUs share.
const (
	table1ShMemPerSM   = 96 << 10
	table1MaxWarpPerSM = 64
	table1RegPerSM     = 65536
	table1MaxRegPerTh  = 256
	table1WarpSize     = 32
)

// transactionSizes are GlMemTxSz of table 1: bytes of a transaction of the L2 and of the L1 cache.
var transactionSizes = [...]int64{32, 128}

// hardwareOf is table 1 for its two GPUs, and the device's own figures for others.
func hardwareOf(d *occupancy.Device) hardware {
	h, printed := table1[d.Name]
	if printed {
		h.ShMemPerSM, h.MaxWarpPerSM, h.RegPerSM, h.MaxRegPerTh, h.WarpSize = table1ShMemPerSM, table1MaxWarpPerSM, table1RegPerSM, table1MaxRegPerTh, table1WarpSize
	} else {
		h = hardware{
			NSMs: float64(d.SMs), CoresPerSM: float64(d.LanesPerSM), GlMemBW: d.DRAMBandwidth,
			MaxShMemPerTB: float64(d.SharedPerBlock), ShMemPerSM: float64(d.SharedPerSM), MaxWarpPerSM: float64(d.MaxWarpsPerSM()),
			MaxTBPerSM: float64(d.MaxBlocksPerSM), RegPerSM: float64(d.RegistersPerSM), MaxRegPerTh: float64(d.MaxRegistersPerThread), WarpSize: int64(d.WarpSize),
		}
	}
	h.NSMs = float64(d.SMs) // parallelism= may say otherwise
	h.MaxThPerSM = h.MaxWarpPerSM * float64(h.WarpSize)
	h.clock = d.ClockHz
	h.latency = pascal
	if d.Capability >= 70 {
		h.latency = volta
	}
	return h
}

// Weights are w1 to w7 of Algorithm 2's line 35.
type Weights [7]float64

// table3 is Jangda and Guha 2020, table 3, by the device's name.
var table3 = map[string]Weights{
	"gtx1080ti": {50, .5, 45, 20, 2, 100, 1},
	"v100":      {50, .5, 60, 10, 2, 100, 1},
}

// TableWeights are the weights of Algorithm 2 for a device and the one of table 3's GPUs for which they were
// determined: the device itself, or else the V100 for compute capabilities from 7.0 on and the GTX 1080 Ti for
// everything older and for what is not NVIDIA's.
func TableWeights(d *occupancy.Device) (w Weights, of string) {
	of = d.Name
	if _, ok := table3[of]; !ok {
		of = "gtx1080ti"
		if d.Capability >= 70 {
			of = "v100"
		}
	}
	return table3[of], of
}

// latencies are cycles until a dependent instruction may issue, by class of operation. The paper measures the time of
// an iteration; this table makes it the same everywhere. Figures: Jia et al. 2018, "Dissecting the NVIDIA Volta GPU
// architecture via microbenchmarking", table 4.1 and section 3 (shared memory), from knowledge of the report.
type latencies struct {
	arithmetic   float64 // additions, float products, logic, shifts, selections
	compare      float64 // of two values into a predicate
	minMax       float64
	integerMul   float64 // of 32 bits
	double       float64
	conversion   float64
	special      float64 // one of the special function unit's; a function of exp's kind is several
	integerDiv   float64 // not in the report: what Halide makes of most, a product of high halves and shifts
	sharedMemory float64 // a load
}

var (
	pascal = latencies{arithmetic: 6, compare: 12, minMax: 6, integerMul: 86, double: 8, conversion: 14, special: 14, integerDiv: 2*86 + 3*6, sharedMemory: 24}
	volta  = latencies{arithmetic: 4, compare: 4, minMax: 5, integerMul: 5, double: 8, conversion: 14, special: 14, integerDiv: 2*5 + 3*4, sharedMemory: 19}
)

// specialSteps is how many dependent special or arithmetic instructions a function such as exp takes.
const specialSteps = 3

// of is the cycles of an operation.
func (l *latencies) of(c access.Class, k access.Kind) float64 {
	real := k == access.Float16 || k == access.Float32 || k == access.Float64
	switch {
	case c == access.Special:
		return specialSteps * l.special
	case (c == access.Div || c == access.Mod) && real:
		return l.special + 2*l.arithmetic // a reciprocal, a product and a correction
	case c == access.Div || c == access.Mod:
		return l.integerDiv
	case c == access.Cast:
		return l.conversion
	case k == access.Float64:
		return l.double
	case c == access.Mul && !real:
		return l.integerMul
	case c == access.MinMax:
		return l.minMax
	case c == access.Compare:
		return l.compare
	}
	return l.arithmetic
}

// Cycles is the time of so many instructions one after the other, by the classes in which the simulator counts them: those of
// memory as loads from shared memory, as the paper measures them.
func Cycles(d *occupancy.Device, integer, float, special, memory, control float64) float64 {
	h := hardwareOf(d)
	l := &h.latency
	return (integer+float+control)*l.arithmetic + special*l.special + memory*l.sharedMemory
}
