package calibration

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/bundle/run"
	"gowarp/benchmarks/textfile"
	"gowarp/internal/rank"
)

// measure is what predictions are held against.
type measure struct {
	title string
	of    func(l *Line) (float64, bool)
}

// What is counted, by the names of bench's counts. Times come from lines of a bundle.
func counted(title, key string) measure {
	return measure{title, func(l *Line) (float64, bool) {
		v, ok := l.Counted[key]
		return v, ok
	}}
}

// timedSize is the size at which times are compared: that which schedules are made for.
const (
	timedSize = "estimate"
	timedCap  = 64 // registers a thread, Halide's runtime's
)

// Report is the report in Markdown: per program and overall, how each coster's predictions
// rank the drawn schedules beside counts, and beside the times of a bundle's run where there
// are any; and what each coster's choices cost beside the best that was drawn.
func Report(lines []Line, times []run.Line) (string, error) {
	measures := slices.DeleteFunc([]measure{
		counted("warp instructions", "warp_instructions"), counted("requested sectors", "sectors"), counted("cold DRAM bytes", "cold_bytes"),
	}, func(m measure) bool {
		return !slices.ContainsFunc(lines, func(l Line) bool {
			_, ok := m.of(&l)
			return ok
		})
	})
	devices := map[string]map[[2]string]*run.Line{} // by name, those of program and scheduler that have a time
	outcomes := map[[2]string]*run.Line{}
	for i := range times {
		t := &times[i]
		if t.Size != timedSize || t.Cap != timedCap {
			continue
		}
		cell := [2]string{t.Program, t.Scheduler}
		outcomes[cell] = t
		if t.Outcome != bench.OK || t.GPUCold == nil {
			continue
		}
		if devices[t.Device.Name] == nil {
			devices[t.Device.Name] = map[[2]string]*run.Line{}
		}
		devices[t.Device.Name][cell] = t
	}
	// What was not run here became of it what the GPU says.
	lines = slices.Clone(lines)
	for i := range lines {
		if t := outcomes[[2]string{lines[i].Program, lines[i].Name}]; lines[i].Outcome == "" && t != nil {
			lines[i].Outcome, lines[i].Reason = t.Outcome, t.Reason
		}
	}
	joined := 0
	for _, name := range slices.Sorted(maps.Keys(devices)) {
		of := devices[name]
		for i := range lines {
			if _, ok := of[[2]string{lines[i].Program, lines[i].Name}]; ok {
				joined++
			}
		}
		measures = append(measures, measure{"time on " + name, func(l *Line) (float64, bool) {
			t, ok := of[[2]string{l.Program, l.Name}]
			if !ok {
				return 0, false
			}
			return t.GPUCold.Median, true
		}})
	}
	if len(times) > 0 && joined == 0 {
		return "", errors.New("calibration: none of the times is of one of these schedules at the estimated size, with 64 registers")
	}
	var b strings.Builder
	b.WriteString("# Calibration\n\nMade by `gowarp bench calibration report`; benchmarks/README.md says what is what.\n")
	if len(devices) == 0 {
		b.WriteString("**No time was measured**: predictions are held against what the simulator counts, which is what a cost in time is made of, and no time.\n")
	}
	for _, gpu := range distinct(lines, func(l *Line) string { return l.GPU }) {
		of := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return l.GPU != gpu })
		set(&b, gpu, of, measures)
		for _, name := range slices.Sorted(maps.Keys(devices)) {
			kernels(&b, timedKernels(of, devices[name]), name)
		}
	}
	return b.String(), nil
}

func distinct(lines []Line, of func(*Line) string) []string {
	seen := map[string]bool{}
	for i := range lines {
		seen[of(&lines[i])] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// set reports on the lines of one GPU.
func set(b *strings.Builder, gpu string, lines []Line, measures []measure) {
	programs := distinct(lines, func(l *Line) string { return l.Program })
	predictors := map[string]bool{}
	for i := range lines {
		for name := range lines[i].Predicted {
			predictors[name] = true
		}
	}
	names := slices.Sorted(maps.Keys(predictors))
	fmt.Fprintf(b, "\n## Schedules for %s\n\n", gpu)
	draws(b, programs, lines)
	for _, m := range measures {
		correlations(b, programs, names, lines, m)
	}
	for _, m := range measures {
		regrets(b, programs, names, lines, m)
	}
	failures(b, lines)
}

// draws says how many schedules there are, and how far they are apart.
func draws(b *strings.Builder, programs []string, lines []Line) {
	b.WriteString("| program | held out | drawn | ok | kernels | counted at | warp instr., most over least | sectors, most over least | chance |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, p := range programs {
		all, ok, held, size := 0, 0, "", ""
		kernels := []int{}
		var instructions, sectors []float64
		for i := range lines {
			l := &lines[i]
			if l.Program != p || l.Own != "" {
				continue
			}
			all++
			if l.HeldOut {
				held = "yes"
			}
			if l.Outcome != bench.OK {
				continue
			}
			ok++
			kernels = append(kernels, len(l.Kernels))
			size = bench.Extents(l.CountedSize)
			if l.BlocksSampled > 0 {
				size += ", sampled"
			}
			instructions, sectors = append(instructions, l.Counted["warp_instructions"]), append(sectors, l.Counted["sectors"])
		}
		if ok == 0 {
			fmt.Fprintf(b, "| %s | %s | %d | 0 | - | - | - | - | - |\n", textfile.Cell(p), held, all)
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %d | %d | %d–%d | %s | %.3g | %.3g | %s |\n", textfile.Cell(p), held, all, ok, slices.Min(kernels), slices.Max(kernels), size,
			slices.Max(instructions)/slices.Min(instructions), slices.Max(sectors)/slices.Min(sectors), chance(ok))
	}
	b.WriteString("\n*Chance* is the standard deviation of Spearman's correlation of so many values that have nothing to do with each other: correlations of the size are none.\n")
}

// chance is the standard deviation of Spearman's correlation of n independent values.
func chance(n int) string {
	if n < 2 {
		return "-"
	}
	return figure(1 / math.Sqrt(float64(n-1)))
}

// pair are a prediction and a measure of a schedule that was drawn.
func pairs(lines []Line, program, predictor string, m measure) (x, y []float64) {
	for i := range lines {
		l := &lines[i]
		if l.Program != program || l.Own != "" || l.Outcome != bench.OK {
			continue
		}
		p, predicted := l.Predicted[predictor]
		v, known := m.of(l)
		if predicted && known {
			x, y = append(x, p), append(y, v)
		}
	}
	return x, y
}

// correlations is a table of Spearman's correlation of each predictor with a measure.
func correlations(b *strings.Builder, programs, predictors []string, lines []Line, m measure) {
	fmt.Fprintf(b, "\n### Spearman correlation with %s\n\n| program |", m.title)
	for _, name := range predictors {
		fmt.Fprintf(b, " %s |", name)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", len(predictors)) + "\n")
	kept, held := make([][]float64, len(predictors)), make([][]float64, len(predictors))
	pooled := make([][2][]float64, len(predictors))
	for _, p := range programs {
		title := textfile.Cell(p)
		if HeldOut(p) {
			title += " (held out)"
		}
		fmt.Fprintf(b, "| %s |", title)
		most := 0
		for i := range predictors {
			x, _ := pairs(lines, p, predictors[i], m)
			most = max(most, len(x))
		}
		for i, name := range predictors {
			x, y := pairs(lines, p, name, m)
			rho := rank.Spearman(x, y)
			fmt.Fprintf(b, " %s", figure(rho))
			if len(x) < most && len(x) > 0 {
				fmt.Fprintf(b, " (of %d)", len(x))
			}
			b.WriteString(" |")
			if math.IsNaN(rho) {
				continue
			}
			if HeldOut(p) {
				held[i] = append(held[i], rho)
			} else {
				kept[i] = append(kept[i], rho)
			}
			// Places within a program, from 0 to 1: between programs nothing is compared.
			for k, values := range [2][]float64{x, y} {
				for _, r := range rank.Of(values) {
					pooled[i][k] = append(pooled[i][k], (r-0.5)/float64(len(values)))
				}
			}
		}
		b.WriteString("\n")
	}
	row := func(title string, of func(i int) float64) {
		fmt.Fprintf(b, "| **%s** |", title)
		for i := range predictors {
			fmt.Fprintf(b, " %s |", figure(of(i)))
		}
		b.WriteString("\n")
	}
	mean := func(values []float64) float64 {
		if len(values) == 0 {
			return math.NaN()
		}
		return stat.Mean(values, nil)
	}
	row("mean, not held out", func(i int) float64 { return mean(kept[i]) })
	row("mean, held out", func(i int) float64 { return mean(held[i]) })
	row("all schedules, by place within their program", func(i int) float64 { return rank.Spearman(pooled[i][0], pooled[i][1]) })
}

func figure(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.2f", v)
}

// regrets is a table of what a coster's choices do more than the best that was drawn.
func regrets(b *strings.Builder, programs, predictors []string, lines []Line, m measure) {
	fmt.Fprintf(b, "\n### %s over the best drawn\n\nOf what gowarp makes with the coster / of the drawn schedule that it prices least.\n\n| program |", upper(m.title))
	for _, name := range predictors {
		fmt.Fprintf(b, " %s |", name)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", len(predictors)) + "\n")
	own, picked := make([][]float64, len(predictors)), make([][]float64, len(predictors))
	for _, p := range programs {
		fmt.Fprintf(b, "| %s |", textfile.Cell(p))
		best := math.Inf(1)
		for i := range lines {
			l := &lines[i]
			if v, ok := m.of(l); ok && l.Program == p && l.Own == "" && l.Outcome == bench.OK {
				best = min(best, v)
			}
		}
		for i, name := range predictors {
			o, pick, least := math.NaN(), math.NaN(), math.Inf(1)
			for k := range lines {
				l := &lines[k]
				v, ok := m.of(l)
				if !ok || l.Program != p || l.Outcome != bench.OK || !(best > 0) || math.IsInf(best, 1) {
					continue
				}
				if l.Own == name {
					o = v / best
				}
				if x, ok := l.Predicted[name]; ok && l.Own == "" && x < least {
					pick, least = v/best, x
				}
			}
			fmt.Fprintf(b, " %s / %s |", figure(o), figure(pick))
			if !math.IsNaN(o) {
				own[i] = append(own[i], o)
			}
			if !math.IsNaN(pick) {
				picked[i] = append(picked[i], pick)
			}
		}
		b.WriteString("\n")
	}
	mean := func(values []float64) float64 {
		if len(values) == 0 {
			return math.NaN()
		}
		return stat.GeometricMean(values, nil)
	}
	b.WriteString("| **geometric mean** |")
	for i := range predictors {
		fmt.Fprintf(b, " %s / %s |", figure(mean(own[i])), figure(mean(picked[i])))
	}
	b.WriteString("\n")
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// failures lists the schedules that are not ok.
func failures(b *strings.Builder, lines []Line) {
	bad := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return l.Outcome == bench.OK || l.Outcome == "" })
	if len(bad) == 0 {
		return
	}
	slices.SortStableFunc(bad, func(a, c Line) int { return cmp.Compare(a.Program, c.Program) })
	b.WriteString("\n### Schedules that are not ok\n\n| program | schedule | outcome | reason |\n|---|---|---|---|\n")
	for _, l := range bad {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", textfile.Cell(l.Program), l.Name, l.Outcome, textfile.Cell(l.Reason))
	}
}
