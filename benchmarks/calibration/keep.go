package calibration

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"gowarp/autoscheduler"
	"gowarp/benchmarks/bench"
	"gowarp/halideir"
)

// keep returns the lines of a program beside the drawn lines of old that are not among them and still hold: gowarp
// draws the same schedule by the same numbers, and it was counted at the same size. What costers see of it is looked at
// anew. Which do not hold is said, for counting them took long.
func keep(p *halideir.Pipeline, lines, old []Line, log io.Writer) ([]Line, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	program, gpu := lines[0].Program, lines[0].GPU
	var size []int // that of this run
	for i := range lines {
		if lines[i].CountedSize != nil {
			size = lines[i].CountedSize
		}
	}
	params, err := drawn(gpu)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(lines)
	kept, others, resized := 0, 0, 0
	for _, l := range old {
		if l.Program != program || l.GPU != gpu || l.Own != "" || slices.ContainsFunc(lines, func(n Line) bool { return n.Name == l.Name }) {
			continue
		}
		r, err := autoscheduler.Draw(p, params, l.Seed, l.Number)
		if err != nil {
			return nil, fmt.Errorf("calibration: %s, draw %d of seed %d: %w", program, l.Number, l.Seed, err)
		}
		now, err := newLine(Line{Name: drawName(l.Number), Number: l.Number, Seed: l.Seed}, r, program, gpu)
		switch {
		case err != nil:
			return nil, err
		case now.Name != l.Name:
			others++
		case size != nil && l.CountedSize != nil && !slices.Equal(size, l.CountedSize):
			resized++
		default:
			kept++
			now.Outcome, now.Reason, now.Launches, now.Registers, now.SpillBytes = l.Outcome, l.Reason, l.Launches, l.Registers, l.SpillBytes
			now.CountedSize, now.BlocksSampled, now.Counted = l.CountedSize, l.BlocksSampled, l.Counted
			for i := range min(len(now.Kernels), len(l.Kernels)) { // the same schedule has the same kernels
				now.Kernels[i].Counted = l.Kernels[i].Counted
			}
			all = append(all, now)
		}
	}
	slices.SortStableFunc(all, func(a, b Line) int {
		if a.Own != "" || b.Own != "" {
			return cmp.Compare(b.Own, "") - cmp.Compare(a.Own, "") // coster's own first
		}
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Number, b.Number))
	})
	if kept > 0 {
		fmt.Fprintf(log, "%s: %d lines of other draws stay\n", program, kept)
	}
	if others > 0 {
		fmt.Fprintf(log, "%s: %d lines go: gowarp does not draw their schedules any more\n", program, others)
	}
	if resized > 0 {
		fmt.Fprintf(log, "%s: %d lines go: they were not counted at %s\n", program, resized, bench.Extents(size))
	}
	return all, nil
}
