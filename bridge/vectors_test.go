//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestMultiple: where the conditions hold under which a sum is said to be a multiple, it is.
func TestMultiple(t *testing.T) {
	for seed := range 4 {
		if held, failed := oracle(t, "alignment", seed, `held (\d+) failed (\d+)`); held < 500 || failed < 500 {
			t.Errorf("seed %d: of %d sums the conditions held, of %d they failed", seed, held, failed)
		}
	}
}

// byIssue has a thread keep as many sums as fit, so that there is much to load at once.
var byIssue = map[string]string{"cost": "issue"}

// TestVectors: neighbours that are loaded and stored together change no result, wherever buffers begin and however long their rows are, with nothing
// found: on the simulator an access that is not aligned is. Where all is aligned the kernels issue fewer loads and stores for the same
// floating-point instructions, and where something is not, as many as without.
func TestVectors(t *testing.T) {
	g := harness.Generator{Source: "bridge/testdata/vectors.cc", Name: "vectors"}
	with, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(byIssue))
	without, _ := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(map[string]string{"schedule": lacking(t, g, byIssue, "vector_access")}))
	_, cpu := built(t, g, "host", harness.Root())
	rng := rand.New(rand.NewPCG(7, 11))
	random := func(d harness.DType, shape ...int) *harness.Array {
		return filled(d, func() float64 { return float64(rng.IntN(17) - 8) }, shape...)
	}
	// A result of n x n, sums of k products, whose columns begin at min.
	arguments := func(n, k, min int) (harness.Args, map[string][]int) {
		all := n + min
		return harness.Args{"a": random(harness.F32, k, all), "b": random(harness.F32, all, k), "shifts": random(harness.I32, all, n)}, map[string][]int{"out": {n, n}}
	}
	for _, c := range []struct {
		n, k, min int
		parts     map[string]int
	}{
		{n: 128, k: 32},
		{n: 132, k: 36}, // no whole blocks
		{n: 128, k: 32, min: 4, parts: map[string]int{"a": 4}},
		{n: 128, k: 32, min: 3},
		{n: 61, k: 19},
		{n: 7, k: 5},
		{n: 130, k: 34}, // rows of pairs
		{n: 125, k: 32, parts: map[string]int{"b": 3, "out": 3, "shifts": 3}}, // rows of whole vectors that begin anywhere
		{n: 128, k: 29, parts: map[string]int{"a": 3}},
	} {
		name := fmt.Sprintf("%+v", c)
		in, shapes := arguments(c.n, c.k, c.min)
		mins := map[string][]int{"out": {c.min, 0}}
		p.Mins, cpu.Mins, p.Parts = mins, mins, c.parts
		want := onCPU(t, cpu, in, shapes)
		simulated(t, p, in, shapes, want, harness.Tolerance{Rel: 1e-4, Abs: 1e-4}, name)
	}
	for _, n := range []int{128, 127} { // and as many products
		in, shapes := arguments(n, n, 0)
		var float, memory [2]int64
		for i, e := range []*harness.Emission{with, without} {
			for _, k := range fullRun(t, e, in, shapes) {
				float[i] += int64(k.Count.Float)
				memory[i] += int64(k.Count.GlobalLoads + k.Count.GlobalStores)
			}
		}
		if aligned := n%4 == 0; float[0] != float[1] || aligned && 5*memory[0] > 4*memory[1] || !aligned && memory[0] != memory[1] {
			t.Errorf("%d: with vectors and without: %v floating-point instructions, %v loads and stores", n, float, memory)
		}
	}
}

// TestVectorsOfNarrow: so it is with neighbours of 8 and 16 bits, of which several share a register, each with its sign; halves and booleans are accessed each by itself.
func TestVectorsOfNarrow(t *testing.T) {
	const target = "host-cuda-cuda_capability_75"
	rng := rand.New(rand.NewPCG(17, 3))
	for _, c := range suite.Sampled([]struct {
		halide string
		as     harness.DType
	}{{"uint8", harness.U8}, {"int8", harness.I8}, {"uint16", harness.U16}, {"float16", harness.F16}, {"int16", harness.I16}}) {
		g := harness.Generator{Source: "bridge/testdata/narrow.cc", Name: "narrow", Params: map[string]string{"in.type": c.halide, "out.type": c.halide}}
		with, p := built(t, g, target, harness.Gowarp(nil))
		without, _ := built(t, g, target, harness.Gowarp(map[string]string{"schedule": lackingFor(t, g, "target="+target, nil, "vector_access")}))
		_, cpu := built(t, g, "host", harness.Root())
		arguments := func(width, height, min int) (harness.Args, map[string][]int) {
			element := func() float64 { return float64(rng.IntN(200)) - 100*float64(rng.IntN(2)) }
			if c.as == harness.U8 || c.as == harness.U16 {
				element = func() float64 { return float64(rng.IntN(256)) }
			}
			all := width + min
			return harness.Args{"in": filled(c.as, element, all+4, height), "mask": filled(harness.Bool, func() float64 { return float64(rng.IntN(2)) }, all, height)}, map[string][]int{"out": {width, height}}
		}
		for _, at := range []struct {
			width, min int
			parts      map[string]int
		}{
			{width: 256},
			{width: 132}, // no whole blocks
			{width: 128, min: 4, parts: map[string]int{"in": 4}},
			{width: 128, min: 3},
			{width: 61},
			{width: 130}, // rows of pairs
			{width: 128, parts: map[string]int{"in": 1}},
			{width: 128, parts: map[string]int{"out": 2}},
		} {
			in, shapes := arguments(at.width, 21, at.min)
			mins := map[string][]int{"out": {at.min, 0}}
			p.Mins, cpu.Mins, p.Parts = mins, mins, at.parts
			simulated(t, p, in, shapes, onCPU(t, cpu, in, shapes), harness.Tolerance{}, fmt.Sprintf("%s %+v", c.halide, at))
		}
		for _, width := range []int{256, 255} {
			in, shapes := arguments(width, 64, 0)
			var memory, sectors [2]int64
			for i, e := range []*harness.Emission{with, without} {
				for _, k := range fullRun(t, e, in, shapes) {
					memory[i] += int64(k.Count.GlobalLoads + k.Count.GlobalStores)
					sectors[i] += int64(k.Count.GlobalLoadSectors + k.Count.GlobalStoreSectors)
				}
			}
			t.Logf("%s, rows of %d: loads and stores %v, sectors %v, with vectors and without", c.halide, width, memory, sectors)
			vectors := width%4 == 0 && c.as != harness.F16
			if fewer := 5*memory[0] < 4*memory[1] && 5*sectors[0] < 4*sectors[1]; vectors && !fewer || !vectors && memory[0] != memory[1] {
				t.Errorf("%s, rows of %d: loads and stores %v, sectors %v, with vectors and without", c.halide, width, memory, sectors)
			}
		}
	}
}

// TestStoresBehindLoads: neighbours are stored together too where each is made of what was loaded for it alone. Results are a CPU's wherever buffers begin, and what is aligned is stored in no more sectors than it fills, unless
// what is loaded says where something else is.
func TestStoresBehindLoads(t *testing.T) {
	const target = "host-cuda-cuda_capability_75"
	for _, kind := range suite.Sampled([]string{"saturation", "chosen", "looked_up"}) {
		g := harness.Generator{Source: "bridge/testdata/together.cc", Name: "together", Params: map[string]string{"kind": kind}}
		e, p := built(t, g, target, harness.Gowarp(nil))
		_, cpu := built(t, g, "host", harness.Root())
		rng := rand.New(rand.NewPCG(23, uint64(len(kind))))
		arguments := func(width, height, min int) (harness.Args, map[string][]int) {
			brightness := func() float64 { return float64(rng.IntN(64)) }
			return harness.Args{"in": filled(harness.F32, brightness, width+min, height, 3), "table": filled(harness.F32, brightness, 66)}, map[string][]int{"out": {width, height, 3}}
		}
		for _, at := range []struct {
			width, min int
			parts      map[string]int
		}{{width: 128}, {width: 132, min: 4}, {width: 128, min: 3}, {width: 61}, {width: 128, parts: map[string]int{"out": 3}}} {
			in, shapes := arguments(at.width, 9, at.min)
			mins := map[string][]int{"out": {at.min, 0, 0}}
			p.Mins, cpu.Mins, p.Parts = mins, mins, at.parts
			simulated(t, p, in, shapes, onCPU(t, cpu, in, shapes), harness.Default, fmt.Sprintf("%s %+v", kind, at))
		}
		const width, height = 256, 64
		in, shapes := arguments(width, height, 0)
		sectors := int64(0)
		for _, k := range fullRun(t, e, in, shapes) {
			sectors += int64(k.Count.GlobalStoreSectors)
		}
		if fills := int64(width * height * 3 * 4 / 32); kind != "looked_up" && sectors != fills {
			t.Errorf("%s: %d sectors are stored, the output fills %d", kind, sectors, fills)
		}
	}
}

// TestVectorsOfPaddedRows: rows that are no multiple of a vector long begin elsewhere in theirs than their neighbours. Where they are as long as estimated, modulo a
// vector, what is whole of each is loaded together; where they are not, all is as without. Results are right in both.
func TestVectorsOfPaddedRows(t *testing.T) {
	const width, height = 64, 32
	rng := rand.New(rand.NewPCG(3, 5))
	for more := range 4 {
		g := harness.Generator{Source: "bridge/testdata/rows.cc", Name: "rows", Params: map[string]string{"more": fmt.Sprint(more)}}
		with, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
		without, _ := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(map[string]string{"schedule": lacking(t, g, nil, "vector_access")}))
		_, cpu := built(t, g, "host", harness.Root())
		for row := width + 8; row < width+16; row++ {
			in := harness.Args{"in": filled(harness.F32, func() float64 { return float64(rng.IntN(17) - 8) }, row, height+2)}
			shapes := map[string][]int{"out": {width, height}}
			name := fmt.Sprintf("rows of %d, estimated as %d", row, 1032+more)
			want := onCPU(t, cpu, in, shapes)
			simulated(t, p, in, shapes, want, harness.Tolerance{Rel: 1e-5, Abs: 1e-5}, name)
			var loads [2]int64
			for i, e := range []*harness.Emission{with, without} {
				for _, k := range fullRun(t, e, in, shapes) {
					loads[i] += int64(k.Count.GlobalLoads)
				}
			}
			// A thread has a multiple of four rows, and so begins where the first does. It loads 12 of each row: three vectors, or two and halves before and behind.
			if as := row%4 == more; as && 7*loads[0] > 2*loads[1] || !as && loads[0] != loads[1] {
				t.Errorf("%s: %d loads with vectors, %d without", name, loads[0], loads[1])
			}
		}
	}
}

// TestPaddedRows: rows of a Func in memory are padded to whole vectors where its region has a halo. Results are a CPU's at every size, and whatever the size of the image
// the kernel that reads them loads vectors.
func TestPaddedRows(t *testing.T) {
	const target = "host-cuda-cuda_capability_75"
	g := harness.Generator{Source: "bridge/testdata/halo.cc", Name: "halo"}
	with, p := built(t, g, target, harness.Gowarp(nil))
	without, _ := built(t, g, target, harness.Gowarp(map[string]string{"schedule": lackingFor(t, g, "target="+target, nil, "align_storage")}))
	_, cpu := built(t, g, "host", harness.Root())
	rng := rand.New(rand.NewPCG(23, 8))
	for _, size := range [][]int{{256, 64}, {258, 64}, {260, 64}, {262, 40}, {255, 33}, {7, 5}} {
		in := harness.Args{"in": filled(harness.F32, func() float64 { return float64(rng.IntN(65)-32) / 16 }, size...)}
		shapes := map[string][]int{"out": size}
		simulated(t, p, in, shapes, onCPU(t, cpu, in, shapes), harness.Tolerance{Rel: 1e-5, Abs: 1e-5}, fmt.Sprint(size))
		var loads [2]int64
		for i, e := range []*harness.Emission{with, without} {
			for _, k := range fullRun(t, e, in, shapes) {
				loads[i] += int64(k.Count.GlobalLoads)
			}
		}
		t.Logf("%v: %d loads with padded rows, %d without", size, loads[0], loads[1])
		if size[0]%4 == 0 && 2*loads[0] > loads[1] {
			t.Errorf("%v: %d loads with padded rows, %d without", size, loads[0], loads[1])
		}
	}
}

// TestVectorsOfParts: what a part of a lane's code loads half of, as a vector, a part behind it has no more of: where that needs all of it, it loads it whole. (It took the
// elements from the half, and had none.)
func TestVectorsOfParts(t *testing.T) {
	g := harness.Generator{Source: "bridge/testdata/partwindows.cc", Name: "partwindows"}
	_, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(map[string]string{"tiling": "warp-registers", "warp_tile": "4x8x1", "separate": "0"}))
	_, cpu := built(t, g, "host", harness.Root())
	rng := rand.New(rand.NewPCG(3, 6))
	for _, size := range [][2]int{{384, 32}, {131, 37}, {386, 9}} {
		in := harness.Args{"input": filled(harness.F32, func() float64 { return float64(rng.IntN(17) - 8) }, size[0], size[1])}
		shapes := map[string][]int{"out": size[:]}
		simulated(t, p, in, shapes, onCPU(t, cpu, in, shapes), harness.Tolerance{}, fmt.Sprint(size))
	}
}

// TestFixedStrides: where weights lie as densely as estimated their strides are constants of the code, so that fewer addresses are computed. Where they are a
// part of others all is as without. Results are right in both.
func TestFixedStrides(t *testing.T) {
	const width, height, inputs, maps_ = 128, 24, 6, 2
	g := harness.Generator{Source: "bridge/testdata/weights.cc", Name: "weights"}
	with, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(byIssue))
	without, _ := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(map[string]string{"schedule": lacking(t, g, byIssue, "vector_access")}))
	_, cpu := built(t, g, "host", harness.Root())
	rng := rand.New(rand.NewPCG(5, 9))
	random := func(shape ...int) *harness.Array {
		return filled(harness.F32, func() float64 { return float64(rng.IntN(9) - 4) }, shape...)
	}
	in := harness.Args{"in": random(width+2, height+2, inputs), "weights": random(3, 3, inputs, maps_)}
	shapes := map[string][]int{"out": {width, height, maps_}}
	for _, parts := range []map[string]int{nil, {"weights": 2}} {
		p.Parts, cpu.Parts = parts, parts
		name := fmt.Sprintf("parts %v", parts)
		want := onCPU(t, cpu, in, shapes)
		simulated(t, p, in, shapes, want, harness.Tolerance{Rel: 1e-5, Abs: 1e-5}, name)
	}
	var integer [2]int64
	for i, e := range []*harness.Emission{with, without} {
		for _, k := range fullRun(t, e, in, shapes) {
			integer[i] += int64(k.Count.Integer)
		}
	}
	t.Logf("%d integer instructions with strides as constants, %d without", integer[0], integer[1])
	if integer[0] >= integer[1] {
		t.Errorf("%d integer instructions with strides as constants, %d without", integer[0], integer[1])
	}
}
