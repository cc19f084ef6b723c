package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/calibration"
	"gowarp/benchmarks/csvfile"
	"gowarp/benchmarks/textfile"
	"gowarp/internal/rank"
)

// candidate is a schedule that was drawn, what costers say of it and what it does.
type candidate struct {
	program, name string
	figures       [len(columns)]float64 // NaN where nothing is known
}

// columns are what is kept of a candidate: predictions, then counts for 32 elements of output.
var columns = [...]string{"algorithm2", "algorithm2-fitted", "issue", "listing1", "warp_instructions", "sectors", "cold_bytes"}

const predictions = 4

// candidatesOf are the schedules of lines that came to their end.
func candidatesOf(lines []calibration.Line) []candidate {
	var out []candidate
	for i := range lines {
		l := &lines[i]
		if l.Own != "" || l.Outcome != bench.OK {
			continue
		}
		c := candidate{program: l.Program, name: l.Name}
		for j, name := range columns {
			from := l.Predicted
			if j >= predictions {
				from = l.Counted
			}
			v, ok := from[name]
			if !ok {
				v = math.NaN()
			}
			c.figures[j] = v
		}
		out = append(out, c)
	}
	return out
}

func readCandidates(file string) ([]candidate, error) {
	rows, err := csvfile.Read(file, head(), "-csv")
	if err != nil {
		return nil, err
	}
	var out []candidate
	for i, row := range rows {
		c := candidate{program: row[0], name: row[1]}
		if err := parse(row[2:], c.figures[:]); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", file, i+2, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func head() []string { return append([]string{"program", "schedule"}, columns[:]...) }

func writeCandidates(file string, all []candidate) error {
	var rows [][]string
	for _, c := range all {
		rows = append(rows, append([]string{c.program, c.name}, words(c.figures[:])...))
	}
	return csvfile.Write(file, head(), rows)
}

// rankings is how well costs order the candidates of each program.
func rankings(w io.Writer, all []candidate) {
	fmt.Fprint(w, `
## Does the published cost rank well?

Schedules drawn at random over all that gowarp can make (`+"`gowarp bench calibration`"+`), the cost of the whole pipeline at the estimated size beside what the simulator counts for 32 elements of output: Spearman's correlation with warp instructions / requested sectors / cold bytes.
*Picked* is how many times the warp instructions / sectors of the best drawn the schedule of the least cost takes.

| program | drawn |`)
	for _, name := range columns[:predictions] {
		fmt.Fprintf(w, " %s | picked |", name)
	}
	fmt.Fprint(w, "\n|---|--:|"+strings.Repeat("--:|--:|", predictions)+"\n")
	var programs []string
	for _, c := range all {
		if !slices.Contains(programs, c.program) {
			programs = append(programs, c.program)
		}
	}
	slices.SortFunc(programs, byProgram)
	var rho [predictions][len(columns) - predictions][]float64
	var pick [predictions][2][]float64
	for _, p := range programs {
		of := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool { return c.program != p })
		fmt.Fprintf(w, "| %s | %d |", textfile.Cell(p), len(of))
		for i := range predictions {
			var words []string
			for k := predictions; k < len(columns); k++ {
				var x, y []float64
				for _, c := range of {
					if !math.IsNaN(c.figures[i]) && !math.IsNaN(c.figures[k]) {
						x, y = append(x, c.figures[i]), append(y, c.figures[k])
					}
				}
				r := rank.Spearman(x, y)
				words = append(words, figure(r))
				if !math.IsNaN(r) {
					rho[i][k-predictions] = append(rho[i][k-predictions], r)
				}
			}
			fmt.Fprintf(w, " %s |", strings.Join(words, " / "))
			words = nil
			for k := range pick[i] {
				v := picked(of, i, predictions+k)
				words = append(words, figure(v))
				if !math.IsNaN(v) {
					pick[i][k] = append(pick[i][k], v)
				}
			}
			fmt.Fprintf(w, " %s |", strings.Join(words, " / "))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "| **mean** | %d |", len(all))
	for i := range predictions {
		var words, more []string
		for k := range rho[i] {
			words = append(words, figure(arithmetic(rho[i][k])))
		}
		for k := range pick[i] {
			more = append(more, figure(mean(pick[i][k])))
		}
		fmt.Fprintf(w, " %s | %s |", strings.Join(words, " / "), strings.Join(more, " / "))
	}
	fmt.Fprintln(w)
}

// picked is what the candidate of the least cost takes over the least of any.
func picked(of []candidate, cost, measure int) float64 {
	least, best, v := math.Inf(1), math.Inf(1), math.NaN()
	for _, c := range of {
		m := c.figures[measure]
		if math.IsNaN(m) {
			continue
		}
		best = min(best, m)
		if c.figures[cost] < least {
			least, v = c.figures[cost], m
		}
	}
	return v / best
}

func arithmetic(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return stat.Mean(v, nil)
}

func figure(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	return fmt.Sprintf("%.2f", v)
}
