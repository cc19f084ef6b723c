package autoscheduler

import "gowarp/autoscheduler/legality"

// checkLegality is the last gate. Every candidate passed it already; a kernel that
// fails here is a bug of a pass between, and is said rather than emitted.
func checkLegality(s *state) error {
	for _, f := range s.found {
		for _, k := range f.Layout.Kernels {
			if err := legality.Check(s.problem, k); err != nil {
				return err
			}
		}
	}
	return nil
}
