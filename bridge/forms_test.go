//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
	"gowarp/halideir"
	"gowarp/halideir/rfactor"
	"gowarp/internal/irrun"
)

// forms is testdata/forms.cc with its parameters.
func forms(group, typ string, rows bool, where string, width, height int) harness.Generator {
	return harness.Generator{Source: "bridge/testdata/forms.cc", Name: "forms", Params: map[string]string{
		"group": group, "type": typ, "rows": fmt.Sprint(rows), "where": where, "width": fmt.Sprint(width), "height": fmt.Sprint(height),
	}}
}

// TestFormResults: reductions in the forms in which people write them are trees and give what one thread of the CPU gives, to the last bit, at the estimated size, at others that nothing divides,
// and of one point, without findings of the simulator; and so they do through OpenCL. What hangs on the order is none, and right too.
func TestFormResults(t *testing.T) {
	for _, c := range suite.Sampled([]struct {
		group, typ, where string
		rows              bool
		forms             int
	}{
		{"forms", "uint8", "all", false, 13}, {"forms", "float32", "all", true, 13}, {"restated", "uint16", "all", true, 9}, {"restated", "float32", "all", false, 9},
		{"bits", "bool", "all", true, 3}, {"bits", "int16", "all", false, 6}, {"order", "int32", "all", false, 5}, {"forms", "bool", "all", false, 5},
		{"forms", "int32", "some", true, 13}, {"forms", "uint16", "read", false, 13}, {"restated", "int16", "both", false, 9}, {"forms", "float32", "both", true, 13},
		{"bits", "uint8", "read", true, 6}, {"bits", "bool", "some", false, 3}, {"order", "int16", "both", true, 5},
	}) {
		t.Run(fmt.Sprintf("%s-%s-%s-%v", c.group, c.typ, c.where, c.rows), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(13, uint64(len(c.group))<<8+uint64(len(c.typ))))
			g := forms(c.group, c.typ, c.rows, c.where, 300, 200)
			sizes := [][2]int{{300, 200}, {1, 1}, {1 + rng.IntN(300), 1 + rng.IntN(60)}}
			schedule := factoredResults(t, rng, g, sizes, func([2]int) []int { return []int{map[bool]int{false: 2, true: 3}[c.rows], c.forms} })
			for k := range c.forms {
				if factored := strings.Contains(schedule, fmt.Sprintf("Func f%d_intm = f%d.", k, k)); factored != (c.group != "order") {
					t.Errorf("f%d: factored %v", k, factored)
				}
			}
		})
	}
}

// TestFormsRestated: what the bridge says of an update in another form, and the tree that is made of it, computes what the update does: run point by point, by
// an interpreter that shares nothing with Halide.
func TestFormsRestated(t *testing.T) {
	for _, c := range []struct {
		group, typ, where      string
		forms, trees, restated int // of the forms, reductions; of those, in another form than the plain one: | of bools is that, and all are that Halide's prover knows where a condition reads something, since that is part of what is exported
	}{
		{"forms", "int32", "all", 13, 13, 13}, {"forms", "uint8", "all", 13, 13, 13}, {"forms", "bool", "all", 5, 5, 4}, {"restated", "int16", "all", 9, 9, 9}, {"restated", "uint32", "all", 9, 9, 9},
		{"bits", "uint16", "all", 6, 6, 6}, {"bits", "int32", "all", 6, 6, 6}, {"bits", "bool", "all", 3, 3, 3}, {"order", "int32", "all", 5, 0, 0},
		{"forms", "int16", "some", 13, 13, 13}, {"forms", "bool", "some", 5, 5, 4}, {"forms", "bool", "read", 5, 5, 0}, {"forms", "uint32", "both", 13, 13, 0}, {"restated", "int32", "read", 9, 9, 0},
		{"bits", "int8", "both", 6, 6, 6}, {"order", "int32", "both", 5, 0, 0},
	} {
		t.Run(c.group+"-"+c.typ+"-"+c.where, func(t *testing.T) {
			p := decoded(t, dumpOf(t, "forms", "group="+c.group, "type="+c.typ, "where="+c.where, "width=13", "height=7"))
			noise := func(at []int64) int64 {
				v := uint64(1)
				for _, x := range at {
					v = (v ^ uint64(x)) * 0x9E3779B97F4A7C15
					v ^= v >> 29
				}
				return int64(v & 255)
			}
			result := func(p *halideir.Pipeline) map[string][]int64 {
				out, err := irrun.Run(p, noise)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			want := result(p)
			tree, again := p, *p
			again.Funcs = slices.Clone(p.Funcs)
			forms, trees, restated := 0, 0, 0
			for id := range p.Funcs {
				f := &p.Funcs[id]
				if len(f.Stages) < 2 {
					continue
				}
				forms++
				st := f.Stages[1]
				if _, ok := rfactor.Of(p, id, 1); !ok {
					continue
				}
				var err error
				if tree, err = rfactor.Apply(tree, rfactor.Step{Func: id + trees*rfactor.Made, Stage: 1, Kept: []rfactor.Kept{{RVar: 0, Factor: 4}}, Lane: -1}); err != nil {
					t.Fatal(err)
				}
				trees++
				if st.Restated != nil {
					restated++
					st.Values = st.Restated
					again.Funcs[id].Stages = []halideir.Stage{f.Stages[0], st}
				}
			}
			if forms != c.forms || trees != c.trees || restated != c.restated {
				t.Errorf("%d forms, %d of them reductions, %d of those in another form than the plain one; want %d, %d, %d", forms, trees, restated, c.forms, c.trees, c.restated)
			}
			for what, got := range map[string]map[string][]int64{"restated": result(&again), "as trees": result(tree)} {
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %v, want %v", what, got, want)
				}
			}
			if len(want) != 2*c.forms {
				t.Errorf("%d values", len(want))
			}
		})
	}
}

// TestFormSource: a tree of a form that Halide's rfactor takes, as its author's own schedule, from -e schedule, makes the same launches and the same values, on the same source.
func TestFormSource(t *testing.T) {
	factoredSource(t, forms("forms", "float32", true, "all", 300, 200), []int{3, 13}, 13)
}

// TestFormRefused: what is printed says which updates Halide's rfactor refuses as they are written, and what to write; and which none but gowarp can factor. A saved schedule is replayed on the
// source as it is.
func TestFormRefused(t *testing.T) {
	for _, c := range []struct {
		group, where string
		want         []string
	}{
		{"restated", "all", []string{"// f0.update(0): f0() = f0() + (0 - ", "// f7.update(0): f7() = ", "// f8.update(0): f8(i) = Tuple(f8[0](i), "}},
		{"bits", "all", []string{"gowarp alone factors these, with autoscheduler.schedule=FILE, where FILE is what gowarp schedule --format json writes: f0.update(0), f1.update(0), f2.update(0)"}},
		{"forms", "both", []string{"// f0.update(0): f0() = f0() + (let t0 = image_im(r.x, r.y, r.z) in select(t0 % 7 != 2, ", "without the conditions of its domain that read something", "asks for what they let through: f0.update(0), f1.update(0)"}},
	} {
		group := c.group + " " + c.where
		params := []string{"group=" + c.group, "where=" + c.where, "type=int32", "width=1000", "height=700"}
		searched := scheduled(t, "forms", cudaTarget, params...)
		ok(t, nil, compiled(t, "forms"), searched...)
		header := text(t, filepath.Join(searched[3], "forms.schedule.h"))
		for _, w := range c.want {
			if !strings.Contains(header, w) {
				t.Errorf("%s: no %q in\n%s", group, w, header)
			}
		}
		file := savedSchedule(t, dumpOf(t, "forms", params...))
		replayed := scheduled(t, "forms", cudaTarget, append(params, "autoscheduler.schedule="+file)...)
		ok(t, nil, compiled(t, "forms"), replayed...)
		if got, want := body(t, replayed[3], "forms"), body(t, searched[3], "forms"); got != want || !strings.Contains(got, ".rfactor(") {
			t.Errorf("%s: replayed:\n%s\nwant, with reductions factored:\n%s", group, got, want)
		}
	}
}

// TestFormWork: no thread of a tree of one of these forms does a hundredth of what one does that goes through the image in order, and there are a
// hundred times as many.
func TestFormWork(t *testing.T) {
	counted := func(group string) (float64, int64) {
		return busiestThread(t, forms(group, "int32", false, "all", 640, 480), nil, []int{2, map[string]int{"restated": 9, "order": 5, "bits": 6}[group]})
	}
	before, one := counted("order")
	for _, group := range []string{"restated", "bits"} {
		after, threads := counted(group)
		t.Logf("%s: instructions of the busiest thread: %.0f in order, %.0f as a tree, of %d threads", group, before, after, threads)
		if before < 100*after || threads < 100*one {
			t.Errorf("%s: %.0f instructions in each of %d threads in order, %.0f in each of %d as a tree", group, before, one, after, threads)
		}
	}
}
