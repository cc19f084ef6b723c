package report

import (
	"gowarp/benchmarks/bench"
	"gowarp/occupancy"
)

// A roof is what a device can do at most (Williams et al. 2009), from its data sheet. The
// rates a multiprocessor and cycle are those of NVIDIA's architectures from Maxwell on
// (CUDA C++ Programming Guide, "Arithmetic Instructions", and the tuning guides): 4 warp
// schedulers, a load/store unit that takes one warp's request, and 64 bytes from L2.
type roof struct {
	clock float64 // Hz
	sms   float64
	lanes float64 // f32 results a multiprocessor and cycle
	dram  float64 // bytes/s
}

const (
	issuesPerCycle   = 4 // warp instructions
	requestsPerCycle = 1
	sectorsPerCycle  = 2
	warp             = 32
)

func roofOf(d occupancy.Device) roof {
	return roof{d.ClockHz, float64(d.SMs), float64(d.LanesPerSM), d.DRAMBandwidth}
}

// floats is the highest rate of float instructions, a fused multiply-add counted as one: the
// simulator counts instructions.
func (r roof) floats() float64 { return r.clock * r.sms * r.lanes }

// issues is the highest rate of warp instructions.
func (r roof) issues() float64 { return r.clock * r.sms * issuesPerCycle }

// seconds is the least time that a kernel's counts leave: that of the busiest of the units,
// all multiprocessors busy all the time. Latency, launches and barriers are not in it.
func (r roof) seconds(k *bench.Kernel) float64 {
	c, cycles := k.Count, r.clock*r.sms
	return max(
		float64(c.WarpInstructions)/(cycles*issuesPerCycle),
		float64(c.Float)*warp/(cycles*r.lanes),
		float64(c.Requests())/(cycles*requestsPerCycle),
		float64(c.Sectors())/(cycles*sectorsPerCycle),
		float64(c.ColdBytes)/r.dram,
	)
}

// A point of a roofline: a kernel.
type point struct{ intensity, performance float64 }

// A model draws one kind of roofline.
type model struct {
	file, title string
	x, y        string
	flat        func(roof) float64 // the highest performance
	work        func(*bench.Kernel) float64
}

// The first is that of Sioutas et al. 2020, figure 9, with the bound in the place of the
// measured time. Programs on integers have no float operation; the second (Ding and
// Williams 2019) has all.
var models = []model{
	{"roofline", "Rooflines", "float operations a byte of DRAM", "G float operations/s", roof.floats,
		func(k *bench.Kernel) float64 { return float64(k.Count.Float) * warp }},
	{"instructions", "Instruction rooflines", "warp instructions a byte of DRAM", "G warp instructions/s", roof.issues,
		func(k *bench.Kernel) float64 { return float64(k.Count.WarpInstructions) }},
}

// points are the kernels of a record, those without work or bytes left out.
func (m model) points(r *bench.Record, roof roof) []point {
	var out []point
	if r == nil || r.Counted == nil || r.Counted.Blocks > 0 {
		return nil // bytes of sampled blocks are no figure
	}
	for i := range r.Kernels {
		k := &r.Kernels[i]
		if k.Count == nil || k.Count.ColdBytes == 0 || m.work(k) == 0 {
			continue
		}
		out = append(out, point{m.work(k) / float64(k.Count.ColdBytes), m.work(k) / roof.seconds(k)})
	}
	return out
}
