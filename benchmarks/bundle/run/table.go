package run

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gowarp/benchmarks/bench"
)

// Markdown writes the lines as tables: one a device, size and cap of registers.
func Markdown(w io.Writer, lines []Line) error {
	type page struct {
		device, size string
		cap          int
	}
	var pages []page
	for _, l := range lines {
		if p := (page{l.Device.Name, l.Size, l.Cap}); !slices.Contains(pages, p) {
			pages = append(pages, p)
		}
	}
	var b strings.Builder
	for _, p := range pages {
		mine := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return page{l.Device.Name, l.Size, l.Cap} != p })
		d := mine[0].Device
		fmt.Fprintf(&b, "\n## %s, size `%s`, at most %d registers a thread\n\n", d.Name, p.size, p.cap)
		fmt.Fprintf(&b, "Copies %.4g GB/s, %d SMs, compute capability %d.%d; schedules for %s.\n\n", d.CopyGBs, d.SMs, d.Capability/10, d.Capability%10, mine[0].Made)
		b.WriteString("| program | scheduler | launches | GPU µs | best | spread | warm L2 | wall µs | starved | x expert | of copy | first ms |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
		for _, l := range mine {
			b.WriteString(l.row())
		}
		means(&b, mine)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (l *Line) row() string {
	title := l.Program
	for i, e := range l.Extents {
		title += map[bool]string{true: " ", false: "x"}[i == 0] + fmt.Sprint(e)
	}
	if l.Outcome != bench.OK || l.GPUCold == nil {
		reason := strings.ReplaceAll(l.Reason, "|", "\\|")
		if cut := []rune(reason); len(cut) > 120 {
			reason = string(cut[:120]) + "…"
		}
		return fmt.Sprintf("| %s | %s | %s: %s |||||||||||\n", title, l.Scheduler, l.Outcome, reason)
	}
	if l.Unchecked != "" {
		title += " (unchecked)"
	}
	over := "-"
	if l.OverBase != nil {
		over = fmt.Sprintf("%.3g (%.3g–%.3g)", l.OverBase[0], l.OverBase[1], l.OverBase[2])
	}
	starved := "-"
	if l.GPUCold.Starved > 0 {
		starved = fmt.Sprintf("%.0f %%", 100*float64(l.GPUCold.Starved)/float64(l.GPUCold.Samples))
	}
	us := func(t *Times) string {
		if t == nil {
			return "-"
		}
		return fmt.Sprintf("%.4g", t.Median)
	}
	return fmt.Sprintf("| %s | %s | %d | %s | %.4g | %.1f %% | %s | %s | %s | %s | %.0f %% | %.3g |\n", title, l.Scheduler, l.Launches,
		us(l.GPUCold), l.GPUCold.Best, 100*l.GPUCold.Spread, us(l.GPUWarm), us(l.WallCold), starved, over, 100*l.CopyShare, l.FirstMS)
}

// means are the geometric means over the base, each on the programs that it manages.
func means(b *strings.Builder, lines []Line) {
	var schedulers []string
	ratios := map[string][]float64{}
	of := map[string]int{}
	for _, l := range lines {
		if !slices.Contains(schedulers, l.Scheduler) {
			schedulers = append(schedulers, l.Scheduler)
		}
		of[l.Scheduler]++
		if l.Outcome == bench.OK && l.OverBase != nil {
			ratios[l.Scheduler] = append(ratios[l.Scheduler], l.OverBase[0])
		}
	}
	if len(ratios) == 0 {
		return
	}
	fmt.Fprintf(b, "\nGeometric mean of the time over `%s`'s, each on the programs that it manages and that have one:\n\n| scheduler | x %s | programs | of |\n|---|--:|--:|--:|\n", base, base)
	for _, s := range schedulers {
		if r := ratios[s]; len(r) > 0 {
			fmt.Fprintf(b, "| %s | %.3g | %d | %d |\n", s, stat.GeometricMean(r, nil), len(r), of[s])
		} else {
			fmt.Fprintf(b, "| %s | - | 0 | %d |\n", s, of[s])
		}
	}
}
