package coster

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gowarp/internal/wholefile"
)

// WeightsFormat and WeightsVersion say what a file of weights is.
const (
	WeightsFormat  = "gowarp-weights"
	WeightsVersion = 1
)

// WeightsFile is a file of weights for cost=algorithm2-fitted, as benchmarks/algorithm2 writes it.
type WeightsFile struct {
	Format  string              `json:"format"`
	Version int                 `json:"version"`
	Device  string              `json:"device"`  // of the kernels that they were fitted to, as `gowarp devices` calls it
	Weights map[string]*float64 `json:"weights"` // by FittedTerms
}

// fitAgain is what to do about a file that is no good.
const fitAgain = "`go run ./benchmarks/algorithm2 -weights FILE` writes such files"

// EncodeWeights is a file's content.
func EncodeWeights(device string, weights [len(FittedTerms)]float64) ([]byte, error) {
	f := WeightsFile{Format: WeightsFormat, Version: WeightsVersion, Device: device, Weights: map[string]*float64{}}
	for i, name := range FittedTerms {
		f.Weights[name] = &weights[i]
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("coster: weights: %w", err)
	}
	return append(text, '\n'), nil
}

// ReadWeights reads a file, and says what is wrong with one that is not as EncodeWeights makes them, or of another device.
func ReadWeights(file, device string) (*[len(FittedTerms)]float64, error) {
	data, err := wholefile.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, fitAgain)
	}
	f := WeightsFile{}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil || d.More() {
		if err == nil {
			err = errors.New("there is more behind its end")
		}
		return nil, fmt.Errorf("it is no file of weights (%w); %s", err, fitAgain)
	}
	switch {
	case f.Format != WeightsFormat:
		return nil, fmt.Errorf("its format is %q, %q is wanted; %s", f.Format, WeightsFormat, fitAgain)
	case f.Version != WeightsVersion:
		return nil, fmt.Errorf("it is of version %d, this gowarp reads %d; %s", f.Version, WeightsVersion, fitAgain)
	case f.Device != device:
		return nil, fmt.Errorf("it was fitted to kernels for %q, the schedule is for %s; say gpu=%s, or fit it anew", f.Device, device, f.Device)
	}
	var w [len(FittedTerms)]float64
	for i, name := range FittedTerms {
		v := f.Weights[name]
		switch {
		case v == nil:
			return nil, fmt.Errorf("it has no weight of %q; %s", name, fitAgain)
		case !(*v >= 0) || math.IsInf(*v, 0):
			return nil, fmt.Errorf("its weight of %q is %v, at least 0 is wanted; %s", name, *v, fitAgain)
		}
		w[i] = *v
		delete(f.Weights, name)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Weights)) {
		return nil, fmt.Errorf("it has a weight of %q, which is no term; the terms are %s", name, strings.Join(FittedTerms[:], ", "))
	}
	return &w, nil
}
