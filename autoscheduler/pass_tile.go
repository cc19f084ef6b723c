package autoscheduler

import "gowarp/autoscheduler/coster"

// tile chooses every group's final strategy and tile.
func tile(s *state) error {
	if s.params.Search == "ptxas" { // the groups are those of the cost alone, in all trials
		s.searcher.Few, s.searcher.Trial, s.searcher.Compiled = s.effort.Few(), s.tried.trial, s.tried.compiled
	}
	for _, g := range s.groups {
		f, err := s.searcher.Best(g, coster.Final)
		if err != nil {
			return err
		}
		if f.Reject != "" {
			s.note("tile", g.Out, "the best there is, though %s", f.Reject)
		}
		s.found = append(s.found, f)
	}
	if s.params.Search == "ptxas" && len(s.tried.compiled) == 0 {
		s.note("tile", -1, "search=ptxas: nothing was compiled, which takes Halide (the plugin); the cost alone has decided")
	}
	return s.asked()
}
