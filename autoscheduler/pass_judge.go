package autoscheduler

// judge has what a compiler or the simulator said of the few ways to run each kernel choose among them, with search=ptxas and search=sim.
func judge(s *state) error {
	what, judges := map[string]string{"ptxas": "compiled", "sim": "run"}[s.params.Search]
	if !judges {
		return nil
	}
	if len(s.tried.judged) == 0 {
		s.note("judge", -1, "search=%s: nothing was %s, which takes Halide (the plugin); the cost alone has decided", s.params.Search, what)
		return nil
	}
	for i, f := range s.found {
		s.found[i] = s.searcher.Judge(f, s.tried.judged)
	}
	return nil
}
