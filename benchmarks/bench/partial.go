package bench

import "encoding/json"

// partial reads what a cell's process says of its record: what came of the cell, and not
// what the cell is, which the process was told.
type partial struct{ r *Record }

func (p *partial) UnmarshalJSON(data []byte) error {
	var said Record
	if err := json.Unmarshal(data, &said); err != nil {
		return err
	}
	r := p.r
	said.Schema, said.Key = r.Schema, r.Key
	said.Program, said.Source, said.Params = r.Program, r.Source, r.Params
	said.Scheduler, said.With, said.GPU, said.Target, said.UpTo = r.Scheduler, r.With, r.GPU, r.Target, r.UpTo
	said.Versions, said.Commit, said.Machine, said.Limits = r.Versions, r.Commit, r.Machine, r.Limits
	*r = said
	return nil
}
