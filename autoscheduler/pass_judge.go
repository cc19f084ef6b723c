package autoscheduler

// judge has what a compiler said of the few ways to run each kernel choose among them, with search=ptxas.
func judge(s *state) error {
	if s.params.Search != "ptxas" {
		return nil
	}
	if len(s.tried.compiled) == 0 {
		s.note("judge", -1, "search=ptxas: nothing was compiled, which takes Halide (the plugin); the cost alone has decided")
		return nil
	}
	for i, f := range s.found {
		s.found[i] = s.searcher.Judge(f, s.tried.compiled)
	}
	return nil
}
