//go:build halide

package bridge

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
	"gowarp/halideir"
)

// windows is the generator of one kind of window, and its own parameters.
func windows(kind string) (g harness.Generator, own []string) {
	return harness.Generator{Source: "bridge/testdata/windows.cc", Name: "windows", Params: map[string]string{"kind": kind}}, []string{"kind=" + kind}
}

// TestSeparate: windows are combined from the parts that their weights and places allow, and from no others; results are a CPU's either way, of any size.
func TestSeparate(t *testing.T) {
	kinds := map[string][]string{
		"box":      {"s_sum_y(x, y) = f(x, y - 1) + f(x, y) + f(x, y + 1)", "s(x, y) = (s_sum_y(x - 1, y) + s_sum_y(x, y) + s_sum_y(x + 1, y)) / 9f"},
		"sobel":    {"s_sum_y(x, y) = f(x, y - 1) + f(x, y) * 2f + f(x, y + 1)", "s(x, y) = s_sum_y(x + 1, y) - s_sum_y(x - 1, y)"},
		"binomial": {"s_sum_y(x - 1, y) * 4 + s_sum_y(x, y) * 6 + s_sum_y(x + 1, y) * 4"},
		"tall":     {"s_sum_y_2(x, y) = f(x, y) + f(x, y + 1)", "s_sum_y_4(x, y) = s_sum_y_2(x, y) + s_sum_y_2(x, y + 2)", "s_sum_y_8(x, y) = s_sum_y_4(x, y) + s_sum_y_4(x, y + 4)", "s(x, y) = (s_sum_y_8(x, y - 4) + f(x, y + 4)) * 0.125f"},
		"row":      {"s(x, y) = s_sum_x_8(x - 5, y) + s_sum_x_4(x + 3, y) + float32(x)"},
		"seven":    {"s_sum_y(x, y) = s_sum_y_4(x, y - 3) + s_sum_y_2(x, y + 1) + f(x, y + 3)", "s(x, y) = s_sum_x_4(x - 3, y) + s_sum_x_2(x + 1, y) + s_sum_y(x + 3, y)"},
		"least":    {"s_min_y(x, y) = min(s_min_y_4(x, y - 2), s_min_y_4(x, y - 1))", "s_max_y(x, y) = max(s_max_y_4(x, y - 2), s_max_y_4(x, y - 1))"},
		"bytes":    {"s_sum_y(x, y) = uint16(mirror_image(x, y - 1)) + uint16(mirror_image(x, y)) + uint16(mirror_image(x, y + 1))"},
		"wrapped":  {"s_sum_y(x, y) = "},
		"layers":   {"layered_sum_c(x, y, c) = g(x, y, c - 1) + g(x, y, c) + g(x, y, c + 1)", "layered_sum_y(x, y, c) = layered_sum_c(x, y, c) + layered_sum_c(x, y + 1, c)"},
		"dilated":  {"s_sum_y(x, y) = f(x, y - 2) + f(x, y) + f(x, y + 2)"},
		"beside":   {"s_sum_y(x, y) = f(x, y - 1) + f(x, y) + f(x, y + 1)"},
		"twice":    {"a_sum_y(x, y) = f(x, y - 1) + f(x, y) + f(x, y + 1)", "b(x, y) = b_sum_x_4(x - 2, y) + a_sum_y(x + 2, y)"},
		"products": {"s_sum_y(x, y) = "},
		"pair":     {"p_sum_y(x, y) = f(x, y - 1) + f(x, y) + f(x, y + 1)", "p_sum_y_2(x, y) = f(x, y) + f(x, y + 1)"},
		"updated":  {"s_sum_y(x, y) = f(x, y - 1) + f(x, y) + f(x, y + 1)"},
		"disk":     {"s_sum_y_7(x, y) = s_sum_y_4(x, y) + s_sum_y_2(x, y + 4) + f(x, y + 6)", "s_max_y_5(x, y) = max(s_max_y_4(x, y), s_max_y_4(x, y + 1))"},
		"scaled":   {"-"},
		"cross":    {"-"},
		"unequal":  {"-"},
		"by_data":  {"-"},
		"away":     {"s_sum_x_2(x + 2, y - 3) + s_sum_x_2(x + 4, y - 3)", "s_sum_y_4(x + 7, y - 9)"},
		"four":     {"s_sum_x_2(x, y) = f(x, y) + f(x + 1, y)", "s(x, y) = s_sum_x_2(x - 1, y) + s_sum_x_2(x + 1, y)"},
	}
	for _, kind := range suite.Sampled(slices.Sorted(maps.Keys(kinds))) {
		want := kinds[kind]
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g, own := windows(kind)
			exact := slices.Contains([]string{"binomial", "least", "bytes", "wrapped"}, kind) // of integers
			byParts(t, g, own, want, exact, nil)
		})
	}
}

// byParts holds what windows are combined from, printed, to lines that it has to have, "-" for no parts at all, and results by parts and as the cost has it to a CPU's.
func byParts(t *testing.T, g harness.Generator, own, want []string, exact bool, scalars harness.Args) {
	t.Helper()
	_, cpu := built(t, g, "host", harness.Root())
	const target = "host-cuda-cuda_capability_75"
	e, parts := built(t, g, target, harness.Gowarp(map[string]string{"separate": "all"}))
	p := pipelineOf(t, e)
	none := want[0] == "-"
	if made := slices.ContainsFunc(p.Funcs, func(f halideir.Func) bool { return f.Separated != "" }); made == none {
		t.Errorf("there are parts: %v", made)
	}
	var ir strings.Builder
	if err := p.Print(&ir); err != nil {
		t.Fatal(err)
	}
	for _, line := range want {
		if line != "-" && !strings.Contains(ir.String(), line) {
			t.Errorf("there is no\n%s\nin\n%s", line, ir.String())
		}
	}

	byDefault := parts
	if !none {
		_, byDefault = built(t, g, target, harness.Gowarp(nil))
	}
	rng := rand.New(rand.NewPCG(7, uint64(len(own[0]))))
	for _, size := range [][2]int{{512, 384}, {1, 1}, {1, 9}, {33, 2}, {100, 70}, {131, 37}} {
		in := harness.Args{"input": filled(harness.U8, func() float64 { return float64(rng.IntN(256)) }, size[:]...)}
		maps.Copy(in, scalars)
		shapes := map[string][]int{"out": size[:]}
		want := onCPU(t, cpu, in, shapes)
		tolerance := harness.Tolerance{Rel: 1e-4, Abs: 1e-3 + 1e-5*largest(want)}
		if exact {
			tolerance = harness.Tolerance{}
		}
		simulated(t, byDefault, in, shapes, want, tolerance, fmt.Sprint(size, " by default"))
		if !none {
			simulated(t, parts, in, shapes, want, tolerance, fmt.Sprint(size, " by parts"))
		}
	}
}

// TestSeparateReductions: the same of windows that are reductions, with literal bounds and others.
func TestSeparateReductions(t *testing.T) {
	kinds := map[string][]string{
		"box":        {"s_sum_y_2(x, y) = f(x, y) + f(x, y + 1)", "s_sum_y(x, y) = s_sum_y_4(x, y - 3) + s_sum_y_4(x, y + 1)", "s(x, y) = s_sum_x_8(x - 4, y) + s_sum_y(x + 4, y)"},
		"small":      {"s_sum_y(x - 2, y) * t0 + s_sum_y(x - 1, y) * t1", "s(x, y) = e1 * 0.04f"},
		"radius":     {"s_sum_y(x, y) = s_sum_y(x, y) + f(x, r.x + y)", "s_sum_x(x, y) = s_sum_x(x, y) + s_sum_y(r.x + x, y)", "s(x, y) = s_sum_x(x, y)"},
		"gaussian":   {"s_sum_y(x, y) = ", "s(x, y) = "},
		"product":    {"f(x, y + 2) * 8f + f(x, y + 3) * 7f", "s_sum_y(x - 1, y) * 0.8948393f + s_sum_y(x, y)"},
		"factors":    {"s_sum_y(x - 4, y) * k(-4) + s_sum_y(x - 3, y) * k(-3)", "s(x, y) = (e2 + s_sum_y(x + 4, y) * k(4)) * 0.125f"},
		"long_row":   {"s_sum_y(x, y) = s_sum_y_32(x, y - 20) + s_sum_y_8(x, y + 12) + f(x, y + 20)", "s_sum_x(x, y) = s_sum_x(x, y) + s_sum_y(r.x + x, y) * k(r.x)"},
		"least":      {"low(x, y) = min(low_min_x_8(x - 4, y), low_min_x_8(x - 3, y))", "maximum(x, y) = max(maximum_max_x_8(x - 4, y), maximum_max_x_8(x - 3, y))"},
		"inline_sum": {"sum(x, y) = sum_sum_x_8(x - 4, y) + sum_sum_y(x + 4, y)"},
		"channels":   {"s_sum_r(x, y) = s_sum_r(x, y) + g(x, y, r.x) * float32(r.x + 1)", "s_sum_y_2(x, y) = s_sum_r(x, y) + s_sum_r(x, y + 1)"},
		"turned":     {"s_sum_y(x, y) = s_sum_y_4(x, y - 4) + s_sum_y_4(x, y)", "s_sum_y(x + 4, y) * k(-4) + s_sum_y(x + 3, y) * k(-3)"},
		"dilated":    {"s_sum_y_2(x, y) = f(x, y) + f(x, y + 2)", "s_sum_x_4(x, y) = s_sum_x_2(x, y) + s_sum_x_2(x + 6, y)"},
		"clamped":    {"s(x, y) = s_sum_x_8(x - 4, y) + s_sum_y(x + 4, y)"},
		"squares":    {"s_sum_y_2(x, y) = t0 * t0 - abs(f(x + 1, y)) + (t1 * t1 - abs(f(x + 1, y + 1)))"},
		"twice":      {"s_sum_y(x, y) = s_sum_y_4(x, y - 3) + s_sum_y_2(x, y + 1) + f(x, y + 3)", "s_sum_y_3(x, y) = s_sum_y_4(x, y - 3) + s_sum_y_4(x, y + 1)", "s(x, y) = e1 + 0.5f"},
		"started":    {"s(x, y) = max(f(x, y) * 3f, max(s_max_x_8(x - 4, y), s_max_x_8(x - 3, y)))"},
		"bytes":      {"b_sum_y(x - 4, y) * 3 + b_sum_y(x - 3, y) * 4", "b(x, y) = 3 + e2"},
		"halves":     {"s_sum_y_2(x, y) = f(x / 2, y) + f(x / 2, y + 1)"},
		"strided":    {"s_sum_y(x, y) = ", "s_sum_y(x * 2 - 4, y) + s_sum_y(x * 2 - 3, y) * 2f"},
		"pyramid":    {"sum_sum_y(x * 2, y) * k(0) + sum_sum_y(x * 2 + 1, y) * k(1)"},
		"tiles":      {"-"},
		"mixed":      {"s_sum_r(x, y) = s_sum_r(x, y) + f(r.x + x, y) * f(x, y)", "s(x, y) = s_sum_y_4(x, y - 3) + s_sum_y_4(x, y + 1)"},
		"disk":       {"s_sum_y_7(x, y) = s_sum_y_4(x, y) + s_sum_y_2(x, y + 4) + f(x, y + 6)", "s_sum_y_5(x - 3, y - 2) + s_sum_y_7(x - 2, y - 3)"},
		"wedge":      {"-"},
		"patch":      {"-"},
		"range":      {"-"},
		"unequal":    {"-"},
		"scan":       {"-"},
	}
	for _, kind := range suite.Sampled(slices.Sorted(maps.Keys(kinds))) {
		want := kinds[kind]
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g := harness.Generator{Source: "bridge/testdata/windowreductions.cc", Name: "windowreductions", Params: map[string]string{"kind": kind}}
			exact := slices.Contains([]string{"least", "bytes"}, kind)
			byParts(t, g, []string{"kind=" + kind}, want, exact, harness.Args{"radius": 3})
		})
	}
}

// TestSeparateFloats: with reassociate=0 windows of floats are combined as they are written, those of integers from parts.
func TestSeparateFloats(t *testing.T) {
	parts := func(kind string, more ...string) (names []string) {
		g, own := windows(kind)
		p := decoded(t, dumpOf(t, g.Name, append(own, more...)...))
		for i := range p.Funcs {
			if p.Funcs[i].Separated != "" {
				names = append(names, p.Funcs[i].Label+" "+p.Funcs[i].Separated)
			}
		}
		return names
	}
	const all, inOrder = "autoscheduler.separate=all", "autoscheduler.reassociate=0"
	for _, c := range []struct {
		kind string
		more []string
		want []string
	}{
		{"box", []string{all}, []string{"s_sum_y equal"}},
		{"box", []string{all, inOrder}, nil},
		{"sobel", []string{all}, []string{"s_sum_y weighted"}},
		{"bytes", []string{all, inOrder}, []string{"s_sum_y equal"}},
		{"binomial", []string{all, inOrder}, []string{"s_sum_y weighted"}},
		{"box", []string{"autoscheduler.separate=0"}, nil},
		{"box", []string{all, "autoscheduler.mode=autogpu"}, []string{"s_sum_y equal"}},
		{"box", []string{"autoscheduler.mode=autogpu"}, nil},
	} {
		if diff := cmp.Diff(c.want, parts(c.kind, c.more...)); diff != "" {
			t.Errorf("%s with %v (-expected +are):\n%s", c.kind, c.more, diff)
		}
	}
}

// TestSeparateReplayed: a saved schedule says itself what windows had been combined from in the pipeline that it is for, and who asks for something else is told.
func TestSeparateReplayed(t *testing.T) {
	g, own := windows("seven")
	replayedAsMade(t, g, own, "separate", "the Funcs that combine parts of windows are", "give the separate that it was made with")
}
