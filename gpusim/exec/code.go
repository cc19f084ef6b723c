package exec

import (
	"gowarp/gpusim/count"
	"gowarp/gpusim/ptx"
)

// lanes32 and lanes64 are a register of a warp: one value a lane. 16-bit values
// lie zero-extended in 32 bits.
type (
	lanes32 = [32]uint32
	lanes64 = [32]uint64
)

const all = ^uint32(0) // the mask of a full warp

// class is where a register lives.
type class uint8

const (
	none    class = iota
	word          // regs32: up to 32 bits
	double        // regs64
	boolean       // preds: a bit a lane
)

func classOf(t ptx.Type) class {
	switch {
	case t.Kind == ptx.Pred:
		return boolean
	case t.Bits == 64:
		return double
	}
	return word
}

// slot is a register: its class, its number there, and its number among the
// masks of undefined lanes. Number 0 of each is a constant zero, always defined.
type slot struct {
	class class
	at    int32
	taint int32
}

// pair is the masks of the undefined lanes of a register's halves, low and high; without any where it has none.
type pair []int32

// op is an instruction ready to run.
type op struct {
	run     func(w *warp, o *op)
	d       slot
	a, b, c slot
	guard   int32 // a predicate, -1 for none
	// guardTaint is the predicate's among the masks of undefined lanes.
	guardTaint int32
	invert     bool // run where the guard is false
	line       int32

	scalar func(a, b, c uint64) uint64
	outMax uint64 // the bits of d's width

	// Of memory accesses.
	offset uint64
	size   int32 // bytes of an element
	space  ptx.Space
	vec    []slot  // destinations or sources
	parts  []int32 // masks of the undefined lanes of vec, where a register is packed and unpacked by parts
	halves []pair  // of each of vec that is 8 bytes in memory and has parts
	plain  bool    // all as wide as an element, or words that hold narrower ones
	sext   uint8   // bits from which a loaded element is sign-extended, 0 for none
	atomic bool    // volatile or relaxed: races with no atomic access
	site   int32   // number of the access, for a worker's cache of allocations
	rmw    func(old, b, c uint64) uint64
	shuf   shuffleMode
	dpred  slot
	barID  int32

	inst *ptx.Inst
}

// codeBlock is a basic block ready to run.
type codeBlock struct {
	ops  []op
	term terminator
	// Of a branch.
	guard  int32
	invert bool
	taint  int32
	next   int32 // where it goes, or the only successor
	fall   int32
	join   int32
	line   int32
	number int32 // among all blocks of the kernel, for counting
	callee *code
}

// terminator is how a block ends.
type terminator uint8

const (
	goTo terminator = iota
	branch
	leave // ret or exit
	leaveIf
	callThen
	barrierThen
	trapNow
)

// code is a function ready to run.
type code struct {
	fn     *ptx.Function
	blocks []codeBlock
}

// template is a register that every warp has from the start: a constant, a
// parameter, a special register.
type template struct {
	slot  slot
	value uint64
	param int // offset in the parameters, -1 for none
	bytes int
	name  string // of a special register
}

// Kernel is a kernel ready to run.
type Kernel struct {
	Name       string
	ParamBytes int
	// ParamSizes are the sizes of the parameters in order, and ParamOffsets where
	// they lie among the bytes of a launch.
	ParamSizes, ParamOffsets []int
	// StaticShared is the shared memory that the PTX itself declares, in bytes.
	StaticShared int
	LocalBytes   int // a thread

	main      *code
	n32, n64  int
	nPred     int
	nTaint    int
	templates []template
	blocks    []blockStats
	nSites    int
	consts    []byte
	sources   []sources // of each site's address
	written   []sources // of each address in global memory that the kernel writes
	// granule is the narrowest access to each kind of memory, in bytes: the
	// unit in which races are looked for.
	globalGranule, sharedGranule int
	maxThreads                   int
}

// blockStats says what one run of a basic block adds to the counts.
type blockStats struct {
	classes [count.Classes]int64
	ops     int64
}
