package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/textfile"
	"gowarp/occupancy"
)

// Markdown writes the tables of records. What they mean is benchmarks/README.md's to say.
func Markdown(w io.Writer, records []bench.Record) error {
	why, err := statedReasons(reasonsCSV)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, p := range pages(records) {
		p.header(&b)
		p.outcomes(&b)
		p.static(&b)
		p.counts(&b)
		p.experts(&b)
		p.besideExperts(&b, why)
		p.ratios(&b)
		p.losses(&b)
		p.reasons(&b)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

func (p *page) header(b *strings.Builder) {
	title := p.gpu
	if d, err := occupancy.Lookup(p.gpu); err == nil {
		title = fmt.Sprintf("%s (compute capability %d.%d)", d.Title, d.Capability/10, d.Capability%10)
	}
	seen := map[string][]string{}
	note := func(key, value string) {
		if value != "" && !slices.Contains(seen[key], value) {
			seen[key] = append(seen[key], value)
		}
	}
	for _, cell := range slices.SortedFunc(maps.Keys(p.at), func(x, y [2]string) int { return slices.Compare(x[:], y[:]) }) {
		r := p.at[cell]
		note("commit", r.Commit)
		note("day", strings.SplitN(r.Time, "T", 2)[0])
		note("machine", fmt.Sprintf("%d x %s, %.0f GiB, %s", r.Machine.Cores, r.Machine.CPU, float64(r.Machine.MemoryBytes)/(1<<30), r.Machine.OS))
		for _, k := range slices.Sorted(maps.Keys(r.Versions)) {
			note("versions", k+" "+r.Versions[k])
		}
		note("limits", fmt.Sprintf("%d s of processor time a run of a generator, %d s a cell, %.0f GiB a process", r.Limits.CPUSeconds, r.Limits.CellSeconds, float64(r.Limits.MemoryBytes)/(1<<30)))
	}
	fmt.Fprintf(b, "## %s\n\n%d programs, %d schedulers, %d cells. ", title, len(p.programs), len(p.schedulers), len(p.at))
	for _, k := range []string{"day", "commit", "versions", "machine", "limits"} {
		slices.Sort(seen[k])
		fmt.Fprintf(b, "%s%s: %s. ", strings.ToUpper(k[:1]), k[1:], strings.Join(seen[k], "; "))
	}
	fmt.Fprint(b, "Nothing ran on a GPU.\n\n")
}

// outcomes: seconds to schedule + lower / kernels, or what went wrong.
func (p *page) outcomes(b *strings.Builder) {
	fmt.Fprintf(b, "### Seconds to schedule + to lower / kernels\n\nProcessor time of the generator's process, most of which is Halide's own: root's shows how much. ms are gowarp's own, as the plugin reports them; B are bytes spilled under the cap of 64 registers.\n\n| program (Funcs) | %s |\n|---|%s\n", strings.Join(textfile.Cells(p.schedulers), " | "), strings.Repeat("---|", len(p.schedulers)))
	for _, name := range p.programs {
		funcs := 0
		for _, s := range p.schedulers {
			if r := p.at[[2]string{name, s}]; r != nil {
				funcs = max(funcs, r.Funcs)
			}
		}
		fmt.Fprintf(b, "| %s (%d)", textfile.Cell(name), funcs)
		for _, s := range p.schedulers {
			fmt.Fprintf(b, " | %s", outcome(p.at[[2]string{name, s}]))
		}
		fmt.Fprintln(b, " |")
	}
	fmt.Fprintln(b)
}

func outcome(r *bench.Record) string {
	if r == nil {
		return "-"
	}
	text := ""
	if r.ScheduleCPUSeconds > 0 {
		text = fmt.Sprintf("%.1f + %.1f", r.ScheduleCPUSeconds, r.LowerCPUSeconds)
	}
	if spent := pluginSeconds(r); spent > 0 {
		text += fmt.Sprintf(" (%.0f ms)", 1000*spent)
	}
	if len(r.Kernels) > 0 {
		text += fmt.Sprintf(" / %d", len(r.Kernels))
		spills := 0
		for _, k := range r.Kernels {
			spills += k.SpillBytes
		}
		if spills > 0 {
			text += fmt.Sprintf(", %d B", spills)
		}
	}
	if r.Outcome != bench.OK {
		if text != "" {
			text += ": "
		}
		text += "**" + r.Outcome + "**"
	}
	return text
}

// pluginSeconds is what gowarp says that it took: export, schedule and apply.
func pluginSeconds(r *bench.Record) float64 {
	sum := 0.0
	for _, key := range slices.Sorted(maps.Keys(r.PluginMS)) {
		sum += r.PluginMS[key] / 1000
	}
	return sum
}

// static is what ptxas and the launches say, over a schedule's kernels.
func (p *page) static(b *strings.Builder) {
	fmt.Fprint(b, "### Kernels: the most and the least of each schedule's\n\n| program | scheduler | kernels | launches | threads | blocks | registers | spilled B | shared B | occupancy | limited by |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	p.each(func(r *bench.Record) {
		if len(r.Kernels) == 0 {
			return
		}
		var threads, blocks, registers, shared []int64
		var occupied []float64
		var limiters []string
		spills := 0
		for _, k := range r.Kernels {
			registers = append(registers, int64(k.Registers))
			spills += k.SpillBytes
			if k.Launches == 0 {
				continue
			}
			threads = append(threads, k.Threads[0]*k.Threads[1]*k.Threads[2])
			blocks = append(blocks, k.Blocks[0]*k.Blocks[1]*k.Blocks[2])
			shared = append(shared, k.SharedBytes)
			occupied = append(occupied, k.Occupancy)
			limiters = append(limiters, strings.Join(k.Limiters, "+"))
		}
		fmt.Fprintf(b, "| %s | %s | %d | %d | %s | %s | %s | %d | %s | %s | %s |\n", textfile.Cell(r.Program), textfile.Cell(r.Scheduler), len(r.Kernels), r.Launches,
			span(threads, "%d"), span(blocks, "%d"), span(registers, "%d"), spills, span(shared, "%d"), span(occupied, "%.2f"), tally(limiters))
	})
	fmt.Fprintln(b)
}

// counts is the work on the simulator.
func (p *page) counts(b *strings.Builder) {
	columns := []struct{ head, name string }{
		{"warp instr.", "warp_instructions"}, {"integer", "integer"}, {"float", "float"}, {"special", "special"}, {"memory", "memory"}, {"control", "control"}, {"requests", "requests"}, {"sectors", "sectors"},
		{"shared wavefronts", "shared_wavefronts"}, {"barriers", "barriers"}, {"shuffles", "shuffles"}, {"cold B", "cold_bytes"}, {"x compulsory", ""}, {"DRAM B with L2", "dram_bytes"},
	}
	var rows strings.Builder
	p.each(func(r *bench.Record) {
		if _, ok := per32(r, "warp_instructions"); !ok {
			return
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %d", textfile.Cell(r.Program), textfile.Cell(r.Scheduler), bench.Extents(r.Counted.Size), r.Counted.Launches)
		for _, c := range columns {
			v, ok := per32(r, c.name)
			if c.name == "" {
				v, ok = overCompulsory(r, "cold_bytes")
			}
			switch {
			case !ok:
				fmt.Fprint(&rows, " | -")
			case c.name == "":
				fmt.Fprintf(&rows, " | %.2f", v)
			default:
				fmt.Fprintf(&rows, " | %s", short(v))
			}
		}
		if r.Counted.Blocks > 0 {
			fmt.Fprintf(&rows, " (of %d blocks)", r.Counted.Blocks)
		}
		fmt.Fprintln(&rows, " |")
	})
	if rows.Len() == 0 {
		return
	}
	fmt.Fprintf(b, "### Work for 32 output elements, counted on the simulator\n\n| program | scheduler | output | launches")
	for _, c := range columns {
		fmt.Fprintf(b, " | %s", c.head)
	}
	fmt.Fprintf(b, " |\n|---|---|---|---|%s\n%s\n", strings.Repeat("---|", len(columns)), rows.String())
}

// overCompulsory is how often a schedule moves what any must, by one of the counts of bytes.
func overCompulsory(r *bench.Record, bytes string) (float64, bool) {
	moved, ok := per32(r, bytes)
	least, ok2 := per32(r, "compulsory_bytes")
	if !ok || !ok2 || least == 0 {
		return 0, false
	}
	return moved / least, true
}

// sameBytes is up to where two counts of bytes are the same: sectors at the rim of a tile.
const sameBytes = 1.01

// experts sets gowarp's least beside what Halide's own apps do.
func (p *page) experts(b *strings.Builder) {
	var rows strings.Builder
	fewer, of, lessL2 := 0, 0, 0
	var published, ours struct{ less, of int } // by what the bytes are compared with
	for _, name := range p.programs {
		e, ok := bench.Experts[strings.SplitN(name, ",", 2)[0]]
		if !ok {
			continue
		}
		r, instructions := p.best(name, "warp_instructions")
		if r == nil {
			continue
		}
		of++
		if instructions <= e.Counted.WarpInstructions {
			fewer++
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s | %.2f", textfile.Cell(name), bench.Extents(e.Counted.Size[:]), short(e.Counted.WarpInstructions), short(instructions), textfile.Cell(r.Scheduler), instructions/e.Counted.WarpInstructions)
		moves, _ := p.best(name, "cold_bytes")
		cold, known := overCompulsory(moves, "cold_bytes")
		dram, _ := overCompulsory(moves, "dram_bytes")
		hand := p.at[[2]string{name, "expert"}]
		expert, handed := overCompulsory(hand, "cold_bytes")
		expertL2, _ := overCompulsory(hand, "dram_bytes")
		app := "-"
		if e.Profiled != nil {
			expert = e.Profiled.DRAMMB / e.Profiled.CompulsoryMB
			expertL2 = expert
			app = fmt.Sprintf("%.2f", expert)
		}
		switch {
		case !known:
			fmt.Fprintf(&rows, " | %s | - | - | - | -", app)
		case e.Profiled == nil && !handed:
			fmt.Fprintf(&rows, " | - | %.2f | %.2f | %s | -", cold, dram, textfile.Cell(moves.Scheduler))
		default:
			to := &published
			if e.Profiled == nil {
				to = &ours
			}
			to.of++
			if cold <= expert*sameBytes {
				to.less++
			}
			if dram <= expertL2*sameBytes {
				lessL2++
			}
			fmt.Fprintf(&rows, " | %s | %.2f | %.2f | %s | %.2f", app, cold, dram, textfile.Cell(moves.Scheduler), cold/expert)
		}
		for _, f := range []func() (float64, bool){
			func() (float64, bool) { return per32(hand, "warp_instructions") },
			func() (float64, bool) { return overCompulsory(hand, "cold_bytes") },
			func() (float64, bool) { return overCompulsory(hand, "dram_bytes") },
		} {
			if v, ok := f(); ok {
				fmt.Fprintf(&rows, " | %s", short(v))
			} else {
				fmt.Fprint(&rows, " | -")
			}
		}
		fmt.Fprintln(&rows, " |")
	}
	if of == 0 {
		return
	}
	fmt.Fprintf(b, "### Beside the hand-written schedules of Halide's own apps\n\nWarp instructions for 32 output elements; bytes of DRAM as multiples of the compulsory ones (benchmarks/bench/experts.json says where the apps' figures are from). "+
		"gowarp's is its best mode by that figure, its bytes from cold caches and with the device's L2, at the size that the table names; the apps' bytes were profiled at 1536x2560, where less fits into the L2. "+
		"\"By hand\" is the program's own `schedule=expert`; its bytes stand for the app's where no profile of that was published.\n"+
		"gowarp executes at most the app's warp instructions on %d of %d programs, and moves at most the expert's bytes with cold caches on %d of %d: %d of the %d with a published profile, %d of the %d beside our schedule by hand. By the estimate with the L2 it is %d.\n\n"+
		"| program | output | app's warp instr. | gowarp's | mode | ratio | app's DRAM | gowarp's, cold | with L2 | mode | ratio | by hand: warp instr. | cold | with L2 |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n%s\n", fewer, of, published.less+ours.less, published.of+ours.of, published.less, published.of, ours.less, ours.of, lessL2, rows.String())
}

// ratios are geometric means of gowarp over the others, where both are ok.
func (p *page) ratios(b *strings.Builder) {
	counts := []string{"warp_instructions", "requests", "sectors", "cold_bytes"}
	var rows strings.Builder
	for _, s := range p.schedulers {
		if isOwn(s) {
			continue
		}
		fmt.Fprintf(&rows, "| %s", textfile.Cell(s))
		okHere := 0
		for _, name := range p.programs {
			if r := p.at[[2]string{name, s}]; r != nil && r.Outcome == bench.OK {
				okHere++
			}
		}
		fmt.Fprintf(&rows, " | %d", okHere)
		for _, c := range counts {
			var ratios []float64
			for _, name := range p.programs {
				theirs, ok := per32(p.at[[2]string{name, s}], c)
				r, ours := p.best(name, c)
				if ok && r != nil && theirs > 0 && ours > 0 {
					ratios = append(ratios, ours/theirs)
				}
			}
			if len(ratios) == 0 {
				fmt.Fprint(&rows, " | -")
				continue
			}
			fmt.Fprintf(&rows, " | %.2f (%d)", stat.GeometricMean(ratios, nil), len(ratios))
		}
		fmt.Fprintln(&rows, " |")
	}
	if rows.Len() == 0 {
		return
	}
	fmt.Fprintf(b, "### gowarp's best mode over each other scheduler\n\nGeometric mean of the ratios over the programs (their number) in which both were counted; below 1 gowarp does less.\n\n| scheduler | programs ok | warp instr. | requests | sectors | cold bytes |\n|---|---|---|---|---|---|\n%s\n", rows.String())
}

// losses lists where another schedule does less than gowarp's best mode.
func (p *page) losses(b *strings.Builder) {
	var rows strings.Builder
	for _, name := range p.programs {
		for _, s := range p.schedulers {
			if isOwn(s) {
				continue
			}
			var worse []string
			for _, c := range []struct{ name, head string }{{"warp_instructions", "warp instructions"}, {"sectors", "sectors"}, {"cold_bytes", "cold bytes"}} {
				theirs, ok := per32(p.at[[2]string{name, s}], c.name)
				r, ours := p.best(name, c.name)
				const noise = 1.01
				if ok && r != nil && ours > noise*theirs {
					worse = append(worse, fmt.Sprintf("%.2f x the %s", ours/theirs, c.head))
				}
			}
			if worse != nil {
				fmt.Fprintf(&rows, "- %s: %s of %s\n", textfile.Cell(name), strings.Join(worse, ", "), textfile.Cell(s))
			}
		}
	}
	if rows.Len() > 0 {
		fmt.Fprintf(b, "### Where gowarp's best mode does more than another schedule\n\nWhy: benchmarks/README.md.\n\n%s\n", rows.String())
	}
}

func (p *page) reasons(b *strings.Builder) {
	var rows strings.Builder
	p.each(func(r *bench.Record) {
		if r.Outcome != bench.OK {
			fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s |\n", textfile.Cell(r.Program), textfile.Cell(r.Scheduler), r.Outcome, r.Phase, textfile.Cell(r.Reason))
		}
	})
	if rows.Len() > 0 {
		fmt.Fprintf(b, "### What went wrong\n\n| program | scheduler | outcome | while | reason |\n|---|---|---|---|---|\n%s\n", rows.String())
	}
}

// each calls f for every record, in the order of the tables.
func (p *page) each(f func(*bench.Record)) {
	for _, name := range p.programs {
		for _, s := range p.schedulers {
			if r := p.at[[2]string{name, s}]; r != nil {
				f(r)
			}
		}
	}
}

// span is the least and the most of a list.
func span[T cmp.Ordered](list []T, format string) string {
	if len(list) == 0 {
		return "-"
	}
	lo, hi := fmt.Sprintf(format, slices.Min(list)), fmt.Sprintf(format, slices.Max(list))
	if lo == hi {
		return lo
	}
	return lo + "-" + hi
}

// tally counts words, the most frequent first.
func tally(words []string) string {
	n := map[string]int{}
	for _, w := range words {
		n[w]++
	}
	keys := slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
	var out []string
	for _, k := range keys {
		if k == "" {
			continue
		}
		if len(words) > 1 {
			k += " " + strconv.Itoa(n[k])
		}
		out = append(out, k)
	}
	return strings.Join(out, ", ")
}

// short writes three digits.
func short(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 100:
		return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
