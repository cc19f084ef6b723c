// Command demo shows gowarp at work on one program: an unmodified Halide generator is
// scheduled by HL_AUTOSCHEDULER=gowarp, compiled, run on a photograph on the best
// device at hand, and its result held against the unscheduled CPU build. Without a GPU its
// CUDA kernels run on the simulator as well. It stops with exit code 1 where anything differs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gowarp/benchmarks/harness"
)

func main() {
	photo := flag.String("photo", "motorcycle_left", "a photograph in scikit-image's data folder: astronaut, chelsea, coffee, motorcycle_left")
	flag.Parse()
	if err := demo(*photo); err != nil {
		fmt.Fprintln(os.Stderr, "demo: FAILED:", err)
		os.Exit(1)
	}
}

// step prints what comes next before it is done, so that a slow one is seen.
func step(format string, args ...any) {
	fmt.Printf("demo: "+format+"\n", args...)
}

const samples = 5

// Responses lie mostly below 1e-3; see benchmarks/programs.
var tolerance = harness.Tolerance{Rel: 1e-5, Abs: 1e-6}

func demo(name string) error {
	tree, err := harness.Find()
	if err != nil {
		return err
	}
	dir := tree.Build("demo")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	photo, err := tree.Photograph(name, 0, 0)
	if err != nil {
		return err
	}
	w, h := photo.Shape[0], photo.Shape[1]
	in, out := harness.Args{"input": photo}, map[string][]int{"output": {w, h}}
	harris := harness.Generator{Source: "benchmarks/programs/harris/harris.cc", Name: "harris"}
	step("photograph %s, %dx%d", name, w, h)

	step("compiling %s, a Halide generator without a schedule", harris.Source)
	if _, err := tree.Compile(harris); err != nil {
		return err
	}

	step("running it unscheduled on the CPU")
	plain, err := tree.Emit(harris, harness.EmitOptions{Target: "host"})
	if err != nil {
		return err
	}
	want, _, err := timed(tree, plain, nil, in, out)
	if err != nil {
		return err
	}

	device := tree.BestDevice()
	dump := filepath.Join("build", "demo", "harris.json")
	step("scheduling it with HL_AUTOSCHEDULER=gowarp for %s", device.Target)
	scheduled, err := tree.Emit(harris, harness.EmitOptions{
		Target:    device.Target,
		Scheduler: harness.GowarpByEnvironment(map[string]string{"dump": dump}),
		Env:       []string{"HL_DEBUG_AUTOSCHEDULE=1"},
		Fresh:     true,
	})
	if err != nil {
		return err
	}
	defer func() { _ = scheduled.Remove() }() // under the system's temporary folder
	kernels, err := scheduled.LaunchSites()
	if err != nil {
		return err
	}
	if kernels == 0 {
		return errors.New("nothing of the pipeline runs on the device; was it scheduled at all?")
	}
	fmt.Println()
	show := exec.Command(tree.Build("gowarp"), "schedule", "--format", "tree", dump)
	show.Dir, show.Stdout, show.Stderr = tree.Root, os.Stdout, os.Stderr
	if err := show.Run(); err != nil {
		return fmt.Errorf("gowarp schedule %s: %w", dump, err)
	}
	fmt.Println()
	spent, err := scheduled.ScheduleTime()
	if err != nil {
		return err
	}
	step("time to schedule: %.1f ms (export %.1f, schedule %.1f, apply %.1f)", spent.Total(), spent.Export, spent.Schedule, spent.Apply)

	step("running it on %s", device.Name)
	got, took, err := timed(tree, scheduled, device.Env, in, out)
	if err != nil {
		return err
	}
	if err := harness.Compare(got["output"], want["output"], tolerance); err != nil {
		return fmt.Errorf("the scheduled result is not the CPU's: %w", err)
	}
	step("all %d responses equal the unscheduled CPU's (within %g); %.2f ms a call, the best of %d", got["output"].Len(), tolerance.Abs, took.Seconds()*1e3, samples)

	reference, err := tree.Reference("benchmarks/programs/harris/reference.py", in, "output")
	if err != nil {
		return err
	}
	if err := harness.Compare(got["output"], reference["output"], tolerance); err != nil {
		return fmt.Errorf("the scheduled result is not SciPy's: %w", err)
	}
	step("and SciPy's, computed in 64 bits")

	if !device.GPU {
		if err := simulated(tree, harris, in, want["output"], tolerance); err != nil {
			return err
		}
	}

	input, response := filepath.Join(dir, "input.npy"), filepath.Join(dir, "response.npy")
	if err := errors.Join(harness.WriteNPY(input, photo), harness.WriteNPY(response, got["output"])); err != nil {
		return err
	}
	log, err := tree.Python("scripts/demo/corners.py", input, response, dir)
	if err != nil {
		return err
	}
	step("%s", strings.TrimSpace(log))
	return nil
}

// timed links and runs an emission and returns its outputs and the best wall time of a
// synchronised call.
func timed(tree *harness.Tree, e *harness.Emission, env []string, in harness.Args, out map[string][]int) (map[string]*harness.Array, time.Duration, error) {
	p, err := tree.Link(e)
	if err != nil {
		return nil, 0, err
	}
	p.Env = append(p.Env, env...)
	results, times, err := p.Time(in, out, samples)
	if err != nil {
		return nil, 0, err
	}
	return results, slices.Min(times), nil
}
