package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gowarp/autoscheduler/instructions"
	"gowarp/benchmarks/calibration"
	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/instructions/candidate"
	"gowarp/benchmarks/textfile"
	"gowarp/internal/rank"
)

// near is by how much an estimate may be off to count as good.
const near = .1

// leastWays is how many ways a group's kernel is run in at least for their order to say something.
const leastWays = 4

// report writes how good the estimates are, and of one program how far off each kernel is.
func report(tree *harness.Tree, gpu, data string, programs []string, fitted bool, worst, out string) error {
	lines, err := candidate.Read(data)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return fmt.Errorf("%s holds no kernels; -collect makes some", data)
	}
	var all []pair
	otherwise := 0
	for _, program := range programs {
		if !slices.ContainsFunc(lines, func(c candidate.Candidate) bool { return c.Program == program }) {
			continue
		}
		pairs, n, err := estimated(tree, gpu, program, lines)
		if err != nil {
			return err
		}
		otherwise += n
		all = append(all, pairs...)
	}
	if fitted {
		fit(os.Stdout, all)
	}
	var b strings.Builder
	write(&b, gpu, all, otherwise)
	fmt.Print(b.String())
	if worst != "" {
		list(os.Stdout, worst, all)
	}
	if out != "" {
		return textfile.Replace(out, []byte(b.String()))
	}
	return nil
}

// write is the report in Markdown.
func write(w io.Writer, gpu string, all []pair, otherwise int) {
	fmt.Fprintf(w, "# Estimated and counted instructions\n\nMade by `go run ./benchmarks/instructions`: %d ways to run kernels for %s, each estimated (`autoscheduler/instructions`) and counted by the simulator; %d more are laid out otherwise now. ", len(all), gpu, otherwise)
	fmt.Fprintf(w, "*Within*: the share whose estimate is within %.0f %% of the count. *Quartiles* of estimated over counted. *Rank* is Spearman's correlation of estimate and count over all ways of a program; *in a group*, over the ways of the same Funcs in one kernel, by place within it.\n", 100*near)
	fmt.Fprintf(w, "\n| program | kernels of the default | within | ways | within | quartiles | rank | in a group | requests: quartiles | in a group | sectors: quartiles | in a group |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	var programs []string
	for i := range all {
		if !slices.Contains(programs, all[i].Program) {
			programs = append(programs, all[i].Program)
		}
	}
	slices.Sort(programs)
	row := func(title string, of []pair, ranks bool) {
		var own []pair
		for i := range of {
			if of[i].Default {
				own = append(own, of[i])
			}
		}
		of2 := func(f func(*figures) float64) string { return quartiles(of, f) }
		whole := "-"
		if ranks {
			whole = figure(spearman(of, (*figures).issued))
		}
		fmt.Fprintf(w, "| %s | %d | %s | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", title, len(own), share(own), len(of), share(of), of2((*figures).issued), whole, figure(inGroups(of, (*figures).issued)),
			of2(requests), figure(inGroups(of, requests)), of2(sectors), figure(inGroups(of, sectors)))
	}
	var held, fitted []pair
	for _, program := range programs {
		of := only(all, func(p *pair) bool { return p.Program == program })
		title := textfile.Cell(program)
		if calibration.HeldOut(program) {
			title += " (held out)"
			held = append(held, of...)
		} else {
			fitted = append(fitted, of...)
		}
		row(title, of, true)
	}
	row("**not held out**", fitted, false)
	row("**held out**", held, false)
	row("**all**", all, false)
	fmt.Fprintf(w, "\n| by class, all ways | counted share | estimated over counted, sum | quartiles |\n|---|--:|--:|--:|\n")
	total := sum(all, func(p *pair) float64 { return p.Count.issued() / p.Count.issued() })
	for _, class := range classes {
		counted := sum(all, func(p *pair) float64 { return class.of(&p.Count) / p.Count.issued() })
		estimate := sum(all, func(p *pair) float64 { return class.of(&p.Estimate) / p.Count.issued() })
		fmt.Fprintf(w, "| %s | %.0f %% | %s | %s |\n", class.name, 100*counted/total, figure(estimate/counted), quartiles(all, class.of))
	}
	fmt.Fprintf(w, "\n| by strategy | ways | within | quartiles |\n|---|--:|--:|--:|\n")
	for _, name := range strategies(all) {
		of := only(all, func(p *pair) bool { return p.Strategy == name })
		fmt.Fprintf(w, "| %s | %d | %s | %s |\n", name, len(of), share(of), quartiles(of, (*figures).issued))
	}
}

// classes of instructions that estimates and counts tell apart.
var classes = []struct {
	name string
	of   func(*figures) float64
}{
	{"float", func(f *figures) float64 { return f.Float }},
	{"special", func(f *figures) float64 { return f.Special }},
	{"memory", func(f *figures) float64 { return f.Memory }},
	{"integers, addresses, control", func(f *figures) float64 { return f.Rest }},
}

func requests(f *figures) float64 { return f.Requests }
func sectors(f *figures) float64  { return f.Sectors }

func strategies(all []pair) (names []string) {
	for i := range all {
		if !slices.Contains(names, all[i].Strategy) {
			names = append(names, all[i].Strategy)
		}
	}
	slices.Sort(names)
	return names
}

func only(all []pair, yes func(*pair) bool) (out []pair) {
	for i := range all {
		if yes(&all[i]) {
			out = append(out, all[i])
		}
	}
	return out
}

func sum(all []pair, of func(*pair) float64) (s float64) {
	for i := range all {
		s += of(&all[i])
	}
	return s
}

// share is the share of good estimates.
func share(of []pair) string {
	if len(of) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*within(of))
}

func within(of []pair) float64 {
	good := 0
	for i := range of {
		if math.Abs(of[i].ratio()-1) <= near {
			good++
		}
	}
	return float64(good) / float64(len(of))
}

// quartiles are those of estimated over counted, of kernels that do it at all.
func quartiles(of []pair, what func(*figures) float64) string {
	var ratios []float64
	for i := range of {
		if n := what(&of[i].Count); n > 0 {
			ratios = append(ratios, what(&of[i].Estimate)/n)
		}
	}
	if len(ratios) == 0 {
		return "-"
	}
	slices.Sort(ratios)
	q := func(p float64) string { return figure(stat.Quantile(p, stat.Empirical, ratios, nil)) }
	return q(.25) + " / " + q(.5) + " / " + q(.75)
}

func figure(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.2f", v)
}

func spearman(of []pair, what func(*figures) float64) float64 {
	var x, y []float64
	for i := range of {
		x, y = append(x, what(&of[i].Estimate)), append(y, what(&of[i].Count))
	}
	return rank.Spearman(x, y)
}

// inGroups is Spearman's correlation of places within groups of ways that compute the same Funcs in one kernel: between groups nothing is compared.
func inGroups(of []pair, what func(*figures) float64) float64 {
	groups := map[string][]pair{}
	for i := range of {
		w := &of[i].Way
		key := fmt.Sprint(of[i].Program, w.Out, w.Stage, w.Members, w.Factored)
		groups[key] = append(groups[key], of[i])
	}
	var x, y []float64
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		g := groups[key]
		if len(g) < leastWays {
			continue
		}
		for k, list := range []*[]float64{&x, &y} {
			var values []float64
			for i := range g {
				f := &g[i].Estimate
				if k > 0 {
					f = &g[i].Count
				}
				values = append(values, what(f))
			}
			for _, r := range rank.Of(values) {
				*list = append(*list, (r-.5)/float64(len(g)))
			}
		}
	}
	return rank.Spearman(x, y)
}

// list writes a program's kernels, the farthest off first.
func list(w io.Writer, program string, all []pair) {
	of := only(all, func(p *pair) bool { return p.Program == program })
	slices.SortStableFunc(of, func(a, b pair) int {
		return cmp.Compare(math.Abs(math.Log(b.ratio())), math.Abs(math.Log(a.ratio())))
	})
	fmt.Fprintf(w, "\nWarp instructions a block, estimated/counted.\n")
	fmt.Fprintf(w, "%-6s %-28s %-14s %11s %13s %11s %13s %11s %11s\n", "ratio", "kernel", "strategy", "float", "special", "memory", "rest", "requests", "sectors")
	for i := range of {
		p := &of[i]
		blocks := float64(p.Grid[0] * p.Grid[1] * p.Grid[2])
		both := func(f func(*figures) float64) string {
			return fmt.Sprintf("%.0f/%.0f", f(&p.Estimate)/blocks, f(&p.Count)/blocks)
		}
		own := ""
		if p.Default {
			own = " default"
		}
		fmt.Fprintf(w, "%6.2f %-28s %-14s %11s %13s %11s %13s %11s %11s  %s tile %v points %v windows %d warp %+v block %v members %v%s %s\n", p.ratio(), p.Kernel, p.Strategy,
			both(classes[0].of), both(classes[1].of), both(classes[2].of), both(classes[3].of), both(requests), both(sectors), p.Key,
			p.Way.Choice.Tile, p.Way.Choice.Points, p.Way.Choice.Windows, p.Way.Choice.Warp, p.Block, p.Way.Members, own, terms(p, blocks))
	}
}

// terms are those of a block of a kernel.
func terms(p *pair, blocks float64) string {
	var b strings.Builder
	for t, n := range p.Terms {
		if n > 0 {
			fmt.Fprintf(&b, " %s %.0f", instructions.Term(t), n/blocks)
		}
	}
	return b.String()
}
