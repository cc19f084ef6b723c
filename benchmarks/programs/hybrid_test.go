//go:build halide

package programs

import (
	"fmt"
	"strconv"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
	"gowarp/gpusim/count"
	"gowarp/internal/ptxas"
)

// hybridTile is one tile for all fractions, so that they compare: 2 points and 4 rows a lane, 2 warps.
const hybridTile = "2x4x2"

// fractions of each stage's tile that stay in registers.
var fractions = []string{"1", "0.75", "0.5", "0.25", "0"}

// hybridSizes are of whole tiles, of none, and smaller than one.
var hybridSizes = [][2]int{{120, 16}, {131, 77}, {7, 5}}

// TestHybrid: at every fraction the result is the CPU's and the simulator finds nothing, at sizes of
// whole tiles, of none, and smaller than one. The less stays in registers, the fewer shuffles there are and the
// more loads of shared memory; all in registers is the code of warp-registers, and with nothing there no shuffle is left.
func TestHybrid(t *testing.T) {
	for _, p := range []suite.Program{harris(), unsharp(), clampedBlur("float32", harness.F32, false)} {
		t.Run(p.Generator.Name, func(t *testing.T) {
			t.Parallel()
			for sm, sizes := range map[int][][2]int{75: hybridSizes[1:2], 86: hybridSizes} {
				t.Run(fmt.Sprintf("sm_%d", sm), func(t *testing.T) { newHybridRuns(t, p, sm, sizes).fractions() })
			}
		})
	}
}

// TestHybridTypes: what a shuffle moves the scratch holds, values of 8, 16 and 32 bits and tuples of them, whose rows of
// lanes are not as wide.
func TestHybridTypes(t *testing.T) {
	for i, c := range []struct {
		typ    string
		sample harness.DType
		pair   bool
	}{{"uint8", harness.U8, false}, {"int8", harness.I8, true}, {"uint16", harness.U16, true}, {"int32", harness.I32, true}, {"float16", harness.F32, false}} {
		t.Run(c.typ, func(t *testing.T) {
			t.Parallel()
			h := newHybridRuns(t, clampedBlur(c.typ, c.sample, c.pair), []int{75, 86}[i%2], hybridSizes[1:2])
			for _, f := range []string{"0.6", "0"} {
				_, program := h.gowarp("warp-hybrid", f)
				if n := h.simulate("frac_reg="+f, program); n.SharedLoads == 0 || (f == "0") != (n.Shuffles == 0) {
					t.Errorf("frac_reg=%s: %d shared loads, %d shuffles", f, n.SharedLoads, n.Shuffles)
				}
			}
		})
	}
}

// clampedBlur is testdata/clamped_blur.cc in a type, between whose stages tuples may stand.
func clampedBlur(typ string, sample harness.DType, pair bool) suite.Program {
	return suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/testdata/clamped_blur.cc", Name: "clamped_blur", Params: map[string]string{"type": typ, "pair": strconv.FormatBool(pair)}},
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			// Small: without tuples, weighted sums are then exact in floats of 16 bits.
			image := suite.Map(suite.Photograph(t, tree, w, h), sample, 0, func(r, g, b, _ int) float64 { return float64((r + 3*g + b) % 7) })
			return harness.Args{"input": image}, map[string][]int{"output": {w, h}}
		},
	}
}

// hybridRuns runs one program as hybrid tiles for one capability at some sizes.
type hybridRuns struct {
	t        *testing.T
	tree     *harness.Tree
	p        suite.Program
	sm       int
	sizes    [][2]int
	want     []map[string]*harness.Array // by the CPU, a size each
	elements int
}

func newHybridRuns(t *testing.T, p suite.Program, sm int, sizes [][2]int) *hybridRuns {
	t.Helper()
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	h := &hybridRuns{t: t, tree: tree, p: p, sm: sm, sizes: sizes}
	_, root := h.emit(harness.EmitOptions{Target: "host", Scheduler: harness.Root()})
	for _, size := range sizes {
		in, out := p.Inputs(t, tree, size[0], size[1])
		want, err := root.Run(in, out)
		if err != nil {
			t.Fatal(err)
		}
		h.want = append(h.want, want)
		for _, a := range want {
			h.elements += a.Len()
		}
	}
	return h
}

func (h *hybridRuns) emit(o harness.EmitOptions) (*harness.Emission, *harness.Program) {
	h.t.Helper()
	e, err := h.tree.Emit(h.p.Generator, o)
	if err != nil {
		h.t.Fatal(err)
	}
	program, err := h.tree.Link(e)
	if err != nil {
		h.t.Fatal(err)
	}
	return e, program
}

// gowarp emits the program as tiles of warps, and returns the code of its kernels too.
func (h *hybridRuns) gowarp(tiling, fraction string) (code string, p *harness.Program) {
	h.t.Helper()
	params := map[string]string{"tiling": tiling, "cost": "issue", "warp_tile": hybridTile}
	if fraction != "" {
		params["frac_reg"] = fraction
	}
	e, p := h.emit(harness.EmitOptions{Target: fmt.Sprintf("host-cuda-cuda_capability_%d", h.sm), Scheduler: harness.Gowarp(params)})
	code, err := e.PTX()
	if err != nil {
		h.t.Fatal(err)
	}
	return code, p
}

// simulate runs a program at all sizes: it must be right, and nothing found.
func (h *hybridRuns) simulate(what string, p *harness.Program) count.Kernel {
	h.t.Helper()
	var total count.Kernel
	for i, size := range h.sizes {
		in, out := h.p.Inputs(h.t, h.tree, size[0], size[1])
		s, err := p.Simulate(in, out, h.sm)
		if err != nil {
			h.t.Fatal(err)
		}
		if s.Failure != nil || s.Report == nil || len(s.Report.Kernels) == 0 {
			h.t.Fatalf("%s, %v: %v, report %+v", what, size, s.Failure, s.Report)
		}
		for _, x := range s.Report.Findings {
			if !x.Kind.Note() {
				h.t.Errorf("%s, %v: %v", what, size, x)
			}
		}
		tolerance := h.p.Tolerance
		if tolerance == (harness.Tolerance{}) {
			tolerance = harness.Default
		}
		for name, a := range h.want[i] {
			if err := harness.Compare(s.Results[name], a, tolerance); err != nil {
				h.t.Errorf("%s, %v: output %s: %v", what, size, name, err)
			}
		}
		for _, k := range s.Report.Kernels {
			total.Add(&k.Count)
		}
	}
	return total
}

// fractions runs all of them, and compares what was counted.
func (h *hybridRuns) fractions() {
	t := h.t
	var before *count.Kernel
	for _, f := range fractions {
		code, program := h.gowarp("warp-hybrid", f)
		tiling := map[string]string{"1": "warp-registers", "0": "warp-shared"}[f]
		if tiling != "" {
			if plain, _ := h.gowarp(tiling, ""); plain != code {
				t.Errorf("frac_reg=%s: the code is not that of %s", f, tiling)
			}
		}
		n := h.simulate("frac_reg="+f, program)
		t.Log(h.row(f, code, &n))
		if before != nil && (n.Shuffles >= before.Shuffles || n.SharedLoads <= before.SharedLoads) {
			t.Errorf("frac_reg=%s: %d shuffles and %d shared loads; with more in registers %d and %d", f, n.Shuffles, n.SharedLoads, before.Shuffles, before.SharedLoads)
		}
		if (f == "0") != (n.Shuffles == 0) || (f == "1") != (n.SharedLoads+n.SharedStores+n.Barriers == 0) {
			t.Errorf("frac_reg=%s: %d shuffles, %d shared loads and %d stores, %d barriers", f, n.Shuffles, n.SharedLoads, n.SharedStores, n.Barriers)
		}
		before = &n
	}
}

// row is what RATIONALE.md has of a fraction, for 32 outputs.
func (h *hybridRuns) row(f, code string, n *count.Kernel) string {
	per := func(n int64) float64 { return float64(n) * 32 / float64(h.elements) }
	text := fmt.Sprintf("frac_reg=%s: %.1f warp instructions, %.2f shuffles, %.2f shared loads, %.2f shared stores, %.2f barriers, %.1f requests", f,
		per(n.WarpInstructions), per(n.Shuffles), per(n.SharedLoads), per(n.SharedStores), per(n.Barriers), per(n.Requests()))
	for _, most := range []int{255, ptxas.MaxRegisters} {
		use, err := h.tree.Ptxas(code, h.sm, most)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, u := range use {
			text += fmt.Sprintf("; of %d: %d registers, %d bytes spilled", most, u.Registers, u.SpillStores)
		}
	}
	return text
}
