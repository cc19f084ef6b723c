//go:build halide

package bridge

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
)

// oracle runs a generator that holds a part of halidecc against an oracle, with a seed, and returns the two numbers that it prints.
func oracle(t *testing.T, name string, seed int, pattern string) (a, b int) {
	t.Helper()
	out := ok(t, nil, compiled(t, name), "-g", name, "-o", t.TempDir(), "-e", "schedule", "target=host", fmt.Sprintf("seed=%d", seed))
	m := regexp.MustCompile(pattern).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no counts in\n%s", out)
	}
	a, _ = strconv.Atoi(m[1])
	b, _ = strconv.Atoi(m[2])
	return a, b
}

// TestGreatest: bounds of what sums may be are never below what counting finds, and often just that.
func TestGreatest(t *testing.T) {
	for seed := range 4 {
		if bounded, exact := oracle(t, "linear", seed, `bounded (\d+) exact (\d+)`); bounded < 250 || exact < bounded/2 {
			t.Errorf("seed %d: %d bounded, %d of them exactly", seed, bounded, exact)
		}
	}
}

// TestFacts: an assertion that is dropped holds wherever the conditions around it do, and many that follow from them are.
func TestFacts(t *testing.T) {
	for seed := range 4 {
		if dropped, kept := oracle(t, "facts", seed, `dropped (\d+) kept (\d+)`); dropped < 500 || kept < 500 {
			t.Errorf("seed %d: %d dropped, %d kept", seed, dropped, kept)
		}
	}
}
