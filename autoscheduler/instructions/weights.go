package instructions

// Weights are instructions for each term. Those of operations are what the code shows; the others are fitted to the simulator's counts of the programs that
// are not held out (go run ./benchmarks/instructions -fit).
var Weights = Terms{
	Warp: 4.6, Nest: 1.1, Dimension: 2.9, Fused: 4.9, Loose: 9.4, Buffer: .4, Stride: 3.4, Row: 1.2, StoredRow: 1.3, TurnedRow: .8, OwnRow: 1.4,
	ClampedRow: .9, ClampedElement: 2.4, ClampedDimension: 3.4, ClampedShared: 3, Step: 5.1, Pointer: .47, Turn: 6.6, LooseTurn: .23,
	AnyPlace: 3, AnyElement: 2, LookedUpElement: 1, VectorRow: 2, Integer: 1, Choice: 1, Division: 5, UnsignedDivision: 2, Conversion: .57, Width: .64, Function: 1,
}

// ParameterWeights are loads of parameters for each term, fitted likewise.
var ParameterWeights = Terms{Dimension: .41, EntryBuffer: .87, EntryStride: 2.6, EntryClamp: 2.5}
