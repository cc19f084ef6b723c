package run

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
)

// Outcomes of a cell that the benchmark without a GPU has not.
const (
	Crashed  = "crashed"  // its process ended
	Unstable = "unstable" // the result was right at first, and another after the timing
	// DeviceLost is one of the cells after which the GPU did not answer any more.
	DeviceLost = "device-lost"
)

// Line is what came of a cell, at a size, under a cap of registers.
type Line struct {
	Schema    int    `json:"schema"`
	Device    Device `json:"device"`
	Bundle    string `json:"bundle"` // its id
	Commit    string `json:"commit,omitempty"`
	Made      string `json:"made_for"` // the GPU that the schedules are for
	Program   string `json:"program"`
	Size      string `json:"size"`
	Extents   []int  `json:"extents"` // of the first output
	Elements  int64  `json:"elements"`
	Scheduler string `json:"scheduler"`
	// Cap is the most registers a thread may use: 64 is that of Halide's runtime, 255 what a
	// thread can have.
	Cap     int               `json:"register_cap"`
	With    map[string]string `json:"with,omitempty"`
	Outcome string            `json:"outcome"`
	Reason  string            `json:"reason,omitempty"`
	Time    string            `json:"time"`

	Launches int     `json:"launches,omitempty"`
	FirstMS  float64 `json:"first_ms,omitempty"` // the first call: upload, and the driver's compilation
	// Unchecked is why the outputs were compared with nothing, "" where they were.
	Unchecked string `json:"unchecked,omitempty"`
	// Differing are bytes of the outputs that another run after the timing gave otherwise:
	// sums of floats by atomic operations, or a race.
	Differing int64 `json:"differing_bytes,omitempty"`

	Rounds int `json:"rounds,omitempty"`
	// GPU is the time between events around the whole call, with the GPU kept busy until all
	// was queued; Wall the host's, from the call to the end of the device's synchronisation.
	// Cold: the L2 was flushed before each call.
	GPUCold  *Times `json:"gpu_us_cold,omitempty"`
	GPUWarm  *Times `json:"gpu_us_warm,omitempty"`
	WallCold *Times `json:"wall_us_cold,omitempty"`
	WallWarm *Times `json:"wall_us_warm,omitempty"`
	// Kernels are timed apart, cold, by events around each launch.
	Kernels []Kernel `json:"kernels,omitempty"`

	CompulsoryBytes int64 `json:"compulsory_bytes"`
	// CopyShare is the part of the device's copy bandwidth that the compulsory traffic makes
	// in the median of GPUCold.
	CopyShare float64 `json:"copy_share,omitempty"`
	// OverBase is the time over that of Base, of GPUCold: the median of the rounds' ratios,
	// the least and the most.
	Base     string      `json:"base,omitempty"`
	OverBase *[3]float64 `json:"over_base,omitempty"`
}

// Times are those of all rounds, in microseconds.
type Times struct {
	Median  float64 `json:"median"`
	Best    float64 `json:"best"`
	Samples int     `json:"samples"`
	// Spread is the largest of the rounds' medians less the least, over the median.
	Spread float64 `json:"spread"`
	// Starved are samples in which the GPU waited for the host.
	Starved int       `json:"starved,omitempty"`
	Rounds  []float64 `json:"round_medians"`
}

// Kernel is the time of all launches of a kernel in a call.
type Kernel struct {
	Name     string  `json:"name"`
	Launches int     `json:"launches"`
	Median   float64 `json:"median_us"`
	Best     float64 `json:"best_us"`
}

// Device is what was measured of the GPU.
type Device struct {
	Name           string  `json:"name"`
	Capability     int     `json:"capability"`
	SMs            int     `json:"sms"`
	ClockMHz       int     `json:"clock_mhz,omitempty"`
	MemoryClockMHz int     `json:"memory_clock_mhz,omitempty"`
	BusBits        int     `json:"bus_bits,omitempty"`
	L2Bytes        int64   `json:"l2_bytes,omitempty"`
	MemoryBytes    int64   `json:"memory_bytes,omitempty"`
	Driver         int     `json:"driver,omitempty"` // CUDA's version times 1000
	CopyGBs        float64 `json:"copy_gb_per_s"`    // bytes read and written, device to device: the median
}

// series collects the samples of a time, round by round.
type series struct {
	all, rounds []float64
	starved     int
}

func (s *series) add(us []float64, starved int) {
	s.all = append(s.all, us...)
	s.rounds = append(s.rounds, median(us))
	s.starved += starved
}

func (s *series) times() *Times {
	if len(s.all) == 0 {
		return nil
	}
	m := median(s.all)
	return &Times{
		Median: short(m), Best: short(slices.Min(s.all)), Samples: len(s.all), Starved: s.starved,
		Spread: short((slices.Max(s.rounds) - slices.Min(s.rounds)) / m), Rounds: shorts(s.rounds),
	}
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if n := len(v); n%2 == 0 && n > 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// short keeps four digits, which is more than any time here is good for.
func short(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	unit := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*unit) / unit
}

func shorts(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = short(v[i])
	}
	return out
}

// ReadFile reads the lines of a file, the last of each cell; none if there is no file. Lines
// that cannot be read, such as a half one of a run that was killed, are left out and counted.
func ReadFile(path string) (lines []Line, unread int, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	} else if err != nil {
		return nil, 0, fmt.Errorf("run: %w", err)
	}
	defer f.Close()
	at := map[key]int{}
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		var l Line
		if json.Unmarshal(scanner.Bytes(), &l) != nil || l.Schema == 0 {
			unread++
			continue
		}
		if i, ok := at[l.key()]; ok {
			lines[i] = l
			continue
		}
		at[l.key()] = len(lines)
		lines = append(lines, l)
	}
	if err := scanner.Err(); err != nil {
		return nil, 0, fmt.Errorf("run: %s: %w", path, err)
	}
	return lines, unread, nil
}

// key is the cell that a line is of.
type key struct {
	device, bundle, program, size, scheduler string
	cap                                      int
}

func (l *Line) key() key {
	return key{l.Device.Name, l.Bundle, l.Program, l.Size, l.Scheduler, l.Cap}
}
