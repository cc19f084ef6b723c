package harness

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"gowarp/halideir"
)

// Export runs a generator with gowarp, anew, for its pipeline as the plugin writes it and nothing else but what is printed:
// the emission has no files left.
func (t *Tree) Export(g Generator, o EmitOptions) (*halideir.Pipeline, *Emission, error) {
	dir, err := tempDir()
	if err != nil {
		return nil, nil, fmt.Errorf("harness: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "pipeline.json")
	params := map[string]string{"dump": file}
	maps.Copy(params, o.Scheduler.params)
	o.Scheduler.params, o.Outputs, o.Fresh = params, []string{"schedule"}, true
	e, err := t.Emit(g, o)
	if err != nil {
		return nil, nil, err
	}
	data, err := os.ReadFile(file)
	if err := errors.Join(err, e.Remove()); err != nil {
		return nil, nil, fmt.Errorf("harness: %w", err)
	}
	p, err := halideir.Decode(data)
	return p, e, err
}
