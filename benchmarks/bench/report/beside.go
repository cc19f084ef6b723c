package report

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/textfile"
)

// aboveOne is from where a ratio counts as above 1: where it is printed so.
const aboveOne = 1.005

// A compared figure is one by which gowarp as it is by default is held against the experts.
type compared struct {
	name, head string
	of         func(*bench.Record) (float64, bool)
	app        func(bench.Expert) float64
}

var comparedFigures = []compared{
	{"instructions", "warp instr.", func(r *bench.Record) (float64, bool) { return per32(r, "warp_instructions") }, func(e bench.Expert) float64 { return e.Counted.WarpInstructions }},
	{"sectors", "sectors", func(r *bench.Record) (float64, bool) { return per32(r, "sectors") }, func(e bench.Expert) float64 { return e.Counted.Sectors }},
	{"launches", "launches", launches, func(e bench.Expert) float64 { return float64(e.Counted.Launches) }},
}

func launches(r *bench.Record) (float64, bool) {
	if r == nil || r.Outcome != bench.OK || r.Counted == nil {
		return 0, false
	}
	return float64(r.Counted.Launches), true
}

// A beside is one figure of one program beside the experts'. A ratio is 0 where there is no such expert.
type beside struct {
	program, figure string
	ours, app, hand float64 // app and hand are ratios of ours over theirs
}

func (c beside) above() bool { return max(c.app, c.hand) >= aboveOne }

// compare holds a program's default against the app's schedule and the one by hand; nothing where there is neither.
func (p *page) compare(program string) []beside {
	ours, hand := p.at[[2]string{program, own}], p.at[[2]string{program, "expert"}]
	app, known := bench.Experts[program]
	var out []beside
	for _, f := range comparedFigures {
		v, ok := f.of(ours)
		theirs, handed := f.of(hand)
		if !ok || !known && !handed {
			continue
		}
		c := beside{program: program, figure: f.name, ours: v}
		if known && f.app(app) > 0 {
			c.app = v / f.app(app)
		}
		if handed && theirs > 0 {
			c.hand = v / theirs
		}
		out = append(out, c)
	}
	return out
}

// reasonsCSV says of a program and a figure why gowarp does more than an expert.
//
//go:embed reasons.csv
var reasonsCSV string

// statedReasons are those of reasonsCSV by program and figure.
func statedReasons(text string) (map[[2]string]string, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("report: reasons.csv: %w", err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], []string{"program", "figure", "why"}) {
		return nil, fmt.Errorf("report: reasons.csv: its head is not program,figure,why")
	}
	all := map[[2]string]string{}
	for i, row := range rows[1:] {
		at := [2]string{row[0], row[1]}
		switch {
		case !slices.ContainsFunc(comparedFigures, func(f compared) bool { return f.name == row[1] }):
			return nil, fmt.Errorf("report: reasons.csv: row %d: no figure is called %q", i+2, row[1])
		case row[2] == "":
			return nil, fmt.Errorf("report: reasons.csv: row %d: no reason", i+2)
		case all[at] != "":
			return nil, fmt.Errorf("report: reasons.csv: row %d: %s of %s stand there already", i+2, row[1], row[0])
		}
		all[at] = row[2]
	}
	return all, nil
}

// besideExperts lists gowarp's default over the experts, and why wherever it is above.
func (p *page) besideExperts(b *strings.Builder, why map[[2]string]string) {
	var rows, above strings.Builder
	for _, name := range p.programs {
		figures := p.compare(name)
		if len(figures) == 0 {
			continue
		}
		fmt.Fprintf(&rows, "| %s | %s", textfile.Cell(name), bench.Extents(p.at[[2]string{name, own}].Counted.Size))
		for _, c := range figures {
			ours := short(c.ours)
			if c.figure == "launches" {
				ours = fmt.Sprint(c.ours)
			}
			fmt.Fprintf(&rows, " | %s | %s | %s", ours, times(c.app), times(c.hand))
			if !c.above() {
				continue
			}
			reason := why[[2]string{name, c.figure}]
			if reason == "" {
				reason = "**no reason is stated**; benchmarks/bench/report/reasons.csv is where"
			}
			fmt.Fprintf(&above, "- %s, %s (%s): %s\n", textfile.Cell(name), c.figure, c.overBoth(), reason)
		}
		fmt.Fprintln(&rows, " |")
	}
	if rows.Len() == 0 {
		return
	}
	fmt.Fprint(b, "### The default over the experts, and why where it is above\n\ngowarp as it is by default, over Halide's own app and over the program's own schedule by hand (`schedule=expert`); warp instructions and sectors for 32 output elements.\n\n| program | output")
	for _, f := range comparedFigures {
		fmt.Fprintf(b, " | %s | over the app | over by hand", f.head)
	}
	fmt.Fprintf(b, " |\n|---|---%s|\n%s\n", strings.Repeat("|---", 3*len(comparedFigures)), rows.String())
	if above.Len() > 0 {
		fmt.Fprintf(b, "%s\n", above.String())
	}
}

func times(ratio float64) string {
	if ratio == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", ratio)
}

// overBoth names the ratios that are above.
func (c beside) overBoth() string {
	var parts []string
	if c.app >= aboveOne {
		parts = append(parts, times(c.app)+" times the app's")
	}
	if c.hand >= aboveOne {
		parts = append(parts, times(c.hand)+" times those by hand")
	}
	return strings.Join(parts, ", ")
}
