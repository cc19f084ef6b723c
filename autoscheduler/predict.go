package autoscheduler

import "gowarp/halideir"

// Prediction is how the kernels of a pipeline would be run, by the model alone.
type Prediction struct {
	Pipeline *halideir.Pipeline
	Cost     float64 // of all, in the unit of the cost that the parameters name

	params Params
	tiled  *state
}

// Predict makes one for a pipeline as it is exported.
func Predict(exported []byte, given map[string]string) (*Prediction, error) {
	params, err := ParseParams(given)
	if err != nil {
		return nil, err
	}
	p, err := halideir.Decode(exported)
	if err != nil {
		return nil, err
	}
	byModel := params
	byModel.Search, byModel.Schedule = "model", ""
	tiled, err := NewSession(p, byModel, false).begun(tableFor(byModel))
	if err != nil {
		return nil, err
	}
	out := &Prediction{Pipeline: p, params: params, tiled: tiled}
	for _, f := range tiled.found {
		out.Cost += f.Cost
	}
	return out, nil
}

// Session begins one of the pipeline that was predicted, with the same parameters. Its first schedule goes on from the prediction where it would find the same: the model decides, and nobody asks for
// reasons.
func (p *Prediction) Session(explain bool) *Session {
	s := NewSession(p.Pipeline, p.params, explain)
	if p.params.Search == "model" && p.params.Schedule == "" && !explain {
		s.foreseen = p.tiled.fork()
	}
	return s
}
