package explain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gowarp/autoscheduler/coster"
	"gowarp/internal/plan"
)

// JSON is the report's JSON form: the same bytes for the same report.
func (r *Report) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(r)
	return b.Bytes(), err
}

// Print writes the report for people.
func (r *Report) Print(w io.Writer) error {
	b := bufio.NewWriter(w)
	kernels := 0
	for i := range r.Groups {
		kernels += len(r.Groups[i].Kernels)
	}
	fmt.Fprintf(b, "for %s (%s): %s, %s of %s; %d candidates priced by %s\n",
		r.Device, r.Title, count(len(r.Funcs), "Func"), count(kernels, "kernel"), count(len(r.Groups), "group"), r.Candidates, r.Coster)
	if r.Unit != "" {
		text := "costs are in " + r.Unit
		if r.hasPart(coster.NotHiddenTerm) {
			text += "; " + coster.NotHiddenTerm + " is the part of what stands besides that the longest does not hide"
		}
		fmt.Fprintln(b, text)
	}
	for _, text := range r.Remarks {
		fmt.Fprintln(b, text)
	}
	r.printInlining(b, true)
	r.printInlining(b, false)
	for i := range r.Groups {
		r.Groups[i].print(b)
	}
	r.printRefusals(b)
	return b.Flush()
}

// printInlining writes the Funcs that are inlined, or those that are not, under their reasons.
func (r *Report) printInlining(w io.Writer, inlined bool) {
	var reasons []string
	for _, f := range r.Funcs {
		if f.Inlined == inlined && !slices.Contains(reasons, f.Why) {
			reasons = append(reasons, f.Why)
		}
	}
	if len(reasons) == 0 {
		return
	}
	title := "not inlined"
	if inlined {
		title = "inlined"
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, why := range reasons {
		var plain []string
		figures := [][]string{{"", "READS/POINT", "COMPUTE AGAIN", "KEEP IN SHARED", "KEEP IN GLOBAL"}}
		for _, f := range r.Funcs {
			switch {
			case f.Inlined != inlined || f.Why != why:
			case f.Costs == nil:
				plain = append(plain, f.Func)
			default:
				figures = append(figures, []string{f.Func, perPoint(f), cost(f.Costs.Again), cost(f.Costs.Shared), cost(f.Costs.Global)})
			}
		}
		fmt.Fprintf(w, "  %s\n", why)
		if len(plain) > 0 {
			fmt.Fprintf(w, "%s", wrap(strings.Join(plain, ", "), "    "))
		}
		if len(figures) > 1 {
			columns(w, "    ", figures)
			fmt.Fprintf(w, "    in operations, and bytes of memory as so many of them; below 0 what it saves\n")
		}
	}
}

func perPoint(f Func) string {
	if f.Points == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3g", f.Reads/f.Points)
}

func (g *Group) print(w io.Writer) {
	fmt.Fprintf(w, "\ngroup %s\n", g.Out)
	var steps [][]string
	for _, m := range g.Merges {
		steps = append(steps, []string{"merged " + m.Producer, "gain " + cost(m.Gain), fmt.Sprintf("(%s -> %s)", cost(m.Before), cost(m.After))})
	}
	columns(w, "  ", steps)
	for i := range g.Kernels {
		g.Kernels[i].print(w)
	}
}

func (k *Kernel) print(w io.Writer) {
	if k.Bounds == nil {
		fmt.Fprintf(w, "  %s  on the host: %s\n", k.Name, k.Note)
		return
	}
	fmt.Fprintf(w, "  kernel %s\n", k.Name)
	rows := [][]string{{"strategy", k.Strategy + note(k.Note)}}
	var tile []string
	for _, t := range k.Tile {
		tile = append(tile, fmt.Sprintf("%s %d of %d", t.Loop, t.Tile, t.Extent))
	}
	if len(tile) > 0 {
		rows = append(rows, []string{"tile", strings.Join(tile, ", ")})
	}
	var cells []string
	for _, c := range k.Cells {
		cells = append(cells, fmt.Sprintf("%s %d", c.Loop, c.Points))
	}
	if len(cells) > 0 {
		text := strings.Join(cells, ", ") + ": their points differ in what they compute, and each is compiled by itself"
		if k.IfWhole {
			text += " where the output begins and ends at whole ones"
		}
		rows = append(rows, []string{"cells", text})
	}
	rows = append(rows, []string{"launch", fmt.Sprintf("%s blocks of %s threads", times(k.Blocks[:]), times(k.Threads[:]))})
	for i, m := range k.Members {
		head := ""
		if i == 0 {
			head = "members"
		}
		rows = append(rows, append([]string{head}, m.cells()...))
	}
	if len(k.Inlined) > 0 {
		rows = append(rows, []string{"inlined", strings.Join(k.Inlined, ", ")})
	}
	b := k.Bounds
	limiters := ""
	if len(b.Limiters) > 0 {
		limiters = ", limited by " + strings.Join(b.Limiters, " and ")
	}
	rows = append(rows, []string{"occupancy", fmt.Sprintf("%.2f%s: %s an SM", b.Occupancy, limiters, count(b.BlocksPerSM, "block"))})
	switch {
	case b.Waves > 1:
		rows = append(rows, []string{"waves", fmt.Sprintf("%.1f over %s; the last is %.0f%% full", b.Waves, count(b.SMs, "SM"), 100*b.LastWave)})
	case b.Waves < 0.01:
		rows = append(rows, []string{"waves", fmt.Sprintf("one over %s, less than 1%% full", count(b.SMs, "SM"))})
	default:
		rows = append(rows, []string{"waves", fmt.Sprintf("one over %s, %.0f%% full", count(b.SMs, "SM"), 100*b.Waves)})
	}
	shared := fmt.Sprintf("%d B a block of at most %d", b.SharedBytes, b.SharedLimit)
	if b.SharedSum != b.SharedBytes {
		shared += fmt.Sprintf("; %d without reuse of what is read no more", b.SharedSum)
	}
	rows = append(rows, []string{"shared", shared},
		[]string{"registers", fmt.Sprintf("%d a thread, %s; at most %d", b.Registers, k.Judged.registers(), b.MaxRegisters)})
	if b.Taken > 0 {
		idle := ""
		if b.Idle > 0 {
			idle = fmt.Sprintf("; blocks come whole, and leave %.0f%% of the SM's idle", 100*b.Idle)
		}
		rows = append(rows, []string{"", fmt.Sprintf("the compiler takes %d to load ahead%s", b.Taken, idle)})
	}
	if b.Spilled > 0 {
		rows = append(rows, []string{"", fmt.Sprintf("too few for what every turn of a loop finds the same: %d B a thread spilled, estimated over all turns", b.Spilled)})
	}
	if j := k.Judged.text(); j != "" {
		rows = append(rows, []string{"judged", j})
	}
	rows = append(rows,
		[]string{"cost", cost(k.Cost) + k.partsText()})
	name := "besides"
	for _, line := range k.factorsText() {
		rows = append(rows, []string{name, line})
		name = ""
	}
	if k.Though != "" {
		rows = append(rows, []string{"though", k.Though + "; there is no tile without a fault"})
	}
	if r := k.RunnerUp; r != nil {
		text := fmt.Sprintf("%s %s: %s", r.Strategy, times(r.Tile), cost(r.Cost))
		if r.Cost == k.Cost {
			text += " (the same; the first stands)"
		} else if k.Cost > 0 {
			text += fmt.Sprintf(" (%+.2g%%)", 100*(r.Cost/k.Cost-1))
		}
		if r.Cost < k.Cost && r.Though == "" {
			text += ", a gain of no more than this cost errs by, and it issues more instructions: not taken"
		}
		if r.Though != "" {
			text += ", but " + r.Though
		}
		rows = append(rows, []string{"runner-up", text})
	} else {
		rows = append(rows, []string{"runner-up", "none: no other tile could run"})
	}
	for i, m := range k.Model {
		head := ""
		if i == 0 {
			head = "tiles of warps"
		}
		best := "none"
		if m.Best != "" {
			best = m.Best + ", at " + cost(m.Cost)
			if m.Taken {
				best += " (taken)"
			}
		}
		rows = append(rows, []string{head, fmt.Sprintf("%s %s: %d priced, no other can be the best; the best: %s", count(int(m.Candidates), "candidate"), m.Set, m.Priced, best)})
	}
	for i, r := range k.Refused {
		head := ""
		if i == 0 {
			head = "refused"
		}
		rows = append(rows, []string{head, fmt.Sprintf("%s: %s", count(r.Tiles, "tile"), alike(r))})
	}
	columns(w, "    ", rows)
}

// hasPart reports whether some kernel's cost has a part of that name.
func (r *Report) hasPart(name string) bool {
	return slices.ContainsFunc(r.Groups, func(g Group) bool {
		return slices.ContainsFunc(g.Kernels, func(k Kernel) bool {
			return slices.ContainsFunc(k.Parts, func(p Part) bool { return p.Name == name })
		})
	})
}

// points is how many there are in extents.
func points(extents []int64) int64 {
	n := int64(1)
	for _, e := range extents {
		n *= e
	}
	return n
}

// cells are a member's columns.
func (m *Member) cells() []string {
	where := "a block, in shared memory"
	switch {
	case m.InGlobal:
		where = "a block, in global memory"
	case m.Level == "thread":
		where = "a thread of " + m.Inside
	case m.Level == "warp" && m.InShared*plan.WarpLanes >= points(m.Extents):
		where = "a warp, in shared memory of its own"
	case m.Level == "warp" && m.InShared > 0:
		where = fmt.Sprintf("a warp, in its lanes' registers; %d of each lane's in shared memory", m.InShared)
	case m.Level == "warp":
		where = "a warp, in its lanes' registers"
	}
	size := times(m.Extents)
	if size == "" {
		size = "one point"
	}
	return []string{m.Func, size + " " + where, fmt.Sprintf("%d B", m.Bytes), fmt.Sprintf("%.3g points computed for one needed", m.Repeats)}
}

// alike is a reason, said to be one of several where the numbers in it differ.
func alike(r Refused) string {
	if r.Tiles == 1 {
		return r.Why
	}
	return "the like of " + r.Why
}

// factorsText is what the coster says besides and is not 0, some to a line.
func (k *Kernel) factorsText() []string {
	const aLine = 4
	var words, lines []string
	for _, f := range k.Factors {
		if f.Value != 0 {
			words = append(words, fmt.Sprintf("%s %.4g", f.Name, f.Value))
		}
	}
	for some := range slices.Chunk(words, aLine) {
		lines = append(lines, strings.Join(some, ", "))
	}
	return lines
}

// partsText is what the cost is made of, and which part binds.
func (k *Kernel) partsText() string {
	if len(k.Parts) == 0 || k.Cost == 0 {
		return ""
	}
	var terms []string
	most := k.Parts[0]
	for _, p := range k.Parts {
		terms = append(terms, fmt.Sprintf("%s %s", p.Name, cost(p.Value)))
		if p.Value > most.Value {
			most = p
		}
	}
	return fmt.Sprintf(" = %s; %.0f%% is %s", strings.Join(terms, " + "), 100*most.Share, most.Name)
}

func (r *Report) printRefusals(w io.Writer) {
	if len(r.Refusals) == 0 {
		return
	}
	fmt.Fprintf(w, "\nnot merged\n")
	for _, d := range r.Refusals {
		fmt.Fprintf(w, "  %s: %s\n", count(len(d.Pairs), "group"), d.Why)
		var pairs []string
		for _, p := range d.Pairs {
			text := p.Producer
			if p.Consumer != "" {
				text += " into " + p.Consumer
			}
			if p.Loss > 0 {
				text += " (loses " + cost(p.Loss) + ")"
			}
			pairs = append(pairs, text)
		}
		fmt.Fprint(w, wrap(strings.Join(pairs, ", "), "    "))
	}
}

// columns writes rows with their cells aligned.
func columns(w io.Writer, indent string, rows [][]string) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(tw, indent+strings.Join(row, "\t"))
	}
	tw.Flush() // a bufio.Writer keeps the error
}

// lineWidth is where lists are broken.
const lineWidth = 100

// wrap breaks a list at its commas and indents every line.
func wrap(list, indent string) string {
	var b strings.Builder
	line := indent
	for i, item := range strings.SplitAfter(list, ", ") {
		if i > 0 && len(line)+len(item) > lineWidth {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += item
	}
	return b.String() + line + "\n"
}

func note(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

// count is "1 kernel", "2 kernels".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func cost(v float64) string { return fmt.Sprintf("%.4g", v) }

// times is 36x16.
func times(extents []int64) string {
	parts := make([]string, len(extents))
	for i, e := range extents {
		parts[i] = fmt.Sprint(e)
	}
	return strings.Join(parts, "x")
}

// registers is how those of a kernel are known.
func (j *Judged) registers() string {
	if j != nil && j.By == "ptxas" {
		return "by ptxas"
	}
	return "estimated"
}

// text is what was said.
func (j *Judged) text() string {
	switch {
	case j == nil:
		return ""
	case j.SpillBytes != nil:
		return fmt.Sprintf("by ptxas: %d B a thread are spilled", *j.SpillBytes)
	}
	return fmt.Sprintf("by the simulator: %.0f warp instructions, %.0f requests, %.0f sectors to L2 (each block's, once), %.0f waits at barriers", j.Instructions, j.Requests, j.Sectors, j.Barriers)
}
