//go:build halide

package bridge

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
	"gowarp/gpusim/libcuda/simulator"
	"gowarp/halideir"
	"gowarp/halideir/schedule"
)

// reduction is testdata/reductions.cc with its parameters.
func reduction(op, left string, width, height int) harness.Generator {
	return harness.Generator{Source: "bridge/testdata/reductions.cc", Name: "reductions", Params: map[string]string{
		"op": op, "left": left, "width": fmt.Sprint(width), "height": fmt.Sprint(height),
	}}
}

// built emits a program and links it.
func built(t *testing.T, g harness.Generator, target string, s harness.Scheduler) (*harness.Emission, *harness.Program) {
	t.Helper()
	e, err := tree(t).Emit(g, harness.EmitOptions{Target: target, Scheduler: s, Outputs: []string{"static_library", "registration", "schedule", "stmt", "device_code"}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := tree(t).Link(e)
	if err != nil {
		t.Fatal(err)
	}
	return e, p
}

// pipelineOf is the pipeline that gowarp scheduled for an emission.
func pipelineOf(t *testing.T, e *harness.Emission) *halideir.Pipeline {
	t.Helper()
	p, err := e.Pipeline()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// linked is a program whose reductions gowarp is to have factored.
func linked(t *testing.T, g harness.Generator, target string, s harness.Scheduler) *harness.Program {
	t.Helper()
	e, p := built(t, g, target, s)
	if factored := strings.Contains(text(t, e.File("schedule.h")), ".rfactor("); s.Name() == harness.Gowarp(nil).Name() && !factored {
		t.Errorf("%v: no reduction is factored", g.Params)
	}
	return p
}

// onCPU is what a program makes of arguments on the CPU, which are as before then.
func onCPU(t *testing.T, p *harness.Program, in harness.Args, out map[string][]int) *harness.Array {
	t.Helper()
	r, err := p.Run(maps.Clone(in), out)
	if err != nil {
		t.Fatal(err)
	}
	return theOutput(t, r)
}

// theOutput is the one that a program has.
func theOutput(t *testing.T, of map[string]*harness.Array) *harness.Array {
	t.Helper()
	if len(of) != 1 {
		t.Fatalf("%d outputs", len(of))
	}
	return slices.Collect(maps.Values(of))[0]
}

// simulated runs a program on the simulator, which must find nothing wrong, and compares what comes of it. what says which run it is.
func simulated(t *testing.T, p *harness.Program, in harness.Args, out map[string][]int, want *harness.Array, tolerance harness.Tolerance, what any) {
	t.Helper()
	s, err := p.Simulate(in, out, 75)
	switch {
	case err != nil:
		t.Fatal(err)
	case s.Failure != nil:
		t.Fatalf("%v: %v", what, s.Failure)
	case s.Report.Wrong():
		t.Errorf("%v: %v %v", what, s.Report.Findings, s.Report.Errors)
	}
	if err := harness.Compare(theOutput(t, s.Results), want, tolerance); err != nil {
		t.Errorf("%v: simulator: %v", what, err)
	}
}

// sameAtSizes simulates a program at some sizes and compares what it gives with a CPU's. Arguments are the inputs and the shapes of outputs of a size.
func sameAtSizes(t *testing.T, by, cpu *harness.Program, arguments func(size []int) (harness.Args, map[string][]int), tolerance harness.Tolerance, sizes ...[]int) {
	t.Helper()
	for _, size := range sizes {
		in, out := arguments(size)
		simulated(t, by, in, out, onCPU(t, cpu, in, out), tolerance, size)
	}
}

// ranOpenCL runs a program through OpenCL and compares with what a CPU makes of it.
func ranOpenCL(t *testing.T, p *harness.Program, in harness.Args, out map[string][]int, want *harness.Array, tolerance harness.Tolerance, what any) {
	t.Helper()
	got, err := p.Run(in, out)
	if err != nil {
		t.Fatalf("%v: OpenCL: %v", what, err)
	}
	if err := harness.Compare(theOutput(t, got), want, tolerance); err != nil {
		t.Errorf("%v: OpenCL: %v", what, err)
	}
}

// filled is an array of a type, with one value after the other.
func filled(d harness.DType, next func() float64, shape ...int) *harness.Array {
	a := &harness.Array{Type: d, Shape: shape}
	for range harness.NewArray(harness.U8, shape...).Len() {
		a.Data = harness.AppendElement(a.Data, d, next())
	}
	return a
}

func noise(rng *rand.Rand, shape ...int) *harness.Array {
	a := harness.NewArray(harness.U8, shape...)
	for i := range a.Data {
		a.Data[i] = byte(rng.Uint32())
	}
	return a
}

// TestFactoredResults: reductions as trees give what one thread of the CPU gives, at the estimated size, at others that nothing
// divides, and of one point, without findings of the simulator; and so they do through OpenCL.
func TestFactoredResults(t *testing.T) {
	// A CPU's sum of n floats in order is off by up to n roundings, one of a tree by far fewer.
	tolerance := harness.Tolerance{Rel: 1e-4, Abs: 1e-5}
	for _, c := range suite.Sampled([]struct{ op, left string }{
		{"sum", "none"}, {"sum", "c"}, {"sum", "y"}, {"product", "none"}, {"count", "x"}, {"count", "none"}, {"product", "y"}, {"all", "y"}, {"min", "c"}, {"min", "none"},
		{"max", "x"}, {"max", "none"}, {"any", "none"}, {"histogram", "none"}, {"histogram", "c"}, {"weighted", "c"}, {"weighted", "none"},
	}) {
		t.Run(c.op+"-"+c.left, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(7, uint64(len(c.op))<<8+uint64(c.left[0])))
			g := reduction(c.op, c.left, 300, 200)
			cpu := linked(t, g, "host", harness.Root())
			cuda := linked(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
			opencl := linked(t, g, "host-opencl", harness.Gowarp(nil))
			for _, size := range [][2]int{{300, 200}, {1, 1}, {1 + rng.IntN(500), 1 + rng.IntN(60)}, {1 + rng.IntN(60), 1 + rng.IntN(500)}} {
				in := harness.Args{"image": noise(rng, size[0], size[1], 3)}
				out := map[string][]int{"out": {map[string]int{"none": 2, "x": size[0], "y": size[1], "c": 3}[c.left]}}
				want, err := cpu.Run(in, out)
				if err != nil {
					t.Fatal(err)
				}
				simulated(t, cuda, in, out, want["out"], tolerance, size)
				ranOpenCL(t, opencl, in, out, want["out"], tolerance, size)
			}
		})
	}
}

// TestFactoredWork: no thread of a tree does a hundredth of what the threads do that add in order, there are a
// hundred times as many, and what they load lies side by side.
func TestFactoredWork(t *testing.T) {
	counted := func(params map[string]string) (most float64, threads int64, sectors float64) {
		g := reduction("sum", "none", 640, 480)
		e, err := tree(t).Emit(g, harness.EmitOptions{Target: "host-cuda-cuda_capability_75", Scheduler: harness.Gowarp(params), Outputs: []string{"static_library", "registration", "schedule"}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := tree(t).Link(e)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.SimulateWith(harness.Args{"image": noise(rand.New(rand.NewPCG(1, 2)), 640, 480, 3)}, map[string][]int{"out": {3}}, harness.SimulateOptions{Capability: 75, CountOnly: true})
		if err != nil || s.Failure != nil {
			t.Fatal(err, s.Failure)
		}
		var largest *simulator.Kernel
		for _, k := range s.Report.Kernels {
			most = max(most, float64(k.Count.ThreadInstructions)/float64(k.Count.Threads))
			if largest == nil || k.Count.GlobalLoads > largest.Count.GlobalLoads {
				largest = k
			}
		}
		return most, largest.Count.Threads, float64(largest.Count.GlobalLoadSectors) / float64(largest.Count.GlobalLoads)
	}
	before, one, _ := counted(map[string]string{"reassociate": "0"})
	after, threads, sectors := counted(nil)
	t.Logf("instructions of the busiest thread: %.0f in order, %.0f as a tree, of %d threads; %.2f sectors a load", before, after, threads, sectors)
	if before < 100*after || threads < 100*one {
		t.Errorf("%.0f instructions in each of %d threads in order, %.0f in each of %d as a tree", before, one, after, threads)
	}
	if sectors > 1.2 { // 32 bytes a warp, of rows of whole sectors
		t.Errorf("%.2f sectors a load", sectors)
	}
}

// TestFactoredSource: a tree of several levels, or histograms of blocks, as its author's own schedule, from -e schedule, makes the same launches and the same values to the last bit.
func TestFactoredSource(t *testing.T) {
	for _, c := range []struct {
		op     string
		levels int
	}{{"sum", 2}, {"weighted", 1}} {
		t.Run(c.op, func(t *testing.T) { factoredSource(t, reduction(c.op, "c", 300, 200), []int{3}, c.levels) })
	}
}

// factoredSource is the test for a generator, whose output has that shape and whose schedule so many levels or more.
func factoredSource(t *testing.T, g harness.Generator, shape []int, levels int) {
	target := "host-cuda-cuda_capability_75"
	e, err := tree(t).Emit(g, harness.EmitOptions{Target: target, Scheduler: harness.Gowarp(map[string]string{"any_size": "0"}), Outputs: []string{"static_library", "registration", "schedule"}})
	if err != nil {
		t.Fatal(err)
	}
	header := text(t, e.File("schedule.h"))
	if strings.Count(header, ".rfactor(") < levels {
		t.Fatalf("not %d levels:\n%s", levels, header)
	}
	code := strings.Replace(text(t, tree(t).Path(g.Source)), "    void generate() {", "    void schedule() { apply_schedule_"+g.Name+"(this->get_pipeline(), this->get_target()); }\n\n    void generate() {", 1)
	byHand := g
	byHand.Source = filepath.Join(t.TempDir(), g.Name+".cc")
	if err := os.WriteFile(byHand.Source, []byte(header+code), 0o666); err != nil {
		t.Fatal(err)
	}
	in, out := harness.Args{"image": noise(rand.New(rand.NewPCG(3, 4)), 211, 97, 3)}, map[string][]int{"out": shape}
	simulate := func(e *harness.Emission) (*harness.Array, []simulator.Shape) {
		p, err := tree(t).Link(e)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Simulate(in, out, 75)
		if err != nil || s.Failure != nil || s.Report.Wrong() {
			t.Fatal(err, s.Failure, s.Report)
		}
		var shapes []simulator.Shape
		for _, k := range s.Report.Kernels {
			shapes = append(shapes, k.Shapes...)
		}
		return s.Results["out"], shapes
	}
	e2, err := tree(t).Emit(byHand, harness.EmitOptions{Target: target, Scheduler: harness.Unscheduled(), Outputs: []string{"static_library", "registration"}})
	if err != nil {
		t.Fatal(err)
	}
	want, launches := simulate(e)
	got, same := simulate(e2)
	if err := harness.Compare(got, want, harness.Tolerance{}); err != nil {
		t.Error(err)
	}
	if !reflect.DeepEqual(launches, same) {
		t.Errorf("launches %v, by hand %v", launches, same)
	}
}

// TestFactoredReplay: a saved schedule that factors reductions comes back, also as the plugin's own choice.
func TestFactoredReplay(t *testing.T) {
	params := []string{"op=sum", "left=c", "width=1000", "height=700"}
	dump := dumpOf(t, "reductions", params...)
	file := savedSchedule(t, dump)
	searched := scheduled(t, "reductions", cudaTarget, params...)
	ok(t, nil, compiled(t, "reductions"), searched...)
	replayed := scheduled(t, "reductions", cudaTarget, append(params, "autoscheduler.schedule="+file)...)
	ok(t, nil, compiled(t, "reductions"), replayed...)
	got, want := body(t, replayed[3], "reductions"), body(t, searched[3], "reductions")
	if got != want || strings.Count(want, ".rfactor(") < 2 {
		t.Errorf("replayed:\n%s\nwant, with two reductions factored:\n%s", got, want)
	}
	// Of another pipeline, and damaged.
	fails(t, nil, compiled(t, "reductions"), scheduled(t, "reductions", cudaTarget, "op=sum", "left=none", "autoscheduler.schedule="+file), "gowarp: ", "schedule="+file)
	for _, c := range []struct{ old, new, want string }{
		{`"vars":["r.x"`, `"vars":["r.q"`, `no reduction variable "r.q"`},
		{`"stage":1,"vars":["r.x"`, `"stage":0,"vars":["r.x"`, "a pure definition is no reduction"},
		{`{"do":"rfactor","func":1`, `{"do":"rfactor","func":0`, "is another"},
	} {
		damaged := filepath.Join(t.TempDir(), "damaged.json")
		data := text(t, file)
		if !strings.Contains(data, c.old) {
			t.Fatalf("no %s in\n%s", c.old, data)
		}
		if err := os.WriteFile(damaged, []byte(strings.Replace(data, c.old, c.new, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		fails(t, nil, compiled(t, "reductions"), scheduled(t, "reductions", cudaTarget, append(params, "autoscheduler.schedule="+damaged)...), "gowarp: ", c.want)
	}
}

// TestFactoredLoops: what gowarp takes for the loops of factored reductions are those that Halide has: a schedule
// that names each of them by its place is applied.
func TestFactoredLoops(t *testing.T) {
	for _, params := range [][]string{{"op=sum", "left=none"}, {"op=histogram", "left=c"}, {"op=weighted", "left=c"}} {
		t.Run(strings.TrimPrefix(params[0], "op="), func(t *testing.T) { factoredLoops(t, "reductions", append(params, "width=1000", "height=700")) })
	}
}

// factoredLoops is the test for a generator.
func factoredLoops(t *testing.T, name string, params []string) {
	p, err := halideir.Decode(dumpOf(t, name, params...))
	if err != nil {
		t.Fatal(err)
	}
	file := savedSchedule(t, dumpOf(t, name, params...))
	s, err := schedule.Decode([]byte(text(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	q, err := s.Factored(p)
	if err != nil {
		t.Fatal(err)
	}
	var ds []schedule.Directive
	for _, d := range s.Directives {
		if d.Do == schedule.RFactor {
			ds = append(ds, d)
		}
	}
	want := 0
	for id := range q.Funcs {
		f := &q.Funcs[id]
		if strings.HasPrefix(f.Label, "image") {
			continue
		}
		ds = append(ds, schedule.Directive{Do: schedule.ComputeRoot, Func: id, Name: f.Label})
		for st := range f.Stages {
			for _, l := range f.Stages[st].Loops {
				ds = append(ds, schedule.Directive{Do: schedule.Split, Func: id, Name: f.Label, Stage: st, Vars: []string{l.Label, l.Label + "_o", l.Label + "_i"}, N: 2, Tail: schedule.TailGuardWithIf})
				want++
			}
		}
	}
	s.Directives, s.Kernels = ds, nil
	if err := os.WriteFile(file, s.JSON(), 0o666); err != nil {
		t.Fatal(err)
	}
	args := scheduled(t, name, cudaTarget, append(params, "autoscheduler.schedule="+file)...)
	ok(t, nil, compiled(t, name), args...)
	if got := strings.Count(body(t, args[3], name), "_i, 2, TailStrategy"); got != want || want < 12 {
		t.Errorf("%d of %d splits", got, want)
	}
}

// factoredResults holds what a pipeline of an image of three channels gives on the simulator for CUDA, and through OpenCL, against what one thread of the CPU gives, to the last bit, at each
// size. It returns the schedule.
func factoredResults(t *testing.T, rng *rand.Rand, g harness.Generator, sizes [][2]int, shape func(size [2]int) []int) string {
	_, cpu := built(t, g, "host", harness.Root())
	e, cuda := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
	_, opencl := built(t, g, "host-opencl", harness.Gowarp(nil))
	for _, size := range sizes {
		in, out := harness.Args{"image": noise(rng, size[0], size[1], 3)}, map[string][]int{"out": shape(size)}
		want, err := cpu.Run(in, out)
		if err != nil {
			t.Fatal(err)
		}
		simulated(t, cuda, in, out, want["out"], harness.Tolerance{}, size)
		ranOpenCL(t, opencl, in, out, want["out"], harness.Tolerance{}, size)
	}
	return text(t, e.File("schedule.h"))
}

// busiestThread is how many instructions a thread of some kernel runs at most, by 640x480 pixels of three channels, and how many threads a kernel has at most.
func busiestThread(t *testing.T, g harness.Generator, params map[string]string, shape []int) (most float64, threads int64) {
	_, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(params))
	s, err := p.SimulateWith(harness.Args{"image": noise(rand.New(rand.NewPCG(1, 2)), 640, 480, 3)}, map[string][]int{"out": shape}, harness.SimulateOptions{Capability: 75, CountOnly: true})
	if err != nil || s.Failure != nil {
		t.Fatal(err, s.Failure)
	}
	for _, k := range s.Report.Kernels {
		most = max(most, float64(k.Count.ThreadInstructions)/float64(k.Count.Threads))
		threads = max(threads, k.Count.Threads)
	}
	return most, threads
}

// TestFactoredCovariance: a thread has the partial results of all pairs of colours, so that it loads a pixel's colours once for the rows of the pairs and once for the columns, not for each pair, at any size of image.
func TestFactoredCovariance(t *testing.T) {
	t.Parallel()
	g := harness.Generator{Source: "bridge/testdata/covariance.cc", Name: "covariance"}
	cpu := linked(t, g, "host", harness.Root())
	cuda := linked(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
	opencl := linked(t, g, "host-opencl", harness.Gowarp(nil))
	for _, size := range [][2]int{{320, 240}, {1, 1}, {333, 97}, {31, 501}} {
		in, out := harness.Args{"image": noise(rand.New(rand.NewPCG(5, uint64(size[0]))), size[0], size[1], 3)}, map[string][]int{"out": {3, 3}}
		want := onCPU(t, cpu, in, out)
		simulated(t, cuda, in, out, want, harness.Tolerance{}, size)
		ranOpenCL(t, opencl, in, out, want, harness.Tolerance{}, size)
	}
	s, err := cuda.SimulateWith(harness.Args{"image": noise(rand.New(rand.NewPCG(5, 6)), 640, 480, 3)}, map[string][]int{"out": {3, 3}}, harness.SimulateOptions{Capability: 75, CountOnly: true})
	if err != nil || s.Failure != nil {
		t.Fatal(err, s.Failure)
	}
	loads := int64(0)
	for _, k := range s.Report.Kernels {
		loads = max(loads, k.Count.GlobalLoads)
	}
	if pixel := 32 * float64(loads) / (640 * 480); pixel > 6.6 {
		t.Errorf("%.2f loads a pixel of three colours", pixel)
	}
}
