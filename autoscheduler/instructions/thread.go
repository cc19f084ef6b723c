package instructions

import "gowarp/internal/plan"

// OfThread is what a warp of threads does for the output and for members in the threads themselves, whatever the block: instructions, and requests to the
// load/store unit.
func (e *Estimator) OfThread(k *plan.Kernel) (issued, requests float64) {
	add := func(n *plan.Nest, register bool) {
		straight, times := n.Straight()
		c := e.points(k, &straight, register)
		issued += c.Total() * times
		requests += c.Requests * times
	}
	for i := range k.Members {
		m := &k.Members[i]
		for j := range m.Nests {
			if m.Where == plan.AtThread {
				add(&m.Nests[j], true)
			}
		}
	}
	add(&k.Out, false)
	return issued, requests
}
