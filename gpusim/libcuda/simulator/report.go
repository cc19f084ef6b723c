package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"gowarp/gpusim/check"
	"gowarp/gpusim/count"
)

// ReportVersion is that of the report's JSON form. GPUSIM.md describes it.
const ReportVersion = 2

// Report is what a host program did on the simulator.
type Report struct {
	Version    int       `json:"version"`
	Program    string    `json:"program"`    // the host's executable, if it is known
	GPU        string    `json:"gpu"`        // whose L2 and SMs the estimates are for
	Capability int       `json:"capability"` // of the device that was simulated, 86 for 8.6
	Seed       uint64    `json:"seed"`
	Blocks     int       `json:"blocks_sampled"` // the most blocks run of a launch, 0 for all
	Kernels    []*Kernel `json:"kernels"`
	// Outputs are what the program makes; nil if it is not known.
	Outputs *Outputs `json:"outputs,omitempty"`
	// Per32Outputs is of all kernels together.
	Per32Outputs *PerOutputs     `json:"per_32_outputs,omitempty"`
	Findings     []check.Finding `json:"findings"`
	Errors       []string        `json:"errors"` // calls that failed, in words
	Seconds      float64         `json:"seconds"`
}

// Kernel is what the launches of one kernel did.
type Kernel struct {
	Name   string       `json:"name"`
	Shapes []Shape      `json:"shapes"` // distinct, in order
	Count  count.Kernel `json:"count"`
	// L2 is the estimate of traffic to DRAM; nil where only some blocks ran.
	L2 *count.Traffic `json:"l2,omitempty"`
	// Per32Outputs is the kernel's share of what the program's outputs take.
	Per32Outputs *PerOutputs `json:"per_32_outputs,omitempty"`
	// Module is the file of the PTX text beside the report, "" if it was not kept.
	Module string `json:"module,omitempty"`
	// Registers, SpillBytes and Occupancy are ptxas's, where it is there; else 0.
	Registers  int     `json:"registers,omitempty"`
	SpillBytes int     `json:"spill_bytes,omitempty"`
	Occupancy  float64 `json:"occupancy,omitempty"`
}

// Shape is the shape of a launch, and how often it was launched.
type Shape struct {
	Grid        [3]int `json:"grid"`
	Block       [3]int `json:"block"`
	SharedBytes int    `json:"shared_bytes"`
	Launches    int    `json:"launches"`
	BlocksRun   int    `json:"blocks_run"` // of one launch
	Wave        int    `json:"wave"`       // blocks that the device runs at a time, for the estimate of L2
}

// Wrong reports whether something was found that is more than a note, or failed.
func (r *Report) Wrong() bool {
	for _, f := range r.Findings {
		if !f.Kind.Note() {
			return true
		}
	}
	return len(r.Errors) > 0
}

// reporter keeps a report's file. While the simulator runs it holds a lock on it, so
// that who waits for the report needs no clock.
type reporter struct {
	dir  string
	base string
	lock *os.File
}

// Locks of running simulators end in this; reports in .json.
const lockSuffix = ".running"

func newReporter(dir string) (*reporter, error) {
	if dir == "" {
		return nil, nil
	}
	base := filepath.Join(dir, fmt.Sprintf("%d-%d", time.Now().UnixNano(), os.Getpid()))
	f, err := os.OpenFile(base+lockSuffix, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	return &reporter{dir, base, f}, nil
}

// module keeps a PTX text and returns its file's name.
func (r *reporter) module(n int, text []byte) string {
	if r == nil {
		return ""
	}
	name := fmt.Sprintf("%s-%d.ptx", r.base, n)
	if os.WriteFile(name, text, 0o666) != nil {
		return ""
	}
	return filepath.Base(name)
}

func (r *reporter) write(rep *Report) error {
	if r == nil {
		return nil
	}
	b, err := json.MarshalIndent(rep, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.base+".json", append(b, '\n'), 0o666); err != nil {
		return err
	}
	return r.lock.Close()
}

// ErrNoReport is what Collect returns of a simulator that was killed.
var ErrNoReport = errors.New("simulator: it ended without a report")

// Collect waits for the simulators that report to a directory and returns their
// reports in the order in which they started.
func Collect(dir string) ([]*Report, error) {
	locks, err := filepath.Glob(filepath.Join(dir, "*"+lockSuffix))
	if err != nil {
		return nil, err
	}
	var reports []*Report
	for _, name := range locks {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // until the simulator ends
		f.Close()
		if err != nil {
			return nil, err
		}
		b, err := os.ReadFile(name[:len(name)-len(lockSuffix)] + ".json")
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoReport, err)
		}
		var r Report
		if err := json.Unmarshal(b, &r); err != nil {
			return nil, err
		}
		if r.Version != ReportVersion {
			return nil, fmt.Errorf("simulator: a report of version %d, this reads %d; build both anew", r.Version, ReportVersion)
		}
		reports = append(reports, &r)
	}
	return reports, nil
}
