// Package count holds what the simulator counts in a kernel and the rules by
// which a warp's addresses become memory transactions.
//
// It counts; it does not time. It knows nothing of PTX or of how threads run.
package count

import "math/bits"

// SectorBytes is the unit in which L2 and DRAM are accessed.
const SectorBytes = 32

// Banks is the number of banks of shared memory, each 4 bytes wide.
const Banks = 32

// Class is the kind of unit that a warp instruction occupies.
type Class uint8

// The classes of instructions.
const (
	Integer Class = iota // integer and address arithmetic, comparisons, selects, moves, conversions
	Float                // f16, f32 and f64 arithmetic
	Special              // approximations, divisions and roots
	Memory               // loads, stores, atomics, shuffles
	Control              // branches, barriers, calls
	Classes
)

// Kernel is what the launches of one kernel did, summed. Requests are warp
// instructions that reach a memory; a request of a vector access counts once.
type Kernel struct {
	Launches int64 `json:"launches"`
	Blocks   int64 `json:"blocks"`  // that ran
	Threads  int64 `json:"threads"` // that ran
	// Warp instructions by class, and the sum over their active threads.
	Integer            int64 `json:"integer"`
	Float              int64 `json:"float"`
	Special            int64 `json:"special"`
	Memory             int64 `json:"memory"`
	Control            int64 `json:"control"`
	WarpInstructions   int64 `json:"warp_instructions"`
	ThreadInstructions int64 `json:"thread_instructions"`

	GlobalLoads         int64 `json:"global_loads"`  // requests
	GlobalStores        int64 `json:"global_stores"` // requests
	GlobalLoadSectors   int64 `json:"global_load_sectors"`
	GlobalStoreSectors  int64 `json:"global_store_sectors"`
	GlobalAtomicSectors int64 `json:"global_atomic_sectors"`
	// GlobalIdealSectors is how many sectors the same requests would take if each
	// one's distinct bytes lay side by side.
	GlobalIdealSectors int64 `json:"global_ideal_sectors"`
	// BlockBytes are the distinct sectors of each block, in bytes, summed: what reaches
	// L2 if no block fetches a sector twice.
	BlockBytes int64 `json:"block_bytes"`
	// ColdBytes are the distinct sectors that a launch touched, in bytes: the
	// least that must come from or go to DRAM when the caches are empty. Of a launch of
	// which only some blocks ran, it is what those touched: a lower bound.
	ColdBytes int64 `json:"cold_bytes"`

	SharedLoads      int64 `json:"shared_loads"`  // requests
	SharedStores     int64 `json:"shared_stores"` // requests
	SharedWavefronts int64 `json:"shared_wavefronts"`
	// SharedConflicts are the wavefronts beyond those that the width of the
	// accesses takes.
	SharedConflicts int64 `json:"shared_conflicts"`

	LocalLoads  int64 `json:"local_loads"`  // requests
	LocalStores int64 `json:"local_stores"` // requests
	LocalBytes  int64 `json:"local_bytes"`

	Shuffles          int64 `json:"shuffles"`
	Barriers          int64 `json:"barriers"` // warp instructions
	GlobalAtomics     int64 `json:"global_atomics"`
	SharedAtomics     int64 `json:"shared_atomics"`
	Branches          int64 `json:"branches"` // conditional
	DivergentBranches int64 `json:"divergent_branches"`
}

// Requests are those to the load/store unit: global requests, shared wavefronts and shuffles.
func (k *Kernel) Requests() int64 {
	return k.GlobalLoads + k.GlobalStores + k.GlobalAtomics + k.SharedWavefronts + k.Shuffles
}

// Sectors are those of global memory, loaded, stored or updated.
func (k *Kernel) Sectors() int64 {
	return k.GlobalLoadSectors + k.GlobalStoreSectors + k.GlobalAtomicSectors
}

// Add adds the counts of another launch, or of another worker's share of one.
func (k *Kernel) Add(o *Kernel) {
	a, b := k.fields(), o.fields()
	for i := range a {
		*a[i] += *b[i]
	}
}

// Scale multiplies everything but the number of launches and the cold bytes by num/den, for
// launches of which only some blocks ran: what blocks have in common does not grow with
// their number.
func (k *Kernel) Scale(num, den int64) {
	if den == 0 || num == den {
		return
	}
	launches, cold := k.Launches, k.ColdBytes
	for _, p := range k.fields() {
		// In floating point: a count times a number of blocks can exceed 64 bits.
		*p = int64(float64(*p)*(float64(num)/float64(den)) + .5)
	}
	k.Launches, k.ColdBytes = launches, cold
}

func (k *Kernel) fields() []*int64 {
	return []*int64{&k.Launches, &k.Blocks, &k.Threads, &k.Integer, &k.Float, &k.Special, &k.Memory, &k.Control,
		&k.WarpInstructions, &k.ThreadInstructions, &k.GlobalLoads, &k.GlobalStores, &k.GlobalLoadSectors, &k.GlobalStoreSectors, &k.GlobalAtomicSectors,
		&k.GlobalIdealSectors, &k.BlockBytes, &k.ColdBytes, &k.SharedLoads, &k.SharedStores, &k.SharedWavefronts, &k.SharedConflicts,
		&k.LocalLoads, &k.LocalStores, &k.LocalBytes, &k.Shuffles, &k.Barriers, &k.GlobalAtomics, &k.SharedAtomics,
		&k.Branches, &k.DivergentBranches}
}

// AddClass adds n warp instructions of a class.
func (k *Kernel) AddClass(c Class, n int64) {
	*[...]*int64{&k.Integer, &k.Float, &k.Special, &k.Memory, &k.Control}[c] += n
	k.WarpInstructions += n
}

// Sectors appends to set the distinct sectors that the lanes of mask touch, each
// size bytes at its (aligned) address, and returns it together with the sectors
// that their distinct bytes would fill side by side.
func Sectors(set []uint64, addr *[32]uint64, mask uint32, size int) ([]uint64, int) {
	distinct := 0
	var last uint64
	sorted, first := true, true
	for m := mask; m != 0; m &= m - 1 {
		a := addr[bits.TrailingZeros32(m)&31]
		if !first && a == last {
			continue
		}
		if !first && a < last {
			sorted = false
			break
		}
		s := a / SectorBytes
		if first || s != last/SectorBytes {
			set = append(set, s)
		}
		first, last = false, a
		distinct++
	}
	if !sorted {
		set, distinct = unsortedSectors(set[:0], addr, mask)
	}
	return set, (distinct*size + SectorBytes - 1) / SectorBytes
}

// unsortedSectors is Sectors for addresses that do not ascend with the lanes.
func unsortedSectors(set []uint64, addr *[32]uint64, mask uint32) ([]uint64, int) {
	var seen [32]uint64
	n := 0
lanes:
	for m := mask; m != 0; m &= m - 1 {
		a := addr[bits.TrailingZeros32(m)]
		for _, s := range seen[:n] {
			if s == a {
				continue lanes
			}
		}
		seen[n] = a
		n++
		for _, s := range set {
			if s == a/SectorBytes {
				continue lanes
			}
		}
		set = append(set, a/SectorBytes)
	}
	return set, n
}

// Wavefronts is how many passes through shared memory a request takes, and how many
// it would take without bank conflicts. A pass serves each bank one 4-byte word,
// to any number of lanes. Accesses of 8 bytes are served a half warp at a time and of
// 16 bytes a quarter, so that without conflicts they take 2 and 4 passes; lanes that
// do not take part leave a group out.
func Wavefronts(addr *[32]uint64, mask uint32, size int) (passes, least int) {
	group := 32
	if size == 8 {
		group = 16
	} else if size == 16 {
		group = 8
	}
	for lane := 0; lane < 32; lane += group {
		m := mask >> lane & uint32(1<<group-1)
		if m == 0 {
			continue
		}
		least++
		passes += groupPasses(addr, m<<lane, size)
	}
	return passes, least
}

func groupPasses(addr *[32]uint64, mask uint32, size int) int {
	words := (size + 3) / 4
	// The usual case first: ascending neighbours, each word in a bank of its own.
	var used [Banks]uint64 // a word of each bank, + 1
	conflict := false
scan:
	for m := mask; m != 0; m &= m - 1 {
		word := addr[bits.TrailingZeros32(m)&31] / 4
		for range words {
			u := &used[word%Banks]
			if *u != 0 && *u != word+1 {
				conflict = true
				break scan
			}
			*u = word + 1
			word++
		}
	}
	if !conflict {
		return 1
	}
	var lists [Banks][]uint64
	most := 0
	for m := mask; m != 0; m &= m - 1 {
		word := addr[bits.TrailingZeros32(m)] / 4
	next:
		for k := range words {
			w := word + uint64(k)
			l := &lists[w%Banks]
			for _, s := range *l {
				if s == w {
					continue next
				}
			}
			*l = append(*l, w)
			most = max(most, len(*l))
		}
	}
	return most
}
