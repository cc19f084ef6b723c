package occupancy

import (
	"sort"
	"strings"
	"testing"
)

func TestTableIsSane(t *testing.T) {
	devices := Devices()
	if !sort.SliceIsSorted(devices, func(i, j int) bool { return devices[i].Name < devices[j].Name }) {
		t.Error("the devices are not in the order of their names")
	}
	for i, d := range devices {
		check := func(ok bool, what string) {
			if !ok {
				t.Errorf("%s: %s: %+v", d.Name, what, d)
			}
		}
		check(i == 0 || devices[i-1].Name != d.Name, "named twice")
		check(d.Name == strings.ToLower(d.Name) && d.Name != "" && !strings.ContainsAny(d.Name, " _"), "name")
		check(d.Title != "" && d.Source != "", "title, source")
		check(d.API == CUDA && d.Capability >= 30 || d.API == OpenCL && d.Capability == 0, "API and capability")
		for _, n := range []int{
			d.SMs, d.WarpSize, d.MaxThreadsPerBlock, d.MaxThreadsPerSM, d.MaxBlocksPerSM,
			d.RegistersPerSM, d.RegistersPerBlock, d.MaxRegistersPerThread, d.RegisterAllocUnit, d.WarpAllocGranularity,
			d.SharedPerSM, d.SharedPerBlock, d.SharedPerBlockOptin, d.SharedAllocUnit, d.L2Bytes, d.LanesPerSM,
		} {
			check(n > 0, "a figure is missing")
		}
		check(d.MaxThreadsPerSM%d.WarpSize == 0 && d.MaxThreadsPerBlock%d.WarpSize == 0, "whole warps")
		check(d.MaxThreadsPerBlock <= d.MaxThreadsPerSM, "a block fits the SM")
		check(d.RegistersPerBlock <= d.RegistersPerSM, "a block's registers fit the SM")
		check(d.SharedPerBlock <= d.SharedPerBlockOptin, "opting in gives more")
		check(d.SharedPerBlockOptin+d.ReservedSharedPerBlock <= d.SharedPerSM, "a block's shared memory fits the SM")
		check(d.SharedPerBlock%d.SharedAllocUnit == 0 && d.SharedPerBlockOptin%d.SharedAllocUnit == 0, "shared limits are whole units")
		for dim := range 3 {
			check(d.MaxBlock[dim] <= d.MaxThreadsPerBlock && d.MaxBlock[dim] > 0, "block dimension")
			check(d.MaxGrid[dim] >= 65535, "grid dimension")
		}
		check(d.ClockHz >= 0.5e9 && d.ClockHz <= 3e9, "clock")
		check(d.DRAMBandwidth >= 10e9 && d.DRAMBandwidth <= 10e12, "bandwidth")
		// From the Tegra K1 to the B200 the flops for each byte of DRAM
		// traffic stay within these; a unit slip would not.
		intensity := 2 * float64(d.SMs*d.LanesPerSM) * d.ClockHz / d.DRAMBandwidth
		check(intensity > 8 && intensity < 130, "flops per byte")
		// A kernel of the plainest kind runs on everything.
		r, err := d.Occupancy(Usage{Threads: 256, Registers: 32, SharedBytes: 16 << 10})
		check(err == nil && r.ActiveBlocks > 0, "32x8 threads run")
	}
}

func TestEveryCapabilityHasItsRepresentative(t *testing.T) {
	for i, a := range architectures {
		if i > 0 && architectures[i-1].capability >= a.capability {
			t.Errorf("capability %s is out of order", capabilityString(a.capability))
		}
		if d := deviceNamed(a.representative); d.Capability != a.capability {
			t.Errorf("%s stands for %s and has %s", d.Name, capabilityString(a.capability), capabilityString(d.Capability))
		}
	}
	for _, p := range products {
		if _, exact := architectureOf(p.capability); !exact {
			t.Errorf("%s has capability %s, which is not in the table", p.name, capabilityString(p.capability))
		}
	}
}

// Two devices that go by one name would make Lookup depend on their order.
func TestAliasesAreUnambiguous(t *testing.T) {
	owner := map[string]string{}
	claim := func(name, device string) {
		key := normalize(name)
		if other, taken := owner[key]; taken && other != device {
			t.Errorf("%q means %s and %s", name, other, device)
		}
		owner[key] = device
	}
	for _, d := range Devices() {
		claim(d.Name, d.Name)
		claim(d.Title, d.Name)
	}
	for _, p := range products {
		for _, alias := range p.aliases {
			claim(alias, p.name)
		}
	}
}

func TestDevicesAreCopies(t *testing.T) {
	Devices()[0].SMs = -1
	if Devices()[0].SMs == -1 {
		t.Error("a caller can change the table")
	}
	g := Generic()
	g.SMs = -1
	if Generic().SMs == -1 || Generic().Name != "generic" {
		t.Error("a caller can change the generic device")
	}
}
