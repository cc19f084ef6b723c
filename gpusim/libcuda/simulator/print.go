package simulator

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gowarp/gpusim/check"
	"gowarp/gpusim/count"
	"gowarp/occupancy"
)

// Print writes the report for people: the kernels' counts, then what was found.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s on a simulated %s, %.2f s\n", filepath.Base(r.Program), plural(len(r.Kernels), "kernel"), r.device(), r.Seconds)
	if o := r.Outputs; o != nil {
		var widths []string
		for _, x := range o.ByWidth {
			widths = append(widths, fmt.Sprintf("%s of %s", thousands(x.Elements), plural(x.ElementBytes, "byte")))
		}
		if widths == nil {
			widths = append(widths, thousands(o.Elements)+", as given")
		}
		fmt.Fprintf(w, "output elements: %s\n", strings.Join(widths, ", "))
	}
	if r.Blocks > 0 {
		fmt.Fprintf(w, "at most %s of a launch run: of larger launches the counts are scaled up and the results incomplete\n", plural(r.Blocks, "block"))
	}
	for _, k := range r.Kernels {
		r.printKernel(w, k)
	}
	if len(r.Kernels) > 1 {
		r.printSummary(w)
	}
	fmt.Fprintln(w)
	r.printFindings(w)
}

func (r *Report) device() string {
	if d, err := occupancy.Lookup(r.GPU); err == nil {
		return fmt.Sprintf("%s (compute capability %d.%d)", d.Title, r.Capability/10, r.Capability%10)
	}
	return fmt.Sprintf("GPU of compute capability %d.%d", r.Capability/10, r.Capability%10)
}

func (r *Report) outputElements() int64 {
	if r.Outputs == nil {
		return 0
	}
	return r.Outputs.Elements
}

func (r *Report) printKernel(w io.Writer, k *Kernel) {
	c := &k.Count
	fmt.Fprintf(w, "\nkernel %s\n", k.Name)
	for _, s := range k.Shapes {
		fmt.Fprintf(w, "  %s of %s blocks of %s threads, %s bytes of shared memory a block", plural(s.Launches, "launch"), by(s.Grid), by(s.Block), thousands(int64(s.SharedBytes)))
		if n := s.Grid[0] * s.Grid[1] * s.Grid[2]; s.BlocksRun < n {
			fmt.Fprintf(w, "; %s of %s blocks ran", thousands(int64(s.BlocksRun)), thousands(int64(n)))
		}
		fmt.Fprintln(w)
	}
	if k.Registers > 0 {
		spills := "no spills"
		if k.SpillBytes > 0 {
			spills = fmt.Sprintf("%s bytes of spills", thousands(int64(k.SpillBytes)))
		}
		fmt.Fprintf(w, "  %s a thread, %s (by ptxas)", plural(k.Registers, "register"), spills)
		if k.Occupancy > 0 {
			fmt.Fprintf(w, ", occupancy %.0f %%", 100*k.Occupancy)
		}
		fmt.Fprintln(w)
	}
	t := table{outputs: r.outputElements(), threads: c.Threads}
	t.row("warp instructions", c.WarpInstructions, "")
	for _, class := range []struct {
		name string
		n    int64
	}{{"integer, address", c.Integer}, {"float", c.Float}, {"special", c.Special}, {"load, store, shuffle", c.Memory}, {"branch, barrier, call", c.Control}} {
		if class.n > 0 {
			t.row("  "+class.name, class.n, fmt.Sprintf("%.0f %%", 100*float64(class.n)/float64(max(c.WarpInstructions, 1))))
		}
	}
	t.row("load/store requests", c.Requests(), "global requests + shared wavefronts + shuffles")
	t.some("  global loads", c.GlobalLoads, each(c.GlobalLoadSectors, c.GlobalLoads, "sectors"))
	t.some("  global stores", c.GlobalStores, each(c.GlobalStoreSectors, c.GlobalStores, "sectors"))
	t.some("  global atomics", c.GlobalAtomics, each(c.GlobalAtomicSectors, c.GlobalAtomics, "sectors"))
	if n := c.SharedLoads + c.SharedStores + c.SharedAtomics; n > 0 {
		t.row("  shared wavefronts", c.SharedWavefronts, fmt.Sprintf("of %s requests; %s by bank conflicts", thousands(n), thousands(c.SharedConflicts)))
	}
	t.some("  shuffles", c.Shuffles, "")
	t.row("sectors of 32 bytes", c.Sectors(), fmt.Sprintf("%.0f %% of them needed, were each request's bytes side by side", 100*float64(c.GlobalIdealSectors)/float64(max(c.Sectors(), 1))))
	t.some("barriers", c.Barriers, "warps that wait")
	if c.Branches > 0 {
		t.row("conditional branches", c.Branches, fmt.Sprintf("%s divergent", thousands(c.DivergentBranches)))
	}
	if c.LocalLoads+c.LocalStores > 0 {
		t.row("local memory, bytes", c.LocalBytes, fmt.Sprintf("%s loads, %s stores of a warp", thousands(c.LocalLoads), thousands(c.LocalStores)))
	}
	t.row("bytes to L2, at least", c.BlockBytes, "each block's distinct sectors")
	cold := "distinct sectors of a launch"
	if k.L2 == nil && r.Blocks > 0 {
		cold = "at least: of the blocks that ran"
	}
	t.row("bytes from and to DRAM, cold", c.ColdBytes, cold)
	if l := k.L2; l != nil {
		note := fmt.Sprintf("estimate for an L2 of %s", mebibytes(l.L2Bytes))
		if l.OneLineIn > 1 {
			note += fmt.Sprintf(", from one line in %d", l.OneLineIn)
		}
		t.row("  read with an L2", l.DRAMReadBytes, note)
		t.row("  written with an L2", l.DRAMWriteBytes, "")
	}
	t.print(w)
}

// printSummary is a line a kernel, in the order of their first launches.
func (r *Report) printSummary(w io.Writer) {
	of := ""
	value := thousands
	if n := r.outputElements(); n > 0 {
		of = ", per 32 outputs"
		value = func(x int64) string { return fmt.Sprintf("%.2f", float64(x)*32/float64(n)) }
	}
	rows := [][]string{{"kernel", "launches", "warp instructions", "load/store requests", "sectors", "bytes of DRAM"}}
	row := func(name string, c *count.Kernel, dram int64) {
		rows = append(rows, []string{name, thousands(c.Launches), value(c.WarpInstructions), value(c.Requests()), value(c.Sectors()), value(dram)})
	}
	var moved int64
	for _, k := range r.Kernels {
		dram := k.Count.ColdBytes
		if k.L2 != nil {
			dram = k.L2.DRAMReadBytes + k.L2.DRAMWriteBytes
		}
		moved += dram
		row(k.Name, &k.Count, dram)
	}
	total := r.Total()
	row("all", &total, moved)
	fmt.Fprintf(w, "\nall %d kernels%s\n", len(r.Kernels), of)
	width := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, c := range cells {
			width[i] = max(width[i], len(c))
		}
	}
	for _, cells := range rows {
		line := fmt.Sprintf("  %-*s", width[0], cells[0])
		for i, c := range cells[1:] {
			line += fmt.Sprintf("  %*s", width[i+1], c)
		}
		fmt.Fprintln(w, line)
	}
}

func (r *Report) printFindings(w io.Writer) {
	var wrong []check.Finding
	notes := map[check.Kind][]check.Finding{}
	for _, f := range r.Findings {
		if f.Kind.Note() {
			notes[f.Kind] = append(notes[f.Kind], f)
		} else {
			wrong = append(wrong, f)
		}
	}
	for i, f := range wrong {
		fmt.Fprintf(w, "finding %d of %d: %s\n", i+1, len(wrong), f)
		if f.Source != "" {
			fmt.Fprintf(w, "    %s\n", f.Source)
		}
	}
	// Every tile that is shifted inwards at an edge makes some; one of a kind stands for all.
	for _, kind := range slices.Sorted(maps.Keys(notes)) {
		fmt.Fprintf(w, "%s, nothing wrong; the first: %s\n", plural(len(notes[kind]), "note"), notes[kind][0])
	}
	for _, e := range r.Errors {
		fmt.Fprintf(w, "a CUDA call failed: %s\n", e)
	}
	if !r.Wrong() {
		fmt.Fprintln(w, "no findings")
	}
}

// table is counts with a column for 32 outputs, or for a warp's threads where the outputs
// are not known.
type table struct {
	outputs, threads int64
	rows             [][4]string
}

func (t *table) row(name string, n int64, note string) {
	per := t.outputs
	if per == 0 {
		per = t.threads
	}
	t.rows = append(t.rows, [4]string{name, thousands(n), fmt.Sprintf("%.2f", float64(n)*32/float64(max(per, 1))), note})
}

// some is a row that is left out where nothing was counted.
func (t *table) some(name string, n int64, note string) {
	if n > 0 {
		t.row(name, n, note)
	}
}

func (t *table) print(w io.Writer) {
	head := [4]string{"", "in all", "per 32 outputs", ""}
	if t.outputs == 0 {
		head[2] = "per 32 threads"
	}
	rows := append([][4]string{head}, t.rows...)
	var width [3]int
	for _, r := range rows {
		for i := range width {
			width[i] = max(width[i], len(r[i]))
		}
	}
	for _, r := range rows {
		line := fmt.Sprintf("  %-*s  %*s  %*s  %s", width[0], r[0], width[1], r[1], width[2], r[2], r[3])
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

func each(n, of int64, what string) string {
	if of == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f %s each", float64(n)/float64(of), what)
}

func by(v [3]int) string { return fmt.Sprintf("%dx%dx%d", v[0], v[1], v[2]) }

func mebibytes(n int) string {
	return strconv.FormatFloat(float64(n)/(1<<20), 'g', 4, 64) + " MiB"
}

// plural is a number of things.
func plural(n int, what string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(what, "ch"):
		what += "es"
	default:
		what += "s"
	}
	return thousands(int64(n)) + " " + what
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
