// Command registers compares the estimate of a kernel's registers with what ptxas makes of it, for
// the kernels of the programs under benchmarks/programs. The constants of the estimate
// (autoscheduler/strategy/registers.go) were fitted to what it writes.
//
// With -spills it compares what is estimated to be spilled, of the default's kernels and of drawn schedules' (spills.go).
//
// ptxas is asked twice: for what a kernel wants, and for what it spills under the cap of Halide's
// CUDA runtime. The estimate is capped, so it is compared with the former, capped too.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/harness"
	"gowarp/internal/ptxas"
)

// uncapped is what a thread can address.
const uncapped = 255

// Every program, and the ways in which it is scheduled.
var (
	programs = []string{"harris", "hist", "unsharp", "bilateral_grid", "mat_mul", "max_filter", "camera_pipe", "iir_blur", "stencil_chain", "interpolate", "local_laplacian", "nl_means", "lens_blur", "conv_layer"}
	ways     = []way{{75, "mode=autogpu,fusion=nested"}, {75, "mode=autogpu,fusion=overlap"}, {75, "mode=autogpu,fusion=none"}, {50, "mode=autogpu,fusion=nested"}, {86, "mode=autogpu,fusion=nested"}, {75, "mode=gowarp"}}
)

type way struct {
	capability int
	params     string // as behind a scheduler's name: KEY=VALUE,...
}

// kernel is one comparison.
type kernel struct {
	Name     string
	Estimate int
	Ptxas    int // without a cap
	Spilled  int // bytes, under the cap of Halide's runtime
}

// Off is the estimate's error, in registers.
func (k *kernel) Off() int { return k.Estimate - min(k.Ptxas, ptxas.MaxRegisters) }

func main() {
	only := flag.String("only", "", "the one way to measure, such as mode=gowarp")
	out := flag.String("o", "build/registers.csv", "file to write")
	spills := flag.Bool("spills", false, "in place of registers compare what is estimated to be spilled under the cap, of the default and of drawn schedules of the programs named (default: all)")
	draws := flag.Int("draws", 4, "with -spills: schedules to draw for each program")
	gpu := flag.String("gpu", "rtx2080ti", "with -spills: the device")
	kernels := flag.Bool("v", false, "with -spills: each kernel that spills or is said to")
	flag.Parse()
	err := error(nil)
	if *spills {
		err = runSpills(flag.Args(), *gpu, *draws, *kernels)
	} else {
		err = run(*out, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "registers:", err)
		os.Exit(1)
	}
}

func runSpills(words []string, gpu string, draws int, kernels bool) error {
	tree, err := harness.Find()
	if err != nil {
		return err
	}
	target, err := bench.ParseTarget(gpu)
	if err != nil {
		return err
	}
	if len(words) == 0 {
		if words, err = bench.Programs(tree); err != nil {
			return err
		}
	}
	var all []bench.Program
	for _, word := range words {
		p, err := bench.FindProgram(tree, ".", word)
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	return reportSpills(os.Stdout, tree, all, target, draws, kernels)
}

func run(out, only string) error {
	tree, err := harness.Find()
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintln(&text, "program,capability,params,kernel,estimate,ptxas,spilled_bytes_at_64")
	for _, name := range programs {
		var all []kernel
		for _, w := range ways {
			if only != "" && w.params != only {
				continue
			}
			ks, err := measure(tree, name, w)
			if err != nil {
				return fmt.Errorf("%s for %d, %s: %w", name, w.capability, w.params, err)
			}
			for _, k := range ks {
				fmt.Fprintf(&text, "%s,%d,%q,%s,%d,%d,%d\n", name, w.capability, w.params, k.Name, k.Estimate, k.Ptxas, k.Spilled)
			}
			all = append(all, ks...)
		}
		mean, near := offBy(all)
		fmt.Printf("%-16s %3d kernels: %4.1f registers off on average, %3.0f %% within %d\n", name, len(all), mean, 100*near, tolerance)
	}
	return os.WriteFile(out, []byte(text.String()), 0o644)
}

// tolerance is how far off an estimate may be to count as near: a step of 8 registers is about a
// block an SM more or less at 256 threads.
const tolerance = 8

// offBy is the mean error and the share of kernels within the tolerance.
func offBy(ks []kernel) (mean, near float64) {
	for i := range ks {
		off := max(ks[i].Off(), -ks[i].Off())
		mean += float64(off) / float64(len(ks))
		if off <= tolerance {
			near += 1 / float64(len(ks))
		}
	}
	return mean, near
}

// measure compares the kernels of one program, scheduled one way.
func measure(tree *harness.Tree, name string, w way) ([]kernel, error) {
	params := map[string]string{}
	for _, kv := range strings.Split(w.params, ",") {
		key, value, _ := strings.Cut(kv, "=")
		params[key] = value
	}
	e, err := tree.Emit(harness.Generator{Source: "benchmarks/programs/" + name + "/" + name + ".cc", Name: name}, harness.EmitOptions{
		Target: fmt.Sprintf("host-cuda-cuda_capability_%d", w.capability), Outputs: []string{"device_code"},
		Env:       []string{"HL_DEBUG_AUTOSCHEDULE=1"},
		Scheduler: harness.Gowarp(params),
	})
	if err != nil {
		return nil, err
	}
	ptx, err := e.PTX()
	if err != nil {
		return nil, err
	}
	free, err := tree.Ptxas(ptx, w.capability, uncapped)
	if err != nil {
		return nil, err
	}
	capped, err := tree.Ptxas(ptx, w.capability, ptxas.MaxRegisters)
	if err != nil {
		return nil, err
	}
	estimates, err := estimated(e.Log)
	if err != nil {
		return nil, err
	}
	var out []kernel
	for i, u := range free {
		prefix := longest(estimates, u.Kernel)
		if prefix == "" {
			return nil, fmt.Errorf("the log tells of no kernel that could be %s", u.Kernel)
		}
		out = append(out, kernel{u.Kernel, estimates[prefix], u.Registers, capped[i].SpillBytes()})
	}
	return out, nil
}

// A kernel in the log, as "kernel total.update(0)  root  blocks … registers 22  occupancy …".
var logged = regexp.MustCompile(`(?m)^kernel ([^ (]+?)(?:\.update\((\d+)\))?  .* registers (\d+) `)

// estimated reads the estimates from what the plugin prints, by the beginning of the kernels'
// names in Halide: kernel_total_s1_.
func estimated(log string) (map[string]int, error) {
	out := map[string]int{}
	for _, m := range logged.FindAllStringSubmatch(log, -1) {
		stage := 0
		if m[2] != "" {
			update, err := strconv.Atoi(m[2])
			if err != nil {
				return nil, err
			}
			stage = update + 1
		}
		n, err := strconv.Atoi(m[3])
		if err != nil {
			return nil, err
		}
		out[ptxas.Prefix(m[1], stage)] = n
	}
	return out, nil
}

// longest is the longest of the beginnings that a kernel's name holds.
func longest(estimates map[string]int, name string) string {
	best := ""
	for prefix := range estimates {
		if strings.Contains(name, prefix) && len(prefix) > len(best) {
			best = prefix
		}
	}
	return best
}
