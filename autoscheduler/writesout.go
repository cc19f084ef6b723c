package autoscheduler

import (
	"gowarp/halideir/schedule"
	"gowarp/internal/wholefile"
)

// WritesOut reports whether the short reductions of a pipeline are to be written out before it is exported.
func WritesOut(given map[string]string) bool {
	return beforeExport(given, "write_out", func(p *Params) string { return p.WriteOut }, (*schedule.Schedule).WrittenOut)
}

// FusesInits reports whether updates are to take over pure definitions before the pipeline is exported.
func FusesInits(given map[string]string) bool {
	return beforeExport(given, "fuse_init", func(p *Params) string { return p.FuseInit }, (*schedule.Schedule).FusedInits)
}

// beforeExport reports whether definitions are to be changed as a parameter says. A schedule that is replayed says so itself, unless the user does. What is
// wrong with the parameters, or with that file, whoever schedules says.
func beforeExport(given map[string]string, key string, value func(*Params) string, saved func(*schedule.Schedule) bool) bool {
	p, err := ParseParams(given)
	if err != nil {
		return false
	}
	if _, asked := given[key]; !asked && p.Schedule != "" {
		data, err := wholefile.Read(p.Schedule)
		if err != nil {
			return false
		}
		s, err := schedule.Decode(data)
		return err == nil && saved(s)
	}
	return value(&p) == "1"
}
