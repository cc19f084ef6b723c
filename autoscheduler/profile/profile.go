// Package profile is a file of what Algorithm 2 of Jangda and Guha 2020 wants to know of each stage by itself, before fusion: the
// registers of a thread and the time of an iteration (section 6). It reads and writes the file and says whether it fits a
// pipeline; it knows neither how the figures are made (benchmarks/profile) nor what becomes of them (coster).
package profile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gowarp/halideir"
	"gowarp/internal/plan"
	"gowarp/internal/wholefile"
)

// FormatName and Version say what a file is.
const (
	FormatName = "gowarp-profile"
	Version    = 2
)

// Profile is a pipeline's profile for a device.
type Profile struct {
	Format   string  `json:"format"`
	Version  int     `json:"version"`
	Pipeline string  `json:"pipeline"` // its name, for people
	Digest   string  `json:"digest"`   // of what the pipeline computes, see Digest
	Device   string  `json:"device"`   // a name of `gowarp devices`
	Stages   []Stage `json:"stages"`
	// Estimated are the other stages, as f.s0: no kernels, so that nothing was measured of them.
	Estimated []string `json:"estimated,omitempty"`
}

// Stage is one stage of a Func, with nothing inlined and a point a thread.
type Stage struct {
	Func      string  `json:"func"`      // its label
	Stage     int     `json:"stage"`     // 0 for the pure definition, 1 for the first update
	Registers int     `json:"registers"` // a thread, as ptxas says without a cap
	Cycles    float64 `json:"cycles"`    // an iteration, one instruction after the other
}

func (s *Stage) name() string { return Name(s.Func, s.Stage) }

// Name is how a stage of a Func is called.
func Name(label string, stage int) string { return fmt.Sprintf("%s.s%d", label, stage) }

// mostCycles is more than any iteration takes.
const mostCycles = 1e12

// Digest names what a pipeline computes, whatever Halide calls its Funcs, whatever it is compiled for, and at whatever size it is estimated.
func Digest(p *halideir.Pipeline) string {
	q := *p
	q.Inputs, q.Funcs = slices.Clone(p.Inputs), slices.Clone(p.Funcs)
	for i := range q.Inputs {
		in := &q.Inputs[i]
		in.Estimate = halideir.NoNode
		in.Dims = slices.Clone(in.Dims)
		for d := range in.Dims {
			in.Dims[d].MinEstimate, in.Dims[d].ExtentEstimate = nil, nil
		}
	}
	for i := range q.Funcs {
		q.Funcs[i].Estimates = nil
	}
	var text bytes.Buffer
	if err := q.Print(&text); err != nil { // a buffer takes everything
		panic(err)
	}
	_, rest, _ := bytes.Cut(text.Bytes(), []byte("\n")) // the first line is the target
	sum := sha256.Sum256(fmt.Appendf(rest, "%d nodes", len(p.Nodes)))
	return hex.EncodeToString(sum[:16])
}

// Read reads a file, and says what is wrong with one that is not as Write makes them.
func Read(file string) (*Profile, error) {
	data, err := wholefile.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%w; `gowarp profile` writes profiles", err)
	}
	return Decode(data)
}

// Decode is Read without the file.
func Decode(data []byte) (*Profile, error) {
	p := &Profile{}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(p); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return nil, fmt.Errorf("it is no profile of `gowarp profile`: a %s stands where its %s belongs; make it anew", kind.Value, kind.Field)
		}
		return nil, fmt.Errorf("it is no profile of `gowarp profile`: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("it is no profile of `gowarp profile`: there is more behind its end")
	}
	switch {
	case p.Format != FormatName:
		return nil, fmt.Errorf("its format is %q, %q is wanted; `gowarp profile` writes profiles", p.Format, FormatName)
	case p.Version != Version:
		return nil, fmt.Errorf("it is of version %d, this gowarp reads %d; make it anew with `gowarp profile`", p.Version, Version)
	case len(p.Stages) == 0:
		return nil, fmt.Errorf("it has no stages; make it anew with `gowarp profile`")
	}
	seen := map[string]bool{}
	for i, s := range p.Stages {
		if s.Func == "" || s.Stage < 0 || s.Registers < 1 || s.Registers > 255 || !(s.Cycles > 0 && s.Cycles <= mostCycles) {
			return nil, fmt.Errorf("stage %d of it, %s with %d registers and %v cycles, is damaged; make it anew with `gowarp profile`", i, s.name(), s.Registers, s.Cycles)
		}
		if seen[s.name()] {
			return nil, fmt.Errorf("it has %s twice; make it anew with `gowarp profile`", s.name())
		}
		seen[s.name()] = true
	}
	return p, nil
}

// Encode is the file's content: the same bytes for the same profile.
func (p *Profile) Encode() ([]byte, error) {
	for _, s := range p.Stages {
		if math.IsNaN(s.Cycles) || math.IsInf(s.Cycles, 0) {
			return nil, fmt.Errorf("profile: %s takes %v cycles", s.name(), s.Cycles)
		}
	}
	text, err := json.MarshalIndent(p, "", "  ")
	return append(text, '\n'), err
}

// For is what the profile says of each stage of a pipeline, by stage index; 0 registers where it says nothing. It fails if the profile is of another
// pipeline or device.
func (p *Profile) For(pr *plan.Problem) ([]plan.StageProfile, error) {
	if got := Digest(pr.P); p.Digest != got {
		return nil, fmt.Errorf("it is of another pipeline: %s with the digest %s, this one has %s; make one of this with `gowarp profile`", p.Pipeline, p.Digest, got)
	}
	if p.Device != pr.Device.Name {
		return nil, fmt.Errorf("it was made for %s, the schedule is for %s; say gpu=%s, or make one with `gowarp profile --gpu %s`", p.Device, pr.Device.Name, p.Device, pr.Device.Name)
	}
	out := make([]plan.StageProfile, pr.NumStages())
	for _, s := range p.Stages {
		id := slices.IndexFunc(pr.P.Funcs, func(f halideir.Func) bool { return f.Label == s.Func })
		if id < 0 || s.Stage >= max(1, len(pr.P.Funcs[id].Stages)) {
			return nil, fmt.Errorf("it has %s, which this pipeline has not; make it anew with `gowarp profile`", s.name())
		}
		out[pr.StageIndex(id, s.Stage)] = plan.StageProfile{Registers: s.Registers, Cycles: s.Cycles}
	}
	for id := range pr.P.Funcs {
		f := &pr.P.Funcs[id]
		for stage := range max(1, len(f.Stages)) {
			if name := Name(f.Label, stage); out[pr.StageIndex(id, stage)].Registers == 0 && !slices.Contains(p.Estimated, name) {
				return nil, fmt.Errorf("it says nothing of %s; make it anew with `gowarp profile`", name)
			}
		}
	}
	return out, nil
}
