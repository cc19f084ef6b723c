package autoscheduler

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gowarp/autoscheduler/coster"
	"gowarp/occupancy"
)

// sheet is what a bundle would say of a machine that is times as fast as its data sheet has it, and says that its clock is this one.
func sheet(d *occupancy.Device, clockMHz int, times float64) string {
	m, out := coster.MachineOf(d), strings.Builder{}
	ghz := d.ClockHz * 1e-9
	for _, f := range []struct {
		micro, unit string
		value       float64
	}{
		{"launch, queued", "ns", m.LaunchSeconds * 1e9 / times},
		{"launch, host", "ns", 1},
		{"DRAM copy", "GB/s", m.DRAMBytesPerSecond * 1e-9 * times},
		{"L2 read", "GB/s", m.L2Bytes * m.SMs * ghz * times},
		{"latency L1", "ns", m.L1Latency / ghz / times},
		{"latency L2", "ns", m.L2Latency / ghz / times},
		{"latency DRAM", "ns", m.DRAMLatency / ghz / times},
		{"latency fma.f32", "ns", m.ArithmeticLatency / ghz / times},
		{"latency ld.shared", "ns", m.SharedLatency / ghz / times},
		{"issue fma.f32", "warp instructions/ns/SM", m.Float * ghz * times},
		{"issue add.s32", "warp instructions/ns/SM", m.Integer * ghz * times},
		{"issue ex2.approx.f32", "warp instructions/ns/SM", m.Special * ghz * times},
		{"ld.shared, 1 lanes a bank", "warp instructions/ns/SM", m.Requests * ghz * times},
		{"bar.sync, 256 threads", "ns", m.BarrierCycles / ghz / times},
	} {
		line, err := json.Marshal(map[string]any{
			"schema": 1, "micro": f.micro, "value": f.value, "unit": f.unit, "least_most": [2]float64{f.value, f.value},
			"device": map[string]any{"name": d.Title, "capability": d.Capability, "sms": d.SMs, "clock_mhz": clockMHz},
		})
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&out, "%s\n", line)
	}
	return out.String()
}

// TestMachine: a measured machine that is as its data sheet costs the same, one that does everything in half the time half, whatever clock it says; and a file that
// is no good is refused with what is wrong.
func TestMachine(t *testing.T) {
	p := exported(t)["harris.json"]
	d, err := occupancy.Lookup("h200")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "h200.micro.jsonl")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mhz := int(math.Round(d.ClockHz / 1e6))
	cost := func(kv ...string) float64 {
		t.Helper()
		r, err := Run(p, given(t, append([]string{"gpu", "h200", "tiling", "block"}, kv...)...))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, f := range r.Found {
			sum += f.Cost
		}
		return sum
	}
	builtIn := cost()
	for _, c := range []struct {
		clock int
		times float64
	}{{mhz, 1}, {mhz, 2}, {2 * mhz, 2}} {
		put(sheet(&d, c.clock, c.times))
		m, err := coster.ReadMachine(file, &d)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := m.Float*m.ClockHz, coster.MachineOf(&d).Float*d.ClockHz*c.times; math.Abs(got/want-1) > 1e-3 {
			t.Errorf("%+v: %g products a second, %g measured", c, got, want)
		}
		// Only issue is no figure of its own: it goes with the clock.
		if got := cost("machine", file) * c.times / builtIn; math.Abs(got-1) > 1e-2 && !(c.clock == mhz && c.times == 2) {
			t.Errorf("%+v: %g times what the data sheet's costs", c, got)
		} else if got < 1-1e-2 {
			t.Errorf("%+v: %g times, sooner than all of it", c, got)
		}
	}
	good := sheet(&d, mhz, 1)
	change := func(old, new string) string {
		t.Helper()
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not in\n%s", old, good)
		}
		return strings.Replace(good, old, new, 1)
	}
	lines := strings.SplitAfter(good, "\n")
	for name, c := range map[string]struct{ text, want string }{
		"nothing":         {"", "it is empty; "},
		"another GPU":     {strings.ReplaceAll(good, `"sms":132`, `"sms":78`), `(compute capability 9.0, 78 SMs), the schedule is for h200 (9.0, 132)`},
		"another version": {change(`"schema":1`, `"schema":7`), "line 1 is no figure of a device (schema 7"},
		"other lines":     {`{"schema":1,"program":"harris"}`, "line 1 is no figure of a device"},
		"no JSON":         {"launch 3 us\n", "it is no file of a device's figures (line 1:"},
		"one is missing":  {change("DRAM copy", "DRAM write"), `it has no figure "DRAM copy"`},
		"one is zero":     {strings.Replace(good, lines[2], `{"schema":1,"device":{"capability":90,"sms":132},"micro":"DRAM copy","value":0,"unit":"GB/s"}`+"\n", 1), `its figure "DRAM copy" is 0, more than 0`},
		"one is negative": {strings.Replace(good, lines[2], `{"schema":1,"device":{"capability":90,"sms":132},"micro":"DRAM copy","value":-1,"unit":"GB/s"}`+"\n", 1), `its figure "DRAM copy" is -1`},
		"one failed":      {strings.Replace(good, lines[2], `{"schema":1,"device":{"capability":90,"sms":132},"micro":"DRAM copy","error":"out of memory"}`+"\n", 1), `its figure "DRAM copy" is an error: out of memory`},
		"one is huge":     {strings.Replace(good, lines[2], `{"schema":1,"device":{"capability":90,"sms":132,"clock_mhz":1980},"micro":"DRAM copy","value":1e300,"unit":"GB/s"}`+"\n", 1), `its figure "DRAM copy" is 1e+300 GB/s, which no GPU has: 1 to 1e+06 is wanted`},
		"one is tiny":     {strings.Replace(good, lines[0], `{"schema":1,"device":{"capability":90,"sms":132,"clock_mhz":1980},"micro":"launch, queued","value":1e-300,"unit":"ns"}`+"\n", 1), `its figure "launch, queued" is 1e-300 ns, which no GPU has`},
		"no clock":        {strings.ReplaceAll(good, fmt.Sprintf(`"clock_mhz":%d`, mhz), `"clock_mhz":0`), "at a clock (clock_mhz) of 0 MHz, 50 to 10000 is wanted"},
		"another unit":    {change("GB/s", "GiB/s"), `its figure "DRAM copy" is in "GiB/s", GB/s is wanted`},
		"twice":           {good + lines[0], `has the figure "launch, queued" for the second time`},
		"cut off":         {good[:len(good)-30], "it is no file of a device's figures (line 14"},
	} {
		put(c.text)
		_, err := Schedule(p, given(t, "gpu", "h200", "machine", file))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "autoscheduler: machine=") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := Schedule(p, given(t, "gpu", "h200", "machine", file+".none")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a missing file: %v", err)
	}
	for _, kv := range []map[string]string{{"cost": "issue", "machine": file}, {"parallelism": "8", "machine": file}} {
		if _, err := ParseParams(kv); err == nil || !strings.Contains(err.Error(), "machine="+file) {
			t.Errorf("%v: %v", kv, err)
		}
	}
}
