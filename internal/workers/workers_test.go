package workers

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	_ "gowarp/internal/fixedseed"
)

func with(processors int, do func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	do()
}

// TestUntil: what is wanted is what a loop that stops would have done, and each piece is done once.
func TestUntil(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		stops := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) bool { return rapid.IntRange(0, 20).Draw(t, "stop") == 0 }), n, n).Draw(t, "stops")
		want := n
		for i, stop := range stops {
			if stop {
				want = i + 1
				break
			}
		}
		with(rapid.SampledFrom([]int{1, 2, 8}).Draw(t, "processors"), func() {
			done := make([]atomic.Int64, n)
			got := Until(n, func(i int) bool {
				done[i].Add(1)
				return !stops[i]
			})
			if got != want {
				t.Fatalf("%d pieces are wanted, not %d", got, want)
			}
			for i := range done {
				if d := done[i].Load(); d > 1 || i < want && d == 0 {
					t.Fatalf("piece %d is done %d times", i, d)
				}
			}
		})
	})
}

// TestPanic: it reaches the caller, who recovers, and says where it was.
func TestPanic(t *testing.T) {
	for _, processors := range []int{1, 2, 8} {
		with(processors, func() {
			defer func() {
				p := recover()
				if p == nil {
					t.Fatalf("with %d processors nothing panics", processors)
				}
				if text, ok := p.(string); processors > 1 && (!ok || !strings.Contains(text, "piece 7") || !strings.Contains(text, "workers_test.go")) {
					t.Errorf("with %d processors: %v", processors, p)
				}
			}()
			Each(20, func(i int) {
				if i >= 7 {
					panic("piece " + string(rune('0'+i)))
				}
			})
		})
	}
}
