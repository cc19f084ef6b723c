package count

import (
	"math/rand/v2"
	"testing"
)

func TestWavefronts(t *testing.T) {
	for _, c := range []struct {
		what         string
		stride, size int
		mask         uint32
		passes       int
		least        int
	}{
		{"neighbours", 4, 4, ^uint32(0), 1, 1},
		{"one word for all", 0, 4, ^uint32(0), 1, 1},
		{"a column of 32 floats", 128, 4, ^uint32(0), 32, 1},
		{"a column padded to 33", 132, 4, ^uint32(0), 1, 1},
		{"every second word", 8, 4, ^uint32(0), 2, 1},
		{"bytes", 1, 1, ^uint32(0), 1, 1},
		{"halves of a column, 64 apart", 64, 2, ^uint32(0), 16, 1},
		{"doubles side by side", 8, 8, ^uint32(0), 2, 2},
		{"doubles, one half warp", 8, 8, 0xffff, 1, 1},
		{"float4 side by side", 16, 16, ^uint32(0), 4, 4},
		{"float4 a row of 32 apart", 128, 16, ^uint32(0), 32, 4},
		{"nobody", 4, 4, 0, 0, 0},
	} {
		var a [32]uint64
		for i := range a {
			a[i] = uint64(i * c.stride)
		}
		if p, l := Wavefronts(&a, c.mask, c.size); p != c.passes || l != c.least {
			t.Errorf("%s: %d passes, %d at least; want %d, %d", c.what, p, l, c.passes, c.least)
		}
	}
}

// TestSectors compares with sets.
func TestSectors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		size := 1 << r.IntN(4)
		var a [32]uint64
		for i := range a {
			switch r.IntN(3) {
			case 0:
				a[i] = uint64(i * size)
			case 1:
				a[i] = uint64(r.IntN(200) * size)
			default:
				a[i] = a[(i+31)%32]
			}
		}
		mask := r.Uint32() | r.Uint32()
		addresses, sectors := map[uint64]bool{}, map[uint64]bool{}
		for i := range a {
			if mask>>i&1 != 0 {
				addresses[a[i]], sectors[a[i]/32] = true, true
			}
		}
		set, ideal := Sectors(nil, &a, mask, size)
		got := map[uint64]bool{}
		for _, s := range set {
			got[s] = true
		}
		if len(set) != len(got) || len(got) != len(sectors) || ideal != (len(addresses)*size+31)/32 {
			t.Fatalf("%v %x: %v, ideal %d", a, mask, set, ideal)
		}
		for s := range got {
			if !sectors[s] {
				t.Fatalf("sector %d is not touched", s)
			}
		}
	}
}

func TestKernelFields(t *testing.T) {
	k := Kernel{Launches: 1, Shuffles: 10, Blocks: 4}
	k.Add(&Kernel{Launches: 1, DivergentBranches: 3})
	k.Scale(3, 2)
	if k.Launches != 2 || k.Shuffles != 15 || k.DivergentBranches != 5 || k.Blocks != 6 {
		t.Errorf("%+v", k)
	}
}
