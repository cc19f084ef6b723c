package check

import "testing"

func TestLog(t *testing.T) {
	var l Log
	l.Add(Finding{Kind: Misaligned, Kernel: "k", Line: 3, Block: [3]int{0, 1, 0}})
	l.Add(Finding{Kind: Misaligned, Kernel: "k", Line: 3, Block: [3]int{5, 0, 0}})
	l.Add(Finding{Kind: OutOfBounds, Kernel: "k", Line: 2})
	f := l.Findings()
	if len(f) != 2 || f[0].Line != 2 || f[1].Count != 2 || f[1].Block != [3]int{5, 0, 0} {
		t.Errorf("%v", f)
	}
}
