package occupancy

import (
	"testing"

	"pgregory.net/rapid"
)

// Each relief changes one resource, helps, and is the smallest that does.
func TestReliefs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDevice(t)
		u := drawUsage(t, &d)
		now, err := d.Occupancy(u)
		if err != nil {
			t.Fatal(err)
		}
		reliefs, err := d.Reliefs(u)
		if err != nil {
			t.Fatal(err)
		}
		helps := func(v Usage) bool {
			r, err := d.Occupancy(v)
			return err == nil && r.ActiveWarps > now.ActiveWarps
		}
		found := map[Limiter]bool{}
		for _, r := range reliefs {
			found[r.Change] = true
			if again, err := d.Occupancy(r.Usage); err != nil || again != r.Result || !helps(r.Usage) {
				t.Fatalf("%s, %+v: %+v does not help", d.Name, u, r)
			}
			smaller, want := r.Usage, u
			switch r.Change {
			case LimitRegisters:
				want.Registers = r.Usage.Registers
				smaller.Registers++
			case LimitShared:
				want.SharedBytes = r.Usage.SharedBytes
				smaller.SharedBytes++
			case LimitWarps:
				want.Threads = r.Usage.Threads
				smaller.Threads += d.WarpSize
			case LimitBlocks:
				want.Threads = r.Usage.Threads
				smaller.Threads -= d.WarpSize
			}
			if want != r.Usage {
				t.Fatalf("%s, %+v: %+v changes something else too", d.Name, u, r)
			}
			if smaller.Threads > 0 && smaller.Threads <= d.MaxThreadsPerBlock && helps(smaller) {
				t.Fatalf("%s, %+v: %+v would do for %s", d.Name, u, smaller, r.Change)
			}
		}
		// A resource not named cannot help, even given up altogether.
		if v := (Usage{u.Threads, 0, u.SharedBytes}); !found[LimitRegisters] && u.Registers > 0 && helps(v) {
			// 0 registers means unknown and is never advised; 1 is the least.
			if v.Registers = 1; helps(v) {
				t.Fatalf("%s, %+v: fewer registers help, and no relief says so", d.Name, u)
			}
		}
		if v := (Usage{u.Threads, u.Registers, 0}); !found[LimitShared] && helps(v) {
			t.Fatalf("%s, %+v: less shared memory helps, and no relief says so", d.Name, u)
		}
	})
}

// MaxRegisters and MaxShared are the last values that do.
func TestMaxima(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDevice(t)
		threads := rapid.IntRange(1, d.MaxThreadsPerBlock).Draw(t, "threads")
		blocks := rapid.IntRange(1, d.MaxBlocksPerSM+1).Draw(t, "blocks")
		warps := (threads + d.WarpSize - 1) / d.WarpSize

		n, ok := d.MaxRegisters(threads, blocks)
		if ok != (d.blocksByRegisters(warps, 1) >= blocks) || ok && d.blocksByRegisters(warps, n) < blocks {
			t.Fatalf("%s: MaxRegisters(%d, %d) is %d, %v", d.Name, threads, blocks, n, ok)
		}
		if d.blocksByRegisters(warps, n+1) >= blocks {
			t.Fatalf("%s: MaxRegisters(%d, %d) is %d, and one more does", d.Name, threads, blocks, n)
		}

		n, ok = d.MaxShared(blocks)
		if ok != (d.blocksByShared(0) >= blocks) || ok && d.blocksByShared(n) < blocks {
			t.Fatalf("%s: MaxShared(%d) is %d, %v", d.Name, blocks, n, ok)
		}
		if d.blocksByShared(n+1) >= blocks {
			t.Fatalf("%s: MaxShared(%d) is %d, and one more does", d.Name, blocks, n)
		}
	})
	d := deviceNamed("h200")
	for _, bad := range [][2]int{{0, 1}, {32, 0}, {-1, -1}} {
		if n, ok := d.MaxRegisters(bad[0], bad[1]); ok {
			t.Errorf("MaxRegisters(%d, %d) is %d", bad[0], bad[1], n)
		}
	}
	if n, ok := d.MaxShared(0); ok {
		t.Errorf("MaxShared(0) is %d", n)
	}
}
