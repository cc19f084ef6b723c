package harness

import "testing"

func TestTrapPattern(t *testing.T) {
	for text, want := range map[string]bool{
		"\ttrap;\n":           true,
		"\t@%p1 trap;\n":      true,
		"// trap; \n\tret;\n": false,
		".func mytrap;\n":     false,
	} {
		if got := ptxTrap.MatchString(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestLaunchCheck(t *testing.T) {
	good := Launch{"k", [3]int64{10, 65535, 1}, [3]int64{32, 32, 1}, 49152}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Launch){
		"threads":   func(l *Launch) { l.Threads[0] = 33 },
		"none":      func(l *Launch) { l.Threads[1] = 0 },
		"z threads": func(l *Launch) { l.Threads = [3]int64{1, 1, 65} },
		"y blocks":  func(l *Launch) { l.Blocks[1]++ },
		"no blocks": func(l *Launch) { l.Blocks[0] = 0 },
		"shared":    func(l *Launch) { l.SharedBytes++ },
	} {
		bad := good
		change(&bad)
		if bad.Check() == nil {
			t.Errorf("%s: %+v passed", name, bad)
		}
	}
}
