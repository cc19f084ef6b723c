//go:build halide

package bridge

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
)

// TestGreatest: bounds of what sums may be are never below what counting finds, and often just that.
func TestGreatest(t *testing.T) {
	exe := compiled(t, "linear")
	for seed := range 4 {
		out := ok(t, nil, exe, "-g", "linear", "-o", t.TempDir(), "-e", "schedule", "target=host", fmt.Sprintf("seed=%d", seed))
		m := regexp.MustCompile(`bounded (\d+) exact (\d+)`).FindStringSubmatch(out)
		if m == nil {
			t.Fatalf("no counts in\n%s", out)
		}
		bounded, _ := strconv.Atoi(m[1])
		if exact, _ := strconv.Atoi(m[2]); bounded < 250 || exact < bounded/2 {
			t.Errorf("seed %d: %s", seed, m[0])
		}
	}
}
