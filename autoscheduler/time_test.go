package autoscheduler

import (
	"math"
	"testing"

	"gowarp/autoscheduler/coster"
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

// TestTimeTerms: of every kernel the longest bound comes first, and what adds up is the price.
func TestTimeTerms(t *testing.T) {
	for _, name := range []string{"harris", "hist"} {
		for _, gpu := range []string{"gtx680", "rtx2080ti", "h200", "b200"} {
			params, err := ParseParams(map[string]string{"cost": "time", "tiling": "all", "gpu": gpu})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(load(t, "testdata/"+name+".json"), params)
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
