package occupancy

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "gowarp/internal/fixedseed"
)

// Worked by hand from the programming guide, so that the calculator is checked
// where NVIDIA's header is not installed too.
func TestOccupancy(t *testing.T) {
	tests := []struct {
		device   string
		usage    Usage
		blocks   int
		limiters string
	}{
		// 64 warps: 8 blocks of 8.
		{"h200", Usage{256, 32, 0}, 8, "warps,registers"},
		{"h200", Usage{256, 31, 0}, 8, "warps,registers"},
		{"h200", Usage{256, 24, 0}, 8, "warps"},
		// 65 registers take the allocation of 72: 2304 a warp, 7 warps in each of 4 partitions.
		{"h200", Usage{256, 65, 0}, 3, "registers"},
		{"h200", Usage{32, 16, 0}, 32, "blocks"},
		// 228 KiB: 48 KiB and the driver's 1 KiB go in four times.
		{"h200", Usage{128, 16, 48 << 10}, 4, "shared"},
		{"h200", Usage{128, 16, 48<<10 + 1}, 0, "shared"},
		{"h200", Usage{1024, 65, 0}, 0, "registers"},
		{"h200", Usage{1024, 65, 64 << 10}, 0, "registers,shared"},
		{"h200", Usage{32, 300, 0}, 0, "registers"},
		// No reservation before Ampere; half the warps of other GPUs.
		{"rtx2080ti", Usage{1024, 32, 0}, 1, "warps"},
		{"rtx2080ti", Usage{64, 32, 16 << 10}, 4, "shared"},
		// 48 warps are no multiple of 32.
		{"rtx3090", Usage{1024, 32, 0}, 1, "warps"},
		{"rtx3090", Usage{768, 40, 0}, 2, "warps,registers"},
		// P100: 9 warps of 224 registers would fit its two partitions, but
		// are refused for Pascal's sake.
		{"p100", Usage{257, 224, 0}, 0, "registers"},
		// 20 KiB become 32 KiB.
		{"iris-xe", Usage{64, 32, 20 << 10}, 2, "shared"},
		{"generic", Usage{256, 32, 0}, 4, "warps"},
	}
	for _, test := range tests {
		d := deviceNamed(test.device)
		r, err := d.Occupancy(test.usage)
		if err != nil {
			t.Errorf("%s, %+v: %v", test.device, test.usage, err)
			continue
		}
		if r.ActiveBlocks != test.blocks || r.Limiters.String() != test.limiters {
			t.Errorf("%s, %+v: %d blocks, limited by %s; want %d, limited by %s",
				test.device, test.usage, r.ActiveBlocks, r.Limiters, test.blocks, test.limiters)
		}
	}
}

func TestOccupancyErrors(t *testing.T) {
	tests := []struct {
		usage Usage
		want  string // all of the message
	}{
		{Usage{0, 32, 0}, "occupancy: impossible block: 0 threads; a block has at least 1"},
		{Usage{-5, 32, 0}, "occupancy: impossible block: -5 threads; a block has at least 1"},
		{Usage{1056, 32, 0}, "occupancy: impossible block: 1056 threads, but h200 launches at most 1024 a block; use a smaller tile or give each thread more points"},
		{Usage{32, 10000, 0}, "occupancy: impossible block: 10000 registers a thread, but the whole register file of h200 has 2048 for each lane of a warp; registers are counted per thread, not per block"},
		{Usage{32, -1, 0}, "occupancy: impossible block: -1 registers a thread; give 0 if they are unknown"},
		{Usage{32, 0, -4}, "occupancy: impossible block: -4 shared bytes; give 0 for none"},
	}
	d := deviceNamed("h200")
	for _, test := range tests {
		r, err := d.Occupancy(test.usage)
		if !errors.Is(err, ErrUsage) || err.Error() != test.want {
			t.Errorf("%+v: error %v; want %s", test.usage, err, test.want)
		}
		if r != (Result{}) {
			t.Errorf("%+v: a result beside the error: %+v", test.usage, r)
		}
		if _, err := d.Reliefs(test.usage); !errors.Is(err, ErrUsage) {
			t.Errorf("%+v: Reliefs gives error %v", test.usage, err)
		}
	}
	var none Device
	if _, err := none.Occupancy(Usage{32, 32, 0}); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "Lookup") {
		t.Errorf("a device without figures: error %v", err)
	}
	// Near the ends of the integers nothing wraps round.
	if r, err := d.Occupancy(Usage{32, 0, math.MaxInt}); err != nil || r.ActiveBlocks != 0 {
		t.Errorf("all the bytes there are: %+v, %v", r, err)
	}
	if _, err := d.Occupancy(Usage{math.MaxInt, 0, 0}); err == nil {
		t.Error("all the threads there are: no error")
	}
}

func TestOptinRaisesTheLimit(t *testing.T) {
	d := deviceNamed("h100")
	u := Usage{256, 32, 100 << 10}
	if r, _ := d.Occupancy(u); r.ActiveBlocks != 0 {
		t.Errorf("100 KiB without opting in: %d blocks", r.ActiveBlocks)
	}
	o := d.WithSharedOptin()
	if r, _ := o.Occupancy(u); r.ActiveBlocks != 2 {
		t.Errorf("100 KiB after opting in: %d blocks, want 2", r.ActiveBlocks)
	}
	if d.SharedPerBlock != 48<<10 {
		t.Error("WithSharedOptin changed its receiver")
	}
}

func drawDevice(t *rapid.T) Device { return rapid.SampledFrom(Devices()).Draw(t, "device") }

func drawUsage(t *rapid.T, d *Device) Usage {
	return Usage{
		Threads:     rapid.IntRange(1, d.MaxThreadsPerBlock).Draw(t, "threads"),
		Registers:   rapid.IntRange(0, d.MaxRegistersPerThread+8).Draw(t, "registers"),
		SharedBytes: rapid.IntRange(0, d.SharedPerBlock+1024).Draw(t, "shared"),
	}
}

// More of any resource never admits more blocks.
func TestMonotonic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDevice(t)
		u := drawUsage(t, &d)
		more := u
		switch rapid.IntRange(0, 2).Draw(t, "which") {
		case 0:
			more.Threads = rapid.IntRange(u.Threads, d.MaxThreadsPerBlock).Draw(t, "more threads")
		case 1:
			more.Registers += rapid.IntRange(0, 64).Draw(t, "more registers")
		case 2:
			more.SharedBytes += rapid.IntRange(0, 64<<10).Draw(t, "more shared")
		}
		a, err := d.Occupancy(u)
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.Occupancy(more)
		if err != nil {
			t.Fatal(err)
		}
		if b.ActiveBlocks > a.ActiveBlocks {
			t.Fatalf("%s: %+v has %d blocks, %+v has %d", d.Name, u, a.ActiveBlocks, more, b.ActiveBlocks)
		}
	})
}

// What a result says of itself holds together, and fits the SM.
func TestResultIsConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDevice(t)
		u := drawUsage(t, &d)
		r, err := d.Occupancy(u)
		if err != nil {
			t.Fatal(err)
		}
		warps := (u.Threads + d.WarpSize - 1) / d.WarpSize
		switch {
		case r.ActiveWarps != r.ActiveBlocks*warps || r.ActiveThreads != r.ActiveBlocks*u.Threads,
			r.ActiveBlocks < 0 || r.ActiveBlocks > d.MaxBlocksPerSM,
			r.ActiveThreads > d.MaxThreadsPerSM,
			r.ActiveBlocks*u.SharedBytes > d.SharedPerSM,
			r.ActiveThreads*u.Registers > d.RegistersPerSM,
			r.Occupancy != float64(r.ActiveWarps)/float64(d.MaxWarpsPerSM()),
			r.Occupancy > 1,
			r.Limiters == 0:
			t.Fatalf("%s, %+v: %+v", d.Name, u, r)
		}
	})
}

func TestOccupancyDoesNotAllocate(t *testing.T) {
	d := deviceNamed("h200")
	if n := testing.AllocsPerRun(100, func() { _, _ = d.Occupancy(Usage{256, 40, 5000}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestLimiterSetJSON(t *testing.T) {
	for s := LimiterSet(0); s < 1<<len(limiters); s++ {
		data, err := json.Marshal(Result{ActiveBlocks: 1, Limiters: s})
		if err != nil {
			t.Fatal(err)
		}
		var r Result
		if err := json.Unmarshal(data, &r); err != nil || r.Limiters != s {
			t.Errorf("%s comes back as %v, %v", data, r.Limiters, err)
		}
		for _, l := range limiters {
			if s.Has(l) != strings.Contains(string(data), `"`+string(l)+`"`) {
				t.Errorf("Has(%s) is %v of %s", l, s.Has(l), data)
			}
		}
	}
	if LimiterSet(15).Has("luck") {
		t.Error("an unknown limiter is in the set")
	}
	var s LimiterSet
	for _, bad := range []string{`["luck"]`, `3`} {
		if err := json.Unmarshal([]byte(bad), &s); err == nil || !strings.HasPrefix(err.Error(), "occupancy: ") {
			t.Errorf("%s: error %v", bad, err)
		}
	}
}

func BenchmarkOccupancy(b *testing.B) {
	d := deviceNamed("h200")
	var usages [64]Usage
	for i := range usages {
		usages[i] = Usage{Threads: 32 * (1 + i%32), Registers: 16 + i, SharedBytes: 700 * i}
	}
	b.ReportAllocs()
	blocks := 0
	for i := 0; b.Loop(); i++ {
		r, err := d.Occupancy(usages[i%len(usages)])
		if err != nil {
			b.Fatal(err)
		}
		blocks += r.ActiveBlocks
	}
	if blocks == 0 {
		b.Fatal("no blocks at all")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "evaluations/s") // 24 million of processor time; 10 are wanted
}
