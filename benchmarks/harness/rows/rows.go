// Package rows is what tests saw of programs, as JSON lines that a table is made of. A
// test records always; the lines are kept only where GOWARP_ROWS names a file. It knows
// nothing of how a figure was come by.
package rows

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Env names the file that rows are appended to.
const Env = "GOWARP_ROWS"

// What may be checked of a program.
const (
	Schedule  = "schedule"  // the scheduler's own time and result
	CPU       = "cpu"       // the plain CPU build against an independent reference
	OpenCL    = "opencl"    // run on the CPU through OpenCL, against both
	PTXAS     = "ptxas"     // kernels that ptxas accepts and a GPU can launch
	Simulated = "simulated" // CUDA kernels run with all checks, against the CPU
	Counted   = "counted"   // CUDA kernels' work at the size that another schedule was counted at
	Memcheck  = "memcheck"  // OpenCL kernels run under a memory and race checker
	Random    = "random"    // random pipelines, not a program
)

// OK is the outcome of what is as it should be.
const OK = "ok"

// Row is one thing seen.
type Row struct {
	Program    string `json:"program"`
	Scheduler  string `json:"scheduler"`
	Check      string `json:"check"`
	Capability int    `json:"capability,omitempty"` // CUDA's, times ten
	Size       [2]int `json:"size,omitempty"`       // width and height
	Outcome    string `json:"outcome"`
	// Figures are counts and milliseconds, by name.
	Figures map[string]float64 `json:"figures,omitempty"`
}

// Wanted reports whether somebody wants rows.
func Wanted() bool { return os.Getenv(Env) != "" }

// Record keeps a row if somebody wants rows. Tests in several processes may record into one
// file: a line is one write.
func Record(r Row) error {
	if !Wanted() {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	f, err := os.OpenFile(os.Getenv(Env), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("rows: %s: %w", Env, err)
	}
	_, err = f.Write(append(line, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	return nil
}

// Read reads rows, one a line.
func Read(r io.Reader) ([]Row, error) {
	var out []Row
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		var row Row
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("rows: line %d: %w", n, err)
		}
		out = append(out, row)
	}
	return out, sc.Err()
}
