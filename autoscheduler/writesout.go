package autoscheduler

import (
	"gowarp/halideir/schedule"
	"gowarp/internal/wholefile"
)

// WritesOut reports whether the short reductions of a pipeline are to be written out before it is exported. A schedule that is replayed says so itself, unless
// the user does. What is wrong with the parameters, or with that file, whoever schedules says.
func WritesOut(given map[string]string) bool {
	p, err := ParseParams(given)
	if err != nil {
		return false
	}
	if _, asked := given["write_out"]; !asked && p.Schedule != "" {
		data, err := wholefile.Read(p.Schedule)
		if err != nil {
			return false
		}
		saved, err := schedule.Decode(data)
		return err == nil && saved.WrittenOut()
	}
	return p.WriteOut == "1"
}
