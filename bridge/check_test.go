//go:build halide

package bridge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gowarp/bridge/abi"
	"gowarp/halideir/schedule"
)

// candidate is a schedule for the driver's pipeline with what its author expects of it.
type candidate struct {
	directives ds
	kernels    []abi.Kernel
	needs      []abi.Need
}

// written makes the parameters of the scripted plugin: the schedule and its runners-up.
func written(t testing.TB, candidates ...candidate) []string {
	t.Helper()
	dir := t.TempDir()
	params := []string{"check=1"}
	for i, c := range candidates {
		suffix := ""
		if i > 0 {
			suffix = fmt.Sprint(i)
		}
		for name, v := range map[string]any{"script": c.directives, "kernels": c.kernels, "needs": c.needs} {
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, name+suffix+".json")
			if err := os.WriteFile(file, data, 0o666); err != nil {
				t.Fatal(err)
			}
			params = append(params, name+suffix+"="+file)
		}
	}
	return params
}

func in(f, at int, v string) ds {
	return ds{
		{Do: schedule.ComputeAt, Func: f, At: &schedule.Level{Func: at, Var: v}},
		{Do: schedule.StoreIn, Func: f, Memory: schedule.MemoryGPUShared},
	}
}

func bound(v string, n int64) schedule.Directive {
	return schedule.Directive{Do: schedule.BoundStorage, Func: blurX, Vars: []string{v}, N: n}
}

// tiled computes blur_y in tiles of 16x8, and its update in a kernel of 48 threads.
func tiled() ds {
	return ds{
		do(schedule.ComputeRoot, blurY, 0),
		split(blurY, 0, 16, schedule.TailGuardWithIf, "x", "x_o", "x_i"),
		split(blurY, 0, 8, schedule.TailGuardWithIf, "y", "y_o", "y_i"),
		do(schedule.Reorder, blurY, 0, "x_i", "y_i", "x_o", "y_o"),
		do(schedule.GPUBlocks, blurY, 0, "x_o", "y_o"),
		do(schedule.GPUThreads, blurY, 0, "x_i", "y_i"),
		split(blurY, 1, 48, schedule.TailGuardWithIf, "y", "y_o", "y_i"),
		do(schedule.GPUBlocks, blurY, 1, "y_o"),
		do(schedule.GPUThreads, blurY, 1, "y_i"),
	}
}

var (
	tiles  = abi.Kernel{Func: blurY, Blocks: [3]int64{4, 6, 1}, Threads: [3]int64{16, 8, 1}, SharedExact: true}
	column = abi.Kernel{Func: blurY, Stage: 1, Blocks: [3]int64{1, 1, 1}, Threads: [3]int64{48, 1, 1}, SharedExact: true}
)

// alone has blur_x inlined, fused keeps it in shared memory, 16 by 9 points.
func alone() candidate { return candidate{directives: tiled(), kernels: []abi.Kernel{tiles, column}} }

func fused(more ...schedule.Directive) candidate {
	k := tiles
	k.Threads[1], k.SharedBytes = 9, 16*9*4
	d := append(tiled(), in(blurX, blurY, "x_o")...)
	d = append(d, do(schedule.GPUThreads, blurX, 0, "x", "y"))
	return candidate{directives: append(d, more...), kernels: []abi.Kernel{k, column}}
}

func right() candidate { return fused(bound("x", 16), bound("y", 9)) }

func (c candidate) but(change func(k *abi.Kernel)) candidate {
	change(&c.kernels[0])
	return c
}

// checked runs the driver and returns what it says under debug.
func checked(t testing.TB, env []string, candidates ...candidate) string {
	t.Helper()
	args := append([]string{"schedule", scriptedPlugin(t)}, written(t, candidates...)...)
	return ok(t, append(env, "HL_DEBUG_AUTOSCHEDULE=1"), compiled(t, "driver"), args...)
}

func wants(t *testing.T, out string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(out, w) {
			t.Errorf("it does not say %q:\n%s", w, out)
		}
	}
}

func TestScheduleAsExpected(t *testing.T) {
	for name, c := range map[string]candidate{"alone": alone(), "fused": right()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wants(t, checked(t, nil, c, alone()), "// scripted\n", "gowarp: check: as expected: 2 kernels", "gowarp: check: ")
		})
	}
}

// Each way in which Halide may make something else of a schedule, and the runner-up that is
// then taken.
func TestDisagreements(t *testing.T) {
	for _, c := range []struct {
		name   string
		seeded candidate
		says   string
	}{
		{"threads", right().but(func(k *abi.Kernel) { k.Threads[1] = 8 }), "the kernel of blur_y: 16x8x1 threads are expected, 16x9x1 are launched"},
		{"shared memory", right().but(func(k *abi.Kernel) { k.SharedBytes = 500 }), "the kernel of blur_y: 500 B of shared memory are expected, 576 are taken"},
		{"more shared memory than the most", right().but(func(k *abi.Kernel) { k.SharedBytes, k.SharedExact = 575, false }), "the kernel of blur_y: 575 B of shared memory are expected, 576 are taken"},
		{"more than the device leaves as many blocks with", right().but(func(k *abi.Kernel) { k.SharedBytes, k.SharedMost = 570, 575 }), "the kernel of blur_y: 570 B of shared memory are expected, 576 are taken"},
		{"less shared memory", right().but(func(k *abi.Kernel) { k.SharedBytes, k.SharedMost = 580, 600 }), "the kernel of blur_y: 580 B of shared memory are expected, 576 are taken"},
		{"shared memory sized on the host", fused(), "the kernel of blur_y: 576 B of shared memory are expected, the size is known only at run time"},
		{"trap", fused(bound("x", 16), bound("y", 8)).but(func(k *abi.Kernel) { k.SharedBytes = 16 * 8 * 4 }), "the kernel of blur_y: it checks its storage at run time, with a trap"},
		{"missing", candidate{directives: right().directives, kernels: append(right().kernels, abi.Kernel{Func: blurX})}, "the kernel of blur_x: one kernel is expected, 0 are launched: Halide needs no point of it"},
		{"unexpected", candidate{directives: right().directives, kernels: right().kernels[:1]}, "the kernel of blur_y.update(0): a kernel of 1x1x1 blocks of 48x1x1 threads is launched, none is expected"},
		{"launched in a loop", candidate{directives: append(alone().directives, do(schedule.Serial, blurY, 0, "y_o")), kernels: alone().kernels}, "the kernel of blur_y: the host launches it 6 times"},
		{"global memory", candidate{directives: append(right().directives, schedule.Directive{Do: schedule.StoreIn, Func: blurX, Memory: schedule.MemoryHeap}), kernels: right().kernels}, "the kernel of blur_y: it keeps what belongs to a block in global memory"},
		{"no such loop", candidate{directives: append(alone().directives, do(schedule.Unroll, blurY, 0, "z"))}, "Halide does not lower it: gowarp: unroll(z) on blur_y: the stage has no loop z"},
		{"Halide refuses it", candidate{directives: append(alone().directives, do(schedule.Unroll, blurY, 1, "r.x"), do(schedule.Vectorize, blurY, 0, "y_o")), kernels: alone().kernels}, "Halide does not lower it: "},
		{"more of an input", reads(alone(), 0, 63), "it asks for points 0 to 64 of dimension 0 of the input image, of which 0 to 63 are needed"},
		{"an earlier point of an input", reads(alone(), 1, 64), "it asks for points 0 to 64 of dimension 0 of the input image, of which 1 to 64 are needed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := checked(t, nil, c.seeded, alone())
			t.Log(out)
			wants(t, out, "gowarp: check: "+c.says, "// runner-up to [[", "gowarp: check: as expected: 2 kernels")
		})
	}
}

// reads says which columns of the driver's image a schedule is expected to ask for.
func reads(c candidate, from, to int64) candidate {
	c.needs = append(c.needs, abi.Need{Min: from, Max: to})
	return c
}

func TestInputAsExpected(t *testing.T) {
	for _, c := range []candidate{reads(alone(), 0, 64), reads(right(), -1, 65)} {
		wants(t, checked(t, nil, c, alone()), "// scripted\n", "gowarp: check: as expected: 2 kernels")
	}
}

// The number of blocks follows from the region of the output, however it is computed.
func TestOtherBlocks(t *testing.T) {
	out := checked(t, nil, right().but(func(k *abi.Kernel) { k.Blocks[0] = 5 }), alone())
	wants(t, out, "gowarp: check: the kernel of blur_y: 5x6x1 blocks are expected, 4x6x1 are launched\ngowarp: check: otherwise as expected\n", "// scripted\n")
}

// A little more shared memory that costs no block is no reason for another schedule.
func TestALittleMoreShared(t *testing.T) {
	for _, exact := range []bool{true, false} {
		out := checked(t, nil, right().but(func(k *abi.Kernel) { k.SharedBytes, k.SharedMost, k.SharedExact = 570, 576, exact }), alone())
		wants(t, out, "gowarp: check: the kernel of blur_y: 570 B of shared memory are expected, 576 are taken, of which as many blocks run\ngowarp: check: otherwise as expected\n", "// scripted\n")
	}
}

// What no kernel reads and Halide computes nowhere is no fault: there is nothing to launch.
func TestNothingNeedsIt(t *testing.T) {
	c := alone()
	c.kernels = append(c.kernels, abi.Kernel{Func: blurX})
	wants(t, checked(t, nil, c), "gowarp: check: the kernel of blur_x: none is launched: Halide sees that nothing needs it\n", "gowarp: check: otherwise as expected\n", "// scripted\n")
}

// Four runners-up have other kernels in place of those at fault; after that, and at once where no kernel is at fault, all fusion
// goes, then all inlining.
func TestRunnersUp(t *testing.T) {
	wrong := func(threads int64) candidate { return right().but(func(k *abi.Kernel) { k.Threads[0] = threads }) }
	idle := candidate{directives: right().directives, kernels: append(right().kernels, abi.Kernel{Func: blurX})}
	refused := candidate{directives: append(alone().directives, do(schedule.Vectorize, blurY, 0, "y_o")), kernels: alone().kernels}
	const (
		asIs   = "there is no other way to run it; it is taken as it is"
		either = "without fusion and inlining it is no better; the first schedule is taken"
	)
	for _, c := range []struct {
		name       string
		candidates []candidate
		words      []string
	}{
		{"the second", []candidate{wrong(5), wrong(7), right()}, []string{"5x9x1 threads", "7x9x1 threads", "// runner-up to [[2] [2]]", "as expected", "answer 2 is taken"}},
		{"none of five", []candidate{wrong(5), wrong(7), wrong(9), wrong(11), wrong(13), right()}, []string{"5x9x1 threads", "7x9x1 threads", "13x9x1 threads", "// runner-up to [[2] [2] [2] [2] [-1]]", "as expected", "answer 5 is taken"}},
		{"none of seven", []candidate{wrong(5), wrong(7), wrong(9), wrong(11), wrong(13), wrong(3), wrong(1)}, []string{"3x9x1 threads", "1x9x1 threads", "// runner-up to [[2] [2] [2] [2] [-1] [-1]]", asIs, "answer 6 is taken"}},
		{"nothing is needed of a Func", []candidate{idle, right()}, []string{"// runner-up to [[1 unneeded]]", "as expected", "answer 1 is taken"}},
		{"nothing is needed of a Func after a fault", []candidate{wrong(5), idle, right()}, []string{"// runner-up to [[2] [1 unneeded]]", "as expected", "answer 2 is taken"}},
		{"nothing is needed of a Func and there is no runner-up", []candidate{idle}, []string{asIs, "// scripted", "answer 0 is taken"}},
		{"no runner-up", []candidate{wrong(5)}, []string{asIs, "// scripted", "answer 0 is taken"}},
		{"refused, then not", []candidate{refused, right()}, []string{"// runner-up to [[-1]]", "as expected", "answer 1 is taken"}},
		{"refused twice", []candidate{refused, refused}, []string{either, "// scripted", "answer 0 is taken"}},
		{"refused twice, then not", []candidate{refused, refused, right()}, []string{"// runner-up to [[-1] [-1]]", "as expected", "answer 2 is taken"}},
		{"asking for too much of an input all the time", []candidate{reads(right(), 1, 1), reads(alone(), 1, 1), reads(alone(), 1, 1)}, []string{either, "// scripted", "answer 0 is taken"}},
		{"refused after a fault", []candidate{wrong(5), refused, refused}, []string{either, "// scripted", "answer 0 is taken"}},
		{"refused after a fault, then not", []candidate{wrong(5), refused, right()}, []string{"// runner-up to [[2] [-1]]", "as expected", "answer 2 is taken"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := checked(t, nil, c.candidates...)
			wants(t, out, c.words...)
		})
	}
}

// What befalls the process that lowers a schedule stays there. A crash takes the runner-up;
// where nothing was learnt the schedule stays, since it must not depend on the machine's load.
func TestTroubleOfTheChild(t *testing.T) {
	lib := preloadedC(t, "trouble")
	const kept, taken = "// scripted\n", "// runner-up to [[-1]]"
	unchecked := "the schedule could not be checked and is taken as it is"
	for _, c := range []struct {
		trouble string
		words   []string
	}{
		{"segv", []string{"it died: Segmentation fault", "it said: this is printed this too", taken}},
		{"abort", []string{"it died: Aborted", taken}},
		{"overflow", []string{"it died: Segmentation fault", taken}},
		{"killed", []string{"given up: it was killed", unchecked, kept}},
		{"exit", []string{"given up: it was killed", unchecked, kept}},
		{"spin", []string{"given up: it used up its processor time", unchecked, kept}},
		{"lock", []string{"given up: it waits for a lock", unchecked, kept}},
		{"fork", []string{"no process could be forked (Resource temporarily unavailable)", unchecked, kept}},
	} {
		t.Run(c.trouble, func(t *testing.T) {
			t.Parallel()
			params := append([]string{"-c", `ulimit -S -c "$(ulimit -H -c)"; ulimit -S -t 3; exec env "$@"`, "sh", lib, "TROUBLE=" + c.trouble, compiled(t, "driver"), "schedule", scriptedPlugin(t)}, written(t, right(), alone())...)
			out := ok(t, []string{"HL_DEBUG_AUTOSCHEDULE=1"}, "/bin/sh", params...)
			wants(t, out, c.words...)
			if strings.Count(out, "this is printed") > strings.Count(out, "it said: ") {
				t.Errorf("what the child prints is not kept apart:\n%s", out)
			}
			quiet := ok(t, nil, "/bin/sh", params...)
			if warned := strings.Contains(quiet, "gowarp: warning: whether Halide makes of the schedule what is expected could not be checked, and it is taken as it is: "); warned != slices.Contains(c.words, unchecked) {
				t.Errorf("warned: %v, by one who did not ask:\n%s", warned, quiet)
			}
		})
	}
}

// A host may take every child that ends, or none.
func TestHostsWithChildren(t *testing.T) {
	for _, command := range []string{"reaping", "ignoring"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			args := append([]string{command, scriptedPlugin(t)}, written(t, right().but(func(k *abi.Kernel) { k.Threads[0] = 5 }), alone())...)
			out := ok(t, []string{"HL_DEBUG_AUTOSCHEDULE=1"}, compiled(t, "driver"), args...)
			wants(t, out, "5x9x1 threads are expected", "// runner-up to [[2]]", "as expected")
		})
	}
}
