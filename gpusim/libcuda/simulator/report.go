package simulator

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"gowarp/gpusim/check"
	"gowarp/gpusim/count"
)

// ReportVersion is that of the report's JSON form. GPUSIM.md describes it.
const ReportVersion = 1

// Report is what a host program did on the simulator.
type Report struct {
	Version    int             `json:"version"`
	Program    string          `json:"program"`    // the host's executable, if it is known
	Capability int             `json:"capability"` // of the device that was simulated, 86 for 8.6
	Seed       uint64          `json:"seed"`
	Blocks     int             `json:"blocks_sampled"` // the most blocks run of a launch, 0 for all
	Kernels    []*Kernel       `json:"kernels"`
	Findings   []check.Finding `json:"findings"`
	Errors     []string        `json:"errors"` // calls that failed, in words
	Seconds    float64         `json:"seconds"`
}

// Kernel is what the launches of one kernel did.
type Kernel struct {
	Name   string       `json:"name"`
	Shapes []Shape      `json:"shapes"` // distinct, in order
	Count  count.Kernel `json:"count"`
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

// Print writes the report for people.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "gowarp gpusim: %s on a simulated sm_%d, %.2f s\n", r.Program, r.Capability, r.Seconds)
	for _, k := range r.Kernels {
		c := &k.Count
		fmt.Fprintf(w, "\nkernel %s\n", k.Name)
		for _, s := range k.Shapes {
			fmt.Fprintf(w, "  %d launch(es) of %v blocks of %v threads, %d bytes of shared memory", s.Launches, s.Grid, s.Block, s.SharedBytes)
			if n := s.Grid[0] * s.Grid[1] * s.Grid[2]; s.BlocksRun < n {
				fmt.Fprintf(w, "; only %d of %d blocks ran, counts are scaled up", s.BlocksRun, n)
			}
			fmt.Fprintln(w)
		}
		if k.Registers > 0 {
			fmt.Fprintf(w, "  %d registers, %d bytes of spills, occupancy %.0f%%\n", k.Registers, k.SpillBytes, 100*k.Occupancy)
		}
		per := func(n int64) string {
			return fmt.Sprintf("%d (%.2f a warp)", n, float64(n)*32/float64(max(c.Threads, 1)))
		}
		fmt.Fprintf(w, "  warp instructions  %s: integer %d, float %d, special %d, load/store %d, control %d\n", per(c.WarpInstructions), c.Integer, c.Float, c.Special, c.Memory, c.Control)
		fmt.Fprintf(w, "  global             %d loads, %d stores, %d atomics; %d + %d sectors (ideal %d); %d cold bytes\n",
			c.GlobalLoads, c.GlobalStores, c.GlobalAtomics, c.GlobalLoadSectors, c.GlobalStoreSectors, c.GlobalIdealSectors, c.ColdBytes)
		fmt.Fprintf(w, "  shared             %d loads, %d stores, %d atomics; %d wavefronts, %d of them conflicts\n", c.SharedLoads, c.SharedStores, c.SharedAtomics, c.SharedWavefronts, c.SharedConflicts)
		fmt.Fprintf(w, "  shuffles %d, barriers %d, branches %d (%d divergent), local loads %d, local stores %d (%d bytes)\n",
			c.Shuffles, c.Barriers, c.Branches, c.DivergentBranches, c.LocalLoads, c.LocalStores, c.LocalBytes)
	}
	fmt.Fprintln(w)
	var notes []check.Finding
	for _, f := range r.Findings {
		if f.Kind.Note() {
			notes = append(notes, f)
			continue
		}
		fmt.Fprintf(w, "finding: %s\n", f)
	}
	// Every tile that is shifted inwards at an edge makes some; one stands for all.
	if len(notes) > 0 {
		fmt.Fprintf(w, "%d note(s) in all; the first: %s\n", len(notes), notes[0])
	}
	for _, e := range r.Errors {
		fmt.Fprintf(w, "error: %s\n", e)
	}
	if !r.Wrong() {
		fmt.Fprintln(w, "no findings")
	}
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
			return nil, fmt.Errorf("simulator: it ended without a report: %w", err)
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
