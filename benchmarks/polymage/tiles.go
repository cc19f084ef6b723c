package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/calibration"
	"gowarp/benchmarks/csvfile"
	"gowarp/benchmarks/textfile"
	"gowarp/internal/rank"
)

// kernel is a group of Funcs that was drawn with a tile: what Algorithm 2's search compares are those of one group.
type kernel struct {
	program, group string
	figures        [len(kernelColumns)]float64 // NaN where nothing is known
}

// kernelColumns are what is kept of a kernel: prices, then counts for 32 elements of output.
var kernelColumns = [...]string{"algorithm2", "algorithm2-fitted", "issue", "warp_instructions", "sectors"}

const prices = 3

// leastTiles is how many tiles a group must have been drawn with.
const leastTiles = 15

// kernelsOf are the kernels of lines, of groups with enough tiles.
func kernelsOf(lines []calibration.Line) []kernel {
	var all []kernel
	of := map[[2]string]int{}
	for i := range lines {
		l := &lines[i]
		if l.Own != "" || l.Outcome != bench.OK {
			continue
		}
		for j := range l.Kernels {
			k := &l.Kernels[j]
			if k.Counted == nil {
				continue
			}
			var members []string
			for _, m := range k.Members {
				name, _, _ := strings.Cut(m, "@")
				members = append(members, name)
			}
			slices.Sort(members)
			out := kernel{program: l.Program, group: fmt.Sprintf("%s.s%d(%s)", k.Func, k.Stage, strings.Join(members, " "))}
			for c, name := range kernelColumns {
				from := k.Predicted
				if c >= prices {
					from = k.Counted
				}
				v, ok := from[name]
				if !ok {
					v = math.NaN()
				}
				out.figures[c] = v
			}
			all = append(all, out)
			of[[2]string{out.program, out.group}]++
		}
	}
	return slices.DeleteFunc(all, func(k kernel) bool { return of[[2]string{k.program, k.group}] < leastTiles })
}

func kernelHead() []string { return append([]string{"program", "group"}, kernelColumns[:]...) }

func readKernels(file string) ([]kernel, error) {
	rows, err := csvfile.Read(file, kernelHead(), "-csv")
	if err != nil {
		return nil, err
	}
	var out []kernel
	for i, row := range rows {
		k := kernel{program: row[0], group: row[1]}
		if err := parse(row[2:], k.figures[:]); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", file, i+2, err)
		}
		out = append(out, k)
	}
	return out, nil
}

func writeKernels(file string, all []kernel) error {
	var rows [][]string
	for _, k := range all {
		rows = append(rows, append([]string{k.program, k.group}, words(k.figures[:])...))
	}
	return csvfile.Write(file, kernelHead(), rows)
}

// parse reads figures as words writes them: "" is none.
func parse(row []string, into []float64) error {
	for i := range into {
		into[i] = math.NaN()
		if row[i] == "" {
			continue
		}
		v, err := strconv.ParseFloat(row[i], 64)
		if err != nil {
			return fmt.Errorf("figure %d: %q is no number", i+1, row[i])
		}
		into[i] = v
	}
	return nil
}

func words(figures []float64) []string {
	out := make([]string, len(figures))
	for i, v := range figures {
		if !math.IsNaN(v) {
			out[i] = strconv.FormatFloat(v, 'g', 6, 64)
		}
	}
	return out
}

// tiles is how well prices order the tiles of one group, the question that the paper's search puts.
func tiles(w io.Writer, all []kernel) {
	fmt.Fprintf(w, `
### Tiles of one group

The same draws kernel by kernel: each group of Funcs that was drawn with at least %d tiles and strategies by itself, as the paper's search compares them. The mean of the groups' correlations, by their tiles, with warp instructions / requested sectors of the kernel.

| program | groups | kernels |`, leastTiles)
	for _, name := range kernelColumns[:prices] {
		fmt.Fprintf(w, " %s |", name)
	}
	fmt.Fprint(w, "\n|---|--:|--:|"+strings.Repeat("--:|", prices)+"\n")
	var programs []string
	by := map[string]map[string][]kernel{}
	for _, k := range all {
		if by[k.program] == nil {
			programs = append(programs, k.program)
			by[k.program] = map[string][]kernel{}
		}
		by[k.program][k.group] = append(by[k.program][k.group], k)
	}
	slices.SortFunc(programs, byProgram)
	var total [prices][len(kernelColumns) - prices]weighted
	groups := 0
	for _, p := range programs {
		var at [prices][len(kernelColumns) - prices]weighted
		n := 0
		names := make([]string, 0, len(by[p]))
		for g := range by[p] {
			names = append(names, g)
		}
		slices.Sort(names)
		for _, g := range names {
			of := by[p][g]
			n += len(of)
			for i := range at {
				for m := range at[i] {
					var x, y []float64
					for _, k := range of {
						if a, b := k.figures[i], k.figures[prices+m]; !math.IsNaN(a) && !math.IsNaN(b) {
							x, y = append(x, a), append(y, b)
						}
					}
					r := rank.Spearman(x, y)
					at[i][m].add(r, len(x))
					total[i][m].add(r, len(x))
				}
			}
		}
		groups += len(names)
		fmt.Fprintf(w, "| %s | %d | %d |%s\n", textfile.Cell(p), len(names), n, columnsOf(at[:]))
	}
	fmt.Fprintf(w, "| **all** | %d | %d |%s\n", groups, len(all), columnsOf(total[:]))
}

// weighted is a mean.
type weighted struct{ sum, n float64 }

func (w *weighted) add(v float64, n int) {
	if !math.IsNaN(v) {
		w.sum, w.n = w.sum+v*float64(n), w.n+float64(n)
	}
}

func columnsOf(at [][len(kernelColumns) - prices]weighted) string {
	var b strings.Builder
	for i := range at {
		var parts []string
		for m := range at[i] {
			parts = append(parts, figure(at[i][m].sum/at[i][m].n))
		}
		b.WriteString(" " + strings.Join(parts, " / ") + " |")
	}
	return b.String()
}
