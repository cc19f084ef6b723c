//go:build halide

package bridge

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gowarp/halideir/schedule"
)

// The driver's pipeline: Func 0 stands for the image, blur_x(x, y) is pure and
// blur_y(x, y) has an update over r and y.
const blurX, blurY = 1, 2

type ds = []schedule.Directive

// script writes directives to a file. Not schedule.JSON: some of these are wrong
// on purpose.
func script(t testing.TB, directives ds) string {
	t.Helper()
	data, err := json.Marshal(directives)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return "script=" + file
}

func scriptedPlugin(t testing.TB) string {
	t.Helper()
	lib, err := scripted()
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

func split(f, stage int, n int64, tail schedule.Tail, vars ...string) schedule.Directive {
	return schedule.Directive{Do: schedule.Split, Func: f, Stage: stage, Vars: vars, N: n, Tail: tail}
}

func do(op schedule.Do, f, stage int, vars ...string) schedule.Directive {
	return schedule.Directive{Do: op, Func: f, Stage: stage, Vars: vars}
}

// Every directive, seen in Halide's own print of the loop nest.
func TestDirectivesAreApplied(t *testing.T) {
	at := func(op schedule.Do, v string) schedule.Directive {
		return schedule.Directive{Do: op, Func: blurX, At: &schedule.Level{Func: blurY, Var: v}}
	}
	number := func(op schedule.Do, f int, v string, n int64) schedule.Directive {
		return schedule.Directive{Do: op, Func: f, Vars: []string{v}, N: n}
	}
	script := script(t, ds{
		do(schedule.ComputeRoot, blurY, 0),
		at(schedule.ComputeAt, "x_o"), // before the split that makes the loop
		at(schedule.StoreAt, "x_o"),
		{Do: schedule.StoreIn, Func: blurX, Memory: schedule.MemoryGPUShared},
		number(schedule.BoundStorage, blurX, "x", 64),
		number(schedule.AlignStorage, blurX, "x", 32),
		number(schedule.AlignBounds, blurX, "y", 2),
		do(schedule.ReorderStorage, blurX, 0, "y", "x"),
		number(schedule.BoundExtent, blurY, "y", 48),
		split(blurY, 0, 32, schedule.TailGuardWithIf, "x", "x_o", "x_i"),
		split(blurY, 0, 4, schedule.TailRoundUp, "y", "y", "y_i"), // the outer part keeps the name
		split(blurY, 0, 2, schedule.TailShiftInwards, "x_i", "x.i.o", "x.i.i"),
		do(schedule.Reorder, blurY, 0, "x.i.i", "y_i", "x.i.o", "x_o", "y"),
		do(schedule.GPUBlocks, blurY, 0, "x_o", "y"),
		do(schedule.GPUThreads, blurY, 0, "x.i.o"),
		do(schedule.Unroll, blurY, 0, "y_i"),
		do(schedule.Vectorize, blurY, 0, "x.i.i"),
		do(schedule.Fuse, blurX, 0, "x", "y", "xy"),
		do(schedule.GPUThreads, blurX, 0, "xy"),
		split(blurY, 1, 8, "", "r.x", "r_o", "r_i"),
		split(blurY, 1, 16, "", "y", "x_o", "y_i"), // a name of another stage's loop
		do(schedule.Reorder, blurY, 1, "r_i", "r_o", "y_i", "x_o"),
		do(schedule.Serial, blurY, 1, "r_o"),
		do(schedule.GPUBlocks, blurY, 1, "x_o"),
		do(schedule.GPUThreads, blurY, 1, "y_i"),
	})
	out := ok(t, nil, compiled(t, "driver"), "schedule", scriptedPlugin(t), script)
	want := `// scripted
produce blur_y:
  gpu_block y.y in [0, 11]<Default_GPU>:
    gpu_block x.x_o<Default_GPU>:
      produce blur_x:
        gpu_thread x.xy<Default_GPU>:
          blur_x(...) = ...
      consume blur_x:
        gpu_thread x.x_i.x_i_o in [0, 15]<Default_GPU>:
          unrolled y.y_i in [0, 3]:
            vectorized x.x_i.x_i_i in [0, 1]:
              blur_y(...) = ...
  gpu_block y.x_o in [0, 2]<Default_GPU>:
    gpu_thread y.y_i in [0, 15]<Default_GPU>:
      for r.r_o in [0, 1]:
        for r.r_i in [0, 7]:
          blur_y(...) = ...
blur_x: compute at blur_y.x_o, store at blur_y.x_o, memory 4, storage y x align 32 bound 64
blur_y: compute at .__root, store at ., memory 0, storage x y
`
	if squeeze(out) != squeeze(want) {
		t.Errorf("the loop nest is\n%s\nwant\n%s", out, want)
	}
}

// squeeze drops what differs between Halide's printers: blanks and the counters of RVars.
func squeeze(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "$x", "")), " ")
}

func TestSingleThreadInlineAndAtomic(t *testing.T) {
	script := script(t, ds{
		do(schedule.ComputeInline, blurX, 0),
		do(schedule.ComputeRoot, blurY, 0),
		do(schedule.GPUSingleThread, blurY, 0),
		do(schedule.Atomic, blurY, 1),
		do(schedule.GPUThreads, blurY, 1, "r.x"), // a race without atomic
		do(schedule.GPUBlocks, blurY, 1, "y"),
	})
	out := ok(t, nil, compiled(t, "driver"), "schedule", scriptedPlugin(t), script)
	if strings.Count(out, "gpu_block") != 2 || strings.Count(out, "gpu_thread") != 2 || strings.Contains(out, "produce blur_x") {
		t.Errorf("want a kernel a stage and no blur_x:\n%s", out)
	}
}

// Each failure names the directive and the Func, and leaves the Funcs as they
// were: the driver looks, and schedules the same Funcs again.
func TestFailuresAreNamedAndApplyNothing(t *testing.T) {
	root := do(schedule.ComputeRoot, blurY, 0)
	good := script(t, ds{root, do(schedule.GPUBlocks, blurY, 0, "y"), do(schedule.GPUThreads, blurY, 0, "x")})
	good = "then=" + strings.TrimPrefix(good, "script=")
	s32 := split(blurY, 0, 32, "", "x", "x_o", "x_i")
	for _, c := range []struct {
		name       string
		directives ds
		words      []string
	}{
		{"unknown directive", ds{root, do("prefetch", blurY, 0)}, []string{"gowarp: prefetch() on blur_y", "no such directive"}},
		{"no label", ds{do(schedule.Unroll, blurY, 0, "@0")}, []string{"gowarp: unroll: ", "no label of a loop of blur_y"}},
		{"unknown Func", ds{root, do(schedule.ComputeRoot, 7, 0)}, []string{"compute_root", "Func 7", "there are 3"}},
		{"unknown stage", ds{root, do(schedule.Unroll, blurY, 2, "x")}, []string{"unroll(x) on blur_y.update(1)", "2 stages"}},
		{"unknown loop", ds{s32, do(schedule.Unroll, blurY, 0, "z")}, []string{"gowarp: unroll(z) on blur_y: the stage has no loop z; it has y, x_o, x_i"}},
		{"loop of another stage", ds{s32, do(schedule.Unroll, blurY, 1, "x_i")}, []string{"unroll(x_i) on blur_y.update(0)", "no loop x_i"}},
		{"loop that is gone", ds{s32, do(schedule.Unroll, blurY, 0, "x")}, []string{"unroll(x) on blur_y", "no loop x any more"}},
		{"name in use", ds{s32, split(blurY, 0, 8, "", "y", "x_i", "y_i")}, []string{"split(y, x_i, y_i, 8) on blur_y", "already has a loop x_i"}},
		{"zero factor", ds{split(blurY, 0, 0, "", "x", "x_o", "x_i")}, []string{"split(x, x_o, x_i) on blur_y", "positive"}},
		{"huge factor", ds{split(blurY, 0, 1<<40, "", "x", "x_o", "x_i")}, []string{"split(x, x_o, x_i, 1099511627776) on blur_y", "32 bits"}},
		{"unknown tail", ds{split(blurY, 0, 8, "wag", "x", "x_o", "x_i")}, []string{"wag) on blur_y", "tail strategy"}},
		{"unknown memory", ds{{Do: schedule.StoreIn, Func: blurX, Memory: "cloud"}}, []string{"store_in(cloud) on blur_x", "kind of memory"}},
		{"too few loops", ds{do(schedule.Split, blurY, 0, "x")}, []string{"split(x) on blur_y", "number of loops"}},
		{"loop twice", ds{do(schedule.Reorder, blurY, 0, "x", "x")}, []string{"reorder(x, x) on blur_y", "named twice"}},
		{"fused with itself", ds{do(schedule.Fuse, blurY, 0, "x", "x", "f")}, []string{"fuse(x, x, f) on blur_y", "itself"}},
		{"four block loops", ds{do(schedule.GPUBlocks, blurY, 0, "x", "y", "x", "y")}, []string{"gpu_blocks(x, y, x, y) on blur_y", "number of loops"}},
		{"level without a loop", ds{do(schedule.ComputeAt, blurX, 0)}, []string{"compute_at() on blur_x", "no loop"}},
		{"level at no loop", ds{s32, {Do: schedule.ComputeAt, Func: blurX, At: &schedule.Level{Func: blurY, Var: "x"}}}, []string{"compute_at(blur_y, x) on blur_x", "no loop x any more"}},
		{"level at no stage", ds{{Do: schedule.StoreAt, Func: blurX, At: &schedule.Level{Func: blurY, Stage: 5, Var: "x"}}}, []string{"store_at(", "2 stages"}},
		{"storage of no argument", ds{{Do: schedule.AlignStorage, Func: blurX, Vars: []string{"z"}, N: 8}}, []string{"align_storage(z, 8) on blur_x", "no argument"}},
		// What only Halide knows, in its words, after directives that worked.
		{"Halide refuses a race", ds{root, s32, do(schedule.ComputeRoot, blurX, 0), do(schedule.GPUThreads, blurY, 1, "r.x")}, []string{"gowarp: gpu_threads(r$x) on blur_y.update(0): ", "race condition"}},
		{"Halide refuses a tail", ds{s32, split(blurY, 1, 8, schedule.TailRoundUp, "r.x", "r_o", "r_i")}, []string{"gowarp: split(", "round_up) on blur_y.update(0): ", "tail strategy must be"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := ok(t, nil, compiled(t, "driver"), "untouched", scriptedPlugin(t), script(t, c.directives), good)
			for _, w := range c.words {
				if !strings.Contains(out, w) {
					t.Errorf("the message lacks %q: %s", w, out)
				}
			}
			if !strings.HasPrefix(out, "gowarp: ") {
				t.Errorf("the message does not say who speaks: %s", out)
			}
		})
	}
}

// Whatever happens in Go, C++ gets a message.
func TestGoFailuresAreErrors(t *testing.T) {
	plugin, exe := scriptedPlugin(t), compiled(t, "driver")
	fails(t, nil, exe, []string{"schedule", plugin, "panic=out of cheese"}, "gowarp: internal error: out of cheese", "main.gowarp_schedule")
	fails(t, nil, exe, []string{"schedule", plugin, "fail=no cheese"}, "gowarp: no cheese")
	fails(t, nil, exe, append([]string{"schedule", plugin, "taken=cheese left"}, written(t, alone())...), "gowarp: cheese left")
}
