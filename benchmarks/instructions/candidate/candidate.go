// Package candidate is the file of ways to run a kernel and what a simulator counted of each: what collector writes and the report reads.
package candidate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/search"
	"gowarp/benchmarks/textfile"
	"gowarp/gpusim/count"
	"gowarp/internal/plan"
)

// Candidate is a way to run a kernel of a program. Counts are of all its blocks, as far as a sample of them tells.
type Candidate struct {
	Program string `json:"program"`
	Kernel  string `json:"kernel"` // Func and stage
	Key     string `json:"key"`    // two of a program with one key are the same
	// Default says that it is what the default's schedule has.
	Default bool              `json:"default,omitempty"`
	Way     autoscheduler.Way `json:"way"`
	// How it was laid out: one that comes out otherwise is another kernel than what was counted.
	Grid   [3]int64 `json:"grid"`
	Block  [3]int64 `json:"block"`
	Shared int64    `json:"shared,omitempty"`
	// Counted is nil where it could not be counted, and Fault says why.
	Counted *Counts `json:"counted,omitempty"`
	Fault   string  `json:"fault,omitempty"`
}

// Counts are what the simulator counts of a kernel, warp instructions by class, and what costers take of it besides (see autoscheduler.Counted).
type Counts struct {
	Integer  float64 `json:"integer"`
	Float    float64 `json:"float"`
	Special  float64 `json:"special"`
	Memory   float64 `json:"memory"`
	Control  float64 `json:"control"`
	Requests float64 `json:"requests"`
	Sectors  float64 `json:"sectors"` // of each block once
	Barriers float64 `json:"barriers"`
}

// Issued are all warp instructions.
func (c *Counts) Issued() float64 { return c.Integer + c.Float + c.Special + c.Memory + c.Control }

// Of are the counts of a kernel of the simulator's.
func Of(k *count.Kernel) Counts {
	s := (&autoscheduler.Counted{Count: *k}).Simulated()
	return Counts{
		Integer: float64(k.Integer), Float: s.Float, Special: s.Special, Memory: s.Memory, Control: float64(k.Control),
		Requests: s.Requests, Sectors: s.Sectors, Barriers: s.Barriers,
	}
}

// Key names a kernel among all ways to run kernels of a pipeline.
func Key(pr *plan.Problem, k *plan.Kernel) string {
	id := search.Identity(pr, k)
	if of := pr.CellsIn(k); of != nil {
		id += fmt.Sprint(of)
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:6])
}

// mostLine is longer than any line.
const mostLine = 1 << 20

// Read reads a file of candidates; one that is not there has none. The last line may have been cut short, by a process that was killed.
func Read(path string) ([]Candidate, error) {
	var out []Candidate
	var bad error
	err := textfile.EachLine(path, mostLine, func(n int, line []byte) error {
		if bad != nil || len(line) == 0 {
			return bad
		}
		var c Candidate
		if err := json.Unmarshal(line, &c); err != nil || c.Program == "" || c.Key == "" {
			bad = fmt.Errorf("%s:%d: not a line of a kernel; delete the file and collect it again: %w", path, n, errors.Join(err, errNoKernel))
			return nil
		}
		out = append(out, c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("candidates: %w", err)
	}
	return out, nil
}

var errNoKernel = errors.New("it names no program and kernel")
