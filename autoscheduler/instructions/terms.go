package instructions

// Term is something in a kernel that costs instructions of integers, of control or, for parameters, of memory, beside loads, stores and what floating-point and
// special-function units do.
type Term int

// The terms, each of a warp.
const (
	Warp            Term = iota // a warp: indices of block and thread, pointers, tests
	Nest                        // a stage: the test of the thread, its place in the tile
	Dimension                   // a loop of its threads and blocks: the place along it, and a test
	MemberDimension             // one of a member that the block keeps: likewise
	MemberPoints                // one of those along which a thread has several points that are no power of two: how many threads have any is a quotient
	Apron                       // a dimension of the output's threads where the block keeps members: where what is needed of them ends
	Fused                       // a loop that shares a dimension of the grid with another: what a run knows divides the index
	Loose                       // a dimension of it whose ends are worked out at run time
	Buffer                      // a buffer in global memory: the first address
	Stride                      // a dimension of it beyond the first
	Scaled                      // a dimension of it in which places are a multiple or a part of a loop's: where that is, and where the buffer begins, are worked out apart
	Row                         // a row of it: the address, from that of another
	ConstantRow                 // one at a place that is a constant once a reduction stands in the code: constant steps from that of another, which others share
	StoredRow                   // one that is stored to
	TurnedRow                   // a row that moves with a serial loop: a step, each turn
	OwnRow                      // one of a buffer that the stage both reads and writes
	VectorRow                   // one that is accessed by vectors: its place is worked out in elements, then in vectors
	ClampedRow                  // a dimension of a row whose place is clamped
	ClampedColumn               // a place in a row that is clamped, once for all rows
	ClampedElement              // an element there: it is no constant behind the row's address
	LikelyRow                   // as ClampedRow, but by a boundary condition: the interior has none where Halide partitions the loops over blocks
	LikelyColumn
	LikelyElement
	ClampedDimension // a dimension of a buffer whose places are clamped: its ends
	ClampedShared    // a place in shared memory that is clamped
	Step             // a buffer of which there is more than one row: how far those are apart
	AnyPlace         // a place that no loop gives
	AnyElement       // an element there
	LookedUpPlace    // a place that hangs on data, beside the operations that it is worked out by
	LookedUpElement  // an element there
	SharedBuffer     // a buffer in shared memory that a stage stores to, or loads from: the first address
	ScaledMember     // a dimension of one in which a stage reads a multiple or a part of its own places: where what is needed of it ends is worked out apart
	Pointer          // an address in shared memory that others are constants behind, at each turn of a loop whose ends are worked out at run time
	Test             // of a point by itself
	Turn             // of a serial loop
	LooseTurn        // of one whose ends are worked out at run time
	Integer          // an operation on integers
	Choice           // a comparison, a choice between two values, an operation on conditions
	Division         // of integers of 32 bits, by a constant
	UnsignedDivision // of integers without a sign
	Conversion       // from integers to floats, or back
	Width            // from integers to others
	Packed           // taking a narrow element out of a vector, or putting it in
	Function         // an instruction of a function that is a polynomial, see functions
	// Of all warps, whether they have work or not.
	EntryBuffer // a buffer in global memory
	EntryStride // a dimension of it beyond the first
	EntryClamp  // a dimension whose places are clamped
	NumTerms
)

// Terms says how often there is each.
type Terms [NumTerms]float64

// Plus is these and n times those.
func (t Terms) Plus(o *Terms, n float64) Terms {
	for i, v := range o {
		t[i] += n * v
	}
	return t
}

// Instructions are what they cost but for the loads of parameters.
func (t *Terms) Instructions() (n float64) {
	for i, v := range t {
		n += v * Weights[i]
	}
	return n
}

// withParameters are the terms that load any.
var withParameters = func() (all []Term) {
	for i, v := range ParameterWeights {
		if v != 0 {
			all = append(all, Term(i))
		}
	}
	return all
}()

// Parameters are loads of the kernel's parameters: pointers, and what the host has worked out of sizes and strides.
func (t *Terms) Parameters() (n float64) {
	for _, i := range withParameters {
		n += t[i] * ParameterWeights[i]
	}
	return n
}

var termNames = [NumTerms]string{
	Warp:             "Warp",
	Nest:             "Nest",
	Dimension:        "Dimension",
	MemberDimension:  "MemberDimension",
	MemberPoints:     "MemberPoints",
	Apron:            "Apron",
	Fused:            "Fused",
	Loose:            "Loose",
	Buffer:           "Buffer",
	Stride:           "Stride",
	Scaled:           "Scaled",
	Row:              "Row",
	ConstantRow:      "ConstantRow",
	StoredRow:        "StoredRow",
	TurnedRow:        "TurnedRow",
	OwnRow:           "OwnRow",
	VectorRow:        "VectorRow",
	ClampedRow:       "ClampedRow",
	ClampedColumn:    "ClampedColumn",
	ClampedElement:   "ClampedElement",
	LikelyRow:        "LikelyRow",
	LikelyColumn:     "LikelyColumn",
	LikelyElement:    "LikelyElement",
	ClampedDimension: "ClampedDimension",
	ClampedShared:    "ClampedShared",
	Step:             "Step",
	AnyPlace:         "AnyPlace",
	AnyElement:       "AnyElement",
	LookedUpPlace:    "LookedUpPlace",
	LookedUpElement:  "LookedUpElement",
	SharedBuffer:     "SharedBuffer",
	ScaledMember:     "ScaledMember",
	Pointer:          "Pointer",
	Test:             "Test",
	Turn:             "Turn",
	LooseTurn:        "LooseTurn",
	Integer:          "Integer",
	Choice:           "Choice",
	Division:         "Division",
	UnsignedDivision: "UnsignedDivision",
	Width:            "Width",
	EntryBuffer:      "EntryBuffer",
	EntryStride:      "EntryStride",
	EntryClamp:       "EntryClamp",
	Conversion:       "Conversion",
	Packed:           "Packed",
	Function:         "Function",
}

func (t Term) String() string { return termNames[t] }

// interior has a share of the blocks do without what boundary conditions clamp.
func (t *Terms) interior(share float64) {
	for _, of := range [...]struct{ likely, clamped Term }{{LikelyRow, ClampedRow}, {LikelyColumn, ClampedColumn}, {LikelyElement, ClampedElement}} {
		t[of.clamped] += t[of.likely] * (1 - share)
		t[of.likely] = 0
	}
}

// Inside is what the terms come to in a block that lies inside, and what more in one at an edge, where boundary conditions clamp.
func (t *Terms) Inside() (inside, edge float64) {
	in, at := *t, *t
	in.interior(1)
	at.interior(0)
	inside = in.Instructions() + in.Parameters()
	return inside, at.Instructions() + at.Parameters() - inside
}
