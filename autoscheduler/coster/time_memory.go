package coster

// l2Bound: every sector that lanes ask for comes through L2, as if L1 kept nothing.
func l2Bound(x *timed) float64 { return x.perSM(x.w.Sectors * sectorBytes / x.m.L2Bytes) }

const sectorBytes = 32

// dramBound: each buffer that a kernel reads and writes goes through DRAM once, but for the part of what an earlier kernel
// wrote that the L2 still holds. Half of it is taken to be there for others.
func dramBound(x *timed) float64 {
	if x.m.DRAMBytesPerSecond <= 0 {
		return 0 // not known of devices behind OpenCL
	}
	total := x.pr.BufferBytes(x.k.Out.Func, -1)
	for _, b := range buffersRead(x.pr, x.k) {
		size := x.pr.BufferBytes(b[0], b[1])
		if b[0] >= 0 {
			size = max(0, size-x.m.CacheBytes/2)
		}
		total += size
	}
	return total / x.m.DRAMBytesPerSecond
}
