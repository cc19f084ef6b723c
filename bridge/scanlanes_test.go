//go:build halide

package bridge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// scans is the generator of one kind of scan.
func scans(kind, of string) harness.Generator {
	return harness.Generator{Source: "bridge/testdata/scans.cc", Name: "scans", Params: map[string]string{"kind": kind, "of": of}}
}

var scanLanes = regexp.MustCompile(`"do": ?"scan_lanes"`)

// scanKind is one kind of scan of testdata/scans.cc, by its type, and weights to try (.3 where there are none).
type scanKind struct {
	kind, of string
	weights  []float64
}

// scanKinds are run through together along either axis.
var scanKinds = append(suite.Sampled([]scanKind{
	{"sum", "float32", nil},
	{"sum", "int32", nil},
	{"sum", "uint8", nil},
	{"greatest", "float32", nil},
	{"greatest", "int16", nil},
	{"least", "uint16", nil},
	{"least", "float32", nil},
}), []scanKind{
	{"recurrence", "float32", []float64{.3, 0, 1, 1.9, 2.2, -.02}},
	{"less", "float32", []float64{.5, -1, 1.2}},
	{"halves", "float32", nil},
	{"shared", "float32", []float64{.5}},
	{"backwards", "float32", nil},
}...)

// TestScanLanes: scans that warps run through give what the CPU gives, of any size, with and without the pass, and with coefficients whose powers overflow. A warp loads each element of
// its row once, 32 at a time, and what the first iteration takes.
func TestScanLanes(t *testing.T) {
	sizes := [][3]int{{1, 1, 1}, {2, 3, 1}, {33, 5, 2}, {129, 4, 3}, {128, 2, 1}, {300, 7, 2}}
	for _, test := range append(slices.Clone(scanKinds), scanKind{"alone", "uint32", nil}) {
		t.Run(test.kind+" "+test.of, func(t *testing.T) {
			g := scans(test.kind, test.of)
			params := map[string]string{"gpu": "rtx2080ti"}
			exe, err := tree(t).Compile(g)
			if err != nil {
				t.Fatal(err)
			}
			own := []string{"kind=" + test.kind, "of=" + test.of}
			if saved := text(t, savedAs(t, exe, g.Name, "target=host-cuda-cuda_capability_75", params, own...)); !scanLanes.MatchString(saved) {
				t.Fatalf("no warps run through it:\n%s", saved)
			}
			s := scansAgree(t, g, params, "scan_lanes", test, sizes)
			if test.kind == "recurrence" {
				in := harness.Args{"input": filled(harness.F32, func() float64 { return 0 }, 300, 2, 1), "weight": -1e9}
				shapes := map[string][]int{"out": {300, 2, 1}}
				simulated(t, s.together, in, shapes, onCPU(t, s.cpu, in, shapes), harness.Tolerance{}, "powers that overflow")
			}

			const width, height, planes = 1000, 6, 2
			in := harness.Args{"input": filled(harness.F32, s.rng.Float64, width, height, planes), "weight": .3}
			rows := height * planes
			if test.kind == "alone" {
				rows = 1
			}
			for _, k := range fullRun(t, s.emission, in, map[string][]int{"out": {width, height, planes}}) {
				if !regexp.MustCompile(`_kernel_(a|total)_s1_`).MatchString(k.Kernel) {
					continue
				}
				if loads := int64(rows * ((width-1+31)/32 + 1)); k.Count.GlobalLoads != loads {
					t.Errorf("%s loads %d times, not %d", k.Kernel, k.Count.GlobalLoads, loads)
				}
			}
		})
	}
}

// scan is a generator's code in which threads run through scans together, and what else its tests take.
type scan struct {
	emission      *harness.Emission
	together, cpu *harness.Program
	rng           *rand.Rand
}

// scansAgree holds a scan that a pass has threads run through together against the CPU's, at some sizes and its weights, with and without the pass.
func scansAgree(t *testing.T, g harness.Generator, params map[string]string, pass string, test scanKind, sizes [][3]int) (s scan) {
	t.Helper()
	const target = "host-cuda-cuda_capability_75"
	s.emission, s.together = built(t, g, target, harness.Gowarp(params))
	_, plain := built(t, g, target, harness.Gowarp(map[string]string{"gpu": params["gpu"], "schedule": lackingFor(t, g, "target="+target, params, pass)}))
	_, s.cpu = built(t, g, "host", harness.Root())
	weights := test.weights
	if weights == nil {
		weights = []float64{.3}
	}
	s.rng = rand.New(rand.NewPCG(7, 4))
	for _, size := range sizes {
		for _, w := range weights {
			in := harness.Args{"input": filled(harness.F32, func() float64 { return math.Floor(100 * s.rng.Float64()) }, size[:]...), "weight": w}
			shapes := map[string][]int{"out": size[:]}
			want := onCPU(t, s.cpu, in, shapes)
			what := fmt.Sprint(size, w)
			tolerance := harness.Tolerance{}
			if test.of == "float32" {
				tolerance = harness.Tolerance{Rel: 1e-4, Abs: 1e-3}
				if math.Abs(1-w) > 1 { // what grows is off by parts of the most
					tolerance.Abs = max(tolerance.Abs, 1e-4*largest(want))
				}
			}
			simulated(t, s.together, in, shapes, want, tolerance, what)
			if w == weights[0] {
				simulated(t, plain, in, shapes, want, tolerance, what+" without the pass")
			}
		}
	}
	return s
}

// largest is the largest finite size of an array's elements.
func largest(a *harness.Array) (most float64) {
	for i := range a.Len() {
		if size := math.Abs(a.Float(i)); !math.IsInf(size, 0) && size > most {
			most = size
		}
	}
	return most
}

// TestScansInOrder: what is no scan, or is to be added up in order, no warp runs through.
func TestScansInOrder(t *testing.T) {
	for _, test := range []struct {
		kind, of, param string
	}{
		{"sum", "float32", "reassociate=0"},
		{"least", "float32", "reassociate=0"}, // NaNs
		{"growing", "float32", ""},
		{"sum", "float64", ""},
		{"sum", "int64", ""},
		{"less", "int32", ""},
		{"two_before", "float32", ""},
		{"doubled", "float32", ""},
		{"by_place", "float32", ""},
		{"along_both", "float32", ""},
		{"where", "float32", ""},
		{"planes", "float32", ""}, // three of them
	} {
		g := scans(test.kind, test.of)
		exe, err := tree(t).Compile(g)
		if err != nil {
			t.Fatal(err)
		}
		params := map[string]string{"gpu": "rtx2080ti"}
		if k, v, ok := strings.Cut(test.param, "="); ok {
			params[k] = v
		}
		if saved := text(t, savedAs(t, exe, g.Name, "target=host-cuda-cuda_capability_75", params, "kind="+test.kind, "of="+test.of)); scanLanes.MatchString(saved) {
			t.Errorf("%+v: warps run through it:\n%s", test, saved)
		}
	}
	// The order of whole numbers changes nothing.
	for _, of := range [][2]string{{"least", "int16"}, {"sum", "int32"}} {
		g := scans(of[0], of[1])
		exe, err := tree(t).Compile(g)
		if err != nil {
			t.Fatal(err)
		}
		if saved := text(t, savedAs(t, exe, g.Name, "target=host-cuda-cuda_capability_75", map[string]string{"gpu": "rtx2080ti", "reassociate": "0"}, "kind="+of[0], "of="+of[1])); !scanLanes.MatchString(saved) {
			t.Errorf("%v: no warps run through it:\n%s", of, saved)
		}
	}
}

// TestScanLanesElsewhere: a schedule in which warps run through a scan has threads run through it on targets whose lanes do not exchange so.
func TestScanLanesElsewhere(t *testing.T) {
	g := scans("sum", "float32")
	exe, err := tree(t).Compile(g)
	if err != nil {
		t.Fatal(err)
	}
	saved := savedAs(t, exe, g.Name, "target=host-cuda-cuda_capability_75", map[string]string{"gpu": "rtx2080ti"}, "kind=sum", "of=float32")
	if !scanLanes.MatchString(text(t, saved)) {
		t.Fatal("no warps run through it")
	}
	_, cpu := built(t, g, "host", harness.Root())
	in := harness.Args{"input": filled(harness.F32, rand.New(rand.NewPCG(1, 4)).Float64, 100, 5, 2), "weight": .3}
	shapes := map[string][]int{"out": {100, 5, 2}}
	want := onCPU(t, cpu, in, shapes)
	for _, target := range []string{"host-cuda", "host-cuda-cuda_capability_61", "host-cuda-cuda_capability_75-large_buffers"} {
		e, p := built(t, g, target, harness.Gowarp(map[string]string{"schedule": saved}))
		if ptx, err := e.PTX(); err != nil || strings.Contains(ptx, "shfl.sync.up") { // what lanes take from the first one is their row (uniform_rows)
			t.Errorf("%s: %v, or lanes take something from those before them", target, err)
		}
		simulated(t, p, in, shapes, want, harness.Tolerance{Rel: 1e-5, Abs: 1e-5}, target)
	}
}
