package instructions

// Weights are instructions for each term. Those of operations are what the code shows, and so are those of SharedBuffer (a product with a sum, and the address of its bytes) and of ConstantRow (of max_filter's 106 places a sum for two of three), that of Scaled the mean of what PTX has more of f(2x, y) and f(x, 2y) than of f(x, y); the others are fitted to the simulator's counts of the programs that
// are not held out (go run ./benchmarks/instructions -fit).
var Weights = Terms{
	Warp: 4.6, Nest: 1.1, Dimension: 3, MemberDimension: 2.75, MemberPoints: 4, Apron: 4.2, Fused: 3.4, Loose: 1.3, Buffer: .34, Stride: 3.4, Scaled: 2, Row: 1.2, ConstantRow: .6, StoredRow: 1.3, TurnedRow: .62, OwnRow: 1.2, VectorRow: 1.94,
	ClampedRow: .57, ClampedElement: 2.7, ClampedDimension: 3.5, ClampedShared: 5.4, Step: 5.3, AnyPlace: 3.2, SharedBuffer: 2, ScaledMember: 4.1, Pointer: .39, Turn: 7, LooseTurn: 1.9,
	Integer: 1, Choice: 1, Division: 5, UnsignedDivision: 2, Conversion: 1, Width: .64, Packed: 1, Function: 1,
}

// ParameterWeights are loads of parameters for each term, fitted likewise but for that of Scaled, which is such a mean too.
var ParameterWeights = Terms{Dimension: .4, MemberDimension: .4, Scaled: .5, EntryBuffer: .87, EntryStride: 2.6, EntryClamp: 2.55}
