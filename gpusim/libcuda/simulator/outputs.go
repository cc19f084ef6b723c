package simulator

import (
	"slices"

	"gowarp/gpusim/count"
	"gowarp/gpusim/exec"
)

// Outputs are the elements that a program makes, in all its runs.
type Outputs struct {
	Elements int64 `json:"elements"`
	// ByWidth is how many of each width the host read; empty if the number was given.
	ByWidth []Width `json:"by_width,omitempty"`
}

// Width is a number of elements of a width in bytes.
type Width struct {
	ElementBytes int   `json:"element_bytes"`
	Elements     int64 `json:"elements"`
}

// PerOutputs are counts for 32 output elements, a warp's worth.
type PerOutputs struct {
	WarpInstructions float64 `json:"warp_instructions"`
	Sectors          float64 `json:"sectors"`  // 32 bytes of global memory, loaded or stored
	Requests         float64 `json:"requests"` // to the load/store unit
	Barriers         float64 `json:"barriers"` // warps that wait
}

// output notes what the host read.
func (r *Report) output(o exec.Output) {
	if o.Elements == 0 {
		return
	}
	if r.Outputs == nil {
		r.Outputs = &Outputs{}
	}
	r.Outputs.Elements += o.Elements
	at, found := slices.BinarySearchFunc(r.Outputs.ByWidth, o.Width, func(w Width, n int) int { return w.ElementBytes - n })
	if !found {
		r.Outputs.ByWidth = slices.Insert(r.Outputs.ByWidth, at, Width{ElementBytes: o.Width})
	}
	r.Outputs.ByWidth[at].Elements += o.Elements
}

// PerOutput works out the figures for 32 outputs, if the outputs are known.
func (r *Report) PerOutput() {
	if r.Outputs == nil || r.Outputs.Elements == 0 {
		return
	}
	per := func(k *count.Kernel) *PerOutputs {
		of := func(n int64) float64 { return float64(n) * 32 / float64(r.Outputs.Elements) }
		return &PerOutputs{of(k.WarpInstructions), of(k.Sectors()), of(k.Requests()), of(k.Barriers)}
	}
	total := r.Total()
	r.Per32Outputs = per(&total)
	for _, k := range r.Kernels {
		k.Per32Outputs = per(&k.Count)
	}
}

// Total is the sum over kernels. Its cold bytes count what two kernels touch twice.
func (r *Report) Total() count.Kernel {
	var total count.Kernel
	for _, k := range r.Kernels {
		total.Add(&k.Count)
	}
	return total
}
