package autoscheduler

import (
	"slices"
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/rfactor"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// histogramOf counts an image's bytes into bins, of which an output of so many points reads those that say says.
func histogramOf(t halideir.Type, width, height, bins int64, say func(x irtest.Expr) irtest.Expr) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.U8, width, height)
	h := b.Func("h", []string{"i"}, t, func([]irtest.Expr) irtest.Expr { return b.Int(0).Cast(t) })
	h.Update([]irtest.RVar{{Name: "r$x", Extent: width}, {Name: "r$y", Extent: height}}, func(_, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		bin := in.At(r[0], r[1]).Cast(irtest.I32).Clamp(0, int(bins)-1)
		return []irtest.Expr{bin}, h.At(bin).Add(b.Int(1).Cast(t))
	})
	out := b.Func("out", []string{"x"}, t, func(v []irtest.Expr) irtest.Expr { return h.At(say(v[0])) })
	b.Output(out, 100)
	return b.Build()
}

// private are the kernels that have places of a scatter a block.
func private(r *Result) (out []*plan.Kernel) {
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if k.Strategy == "block-private" {
				out = append(out, k)
			}
		}
	}
	return out
}

// scatterOf is histogramOf with another operation.
func scatterOf(t halideir.Type, width, height, bins int64, op func(old, v irtest.Expr) irtest.Expr) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.U8, width, height)
	h := b.Func("h", []string{"i"}, t, func([]irtest.Expr) irtest.Expr { return b.Int(0).Cast(t) })
	h.Update([]irtest.RVar{{Name: "r$x", Extent: width}, {Name: "r$y", Extent: height}}, func(_, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		v := in.At(r[0], r[1])
		bin := v.Cast(irtest.I32).Clamp(0, int(bins)-1)
		return []irtest.Expr{bin}, op(h.At(bin), v.Cast(t))
	})
	b.Output(h, bins)
	return b.Build()
}

// columnsOf is a sum, or the like, of each column, whose place is the variable along the columns.
func columnsOf(t halideir.Type, width, height int64, op func(old, v irtest.Expr) irtest.Expr) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.U8, width, height)
	h := b.Func("h", []string{"i"}, t, func([]irtest.Expr) irtest.Expr { return b.Int(0).Cast(t) })
	h.Update([]irtest.RVar{{Name: "r$x", Extent: width, Parallel: true}, {Name: "r$y", Extent: height}}, func(_, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		return []irtest.Expr{r[0]}, op(h.At(r[0]), in.At(r[0], r[1]).Cast(t))
	})
	b.Output(h, width)
	return b.Build()
}

// TestScatterThreads: a scatter that no atomic operations make has partial results a thread, of which each takes in as many points as make up for its places (256 or fewer are as many as its points at least), so many that the device has work, and all points once;
// a copy of them, in the same memory, there is none. What atomic operations make, or what is too small, has none.
func TestScatterThreads(t *testing.T) {
	add := func(old, v irtest.Expr) irtest.Expr { return old.Add(v) }
	for name, c := range map[string]struct {
		p          *halideir.Pipeline
		params     map[string]string
		bins       int64
		reduced    int64 // the points that go into each of them
		partial    bool
		background int64 // threads at least
	}{
		"floats":           {scatterOf(irtest.F32, 1536, 2560, 256, add), nil, 256, 1536 * 2560, true, 4000},
		"bytes":            {scatterOf(irtest.U8, 1536, 2560, 256, add), nil, 256, 1536 * 2560, true, 4000},
		"the greatest":     {scatterOf(irtest.I32, 1531, 2557, 100, func(old, v irtest.Expr) irtest.Expr { return v.Max(old) }), nil, 100, 1531 * 2557, true, 8000},
		"wide":             {scatterOf(irtest.I64, 1536*2560, 1, 256, add), nil, 256, 1536 * 2560, true, 4000},
		"many places":      {scatterOf(irtest.F32, 1536, 2560, 100000, add), nil, 100000, 1536 * 2560, true, 16},
		"more than points": {scatterOf(irtest.F32, 300, 200, 100000, add), nil, 100000, 300 * 200, true, 8},
		"far more":         {scatterOf(irtest.F32, 300, 200, 1000000, add), nil, 1000000, 300 * 200, false, 0},
		"few points":       {scatterOf(irtest.F32, 10, 10, 10, add), nil, 10, 100, false, 0},
		"in order":         {scatterOf(irtest.F32, 1536, 2560, 256, add), map[string]string{"reassociate": "0"}, 256, 1536 * 2560, false, 0},
		"atomic":           {histogramOf(irtest.U32, 300, 200, 256, func(x irtest.Expr) irtest.Expr { return x }), nil, 256, 300 * 200, false, 0},
		"a sum a column":   {columnsOf(irtest.F32, 20, 25600, add), nil, 1, 20 * 25600, true, 4000},
		"columns enough":   {columnsOf(irtest.F32, 300, 2560, add), nil, 300, 300 * 2560, false, 0},
		"no reduction":     {scatterOf(irtest.F32, 1536, 2560, 256, func(old, v irtest.Expr) irtest.Expr { return v.Sub(old) }), nil, 256, 1536 * 2560, false, 0},
		"the papers'":      {scatterOf(irtest.F32, 1536, 2560, 256, add), map[string]string{"mode": "autogpu"}, 256, 1536 * 2560, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := runWith(t, c.p, c.params)
			if n := factors(r.Schedule); (n > 0) != c.partial {
				t.Fatalf("%d reductions factored; want %v", n, c.partial)
			}
			if !c.partial {
				return
			}
			pr := r.Problem
			partial := &pr.P.Funcs[0]
			if !partial.Partial || !rfactor.Scatters(pr.P, partial) {
				t.Fatalf("%s is no scatter's partial result", partial.Label)
			}
			dims := pr.Dims[pr.StageIndex(0, 1)]
			threads, points := int64(1), int64(1)
			for l, loop := range partial.Stages[1].Loops {
				if loop.Kind.Parallel() {
					threads *= dims.Extent[l]
				} else {
					points *= dims.Extent[l]
				}
			}
			if dims.Atomic || threads < c.background || threads*points < c.reduced || threads*points > c.reduced*5/4 {
				t.Errorf("%d threads with %d points each, atomic %v, of %d points", threads, points, dims.Atomic, c.reduced)
			}
			if places := min(c.bins, 256); points < places {
				t.Errorf("a thread takes in %d points, and has %d places to clear", points, places)
			}
			if !pr.Inlined[1] {
				t.Errorf("%s is stored once more", pr.P.Funcs[1].Label)
			}
		})
	}
}

// TestScatterPrivate: a histogram over an image is counted in shared memory where the bins are as many in every run, the operation is atomic and there is enough to count for each block; all
// points are then gone through once, and what the blocks counted is added up by one kernel.
func TestScatterPrivate(t *testing.T) {
	masked := func(x irtest.Expr) irtest.Expr { return x.Mod(64) }
	for name, c := range map[string]struct {
		p      *halideir.Pipeline
		params map[string]string
		want   bool
	}{
		"image":             {histogramOf(irtest.U32, 1536, 2560, 256, masked), nil, true},
		"signed":            {histogramOf(irtest.I32, 1536, 2560, 256, masked), nil, true},
		"odd sizes":         {histogramOf(irtest.I32, 1531, 2557, 100, masked), nil, true},
		"OpenCL":            {histogramOf(irtest.I32, 1536, 2560, 256, masked), map[string]string{"gpu": "generic"}, true},
		"small image":       {histogramOf(irtest.U32, 64, 48, 256, masked), nil, false},
		"one row":           {histogramOf(irtest.U32, 1536*2560, 1, 256, masked), nil, false},
		"bins by size":      {histogramOf(irtest.U32, 1536, 2560, 256, func(x irtest.Expr) irtest.Expr { return x }), nil, false},
		"a tile a block":    {histogramOf(irtest.U32, 1536, 2560, 256, masked), map[string]string{"tiling": "block"}, false},
		"nothing fused":     {histogramOf(irtest.U32, 1536, 2560, 256, masked), map[string]string{"fusion": "none"}, false},
		"Sioutas et al.":    {histogramOf(irtest.U32, 1536, 2560, 256, masked), map[string]string{"mode": "autogpu"}, false},
		"Jangda and Guha":   {histogramOf(irtest.U32, 1536, 2560, 256, masked), map[string]string{"mode": "polymage"}, false},
		"little memory":     {histogramOf(irtest.U32, 1536, 2560, 256, func(x irtest.Expr) irtest.Expr { return x.Mod(300) }), map[string]string{"shared_memory_limit_kb": "1"}, false},
		"more than a block": {histogramOf(irtest.U32, 1536, 2560, 256, func(x irtest.Expr) irtest.Expr { return x.Mod(20000) }), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := runWith(t, c.p, c.params)
			ks := private(r)
			if (len(ks) == 1) != c.want || factors(r.Schedule) != len(ks) {
				t.Fatalf("%d kernels with places a block, %d reductions factored; want %v", len(ks), factors(r.Schedule), c.want)
			}
			if !c.want {
				return
			}
			k := ks[0]
			update := &k.Members[0].Nests[1]
			pr := r.Problem
			all := int64(1)
			for l, loop := range pr.P.Funcs[update.Func].Stages[1].Loops {
				if loop.RVar >= 0 {
					all *= pr.Dims[pr.StageIndex(update.Func, 1)].Extent[l]
				}
			}
			covered := int64(1)
			for _, uses := range [][]plan.Use{update.Threads, update.Serial} {
				for _, u := range uses {
					covered *= u.Extent
				}
			}
			if covered < all || covered > 2*all {
				t.Errorf("a block goes through %d points of %d", covered, all)
			}
			if n := k.Tiles(); n < int64(pr.Device.SMs)/idleShare || n > scatterBlocks*int64(pr.Device.SMs) {
				t.Errorf("%d blocks for %d SMs", n, pr.Device.SMs)
			}
			if bins := map[bool]int64{true: 100, false: 256}[name == "odd sizes"]; k.Members[0].Extents[0] != bins || k.SharedBytes != 4*bins {
				t.Errorf("%d places in %d B, want %d: the update hits all of them, whatever is read", k.Members[0].Extents[0], k.SharedBytes, bins)
			}
			if slices.Max(k.Block[:]) < plan.WarpLanes {
				t.Errorf("%v threads", k.Block)
			}
		})
	}
}
