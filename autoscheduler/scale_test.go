package autoscheduler

import (
	"fmt"
	"testing"

	"gowarp/internal/irtest"
)

// BenchmarkScale is the cost against the number of stages. benchmarks/scaling draws it.
func BenchmarkScale(b *testing.B) {
	for _, shape := range []string{"chain", "ladder"} {
		for _, n := range []int{10, 30, 100, 300, 1000, 3000} {
			p := irtest.Synthetic[shape](n)
			b.Run(fmt.Sprintf("%s/%d", shape, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Schedule(p, DefaultParams()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
