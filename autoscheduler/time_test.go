package autoscheduler

import (
	"math"
	"testing"

	"gowarp/autoscheduler/coster"
	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
	"gowarp/occupancy"
)

// TestTimeDRAM: fused into one kernel, harris reads three channels of bytes and writes floats, each once. That bound is arithmetic on the data sheet.
func TestTimeDRAM(t *testing.T) {
	p := load(t, "testdata/harris.json")
	params, err := ParseParams(map[string]string{"cost": "time", "tiling": "all", "gpu": "rtx2080ti"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(p, params)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Found) != 1 {
		t.Fatalf("%d groups, want one", len(r.Found))
	}
	bytes := 0.0
	for id := range p.Inputs {
		bytes += r.Problem.BufferBytes(-1, id)
	}
	for _, id := range p.Outputs {
		bytes += r.Problem.BufferBytes(id, -1)
	}
	want := bytes / (616e9 * 0.9)
	price := r.Found[0].Prices[0]
	got := math.NaN()
	for _, term := range price.Terms {
		if term.Name == "DRAM" {
			got = term.Value
		}
	}
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%g s in DRAM, want %g for %.0f bytes", got, want, bytes)
	}
	if price.Cost < want || price.Cost > 3*want {
		t.Errorf("%g s in all", price.Cost)
	}
}

// TestTimeAtomics: an H100 took 634 to 666 us for atomic additions of 1536x2560 lanes to 256 words, in blocks of many shapes (benchmarks/results/gpu/h100/drawn.jsonl, hist), and an image of so many
// words that are added to in another order is no slower than its sectors.
func TestTimeAtomics(t *testing.T) {
	const width, height = 1536, 2560
	for _, c := range []struct {
		bins     int64
		from, to float64
	}{{256, 500e-6, 800e-6}, {width * height, 1e-6, 50e-6}} {
		b := irtest.New()
		b.Target("host-cuda-cuda_capability_86", "cuda", 86)
		in := b.Input("in", irtest.I32, width, height)
		f := b.Func("f", []string{"i"}, irtest.I32, func([]irtest.Expr) irtest.Expr { return b.Int(0) })
		f.Update([]irtest.RVar{{Name: "r$x", Extent: width}, {Name: "r$y", Extent: height}}, func(_, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
			at := in.At(r[0], r[1]).Clamp(0, c.bins-1)
			return []irtest.Expr{at}, f.At(at).Add(1)
		})
		b.Output(f, c.bins)
		params, err := ParseParams(map[string]string{"gpu": "h100"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(b.Build(), params)
		if err != nil {
			t.Fatal(err)
		}
		seconds := math.NaN()
		for _, g := range r.Found {
			for i, k := range g.Layout.Kernels {
				for _, term := range g.Prices[i].Terms {
					if term.Name == "atomics" && r.Problem.Dims[r.Problem.StageIndex(k.Out.Func, k.Out.Stage)].Atomic {
						seconds = term.Value
					}
				}
			}
		}
		if !(seconds >= c.from && seconds <= c.to) {
			t.Errorf("%d bins: %g s of atomic additions, want %g to %g", c.bins, seconds, c.from, c.to)
		}
	}
}

// TestTimeOfSpills: lens_blur's costs of 32 slices in 30,720 blocks of 128 threads, for which ptxas spills 776 B with 64 registers a thread, moved 3.8 GB of local memory on an H100, all through L2, and
// 2.2 GB more than their own through DRAM (benchmarks/results/gpu/h100/counters-before.jsonl.gz). Frames that an SM's L1 holds go nowhere.
func TestTimeOfSpills(t *testing.T) {
	p, _ := pointwise(irtest.F32, 12*128, 80*32*32, func(in *irtest.Input, x, y irtest.Expr) irtest.Expr { return in.At(x, y).Add(1.0) })
	forCUDA(p, 86)
	w := Way{Choice: plan.Choice{Strategy: "block-window", Tile: []int64{128, 32}, Points: []int64{4, 8}}}
	params, err := ParseParams(map[string]string{"gpu": "h100"})
	if err != nil {
		t.Fatal(err)
	}
	price := func(registers, spilled int) map[string]float64 {
		pr, k, err := NewLayer(p, params).Kernel(&w)
		if err != nil {
			t.Fatal(err)
		}
		k.Registers, k.SpillBytes, k.SpillFrame = registers, spilled, spilled/2
		if err := k.Occupy(pr.Device); err != nil {
			t.Fatal(err)
		}
		if k.Tiles() != 30720 || k.ThreadsPerBlock() != 128 {
			t.Fatalf("%d blocks of %d threads", k.Tiles(), k.ThreadsPerBlock())
		}
		out := map[string]float64{}
		for _, term := range (coster.Time{}).Price(pr, k, coster.Final).Terms {
			out[term.Name] = term.Value
		}
		return out
	}
	none, little, much := price(64, 0), price(64, 64), price(64, 776)
	d, err := occupancy.Lookup("h100")
	if err != nil {
		t.Fatal(err)
	}
	m := coster.MachineOf(&d)
	if got := (much["DRAM"] - none["DRAM"]) * m.DRAMBytesPerSecond; got < 2.2e9/1.5 || got > 2.2e9*1.5 {
		t.Errorf("%.3g B of spills through DRAM, 2.2e9 were counted", got)
	}
	if got := (much["L2"] - none["L2"]) * m.L2Bytes * m.SMs * m.ClockHz; got < 3.8e9/1.5 || got > 3.8e9*1.5 {
		t.Errorf("%.3g B of spills through L2, 3.8e9 were counted", got)
	}
	if little["DRAM"] != none["DRAM"] || little["L2"] != none["L2"] {
		t.Errorf("spills of 64 B leave L1: %v, %v without", little, none)
	}
}

// pairSummed adds up both values of a Tuple in memory over channels: each is a buffer of its own, of which neighbouring points load vectors.
func pairSummed() *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 640, 480, 3)
	m := b.Tuple("m", []string{"x", "y", "c"}, []halideir.Type{irtest.F32, irtest.F32}, func(v []irtest.Expr) []irtest.Expr {
		return []irtest.Expr{in.At(v[0], v[1], v[2]), in.At(v[0], v[1], v[2]).Mul(in.At(v[0], v[1], v[2]))}
	})
	m.UpdateTuple([]irtest.RVar{{Name: "r$x", Extent: 5}}, func(v, r []irtest.Expr) ([]irtest.Expr, []irtest.Expr) {
		at := in.At(v[0], r[0], v[2])
		return v, []irtest.Expr{m.AtOut(0, v[0], v[1], v[2]).Add(at), m.AtOut(1, v[0], v[1], v[2]).Add(at.Mul(at))}
	})
	sum := b.Func("sum", []string{"x", "y"}, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Int(0).Cast(irtest.F32) })
	sum.Update([]irtest.RVar{{Name: "k$x", Extent: 3}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return v, sum.At(v[0], v[1]).Add(m.AtOut(1, v[0], v[1], r[0])).Sub(m.AtOut(0, v[0], v[1], r[0]))
	})
	b.Output(b.Func("var", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return sum.At(v[0], v[1]) }), 640, 480)
	b.Output(b.Func("first", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return m.AtOut(0, v[0], v[1], v[2]).Mul(2.5) }), 640, 480, 3)
	return b.Build()
}

// TestTimeTerms: of every kernel the longest bound comes first, and what adds up is the price.
func TestTimeTerms(t *testing.T) {
	pipelines := map[string]*halideir.Pipeline{"harris": load(t, "testdata/harris.json"), "hist": load(t, "testdata/hist.json"), "pair": pairSummed()}
	for name, p := range pipelines {
		for _, gpu := range []string{"gtx680", "rtx2080ti", "h200", "b200"} {
			params, err := ParseParams(map[string]string{"cost": "time", "tiling": "all", "gpu": gpu})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(p, params)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Found {
				for i, price := range f.Prices {
					if f.Layout.Kernels[i].Host {
						continue
					}
					sum, second, beside := 0.0, 0.0, 0.0
					for j, term := range price.Terms {
						if j < 3 {
							sum += term.Value
						} else {
							second = max(second, term.Value)
							beside += term.Value
						}
						if term.Value < 0 || math.IsNaN(term.Value) || math.IsInf(term.Value, 0) {
							t.Errorf("%s on %s: %v", name, gpu, price.Terms)
						}
					}
					if math.Abs(sum-price.Cost) > 1e-12 || price.Terms[0].Value < second || math.Abs(price.Terms[1].Value-coster.NotHidden*beside) > 1e-12 {
						t.Errorf("%s on %s: cost %g of %v", name, gpu, price.Cost, price.Terms)
					}
				}
			}
		}
	}
}

// TestTimeOfNothing: of a device of which a table says nothing a time is still a number.
func TestTimeOfNothing(t *testing.T) {
	m := coster.MachineOf(&occupancy.Device{})
	for name, v := range map[string]float64{"SMs": m.SMs, "clock": m.ClockHz, "float": m.Float, "integer": m.Integer, "special": m.Special} {
		if !(v > 0) || math.IsInf(v, 0) {
			t.Errorf("%s: %g", name, v)
		}
	}
	r := fused(t)
	pr := *r.Problem
	pr.Device = &occupancy.Device{MaxThreadsPerBlock: 1024}
	if p := (coster.Time{}).Price(&pr, r.Found[0].Layout.Kernels[0], coster.Final); !p.Valid() || !(p.Cost > 0) || math.IsInf(p.Cost, 0) {
		t.Errorf("%+v", p)
	}
}

// TestTimeOfFaster: a device with more of something takes no longer.
func TestTimeOfFaster(t *testing.T) {
	r := fused(t)
	k := r.Found[0].Layout.Kernels[0]
	price := func(change func(d *occupancy.Device)) float64 {
		pr, d := *r.Problem, *r.Problem.Device
		change(&d)
		pr.Device = &d
		return coster.Time{}.Price(&pr, k, coster.Final).Cost
	}
	base := price(func(*occupancy.Device) {})
	for name, change := range map[string]func(*occupancy.Device){
		"SMs":   func(d *occupancy.Device) { d.SMs *= 2 },
		"clock": func(d *occupancy.Device) { d.ClockHz *= 2 },
		"DRAM":  func(d *occupancy.Device) { d.DRAMBandwidth *= 2 },
		"L2":    func(d *occupancy.Device) { d.L2Bytes *= 2 },
		"lanes": func(d *occupancy.Device) { d.LanesPerSM *= 2 },
		"all":   func(d *occupancy.Device) { d.SMs *= 2; d.ClockHz *= 2; d.DRAMBandwidth *= 2 },
	} {
		if faster := price(change); faster > base || name == "all" && faster >= base {
			t.Errorf("twice the %s: %g s, %g before", name, faster, base)
		}
	}
}

// TestTimeDoubles: sums and products of 64-bit floats go to their own units, of which an SM has two for games and 64 for computations (CUDA C++ Programming Guide, throughput of native arithmetic); of 32-bit floats nothing does.
func TestTimeDoubles(t *testing.T) {
	const width, height, sums = 4096, 4096, 6
	for _, c := range []struct {
		gpu    string
		of     halideir.Type
		ofUnit float64 // results of an SM a cycle
	}{{"rtx2080ti", irtest.F64, 2}, {"h100", irtest.F64, 64}, {"rtx2080ti", irtest.F32, 0}} {
		b := irtest.New()
		in := b.Input("in", c.of, width, height)
		out := b.Func("out", []string{"x", "y"}, c.of, func(v []irtest.Expr) irtest.Expr {
			sum := in.At(v[0], v[1])
			for range sums {
				sum = sum.Add(sum.Mul(sum)) // one instruction
			}
			return sum
		})
		b.Output(out, width, height)
		params, err := ParseParams(map[string]string{"gpu": c.gpu})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(b.Build(), params)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		if c.ofUnit > 0 {
			want = width * height * sums / (c.ofUnit * float64(r.Problem.Device.SMs) * r.Problem.Device.ClockHz)
		}
		for _, term := range r.Found[0].Prices[0].Terms {
			if term.Name == "double units" && math.Abs(term.Value-want) > .1*want {
				t.Errorf("%s, %v: %g s, want %g", c.gpu, c.of, term.Value, want)
			}
		}
	}
}
