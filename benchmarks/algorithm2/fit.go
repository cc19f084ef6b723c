package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"

	"gowarp/autoscheduler/coster"
	"gowarp/internal/rank"
)

const terms = len(coster.FittedTerms)

// Kernel is a row of the data.
type Kernel struct {
	Program, Schedule, Name string
	Terms                   [terms]float64 // microseconds, before weights
	Literal                 float64        // the cost by Algorithm 2 as printed
	Tiles                   float64        // warps' tiles of the whole kernel: what the literal cost does not multiply by
	Instructions            float64        // counted, of the whole kernel at the estimated size
	Sectors                 float64        // likewise
	Microseconds            float64        // of the whole kernel, without its launch: counted or measured
}

// fit finds the weights for which the sum over the kernels of |log(fitted/time)|, both with their launches, is least: none negative, and
// every program as heavy as another. A kernel at four times its time is as far off as one at a quarter, and one that is far
// off for reasons of its own has no more to say than another. The simplex of Nelder and Mead needs no derivative, which the sum has not
// everywhere; it starts from what the terms mean, and again from where it ended until that changes nothing.
func fit(kernels []Kernel) ([terms]float64, error) {
	var w [terms]float64
	if len(kernels) < 2*terms {
		return w, fmt.Errorf("%d kernels are too few for %d weights", len(kernels), terms)
	}
	of := map[string]int{}
	for i := range kernels {
		if !(kernels[i].Microseconds > 0) {
			return w, fmt.Errorf("%s of %s takes %v us; a time is wanted", kernels[i].Name, kernels[i].Program, kernels[i].Microseconds)
		}
		of[kernels[i].Program]++
	}
	free := seen(kernels)
	// A weight is the square of what is searched for, so that it cannot be negative.
	squares := func(u []float64) (w [terms]float64) {
		for t, x := range u {
			w[t] = start[t]
			if free[t] {
				w[t] = x * x
			}
		}
		return w
	}
	problem := optimize.Problem{Func: func(u []float64) float64 {
		w, sum := squares(u), 0.0
		for i := range kernels {
			sum += math.Abs(kernels[i].off(w)) / float64(of[kernels[i].Program])
		}
		return sum
	}}
	at := make([]float64, terms)
	for t := range at {
		at[t] = math.Sqrt(start[t])
	}
	least := math.Inf(1)
	for range restarts {
		r, err := optimize.Minimize(problem, at, &optimize.Settings{FuncEvaluations: evaluations}, &optimize.NelderMead{SimplexSize: .2})
		if err != nil {
			return w, err
		}
		at = r.X
		if r.F > least*(1-worthwhile) {
			break
		}
		least = r.F
	}
	for t, x := range squares(at) {
		if x >= negligible {
			w[t] = x
		}
	}
	return w, nil
}

// seen are the terms that are a share of the time of so many kernels that the data says something of their weights.
func seen(kernels []Kernel) (yes [terms]bool) {
	for t := range yes {
		n := 0
		for i := range kernels {
			if k := &kernels[i]; k.Terms[t] >= leastShare*(k.Microseconds+coster.LaunchMicroseconds) {
				n++
			}
		}
		yes[t] = n >= leastKernels
	}
	return yes
}

// start is what the terms mean: computing and the traffic that it does not hide take their time, too few warps make computing longer by
// the term as it is; the others are guesses. A term that the data says nothing of keeps it.
var start = [terms]float64{.01, 1, 1, .1, .1, .1, .1, 1}

const (
	restarts    = 20
	evaluations = 4000
	worthwhile  = 1e-5
	negligible  = 1e-3 // a weight below it is 0

	leastShare   = .05
	leastKernels = 10
)

// off is by how much the fitted time is off, as a logarithm.
func (k *Kernel) off(w [terms]float64) float64 {
	return math.Log((k.fitted(w) + coster.LaunchMicroseconds) / (k.Microseconds + coster.LaunchMicroseconds))
}

func (k *Kernel) fitted(w [terms]float64) float64 {
	sum := 0.0
	for t := range w {
		sum += w[t] * k.Terms[t]
	}
	return sum
}

// report says how good the fit is by programs that were left out (as the paper determines its weights), and how well the literal
// cost orders the same kernels.
func report(out io.Writer, kernels []Kernel) error {
	var programs []string
	for i := range kernels {
		if !slices.Contains(programs, kernels[i].Program) {
			programs = append(programs, kernels[i].Program)
		}
	}
	slices.Sort(programs)
	fmt.Fprintf(out, "%-16s %8s  %-26s  %-38s\n", "", "", "fitted without it", "as printed: rank correlation with")
	fmt.Fprintf(out, "%-16s %8s  %12s %13s  %12s %12s %12s\n", "left out", "kernels", "off by", "rank corr.", "time", "instructions", "sectors")
	var all []float64
	var ranks [4][]float64
	for _, p := range programs {
		var in, rest []Kernel
		for _, k := range kernels {
			if k.Program == p {
				in = append(in, k)
			} else {
				rest = append(rest, k)
			}
		}
		w, err := fit(rest)
		if err != nil {
			return fmt.Errorf("without %s: %w", p, err)
		}
		var off []float64
		for i := range in {
			off = append(off, math.Abs(in[i].off(w)))
		}
		col := func(f func(k *Kernel) float64) []float64 {
			var v []float64
			for i := range in {
				v = append(v, f(&in[i]))
			}
			return v
		}
		time, literal := col(func(k *Kernel) float64 { return k.Microseconds }), col(func(k *Kernel) float64 { return k.Literal })
		r := [4]float64{
			rank.Spearman(col(func(k *Kernel) float64 { return k.fitted(w) }), time), rank.Spearman(literal, time),
			rank.Spearman(literal, col(func(k *Kernel) float64 { return k.Instructions })), rank.Spearman(literal, col(func(k *Kernel) float64 { return k.Sectors })),
		}
		median := medianOf(off)
		all = append(all, off...)
		fmt.Fprintf(out, "%-16s %8d  %11.0f%% %13.2f  %12.2f %12.2f %12.2f\n", p, len(in), 100*(math.Exp(median)-1), r[0], r[1], r[2], r[3])
		for i := range r {
			if !math.IsNaN(r[i]) {
				ranks[i] = append(ranks[i], r[i])
			}
		}
	}
	fmt.Fprintf(out, "%-16s %8d  %11.0f%% %13.2f  %12.2f %12.2f %12.2f\n", "all (mean)", len(kernels), 100*(math.Exp(medianOf(all))-1), stat.Mean(ranks[0], nil), stat.Mean(ranks[1], nil), stat.Mean(ranks[2], nil), stat.Mean(ranks[3], nil))
	return nil
}

func medianOf(v []float64) float64 {
	s := slices.Clone(v)
	slices.Sort(s)
	return stat.Quantile(.5, stat.Empirical, s, nil)
}
