package calibration

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gowarp/autoscheduler/coster"
	"gowarp/benchmarks/bundle/run"
	"gowarp/benchmarks/textfile"
	"gowarp/internal/ptxas"
	"gowarp/internal/rank"
)

// timedKernel is a kernel whose seconds were predicted by cost=time and measured by a bundle.
type timedKernel struct {
	program             string
	bound               string // the longest
	predicted, measured float64
}

// timedKernels joins lines with times. A kernel that a call launches several times, or whose Func's label is not its name, has none.
func timedKernels(lines []Line, times map[[2]string]*run.Line) (all []timedKernel) {
	name := coster.Time{}.Name()
	for i := range lines {
		t := times[[2]string{lines[i].Program, lines[i].Name}]
		if t == nil {
			continue
		}
		own := eventMicroseconds(t)
		for j := range lines[i].Kernels {
			k := &lines[i].Kernels[j]
			at := slices.IndexFunc(t.Kernels, func(m run.Kernel) bool { return m.Launches == 1 && ptxas.Of(m.Name, k.Func, k.Stage) })
			if at < 0 || !(k.Predicted[name] > 0) || !(t.Kernels[at].Median > own) {
				continue
			}
			all = append(all, timedKernel{lines[i].Program, longest(k.Terms[name]), k.Predicted[name], (t.Kernels[at].Median - own) * 1e-6})
		}
	}
	return all
}

// eventMicroseconds is how much of its own each pair of events holds: what the kernels of a call, timed one by one, take longer than the call.
func eventMicroseconds(t *run.Line) float64 {
	sum, launches := 0.0, 0
	for _, k := range t.Kernels {
		sum, launches = sum+k.Median, launches+k.Launches
	}
	if launches == 0 {
		return 0
	}
	return max(0, min(mostEvent, (sum-t.GPUCold.Median)/float64(launches)))
}

// mostEvent is more than a pair of events was seen to hold, 1.3 us at the median on an H100.
const mostEvent = 2

// longest names the bound of cost=time that binds.
func longest(terms map[string]float64) string {
	best := ""
	for _, b := range coster.Bounds {
		if v, ok := terms[b.Name]; ok && (best == "" || v > terms[best]) {
			best = b.Name
		}
	}
	return best
}

// kernels is the part of the report on single kernels: cost=time is in seconds, and so is what a GPU says.
func kernels(b *strings.Builder, all []timedKernel, device string) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### Kernels by cost=time on %s\n\n", device)
	b.WriteString("Seconds predicted over seconds measured (events around each launch, less what they hold of their own; L2 flushed before the pipeline), of all schedules' kernels: quartiles, the share within a quarter, and Spearman's correlation.\n")
	for _, part := range []struct {
		title string
		of    func(k *timedKernel) string
	}{{"program", func(k *timedKernel) string { return k.program }}, {"longest bound", func(k *timedKernel) string { return k.bound }}, {"measured", func(k *timedKernel) string { return decade(k.measured) }}} {
		fmt.Fprintf(b, "\n| %s | kernels | lower quartile | median | upper quartile | within 25 %% | Spearman |\n|---|--:|--:|--:|--:|--:|--:|\n", part.title)
		groups := map[string][]timedKernel{}
		for i := range all {
			groups[part.of(&all[i])] = append(groups[part.of(&all[i])], all[i])
		}
		for _, name := range slices.SortedFunc(maps.Keys(groups), cmp.Compare[string]) {
			kernelRow(b, textfile.Cell(name), groups[name])
		}
		kernelRow(b, "**all**", all)
	}
}

// decade says how long a kernel took, in steps whose names sort.
func decade(seconds float64) string {
	switch us := seconds * 1e6; {
	case us < 5:
		return "below 5 us"
	case us < 20:
		return "from 5 to 20 us"
	case us < 100:
		return "from 20 to 100 us"
	default:
		return "over 100 us"
	}
}

func kernelRow(b *strings.Builder, title string, of []timedKernel) {
	var ratios, x, y []float64
	near := 0
	for i := range of {
		r := of[i].predicted / of[i].measured
		ratios, x, y = append(ratios, r), append(x, of[i].predicted), append(y, of[i].measured)
		if math.Abs(math.Log(r)) <= math.Log(1.25) {
			near++
		}
	}
	slices.Sort(ratios)
	q := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, ratios, nil) }
	fmt.Fprintf(b, "| %s | %d | %.2f | %.2f | %.2f | %.0f %% | %s |\n", title, len(of), q(.25), q(.5), q(.75), 100*float64(near)/float64(len(of)), figure(rank.Spearman(x, y)))
}
