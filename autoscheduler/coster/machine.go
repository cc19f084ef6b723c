package coster

import "gowarp/occupancy"

// Machine is what a device does in a cycle, and how long it takes to answer: all that cost=time knows of it. Rates are of
// one SM.
type Machine struct {
	SMs     float64
	ClockHz float64
	// Warp instructions a cycle: all, and those of one kind of unit.
	Issue, Float, Integer, Special, Double float64
	Requests                               float64 // to the load/store unit a cycle, of 32 lanes
	L2Bytes                                float64 // a cycle
	DRAMBytesPerSecond                     float64 // of the device; 0 if unknown
	CacheBytes                             float64 // of the device's L2
	// Cycles until an instruction's result can be used.
	ArithmeticLatency, SharedLatency, L1Latency, L2Latency, DRAMLatency float64
	BarrierCycles                                                       float64 // until the last warp of a block goes on
	LaunchSeconds                                                       float64
}

// Rates are results a cycle and SM: NVIDIA, CUDA C++ Programming Guide, "Throughput of Native Arithmetic
// Instructions". Latencies in cycles: Jia et al. 2018 and 2019 ("Dissecting the NVIDIA Volta/Turing GPU
// architecture"), tables of both for V100 and T4, which differ by a tenth; so does the bandwidth of L2: 2,155 GB/s of
// V100 and 1,270 of T4 are 20 bytes a cycle and SM. The rest has its reason in RATIONALE.md.
const (
	arithmeticLatency = 4
	sharedLatency     = 22
	l1Latency         = 32
	l2Latency         = 190
	dramLatency       = 480
	barrierCycles     = 30
	l2BytesPerCycle   = 20
	lanesOfUnknown    = 64  // of a device whose units are not known
	clockOfUnknown    = 1e9 // Hz
)

// Of compute capability 9.0, as a bundle measured an H100 (benchmarks/results/gpu/h100/micro.jsonl): additions of integers go to the units of products too, and its L2
// is in two halves, of which the far one answers late.
const (
	hopper            = 90
	hopperInteger     = 2.5
	hopperL2Bytes     = 27
	hopperL1Latency   = 36
	hopperL2Latency   = 290
	hopperDRAMLatency = 690
)

// MachineOf is what the data sheets say of a device.
func MachineOf(d *occupancy.Device) Machine {
	warp := float64(max(d.WarpSize, 1))
	lanes := float64(d.LanesPerSM)
	if lanes <= 0 {
		lanes = lanesOfUnknown
	}
	m := Machine{
		SMs: float64(max(d.SMs, 1)), ClockHz: d.ClockHz, Issue: 4, Float: lanes / warp, Integer: integerLanes(d, lanes) / warp, Special: 16 / warp, Double: doubleLanes(d) / warp,
		Requests: 1, L2Bytes: l2BytesPerCycle, DRAMBytesPerSecond: max(0, d.DRAMBandwidth) * ReachedBandwidth, CacheBytes: float64(d.L2Bytes),
		ArithmeticLatency: arithmeticLatency, SharedLatency: sharedLatency, L1Latency: l1Latency, L2Latency: l2Latency, DRAMLatency: dramLatency,
		BarrierCycles: barrierCycles, LaunchSeconds: LaunchMicroseconds * 1e-6,
	}
	if m.ClockHz <= 0 {
		m.ClockHz = clockOfUnknown
	}
	if d.Capability == hopper {
		m.L2Bytes, m.L1Latency, m.L2Latency, m.DRAMLatency, m.Integer = hopperL2Bytes, hopperL1Latency, hopperL2Latency, hopperDRAMLatency, hopperInteger
	}
	if c := d.Capability; c >= 30 && c < 60 || c == 61 || c == 62 {
		m.Special = 32 / warp
	}
	return m
}

// doubleLanes is how many sums or products of 64-bit floats an SM makes a cycle: half of those of 32 bits where a device is for such computations, a few elsewhere.
func doubleLanes(d *occupancy.Device) float64 {
	switch c := d.Capability; {
	case c == 35 || c == 37 || c == 90 || c == 100:
		return 64
	case c == 60 || c == 70 || c == 72 || c == 80:
		return 32
	case c >= 30 && c < 50:
		return 8
	case c >= 50 && c < 70:
		return 4
	case c > 70 && c < 130:
		return 2
	}
	return lanesOfUnknown / 2
}

// integerLanes is how many additions of 32-bit integers an SM makes a cycle.
func integerLanes(d *occupancy.Device, lanes float64) float64 {
	switch {
	case d.Capability >= 30 && d.Capability < 50:
		return 160
	case d.Capability >= 60 && d.Capability < 120 && d.Capability != 61 && d.Capability != 62:
		return 64
	}
	return lanes
}
