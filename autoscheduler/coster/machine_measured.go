package coster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"gowarp/internal/wholefile"
	"gowarp/occupancy"
)

// measureAgain is what to do about a file that is no good.
const measureAgain = "`run --micro FILE` of a bundle (make gpu-bundle) writes such files, on the GPU"

// machineSchema is the version of a bundle's lines that this reads.
const machineSchema = 1

// figure is a line of such a file, of which what is not needed here is left out.
type figure struct {
	Schema int `json:"schema"`
	Device struct {
		Name       string `json:"name"`
		Capability int    `json:"capability"`
		SMs        int    `json:"sms"`
		ClockMHz   int    `json:"clock_mhz"`
	} `json:"device"`
	Micro string  `json:"micro"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Error string  `json:"error"`
}

// constant is what one measured figure says of a machine.
type constant struct {
	micro, unit string
	put         func(m *Machine, v float64)
}

// Units of the bundle's figures.
const (
	perNanosecond   = "warp instructions/ns/SM"
	nanoseconds     = "ns"
	gigabytesSecond = "GB/s"
)

// plausible are the figures of each unit that a GPU may have, tens of times beyond any seen: what lies outside is a slip, by which costs would be none.
var plausible = map[string]struct{ least, most float64 }{
	perNanosecond:   {1e-3, 1e2}, // 4 schedulers of 3 GHz issue 12; a fifth of a special function in 10 ns is the least seen
	nanoseconds:     {1e-2, 1e6}, // from an operation that is hidden to a launch through a slow driver
	gigabytesSecond: {1, 1e6},
}

// leastMHz and mostMHz are of the clock.
const leastMHz, mostMHz = 50, 10000

// measured are all of them, as benchmarks/bundle/cxx/micro.cc names them. How many instructions of different kinds an SM issues together is no
// figure of one kind, and stays the data sheet's. A machine counts in cycles of a clock: which one cancels out, but for that.
var measured = []constant{
	{"issue fma.f32", perNanosecond, func(m *Machine, v float64) { m.Float = v / m.gigahertz() }},
	{"issue add.s32", perNanosecond, func(m *Machine, v float64) { m.Integer = v / m.gigahertz() }},
	{"issue ex2.approx.f32", perNanosecond, func(m *Machine, v float64) { m.Special = v / m.gigahertz() }},
	{"ld.shared, 1 lanes a bank", perNanosecond, func(m *Machine, v float64) { m.Requests = v / m.gigahertz() }},
	{"L2 read", gigabytesSecond, func(m *Machine, v float64) { m.L2Bytes = v / m.SMs / m.gigahertz() }},
	{"DRAM copy", gigabytesSecond, func(m *Machine, v float64) { m.DRAMBytesPerSecond = v * 1e9 }},
	{"latency fma.f32", nanoseconds, func(m *Machine, v float64) { m.ArithmeticLatency = v * m.gigahertz() }},
	{"latency ld.shared", nanoseconds, func(m *Machine, v float64) { m.SharedLatency = v * m.gigahertz() }},
	{"latency L1", nanoseconds, func(m *Machine, v float64) { m.L1Latency = v * m.gigahertz() }},
	{"latency L2", nanoseconds, func(m *Machine, v float64) { m.L2Latency = v * m.gigahertz() }},
	{"latency DRAM", nanoseconds, func(m *Machine, v float64) { m.DRAMLatency = v * m.gigahertz() }},
	{"bar.sync, 256 threads", nanoseconds, func(m *Machine, v float64) { m.BarrierCycles = v * m.gigahertz() }},
	{"launch, queued", nanoseconds, func(m *Machine, v float64) { m.LaunchSeconds = v * 1e-9 }},
}

// MachineFigures is the unit of each figure that a file for ReadMachine has to have.
func MachineFigures() map[string]string {
	units := map[string]string{}
	for _, c := range measured {
		units[c.micro] = c.unit
	}
	return units
}

func (m *Machine) gigahertz() float64 { return m.ClockHz * 1e-9 }

// ReadMachine is a device with the constants that a bundle measured of it (run --micro FILE) in place of its data sheet's. It says what is wrong with a
// file that is none, lacks a figure, or is of another device.
func ReadMachine(file string, d *occupancy.Device) (*Machine, error) {
	data, err := wholefile.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, measureAgain)
	}
	found := map[string]figure{}
	lines := json.NewDecoder(strings.NewReader(string(data)))
	for n := 1; ; n++ {
		var f figure
		if err := lines.Decode(&f); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("it is no file of a device's figures (line %d: %w); %s", n, err, measureAgain)
		}
		switch {
		case f.Schema != machineSchema || f.Micro == "":
			return nil, fmt.Errorf("line %d is no figure of a device (schema %d, %q), of which this gowarp reads schema %d; %s", n, f.Schema, f.Micro, machineSchema, measureAgain)
		case f.Device.Capability != d.Capability || f.Device.SMs != d.SMs:
			return nil, fmt.Errorf("it was measured on %q (compute capability %d.%d, %d SMs), the schedule is for %s (%d.%d, %d); say gpu= with that device, or measure on this one",
				f.Device.Name, f.Device.Capability/10, f.Device.Capability%10, f.Device.SMs, d.Name, d.Capability/10, d.Capability%10, d.SMs)
		}
		if _, twice := found[f.Micro]; twice {
			return nil, fmt.Errorf("line %d has the figure %q for the second time; %s", n, f.Micro, measureAgain)
		}
		found[f.Micro] = f
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("it is empty; %s", measureAgain)
	}
	m := MachineOf(d)
	for _, c := range measured {
		f, ok := found[c.micro]
		switch {
		case !ok:
			return nil, fmt.Errorf("it has no figure %q; %s", c.micro, measureAgain)
		case f.Error != "":
			return nil, fmt.Errorf("its figure %q is an error: %s; %s", c.micro, f.Error, measureAgain)
		case f.Unit != c.unit:
			return nil, fmt.Errorf("its figure %q is in %q, %s is wanted; %s", c.micro, f.Unit, c.unit, measureAgain)
		case !(f.Value > 0) || math.IsInf(f.Value, 0):
			return nil, fmt.Errorf("its figure %q is %v, more than 0 is wanted; %s", c.micro, f.Value, measureAgain)
		case f.Value < plausible[c.unit].least || f.Value > plausible[c.unit].most:
			return nil, fmt.Errorf("its figure %q is %v %s, which no GPU has: %v to %v is wanted; %s", c.micro, f.Value, c.unit, plausible[c.unit].least, plausible[c.unit].most, measureAgain)
		case f.Device.ClockMHz < leastMHz || f.Device.ClockMHz > mostMHz:
			return nil, fmt.Errorf("its figure %q was measured at a clock (clock_mhz) of %d MHz, %d to %d is wanted; %s", c.micro, f.Device.ClockMHz, leastMHz, mostMHz, measureAgain)
		}
		m.ClockHz = float64(f.Device.ClockMHz) * 1e6
		c.put(&m, f.Value)
	}
	return &m, nil
}
