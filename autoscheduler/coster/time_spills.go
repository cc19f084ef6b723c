package coster

// spills is what a kernel stores and loads of registers that it has too few of, in bytes, and the shares of that which go through L2 and through DRAM. A warp stores rows of 32 lanes, and the frames
// of all threads that run at a time are gone through again and again: an L1 that does not hold them holds nothing of them, the half of the L2 that is theirs a part. What goes to DRAM is written
// there too, since nothing says that a frame is dead (RATIONALE.md, "What an H100 says").
func (x *timed) spills() (bytes, throughL2, throughDRAM float64) {
	if x.k.SpillBytes <= 0 {
		return 0, 0, 0
	}
	threads, blocks := float64(x.k.ThreadsPerBlock()), x.resident()
	bytes = float64(x.k.Tiles()) * threads * float64(x.k.SpillBytes)
	frames := threads * blocks * float64(x.k.SpillFrame) // of an SM
	if frames <= float64(x.pr.Device.SharedPerSM)-blocks*float64(x.k.SharedBytes) {
		return bytes, 0, 0 // L1 and shared memory are one
	}
	return bytes, 1, max(0, 1-x.m.CacheBytes/2/(frames*x.m.SMs))
}
