package main

import (
	"fmt"
	"io"
	"math"

	"gowarp/autoscheduler/instructions"
	"gowarp/benchmarks/calibration"
)

// What the fit stops at.
const (
	rounds     = 400
	leastRest  = .02 // of the instructions: an error below it is as good as none
	negligible = .005
	stay       = .003 // of a weight that is off by one, beside a program off by all: what the data says little of stays what it is
)

// fit writes the weights (instructions.Weights, instructions.ParameterWeights) with which estimates of the programs that are not held out come nearest to their counts, and
// makes the estimates anew with them.
func fit(w io.Writer, all []pair) {
	var rest, memory []equation
	of := map[string]float64{}
	for i := range all {
		of[all[i].Program]++
	}
	for i := range all {
		p := &all[i]
		if p.Terms == (instructions.Terms{}) || calibration.HeldOut(p.Program) {
			continue
		}
		heavy := 1 / math.Sqrt(of[p.Program])
		rest = append(rest, equation{p.Terms, p.Count.Rest, p.Count.issued(), heavy})
		memory = append(memory, equation{p.Terms, p.Count.Memory - (p.Estimate.Memory - p.Terms.Parameters()), p.Count.issued(), heavy})
	}
	var parameters instructions.Terms
	for _, t := range []instructions.Term{instructions.Warp, instructions.Dimension, instructions.EntryBuffer, instructions.EntryStride, instructions.EntryClamp, instructions.Loose, instructions.Fused, instructions.Scaled} {
		parameters[t] = 1
	}
	free := instructions.Terms{}
	for t := range free {
		free[t] = 1
	}
	for _, t := range fixed {
		free[t] = 0
	}
	for _, t := range []instructions.Term{instructions.EntryBuffer, instructions.EntryStride, instructions.EntryClamp} {
		free[t] = 0
	}
	fmt.Fprintf(w, "weights by %d kernels\n", len(rest))
	weights, loads := least(rest, free, instructions.Weights), least(memory, parameters, instructions.ParameterWeights)
	show(w, weights)
	fmt.Fprintln(w, "of parameters")
	show(w, loads)
	for i := range all {
		p := &all[i]
		if p.Terms == (instructions.Terms{}) {
			continue
		}
		p.Estimate.Memory += dot(&p.Terms, &loads) - p.Terms.Parameters()
		p.Estimate.Rest = dot(&p.Terms, &weights)
	}
}

func dot(a, b *instructions.Terms) (s float64) {
	for t, v := range a {
		s += v * b[t]
	}
	return s
}

// equation says that terms with weights are to come to a figure; what is off counts as a share of a whole.
type equation struct {
	terms         instructions.Terms
	is, of, heavy float64
}

// least finds the weights, none negative, of the terms that are free, for which the sum of what equations are off is least: by least squares, with each equation the lighter the farther it is off, so that
// a kernel that is off for a reason of its own has no more to say than another. One weight after the other is set to its best until that changes nothing.
func least(eqs []equation, free, start instructions.Terms) instructions.Terms {
	w := start
	for range rounds {
		weight := make([]float64, len(eqs))
		off := make([]float64, len(eqs))
		for i := range eqs {
			e := &eqs[i]
			for t, v := range e.terms {
				off[i] += v * w[t]
			}
			off[i] -= e.is
			weight[i] = e.heavy / (e.of * e.of * max(leastRest, math.Abs(off[i])/e.of))
		}
		moved := 0.0
		for t := range w {
			if free[t] == 0 {
				continue
			}
			num, den := stay*(start[t]-w[t]), stay
			for i := range eqs {
				v := eqs[i].terms[t]
				num -= weight[i] * v * off[i]
				den += weight[i] * v * v
			}
			next := max(0, w[t]+num/den)
			for i := range eqs {
				off[i] += (next - w[t]) * eqs[i].terms[t]
			}
			moved = max(moved, math.Abs(next-w[t]))
			w[t] = next
		}
		if moved < negligible {
			break
		}
	}
	return w
}

// fixed are terms whose weights are what the code shows: an operation is an instruction.
var fixed = []instructions.Term{instructions.Integer, instructions.Choice, instructions.Division, instructions.UnsignedDivision, instructions.Packed, instructions.Function}

func show(w io.Writer, weights instructions.Terms) {
	for t, v := range weights {
		if v > 0 {
			fmt.Fprintf(w, "  %s: %.3g,", instructions.Term(t), v)
		}
	}
	fmt.Fprintln(w)
}
