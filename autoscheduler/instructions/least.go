package instructions

import "gowarp/internal/plan"

// LeastOfEach is at most what each of so many SMs does of a kernel without members, and with one point a thread, whatever its thread block is: as much as if all warps were full, all blocks in the
// interior, all SMs done at the same time, and all sectors in L1. No term costs less than nothing.
func (e *Estimator) LeastOfEach(sms float64, k *plan.Kernel) (w Work) {
	straight, times := k.Out.Straight()
	c := e.points(k, &straight, false)
	if c.Wide.saved > 0 {
		return w // whether its loads are vectors hangs on more
	}
	sum := c.Once
	sum.add(&c.Turn, times)
	e.looseLoops(&k.Out, nil, &sum.Terms)
	if times > 1 {
		sum.Terms[Turn] += times
	}
	sum.Terms.interior(1)
	sum.Terms[EntryBuffer] += c.Once.Terms[Buffer]
	sum.Terms[EntryStride] += c.Once.Terms[Stride]
	sum.Terms[EntryClamp] += c.Once.Terms[ClampedDimension]
	sum.Terms[Warp]++
	sum.Terms[Nest]++
	shared := e.fusedLoops(k, &k.Out)
	sum.Terms[Dimension] += float64(len(k.Out.Blocks)) - shared.constant
	points := 1.0
	for _, u := range k.Out.Blocks {
		points *= float64(e.extent(&k.Out, u.Loop))
	}
	warps := points / plan.WarpLanes / sms
	w.Issued, w.Float, w.Special, w.Requests = warps*sum.issued(), warps*sum.Float, warps*sum.Special, warps*sum.Requests
	w.Double = warps * sum.Double
	w.Memory = warps * (sum.Memory + sum.Terms.Parameters())
	return w
}
