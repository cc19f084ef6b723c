package harness

import (
	"errors"

	"gowarp/halideir"
)

// Export runs a generator with gowarp, anew, for its pipeline as the plugin writes it and nothing else but what is printed:
// the emission has no files left.
func (t *Tree) Export(g Generator, o EmitOptions) (*halideir.Pipeline, *Emission, error) {
	o.Outputs, o.Fresh = []string{"schedule"}, true
	e, err := t.Emit(g, o)
	if err != nil {
		return nil, nil, err
	}
	p, err := e.Pipeline()
	if err := errors.Join(err, e.Remove()); err != nil {
		return nil, nil, err
	}
	return p, e, nil
}
