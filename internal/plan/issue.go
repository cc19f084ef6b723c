package plan

// What keeps the schedulers of an SM busy; RATIONALE.md has the reasons.
const (
	// SchedulersPerSM is the number of instructions that an SM issues a cycle, or in the time of one
	// request to its load/store unit.
	SchedulersPerSM = 4
	// FullOccupancy is the occupancy from which on more warps do not hide more latency, in code with
	// some parallelism among its instructions.
	FullOccupancy = 0.3
)
