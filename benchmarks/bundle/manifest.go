package bundle

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/textfile"
)

// Schema is the version of the manifest and of the lines.
const Schema = 1

// Files of a bundle, beside the libraries of its cells.
const (
	ManifestFile   = "manifest.json"
	WorkerFile     = "worker"
	MicroFile      = "micro"
	RunnerFile     = "run"
	PhotographFile = "photograph.rgb" // planar bytes, of the manifest's shape
	LibrariesDir   = "libraries"
)

// Manifest says what a bundle holds.
type Manifest struct {
	Schema int `json:"schema"`
	// Unfinished is true of a bundle while it is made, and of one that was stopped then.
	Unfinished bool `json:"unfinished,omitempty"`
	// ID is the hash of the libraries and the worker: what times follow from.
	ID       string            `json:"id,omitempty"`
	Commit   string            `json:"commit,omitempty"`
	Versions map[string]string `json:"versions"`
	GPU      string            `json:"gpu"`    // that the schedules are for
	Target   string            `json:"target"` // of Halide
	// Glibc is the oldest on which the programs run, as 2.35.
	Glibc string `json:"glibc"`
	// Photograph is the shape of the picture that inputs show: width, height, channels.
	Photograph []int     `json:"photograph"`
	Programs   []Program `json:"programs"`
}

// Program is a pipeline, the sizes at which it is run and the schedules that it has.
type Program struct {
	Name      string            `json:"name"`     // as on the command line
	Function  string            `json:"function"` // of its libraries
	Tolerance harness.Tolerance `json:"tolerance"`
	// Reference is the library for the CPU that every output is compared with, "" if the program fails.
	Reference string `json:"reference,omitempty"`
	// Fails is why the program can be measured by no scheduler, "" if it can.
	Fails string `json:"fails,omitempty"`
	Sizes []Size `json:"sizes"`
	Cells []Cell `json:"cells"`
}

// Size is a set of arguments.
type Size struct {
	Name      string             `json:"name"`
	Arguments []harness.Argument `json:"arguments"`
}

// Cell is a program as a scheduler made it.
type Cell struct {
	Scheduler string            `json:"scheduler"`
	With      map[string]string `json:"with,omitempty"`
	Library   string            `json:"library,omitempty"` // "" where the scheduler failed
	// Outcome and Reason are the benchmark's.
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
}

// Elements are those of all outputs.
func (s Size) Elements() int64 { return harness.OutputElements(s.Arguments) }

// CompulsoryBytes are those of all inputs and outputs, once each.
func (s Size) CompulsoryBytes() int64 { return harness.CompulsoryBytes(s.Arguments) }

// Scalar are the bytes of a scalar argument, as memory holds them.
func Scalar(a harness.Argument) ([]byte, error) {
	var bits uint64
	var err error
	switch {
	case a.Type == harness.F32:
		var v float64
		v, err = strconv.ParseFloat(a.Value, 32)
		bits = uint64(math.Float32bits(float32(v)))
	case a.Type == harness.F64:
		var v float64
		v, err = strconv.ParseFloat(a.Value, 64)
		bits = math.Float64bits(v)
	case a.Type[0] == 'i':
		var v int64
		v, err = strconv.ParseInt(a.Value, 10, 64)
		bits = uint64(v)
	default:
		bits, err = strconv.ParseUint(a.Value, 10, 64)
	}
	if err != nil {
		return nil, fmt.Errorf("bundle: the scalar %s: %w", a.Name, err)
	}
	return binary.LittleEndian.AppendUint64(nil, bits)[:a.Type.Size()], nil
}

// Open reads the manifest of a bundle.
func Open(dir string) (*Manifest, error) {
	m, err := read(dir)
	switch {
	case err != nil:
		return nil, err
	case m.Schema != Schema:
		return nil, fmt.Errorf("bundle: %s has schema %d, this program reads %d", ManifestFile, m.Schema, Schema)
	case m.Unfinished:
		return nil, fmt.Errorf("bundle: %s is unfinished: its making was stopped; make it again", dir)
	}
	return m, nil
}

func read(dir string) (*Manifest, error) {
	b, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		return nil, fmt.Errorf("bundle: %s is no bundle: %w", dir, err)
	}
	m := &Manifest{}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("bundle: %s: %w", ManifestFile, err)
	}
	return m, nil
}

// Write writes the manifest of a bundle.
func (m *Manifest) Write(dir string) error {
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	if err := textfile.Replace(filepath.Join(dir, ManifestFile), append(b, '\n')); err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	return nil
}
