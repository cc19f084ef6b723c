package report

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/textfile"
	"gowarp/occupancy"
)

// WarpTiles is the page about tiles of warps: what each form of them does of each program, beside what Jangda and Guha 2020
// published. What the columns mean, and why figures differ, is benchmarks/README.md's to say.
func WarpTiles(records []bench.Record) string {
	var b strings.Builder
	fmt.Fprint(&b, "# Tiles of warps\n\nMade by `make warp-table` (`gowarp bench warp`) of the lines in `warp/`; every figure is counted or compiled, none is a time on a GPU. [benchmarks/README.md](../README.md#tiles-of-warps) says what the columns are and why figures differ from the paper's.\n\n")
	for _, p := range pages(records) {
		p.header(&b)
		w := warpPage{page: p}
		if d, err := occupancy.Lookup(p.gpu); err == nil {
			w.roof = roofOf(d)
		}
		for _, name := range p.programs {
			w.program(&b, name)
		}
		w.aims(&b)
		w.figure9(&b)
		w.table5(&b)
		p.reasons(&b)
	}
	fmt.Fprintf(&b, "What is not counted here (benchmarks/bench/warptiles.json): %s\n", bench.AboutWarpTiles)
	return b.String()
}

// warpPage is a page with a roof to hold kernels against.
type warpPage struct {
	*page
	roof roof
}

// tilings are the rows of a program, in their order.
var tilings = []string{"block", "block-window", "warp-registers", "warp-shared", "warp-hybrid"}

// tilingOf is the tiling that a record of gowarp's was asked for, "" for another record.
func tilingOf(r *bench.Record) string {
	if !isOwn(r.Scheduler) {
		return ""
	}
	return r.With["tiling"]
}

// rows are the records of a program: those that are not gowarp's first, hybrids by what is in registers, most first.
func (w *warpPage) rows(program string) []*bench.Record {
	var out []*bench.Record
	for _, s := range w.schedulers {
		if r := w.at[[2]string{program, s}]; r != nil {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b *bench.Record) int {
		x, y := slices.Index(tilings, tilingOf(a)), slices.Index(tilings, tilingOf(b))
		if x != y {
			return x - y
		}
		return strings.Compare(b.With["frac_reg"], a.With["frac_reg"])
	})
	return out
}

// called is a row's name: the tiling, and of hybrids what is in registers.
func called(r *bench.Record) string {
	switch t := tilingOf(r); {
	case r.Scheduler == "expert":
		return "by hand"
	case t == "":
		return textfile.Cell(r.Scheduler)
	case r.With["frac_reg"] != "":
		return t + " " + r.With["frac_reg"]
	default:
		return t
	}
}

// summary is what a record says over its kernels.
type summary struct {
	asked, kernels int     // kernels of the form that was asked for, of all that are launched
	share          float64 // of the warp instructions, in kernels of that form
	registers      []int64 // the least and the most of the kernels
	spills         int     // bytes, of all
	occupancy      float64 // theoretical, the mean over warp instructions
	halo           float64 // points computed beyond those needed, over those
	again          float64 // bytes that blocks fetch beyond the distinct ones, over those
	loads          float64 // requests of global loads
	seconds        float64 // the bound of the roof
	planned        bool    // whether forms and halo are known
	whole          bool    // whether all blocks ran
}

func (w *warpPage) sum(r *bench.Record) summary {
	s := summary{planned: r.Unplanned == "" && isOwn(r.Scheduler), whole: r.Counted != nil && r.Counted.Blocks == 0}
	tiling := tilingOf(r)
	var issued, formed, occupied, own, halo, block, cold float64
	for i := range r.Kernels {
		k := &r.Kernels[i]
		s.registers = append(s.registers, int64(k.Registers))
		s.spills += k.SpillBytes
		form := k.Strategy == tiling || tiling == "block"
		if k.Launches > 0 {
			s.kernels++
			own, halo = own+float64(k.OwnPoints), halo+float64(k.HaloPoints)
			if form {
				s.asked++
			}
		}
		if k.Count == nil {
			continue
		}
		n := float64(k.Count.WarpInstructions)
		issued += n
		if form {
			formed += n
		}
		occupied += n * w.occupied(r, k)
		block, cold = block+float64(k.Count.BlockBytes), cold+float64(k.Count.ColdBytes)
		s.loads += float64(k.Count.GlobalLoads)
		if w.roof.clock > 0 {
			s.seconds += w.roof.seconds(k)
		}
	}
	s.share, s.occupancy, s.halo, s.again = over(formed, issued), over(occupied, issued), over(halo, own), over(block-cold, cold)
	return s
}

// occupied is a kernel's occupancy; of one that is not launched at the estimated size, that of the other form of its stage.
func (w *warpPage) occupied(r *bench.Record, k *bench.Kernel) float64 {
	if k.Launches == 0 {
		for i := range r.Kernels {
			if o := &r.Kernels[i]; o.Launches > 0 && bench.StageOf(o.Name) == bench.StageOf(k.Name) {
				return o.Occupancy
			}
		}
	}
	return k.Occupancy
}

func over(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// program is a program's table.
func (w *warpPage) program(b *strings.Builder, name string) {
	rows := w.rows(name)
	for _, r := range rows {
		if r.Counted != nil {
			fmt.Fprintf(b, "### %s\n\nScheduled for an output of %s, counted at %s.\n\n", textfile.Cell(strings.SplitN(name, ",", 2)[0]), bench.Extents(r.Size), bench.Extents(r.Counted.Size))
			break
		}
	}
	fmt.Fprint(b, "| tiling | kernels so | share | warp instr. | requests | shuffles | barriers | global sectors | registers | spilled B | occupancy | halo | fetched again |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	if e, ok := bench.Experts[strings.SplitN(name, ",", 2)[0]]; ok {
		fmt.Fprintf(b, "| Halide's app | | | %s | %s | | | %s | | | | | |\n", short(e.Counted.WarpInstructions), short(e.Counted.Requests), short(e.Counted.Sectors))
	}
	for _, r := range rows {
		if r.Outcome != bench.OK || r.Counted == nil {
			fmt.Fprintf(b, "| %s | **%s** | | | | | | | | | | | |\n", called(r), r.Outcome)
			continue
		}
		s := w.sum(r)
		forms, share, halo, again := "", "", "", percent(s.again)
		if s.planned {
			forms, share, halo = fmt.Sprintf("%d of %d", s.asked, s.kernels), percent(s.share), percent(s.halo)
		}
		if !s.whole {
			again = "" // of blocks that did not run it is not known what they fetch
		}
		fmt.Fprintf(b, "| %s | %s | %s", called(r), forms, share)
		for _, c := range []string{"warp_instructions", "requests", "shuffles", "barriers", "sectors"} {
			v, _ := per32(r, c)
			fmt.Fprintf(b, " | %s", short(v))
		}
		fmt.Fprintf(b, " | %s | %d | %.2f | %s | %s |\n", span(s.registers, "%d"), s.spills, s.occupancy, halo, again)
	}
	fmt.Fprintln(b)
	unplanned := map[string][]string{}
	var reasons []string
	for _, r := range rows {
		if r.Unplanned != "" {
			if unplanned[r.Unplanned] == nil {
				reasons = append(reasons, r.Unplanned)
			}
			unplanned[r.Unplanned] = append(unplanned[r.Unplanned], called(r))
		}
	}
	for _, why := range reasons {
		fmt.Fprintf(b, "Of %s the forms are not known: %s.\n\n", strings.Join(unplanned[why], ", "), why)
	}
}

func percent(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

// aims sets the least warp instructions of a kernel without spills beside the app's and what is aimed at.
func (w *warpPage) aims(b *strings.Builder) {
	var rows strings.Builder
	for _, name := range w.programs {
		t, ok := warpTile(name)
		if !ok || t.Most == 0 {
			continue
		}
		best, least := "", 0.0
		for _, r := range w.rows(name) {
			n, ok := per32(r, "warp_instructions")
			if tiling := tilingOf(r); !ok || !strings.HasPrefix(tiling, "warp") && tiling != "block-window" || w.sum(r).spills > 0 {
				continue
			}
			if best == "" || n < least {
				best, least = called(r), n
			}
		}
		if best == "" {
			best = "-"
		}
		met := "no"
		if least > 0 && least <= t.Most {
			met = "yes"
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s | %s |\n", textfile.Cell(t.Program), short(bench.Experts[t.Program].Counted.WarpInstructions), short(t.Most), short(least), best, met)
	}
	if rows.Len() > 0 {
		fmt.Fprintf(b, "### Warp instructions for 32 outputs beside what is aimed at\n\nThe best of the forms of tiles above without a spill at 64 registers.\n\n| program | Halide's app | at most | gowarp's | by | met |\n|---|---|---|---|---|---|\n%s\n", rows.String())
	}
}

func warpTile(program string) (bench.WarpTile, bool) {
	name := strings.SplitN(program, ",", 2)[0]
	i := slices.IndexFunc(bench.WarpTiles, func(t bench.WarpTile) bool { return t.Program == name })
	if i < 0 {
		return bench.WarpTile{}, false
	}
	return bench.WarpTiles[i], true
}

// named is the record of a program in a row of that name that is ok.
func (w *warpPage) named(program, row string) *bench.Record {
	for _, r := range w.rows(program) {
		if called(r) == row && r.Outcome == bench.OK && r.Counted != nil {
			return r
		}
	}
	return nil
}

// hybrid is the hybrid of a program with something in registers and something in shared memory that the roof leaves the least time.
func (w *warpPage) hybrid(program string) *bench.Record {
	var best *bench.Record
	for _, r := range w.rows(program) {
		if f := r.With["frac_reg"]; tilingOf(r) != "warp-hybrid" || f == "0" || f == "1" || r.Outcome != bench.OK || r.Counted == nil {
			continue
		}
		if best == nil || w.sum(r).seconds < w.sum(best).seconds {
			best = r
		}
	}
	return best
}

// figure9 sets the paper's speed-ups over schedules by hand beside what counts leave.
func (w *warpPage) figure9(b *strings.Builder) {
	var rows strings.Builder
	forms := []string{"warp-shared", "warp-registers", "hybrid"}
	bounds, issues := map[string][]float64{}, map[string][]float64{}
	for _, name := range w.programs {
		t, ok := warpTile(name)
		if !ok || t.Figure9 == nil {
			continue
		}
		base, from := w.named(name, "by hand"), "by hand"
		if base == nil {
			base, from = w.named(name, "block"), "block"
		}
		if base == nil {
			continue
		}
		fmt.Fprintf(&rows, "| %s", textfile.Cell(t.Program))
		for _, pair := range [][2]float64{t.Figure9.Shared, t.Figure9.Registers, t.Figure9.Hybrid} {
			fmt.Fprintf(&rows, " | %s / %s", short(pair[0]), short(pair[1]))
		}
		fmt.Fprintf(&rows, " | %s", from)
		baseIssued, _ := per32(base, "warp_instructions")
		var bound, issue strings.Builder
		for _, form := range forms {
			r := w.named(name, form)
			if form == "hybrid" {
				r = w.hybrid(name)
			}
			if r == nil {
				fmt.Fprint(&bound, " | -")
				fmt.Fprint(&issue, " | -")
				continue
			}
			issued, _ := per32(r, "warp_instructions")
			x, y := over(w.perElement(base), w.perElement(r)), over(baseIssued, issued)
			bounds[form], issues[form] = append(bounds[form], x), append(issues[form], y)
			fraction := ""
			if form == "hybrid" {
				fraction = " (" + r.With["frac_reg"] + ")"
			}
			fmt.Fprintf(&bound, " | %s%s", short(x), fraction)
			fmt.Fprintf(&issue, " | %s", short(y))
		}
		fmt.Fprintf(&rows, "%s%s |\n", bound.String(), issue.String())
	}
	if rows.Len() == 0 {
		return
	}
	fmt.Fprint(&rows, "| geometric mean")
	for _, f := range []func(*bench.WarpTile) [2]float64{
		func(t *bench.WarpTile) [2]float64 { return t.Figure9.Shared },
		func(t *bench.WarpTile) [2]float64 { return t.Figure9.Registers },
		func(t *bench.WarpTile) [2]float64 { return t.Figure9.Hybrid },
	} {
		var pair [2][]float64
		for _, name := range w.programs {
			if t, ok := warpTile(name); ok && t.Figure9 != nil {
				for i, v := range f(&t) {
					pair[i] = append(pair[i], v)
				}
			}
		}
		fmt.Fprintf(&rows, " | %s / %s", short(stat.GeometricMean(pair[0], nil)), short(stat.GeometricMean(pair[1], nil)))
	}
	fmt.Fprint(&rows, " |")
	for _, by := range []map[string][]float64{bounds, issues} {
		for _, form := range forms {
			if len(by[form]) == 0 {
				fmt.Fprint(&rows, " | -")
				continue
			}
			fmt.Fprintf(&rows, " | %s", short(stat.GeometricMean(by[form], nil)))
		}
	}
	fmt.Fprintln(&rows, " |")
	fmt.Fprintf(b, "### Beside figure 9 of Jangda and Guha 2020\n\nTheirs: measured speed-ups over Halide's schedules by hand, GTX 1080 Ti / Tesla V100. Ours, over the schedule by hand or, where there is none, a tile a block: the time that the busiest unit takes by the counts (benchmarks/README.md, rooflines), and warp instructions. "+
		"The hybrid is the one of 0.25, 0.5 and 0.75 with the least such time.\n\n"+
		"| program | theirs: shared | registers | hybrid | ours over | bound: shared | registers | hybrid | instr.: shared | registers | hybrid |\n|---|---|---|---|---|---|---|---|---|---|---|\n%s\n", rows.String())
}

// perElement is the bound for an output element, since schedules by hand may be counted at another size.
func (w *warpPage) perElement(r *bench.Record) float64 {
	return w.sum(r).seconds / float64(r.Counted.Elements)
}

// table5 sets the paper's fewer loads and higher occupancy of hybrids beside those counted.
func (w *warpPage) table5(b *strings.Builder) {
	var rows strings.Builder
	for _, name := range w.programs {
		t, ok := warpTile(name)
		if !ok || t.Table5 == nil {
			continue
		}
		shared, hybrid := w.named(name, "warp-shared"), w.hybrid(name)
		if shared == nil || hybrid == nil {
			continue
		}
		s, h := w.sum(shared), w.sum(hybrid)
		loads := 1 - over(h.loads/float64(hybrid.Counted.Elements), s.loads/float64(shared.Counted.Elements))
		before, _ := per32(shared, "sectors")
		after, _ := per32(hybrid, "sectors")
		fmt.Fprintf(&rows, "| %s | %s / %s | %s / %s | %s | %.1f | %.1f | %.1f |\n", textfile.Cell(t.Program), short(t.Table5.Loads[0]), short(t.Table5.Loads[1]), signed(t.Table5.Occupancy[0]), signed(t.Table5.Occupancy[1]),
			hybrid.With["frac_reg"], 100*loads, 100*(1-over(after, before)), 100*(over(h.occupancy, s.occupancy)-1))
	}
	if rows.Len() > 0 {
		fmt.Fprintf(b, "### Beside table 5 of Jangda and Guha 2020\n\nHybrid tiles over tiles in shared memory, percent. Theirs: GTX 1080 Ti / Tesla V100, measured; ours: requests of loads and sectors counted, occupancy theoretical, as a mean over warp instructions.\n\n"+
			"| program | theirs: fewer loads | higher occupancy | ours: frac_reg | fewer load requests | fewer sectors | higher occupancy |\n|---|---|---|---|---|---|---|\n%s\n", rows.String())
	}
}

func signed(v float64) string { return fmt.Sprintf("%.1f", v) }
