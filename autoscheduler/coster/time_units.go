package coster

// issueBound: an SM's schedulers issue an instruction of one warp each a cycle.
func issueBound(x *timed) float64 { return x.perSM(x.w.Issued / x.m.Issue) }

// floatBound: additions, products and comparisons of floats have units of their own.
func floatBound(x *timed) float64 { return x.perSM(x.w.Float / x.m.Float) }

// doubleBound: what is of 64-bit floats goes to units of its own, of which most devices have few.
func doubleBound(x *timed) float64 { return x.perSM(x.w.Double / x.m.Double) }

// specialBound: so have roots, divisions, exponentials and the like.
func specialBound(x *timed) float64 { return x.perSM(x.w.Special / x.m.Special) }

// integerBound: what is neither, addresses above all, but for loads and stores, is done by integer units.
func integerBound(x *timed) float64 {
	return x.perSM(max(0, x.w.Issued-x.w.Float-x.w.Special-x.w.Memory) / x.m.Integer)
}

// loadStoreBound: the load/store unit takes a request of a warp a cycle; conflicts of banks, lines apart and shuffles
// are requests too, and L1 takes further cycles to find what is in many sectors.
func loadStoreBound(x *timed) float64 {
	return x.perSM((x.w.Requests + x.w.Further) / x.m.Requests)
}
