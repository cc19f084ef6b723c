package autoscheduler

import (
	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/wholefile"
)

// Changes are what is done to a pipeline's definitions before it is exported.
type Changes struct {
	WriteOut         bool // short reductions become definitions
	FuseInit         bool // updates take over pure definitions
	CacheWrite       bool // Funcs copy what holds their reductions
	HoldReads        bool // reductions read within what is needed of them
	Separate         bool // windows are combined from parts,
	SeparateFloats   bool // those of floats too,
	SeparateWeighted bool // those of unequal weights too,
	IfCheaper        bool // or those for which Predict says less
}

// ChangesOf are the changes that parameters ask for. A schedule that is replayed says itself what was done to its pipeline, unless the user does. What is wrong
// with the parameters, or with that file, whoever schedules says.
func ChangesOf(given map[string]string) Changes {
	p, err := ParseParams(given)
	if err != nil {
		return Changes{}
	}
	c := Changes{
		WriteOut:         p.WriteOut == "1",
		FuseInit:         p.FuseInit == "1",
		CacheWrite:       p.CacheWrite == "1",
		HoldReads:        p.HoldReads == "1",
		Separate:         p.Separate != "0",
		SeparateFloats:   p.Reassociate == "1",
		SeparateWeighted: true,
		IfCheaper:        p.Separate == "1",
	}
	if p.Schedule == "" {
		return c
	}
	saved := Changes{}
	if data, err := wholefile.Read(p.Schedule); err == nil {
		if s, err := schedule.Decode(data); err == nil {
			saved = Changes{WriteOut: s.WrittenOut(), FuseInit: s.FusedInits(), CacheWrite: s.CachedWrites(), HoldReads: s.HeldReads(), Separate: s.Separated() != "", SeparateFloats: s.Parameters["reassociate"] != "0", SeparateWeighted: s.Separated() == halideir.Weighted}
		}
	}
	if _, asked := given["write_out"]; !asked {
		c.WriteOut = saved.WriteOut
	}
	if _, asked := given["fuse_init"]; !asked {
		c.FuseInit = saved.FuseInit
	}
	if _, asked := given["cache_write"]; !asked {
		c.CacheWrite = saved.CacheWrite
	}
	if _, asked := given["hold_reads"]; !asked {
		c.HoldReads = saved.HoldReads
	}
	if _, asked := given["separate"]; !asked {
		c.Separate = saved.Separate
	}
	c.SeparateFloats, c.SeparateWeighted, c.IfCheaper = saved.SeparateFloats, saved.SeparateWeighted, false
	return c
}
