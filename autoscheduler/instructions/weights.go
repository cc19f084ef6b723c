package instructions

// Weights are instructions for each term. Those of memory that are no loads of values are in ParameterWeights.
var Weights = Terms{
	Warp: 5, Nest: 5, Dimension: 3, Fused: 10, Loose: 25, Buffer: 4, Stride: 1, Row: 2, StoredRow: 2, TurnedRow: 1, ClampedRow: 3, ClampedColumn: 3, ClampedElement: 1, AnyPlace: 3, AnyElement: 1,
	Pointer: 1, Test: 1.5, Turn: 3, LooseTurn: 4, Integer: 1, Choice: 1, Division: 5, NarrowDivision: 2, Conversion: 1, Function: 1,
}

// ParameterWeights are loads of parameters for each term.
var ParameterWeights = Terms{Warp: 4, Buffer: 1, Stride: 1.5}
