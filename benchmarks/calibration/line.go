package calibration

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gowarp/benchmarks/bundle/run"
	"gowarp/benchmarks/textfile"
)

// Schema is the version of the lines.
const Schema = 1

// Line is a schedule of a program, what the costers say of it and what it does.
type Line struct {
	Schema  int    `json:"schema"`
	Program string `json:"program"` // as on the command line
	GPU     string `json:"gpu"`     // that the schedule is for
	// Name is that of the schedule, with a hash of its content: what times of a bundle are
	// joined by.
	Name string `json:"name"`
	// Seed and Number say how it was drawn, Own whose choice it is instead.
	Seed   uint64 `json:"seed"`
	Number uint64 `json:"number"`
	Own    string `json:"own,omitempty"`
	// HeldOut lines are for judging what was fitted to the others.
	HeldOut bool `json:"held_out,omitempty"`

	// Predicted is what each coster makes of the schedule at the estimated size, in its own
	// units; a coster that takes a kernel for one that cannot launch says nothing.
	Predicted map[string]float64 `json:"predicted"`
	Kernels   []Kernel           `json:"kernels"`

	Outcome string `json:"outcome"` // bench's
	Reason  string `json:"reason,omitempty"`
	// As ptxas compiles it under the cap of 64 registers, all kernels together.
	Registers  int `json:"registers,omitempty"` // the most
	SpillBytes int `json:"spill_bytes,omitempty"`
	Launches   int `json:"launches,omitempty"` // at the estimated size
	// CountedSize is that of the run whose counts, for 32 elements of output, are in Counted.
	CountedSize   []int              `json:"counted_size,omitempty"`
	BlocksSampled int                `json:"blocks_sampled,omitempty"`
	Counted       map[string]float64 `json:"counted,omitempty"`

	// Schedule is what schedule=FILE.json replays.
	Schedule json.RawMessage `json:"replay"`
}

// Kernel is a kernel as costers see it, at the estimated size.
type Kernel struct {
	Func        string   `json:"func"`
	Stage       int      `json:"stage"`
	Strategy    string   `json:"strategy"`
	Tile        []int64  `json:"tile,omitempty"`
	Points      []int64  `json:"points,omitempty"` // of the tile, in a thread
	Windows     int      `json:"windows,omitempty"`
	Warp        []int64  `json:"warp,omitempty"` // points and rows a lane, warps a block
	Members     []string `json:"members,omitempty"`
	Blocks      [3]int64 `json:"blocks"`
	Threads     [3]int64 `json:"threads"`
	SharedBytes int64    `json:"shared_bytes"`
	Registers   int      `json:"registers_estimated"`
	Occupancy   float64  `json:"occupancy"`
	// Instructions and Requests are estimates for all warps.
	Instructions float64 `json:"instructions"`
	Requests     float64 `json:"requests"`
	// Predicted is each coster's price, Counted what the simulator counts of the kernel for 32 elements of the pipeline's output.
	Predicted map[string]float64 `json:"predicted,omitempty"`
	Counted   map[string]float64 `json:"counted,omitempty"`
	// Terms are the parts of each coster's price.
	Terms map[string]map[string]float64 `json:"terms"`
	// Rejected says which costers would not take it, and why.
	Rejected map[string]string `json:"rejected,omitempty"`
}

// mostLine is longer than any line.
const mostLine = 16 << 20

// ReadFile reads the lines of a file; one that is not there holds none. Lines that are
// none are an error: the file is written as a whole.
func ReadFile(path string) ([]Line, error) {
	var lines []Line
	err := textfile.EachLine(path, mostLine, func(n int, line []byte) error {
		if len(line) == 0 {
			return nil
		}
		var l Line
		if err := json.Unmarshal(line, &l); err != nil {
			return fmt.Errorf("%s:%d: not a line of a calibration set: %w", path, n, err)
		}
		if l.Schema != Schema || l.Program == "" || l.Name == "" {
			return fmt.Errorf("%s:%d: not a line of a calibration set of version %d", path, n, Schema)
		}
		lines = append(lines, l)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("calibration: %w", err)
	}
	return lines, nil
}

// Replace writes a file in which the lines of a program for a GPU are these.
func Replace(path, program, gpu string, with []Line) error {
	lines, err := ReadFile(path)
	if err != nil {
		return err
	}
	lines = slices.DeleteFunc(lines, func(l Line) bool { return l.Program == program && l.GPU == gpu })
	lines = append(lines, with...)
	slices.SortStableFunc(lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Program, b.Program))
	})
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	if err := textfile.ReplaceLines(path, lines); err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	return nil
}

// ReadTimes reads the lines of bundles' runs. A file without any is an error.
func ReadTimes(paths []string) (times []run.Line, complaints []string, err error) {
	for _, path := range paths {
		more, unread, err := run.ReadFile(path)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("calibration: %w", err)
		case len(more) == 0:
			return nil, nil, fmt.Errorf("calibration: %s holds no line of a bundle's run", path)
		case unread > 0:
			complaints = append(complaints, fmt.Sprintf("%s: %d lines cannot be read and are left out", path, unread))
		}
		times = append(times, more...)
	}
	return times, complaints, nil
}
