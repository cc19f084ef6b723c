package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/textfile"
	"gowarp/gpusim/count"
)

// way is a schedule of the comparison.
type way struct {
	scheduler string // bench's name
	title     string
}

// The ways that are compared: by hand, gowarp's default, the paper's system, and its tiles of warps alone.
const (
	byHand     = "expert"
	whole      = "gowarp:mode=polymage"
	inShared   = "gowarp:mode=polymage,tiling=warp-shared"
	inRegister = "gowarp:mode=polymage,tiling=warp-registers"
	inBoth     = "gowarp:mode=polymage,tiling=warp-hybrid"
	autotuned  = "gowarp:grouping=polymage-auto,mode=polymage"
)

var ways = []way{
	{byHand, "by hand"}, {"gowarp:mode=autogpu", "greedy, tiles of blocks"}, {whole, "polymage"},
	{inShared, "tiles of warps, shared"}, {inRegister, "tiles of warps, registers"}, {inBoth, "tiles of warps, hybrid"},
	{autotuned, "PolyMage's autotuner"},
}

// comparison is the lines by program and scheduler.
type comparison struct {
	stated
	at map[[2]string]*bench.Record
}

func newComparison(of stated, records []bench.Record) (*comparison, error) {
	c := &comparison{stated: of, at: map[[2]string]*bench.Record{}}
	for i := range records {
		r := &records[i]
		if r.GPU != c.gpu {
			return nil, fmt.Errorf("lines of %s among those of %s", r.GPU, c.gpu)
		}
		name, _, _ := strings.Cut(r.Program, ",")
		c.at[[2]string{name, r.Scheduler}] = r
	}
	return c, nil
}

// ok is a line that came to its end, nil if there is none.
func (c *comparison) ok(program, scheduler string) *bench.Record {
	if r := c.at[[2]string{program, scheduler}]; r != nil && r.Outcome == bench.OK && r.Counted != nil && r.Counted.Total != nil {
		return r
	}
	return nil
}

// fusion is table 2.
func (c *comparison) fusion(w io.Writer) {
	fmt.Fprint(w, "\n### Fusion (table 2)\n\n| program | stages | Funcs, ours | kernels | size | fusion, paper (s) | scheduling, ours (s) |\n|---|--:|--:|--:|---|--:|--:|\n")
	for _, p := range paper {
		r := c.at[[2]string{p.program, whole}]
		if r == nil {
			continue
		}
		fmt.Fprintf(w, "| %s (%s) | %d | %d | %d | %s | %.2f | %.3f |\n", textfile.Cell(p.program), p.title, p.stages, r.Funcs, len(r.Kernels), bench.Extents(r.Size), p.fusion, r.PluginMS["schedule"]/1000)
	}
}

// work is table 4, with what is counted in the place of times.
func (c *comparison) work(w io.Writer) {
	fmt.Fprint(w, `
### Work (table 4)

Counts are for 32 elements of output. Registers are the most of any kernel, under the cap of 64; occupancy is the mean of the kernels, by their warp instructions. The paper's speed-up of PolyMage-GPU over Halide's schedule by hand stands beside by how many times fewer
warp instructions and sectors polymage takes than our schedule by hand (over 1: fewer).

| program | schedule | kernels | registers | spilled B | occupancy | warp instr. | sectors | shared wavefronts | barriers | shuffles | cold B | speed-up, paper | fewer instr. | fewer sectors |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`)
	var theirs, instructions, sectors []float64
	for _, p := range paper {
		hand := c.ok(p.program, byHand)
		for _, way := range ways {
			r := c.at[[2]string{p.program, way.scheduler}]
			switch {
			case r == nil:
				if way.scheduler == byHand {
					fmt.Fprintf(w, "| %s | %s: none | | | | | | | | | | | | | |\n", textfile.Cell(p.program), way.title)
				}
				continue
			case c.ok(p.program, way.scheduler) == nil:
				fmt.Fprintf(w, "| %s | %s | %s: %s | | | | | | | | | | | | |\n", textfile.Cell(p.program), way.title, r.Outcome, textfile.Cell(r.Reason))
				continue
			}
			registers, spilled := 0, 0
			for _, k := range r.Kernels {
				registers, spilled = max(registers, k.Registers), spilled+k.SpillBytes
			}
			at := r.Counted.Per32
			fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %.2f | %.4g | %.4g | %.4g | %.3g | %.4g | %.4g |", textfile.Cell(p.program), way.title, len(r.Kernels), registers, spilled, occupancy(r),
				at["warp_instructions"], at["sectors"], at["shared_wavefronts"], at["barriers"], at["shuffles"], at["cold_bytes"])
			if way.scheduler == whole {
				fmt.Fprintf(w, " %.2f |", p.on[c.gpu].halide/p.on[c.gpu].polymage)
				theirs = append(theirs, p.on[c.gpu].halide/p.on[c.gpu].polymage)
				if hand != nil {
					i, s := over(hand, r, "warp_instructions"), over(hand, r, "sectors")
					fmt.Fprintf(w, " %.2f | %.2f |\n", i, s)
					instructions, sectors = append(instructions, i), append(sectors, s)
					continue
				}
				fmt.Fprint(w, " - | - |\n")
				continue
			}
			fmt.Fprint(w, " | | |\n")
		}
	}
	fmt.Fprintf(w, "| **geometric mean** (ours of %d programs with a schedule by hand, theirs of %d) | polymage | | | | | | | | | | | %.2f | %.2f | %.2f |\n", len(instructions), len(theirs), stat.GeometricMean(theirs, nil), mean(instructions), mean(sectors))
}

func mean(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return stat.GeometricMean(v, nil)
}

// over is how many times as much the first does as the second.
func over(a, b *bench.Record, what string) float64 {
	return a.Counted.Per32[what] / b.Counted.Per32[what]
}

// occupancy is the mean of a schedule's kernels by what they issue.
func occupancy(r *bench.Record) float64 {
	sum, weights := 0.0, 0.0
	for _, k := range r.Kernels {
		if k.Count != nil {
			sum, weights = sum+k.Occupancy*float64(k.Count.WarpInstructions), weights+float64(k.Count.WarpInstructions)
		}
	}
	return sum / max(weights, 1)
}

func loads(r *bench.Record) float64 {
	t := (*count.Kernel)(r.Counted.Total)
	return float64(t.GlobalLoads) / float64(r.Counted.Elements)
}

// hybrid is table 5.
func (c *comparison) hybrid(w io.Writer) {
	fmt.Fprint(w, `
### Hybrid tiles over tiles of warps in shared memory (table 5)

Both by mode=polymage with the one tiling; half of each tile is in registers. What cannot be run in tiles of warps is tiles of blocks all the same: where all Funcs are, there is no difference. Loads are requests of warps to global memory. Occupancy of the paper is achieved, ours what fits an SM.

| program | fewer global loads, paper (%) | ours (%) | more occupancy, paper (%) | ours (%) |
|---|--:|--:|--:|--:|
`)
	for _, p := range paper {
		shared, hybrid := c.ok(p.program, inShared), c.ok(p.program, inBoth)
		fmt.Fprintf(w, "| %s | %.2f | ", textfile.Cell(p.program), p.on[c.gpu].fewerLoads)
		if shared == nil || hybrid == nil {
			fmt.Fprintf(w, "- | %.2f | - |\n", p.on[c.gpu].moreOccupancy)
			continue
		}
		fmt.Fprintf(w, "%.2f | %.2f | %.2f |\n", 100*(1-loads(hybrid)/loads(shared)), p.on[c.gpu].moreOccupancy, 100*(occupancy(hybrid)/occupancy(shared)-1))
	}
}

// relative is figure 9.
func (c *comparison) relative(w io.Writer) {
	fmt.Fprintf(w, `
### Relative to the schedule by hand (figure 9)

Warp instructions / requested sectors / requests to the load/store unit, over those of our schedule by hand (below 1: less). The paper states of its times, in the geometric mean, that hybrid tiles are %.2f times as fast as tiles of warps in shared memory, that both are faster than
tiles in registers alone, and that its system is %.1f times as fast as PolyMage's autotuner (section 7.2.2).

| program |`, c.overShared, c.overAutotuner)
	all := map[string]map[string][]float64{}
	for _, way := range ways[1:] {
		fmt.Fprintf(w, " %s |", way.title)
		all[way.scheduler] = map[string][]float64{}
	}
	fmt.Fprint(w, "\n|---|"+strings.Repeat("--:|", len(ways)-1)+"\n")
	measures := []string{"warp_instructions", "sectors", "requests"}
	for _, p := range paper {
		hand := c.ok(p.program, byHand)
		if hand == nil {
			continue
		}
		fmt.Fprintf(w, "| %s |", textfile.Cell(p.program))
		for _, way := range ways[1:] {
			r := c.ok(p.program, way.scheduler)
			if r == nil {
				fmt.Fprint(w, " - |")
				continue
			}
			var words []string
			for _, m := range measures {
				v := over(r, hand, m)
				all[way.scheduler][m] = append(all[way.scheduler][m], v)
				words = append(words, fmt.Sprintf("%.2f", v))
			}
			fmt.Fprintf(w, " %s |", strings.Join(words, " / "))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| **geometric mean** |")
	for _, way := range ways[1:] {
		var words []string
		for _, m := range measures {
			words = append(words, fmt.Sprintf("%.2f", mean(all[way.scheduler][m])))
		}
		fmt.Fprintf(w, " %s |", strings.Join(words, " / "))
	}
	fmt.Fprintln(w)
}

// byProgram orders the paper's programs as the paper does, others behind.
func byProgram(a, b string) int {
	at := func(name string) int {
		name, _, _ = strings.Cut(name, ",")
		i := slices.IndexFunc(paper, func(p published) bool { return p.program == name })
		if i < 0 {
			return len(paper)
		}
		return i
	}
	return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a, b))
}
