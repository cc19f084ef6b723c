package instructions

// Weights are instructions for each term. Those of memory that are no loads of values are in ParameterWeights.
var Weights = Terms{
	Warp: 4, Nest: 2, Dimension: 5, Fused: 10, Loose: 16, Buffer: 1, Stride: 3, Row: 1.2, StoredRow: 1.2, TurnedRow: 1, ClampedRow: 3, ClampedColumn: 3, ClampedElement: 1, ClampedDimension: 2, Step: 2, AnyPlace: 3, AnyElement: 1,
	Pointer: 1, Test: 1.5, Turn: 3, LooseTurn: 4, Integer: 1, Choice: 1, Division: 5, UnsignedDivision: 2, Conversion: 1, Function: 1,
}

// ParameterWeights are loads of parameters for each term.
var ParameterWeights = Terms{Warp: 2, EntryBuffer: 1, EntryStride: 1.5, EntryClamp: 1}
