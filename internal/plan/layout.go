package plan

import (
	"iter"
	"sort"

	"gowarp/halideir"
	"gowarp/occupancy"
)

// Layout is what runs where: the kernels of one group, in launch order. Prices,
// the legality gate and the emitted directives are all functions of it, so that
// what is priced is what is emitted.
type Layout struct {
	Kernels []*Kernel
}

// Kernel is one stage's loops on the device (or the host), with the members
// computed inside it.
type Kernel struct {
	Strategy string
	Choice   Choice
	Out      Nest
	Members  []Member // in the order in which they are computed
	Warp     *Warp    // tiles of warps; nil where a block is one tile
	Staged   *Problem // the problem with the inlined Funcs that this kernel stores; nil if it stores none
	Host     bool
	Why      string  // for what runs on the host, in one thread or in the launch of another: the reason
	With     *Kernel // the kernel in whose launch it runs, each block its part behind that one's; nil: it has a launch of its own

	Grid        [3]int64  // blocks, x first
	Block       [3]int64  // threads, x first
	SharedBytes int64     // what Halide allocates: by liveness
	SharedSum   int64     // the sum over members, as Sioutas et al. count it
	Registers   int       // a thread, estimated or, where the kernel was compiled, as compiled
	SpillBytes  int       // a thread, stored and loaded: estimated at every turn of its loops or, where the kernel was compiled, as it stands in the code
	SpillFrame  int       // a thread, of SpillBytes: what lies in memory for it
	Counted     Counts    // what one block issues, where the strategy has counted it; else zero
	JudgedBy    string    // who said more of it than an estimate, as search names it: "ptxas", "sim"; else ""
	Simulated   Simulated // what a simulator counted; zero where it was not asked
	Held        int       // registers for what several points of a thread share at once; 0 if it has one point
	Occupancy   occupancy.Result
}

// Counts is what warps issue: all instructions, and of them those that floating-point and special-function units do and the requests to the
// load/store units; the further cycles that those take of L1; and the sectors of global memory that their loads and stores ask for.
type Counts struct {
	Issued, Float, Special, Requests, Further, Sectors float64
	Double                                             float64 // of Float and others, those of the units of 64-bit floats
}

// Times is the counts of n times as many.
func (c Counts) Times(n float64) Counts {
	return Counts{c.Issued * n, c.Float * n, c.Special * n, c.Requests * n, c.Further * n, c.Sectors * n, c.Double * n}
}

// Plus is both together.
func (c Counts) Plus(d Counts) Counts {
	return Counts{c.Issued + d.Issued, c.Float + d.Float, c.Special + d.Special, c.Requests + d.Requests, c.Further + d.Further, c.Sectors + d.Sectors, c.Double + d.Double}
}

// Simulated is what a simulator counted of all blocks of a kernel. Warp instructions, and of them those that floating-point and special-function units do and
// those of memory; cycles for which the load/store units are busy; sectors of global memory, of each block once; and waits of warps at barriers.
type Simulated struct {
	Issued, Float, Special, Memory, Requests, Sectors, Barriers float64
}

// Plus is both together.
func (s Simulated) Plus(o Simulated) Simulated {
	return Simulated{
		Issued: s.Issued + o.Issued, Float: s.Float + o.Float, Special: s.Special + o.Special, Memory: s.Memory + o.Memory,
		Requests: s.Requests + o.Requests, Sectors: s.Sectors + o.Sectors, Barriers: s.Barriers + o.Barriers,
	}
}

// Where is the level at which a member is computed.
type Where uint8

// The levels.
const (
	AtBlock       Where = iota // once a block, into shared memory
	AtThread                   // once a thread, into its own registers or stack
	AtWarp                     // once a warp, into the registers of its lanes
	AtBlockGlobal              // once a block, into a part of global memory of its own
)

func (w Where) String() string {
	switch w {
	case AtThread:
		return "thread"
	case AtWarp:
		return "warp"
	}
	return "block"
}

// Member is a Func computed inside a kernel.
type Member struct {
	Func    int
	Where   Where
	Anchor  int     // AtThread: the Func in whose thread loop it is computed
	Extents []int64 // stored points of each dimension, worst case over tiles
	Padded  []int64 // Extents as allocated
	Align   int64   // elements to which the innermost extent is rounded up; 0 or 1 if not
	Bounded []bool  // dimensions whose extent Halide can prove; the others it sizes at run time, but for those that are given
	Given   []bool  // dimensions whose extent the schedule says
	Bytes   int64   // allocated, a block or a thread
	// AtBlock: where a run's sizes make it more than a block can have, the host launches a form of the kernel in which it is in global memory.
	OrGlobal bool
	Order    []int // AtBlock: the dimensions as stored, innermost first; nil: as they are
	// AtWarp: so many of the first registers of each lane are in the warp's scratch instead, from this byte on. Components of
	// a tuple follow each other.
	Demoted, ScratchAt int64
	Nests              []Nest // one a stage
}

// Fixed reports whether the storage of a member in shared memory has a size that is known before anything runs.
func (m *Member) Fixed() bool {
	return m.SizedAtRunTime() == 0
}

// SizedAtRunTime is how many of its dimensions Halide sizes at run time.
func (m *Member) SizedAtRunTime() int {
	n := 0
	for k, bounded := range m.Bounded {
		if !bounded && (k >= len(m.Given) || !m.Given[k]) {
			n++
		}
	}
	return n
}

// Nest is how the loops of one stage run. Loops are numbered as in the untouched
// stage. Every loop is in exactly one of the five lists, but for those that are split.
type Nest struct {
	Func, Stage int
	Unrolled    []Use // points that a thread computes side by side, innermost first; one that is split stands in Threads too
	Serial      []Use // inside a thread, innermost first
	Threads     []Use // x first
	Blocks      []Use // x first; a loop that is split stands in Threads and here, or in Serial
	Host        []Use // around the launch, innermost first: there is one for each iteration
	Fused       int   // so many of Blocks share a grid dimension
	FusedAt     int   // from this one on: the last of them, or the second to the last but one
	Wrap        int64 // all blocks share one loop, which is split by this into two grid dimensions; 0 if not
	Along       Use   // the loop along which neighbouring threads step; Loop is -1 where there is none
	// Whole says that the nest is for outputs of as many points as are in Unrolled at least, the last of which overlap those before. What a schedule
	// of Halide's alone can say of it is for multiples of them. Others run the same blocks and threads, with the points one by one.
	Whole bool
	// Scan says that a warp runs through the one serial loop, its lanes 32 iterations at a time, and that Threads are warps: see schedule.ScanLanes. What a schedule of
	// Halide's alone can say of it is that a thread runs through it in order.
	Scan bool
	// Chunks says that so many threads run through the one serial loop, a chunk of its iterations each and one chunk after the other, in the second dimension of a block whose first is Threads: see
	// schedule.ScanChunks. 0 where one thread does.
	Chunks int64
}

// Together reports whether several threads run through the serial loop of a nest together.
func (n *Nest) Together() bool { return n.Scan || n.Chunks > 0 }

// Use is one loop's part in a nest.
type Use struct {
	Loop   int
	Tile   int64 // the factor it is split by; 0 for a loop that is not split
	Extent int64 // iterations at this level, at the estimates
	Steps  int64 // Serial only: the loop makes so many iterations at a time, which stand one after the other in the code; 0 or 1 if it does not
	Apart  int64 // Unrolled only: how far the points are from each other; 0 for neighbours
	Unroll bool  // Serial only: the iterations stand one after the other in the code
	Tail   Tail  // Unrolled only: what becomes of points beyond the end
}

// Guarded reports whether points side by side are tested one by one.
func (u Use) Guarded() bool { return u.Tile > 0 && u.Tail == Guarded }

// Tail is what a split does where its factor does not divide the extent.
type Tail uint8

// The tails.
const (
	Guarded      Tail = iota // each point is tested
	ShiftInwards             // the last points begin earlier and overlap those before
	RoundUp                  // more is computed than is needed
)

// Tiles is the number of blocks, of all launches.
func (k *Kernel) Tiles() int64 { return k.Grid[0] * k.Grid[1] * k.Grid[2] * k.Launches() }

// Launches is how often the host launches it.
func (k *Kernel) Launches() int64 {
	n := int64(1)
	for _, u := range k.Out.Host {
		n *= max(u.Extent, 1)
	}
	return n
}

// OneTest reports whether a thread tests at most once whether its points are in the output: of a special case for whole groups of points the last group begins earlier, and members, reductions
// and scans test in their loops.
func (k *Kernel) OneTest(p *halideir.Pipeline) bool {
	return !k.Out.Whole && len(k.Members) == 0 && len(p.Funcs[k.Out.Func].Stages) == 1
}

// ThreadsPerBlock is the number of threads of a block.
func (k *Kernel) ThreadsPerBlock() int64 { return k.Block[0] * k.Block[1] * k.Block[2] }

// Warps is how many warps a block has.
func (k *Kernel) Warps() int64 { return (k.ThreadsPerBlock() + WarpLanes - 1) / WarpLanes }

// Occupy works out how many of the kernel's warps an SM holds, by its threads, registers and shared memory.
func (k *Kernel) Occupy(d *occupancy.Device) (err error) {
	k.Occupancy, err = d.Occupancy(occupancy.Usage{Threads: int(k.ThreadsPerBlock()), Registers: k.Registers, SharedBytes: int(k.SharedBytes)})
	return err
}

// moreShared is by what part more shared memory than was worked out a kernel may take and still be one that is laid out alike: a row or a slot more, of which the price knows nothing.
const moreShared = 1.0 / 16

// SharedMost is how much shared memory a block may take in all for the kernel to be the one that was priced: as many blocks run on an SM at a time, and no limit is exceeded. Up to the sum of
// its members it is Halide that reuses less of it, in another order of stages than is expected.
func (k *Kernel) SharedMost(pr *Problem) int64 {
	least, most := k.SharedBytes, min(max(k.SharedBytes+int64(moreShared*float64(k.SharedBytes)), k.SharedSum), pr.Limits.SharedBytes)
	if most <= least || k.ThreadsPerBlock() > int64(pr.Device.MaxThreadsPerBlock) {
		return least
	}
	return least + int64(sort.Search(int(most-least), func(i int) bool {
		more := *k
		more.SharedBytes = least + int64(i) + 1
		return more.Occupy(pr.Device) != nil || more.Occupancy.ActiveBlocks < k.Occupancy.ActiveBlocks
	}))
}

// Nests are the nests of a kernel: its output's, then its members', in their order.
func (k *Kernel) Nests() iter.Seq[*Nest] {
	return func(yield func(*Nest) bool) {
		if !yield(&k.Out) {
			return
		}
		for i := range k.Members {
			for j := range k.Members[i].Nests {
				if !yield(&k.Members[i].Nests[j]) {
					return
				}
			}
		}
	}
}

// ThreadsOf is the number of threads, in a block, that compute a Func of the kernel.
func (k *Kernel) ThreadsOf(fn int) int64 {
	if fn == k.Out.Func {
		return k.Out.ThreadCount()
	}
	if i := k.MemberIndex(fn); i >= 0 {
		return k.Members[i].Nests[0].ThreadCount()
	}
	return 1
}

// Times is how often a member is computed in a launch: once a block, a warp or a thread.
func (k *Kernel) Times(m *Member) int64 {
	n := k.Tiles()
	switch m.Where {
	case AtThread:
		n *= k.ThreadsOf(m.Anchor)
	case AtWarp:
		n *= k.Warp.Warps
	}
	return n
}

// StoredPoints is how many points of a member are computed each time.
func (m *Member) StoredPoints() int64 {
	n := int64(1)
	for _, e := range m.Extents {
		n *= e
	}
	return n
}

// MemberIndex is where a Func stands among the members, -1 if it is none.
func (k *Kernel) MemberIndex(fn int) int {
	for i := range k.Members {
		if k.Members[i].Func == fn {
			return i
		}
	}
	return -1
}

// PlaceOf is where a Func is computed, if it is a member.
func (k *Kernel) PlaceOf(fn int) (Where, bool) {
	i := k.MemberIndex(fn)
	if i < 0 {
		return 0, false
	}
	return k.Members[i].Where, true
}

// OnChip reports whether a Func is a member that is kept in registers or shared memory.
func (k *Kernel) OnChip(fn int) bool {
	where, in := k.PlaceOf(fn)
	return in && where != AtBlockGlobal
}

// Points is the number of iterations of a nest in one block, all levels below
// the blocks together.
func (n *Nest) Points() int64 {
	p := int64(1)
	for _, u := range n.Threads {
		p *= u.Extent
	}
	for _, u := range n.Serial {
		p *= u.Extent
	}
	return p * n.PointsPerThread()
}

// PointsPerThread is the number of points that a thread computes side by side.
func (n *Nest) PointsPerThread() int64 {
	p := int64(1)
	for _, u := range n.Unrolled {
		p *= u.Extent
	}
	return p
}

// FusedLoops are the block loops that share a grid dimension.
func (n *Nest) FusedLoops() []Use { return n.Blocks[n.FusedAt : n.FusedAt+n.Fused] }

// Straight is the nest whose points are all iterations that stand between two turns of a serial loop, and how
// often those loops turn.
func (n *Nest) Straight() (Nest, float64) {
	out, turns := *n, 1.0
	for _, u := range n.Serial {
		steps := max(u.Steps, 1)
		if u.Unroll {
			steps = max(u.Extent, 1)
		}
		turns *= float64((max(u.Extent, 1) + steps - 1) / steps)
		if steps > 1 {
			out.Unrolled = append(out.Unrolled[:len(out.Unrolled):len(out.Unrolled)], Use{Loop: u.Loop, Extent: steps})
		}
	}
	return out, turns
}

// UnrolledUse is the loop's part among the points side by side.
func (n *Nest) UnrolledUse(loop int) (Use, bool) {
	for _, u := range n.Unrolled {
		if u.Loop == loop {
			return u, true
		}
	}
	return Use{Loop: -1}, false
}

// ThreadCount is the number of threads that a nest keeps busy.
func (n *Nest) ThreadCount() int64 {
	p := int64(1)
	for _, u := range n.Threads {
		p *= u.Extent
	}
	return p
}
