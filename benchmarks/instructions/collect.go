package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/harness"
)

// collecting says what is collected.
type collecting struct {
	gpu        string
	candidates int // of a program
	seconds    int // for a program, beyond what the trial takes that runs then
	workers    int
	keep       string // a folder for what the kernels are run from, PTX first of all; "" for none
	log        io.Writer
}

// trialSeconds is the processor time that a program's process may take beyond that.
const trialSeconds = 600

// candidatesOf and pipelineOf are the files of a program, until all are written to one.
func candidatesOf(tree *harness.Tree, gpu, program string) string {
	return tree.Build("instructions", gpu+"-"+program+".jsonl")
}

func pipelineOf(tree *harness.Tree, gpu, program string) string {
	return tree.Build("instructions", gpu+"-"+program+".json")
}

// collect has the candidates of programs counted that were not yet.
func collect(tree *harness.Tree, programs []string, o collecting) error {
	plugin := tree.Build("instructions", "collector.so")
	build := exec.Command("go", "build", "-tags", "halide", "-buildvcs=false", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", plugin, "./benchmarks/instructions/collector")
	build.Dir = tree.Root
	build.Env = append(os.Environ(), "PKG_CONFIG_PATH="+tree.Build("pkgconfig"), "CGO_ENABLED=1")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the collector: %w\n%s", err, text)
	}
	target, err := bench.ParseTarget(o.gpu)
	if err != nil {
		return err
	}
	if o.keep != "" {
		if err := os.MkdirAll(o.keep, 0o777); err != nil {
			return err
		}
	}
	todo := make(chan string)
	var mu sync.Mutex
	var running sync.WaitGroup
	for range max(1, o.workers) {
		running.Add(1)
		go func() {
			defer running.Done()
			for program := range todo {
				said := "collected"
				if err := collectOne(tree, program, target, plugin, o); err != nil {
					said = err.Error()
				}
				mu.Lock()
				fmt.Fprintf(o.log, "%s: %s\n", program, said)
				mu.Unlock()
			}
		}()
	}
	for _, p := range programs {
		todo <- p
	}
	close(todo)
	running.Wait()
	return nil
}

// collectOne collects a program's. What a process that is killed has written stays.
func collectOne(tree *harness.Tree, program string, target bench.Target, plugin string, o collecting) error {
	p, err := bench.FindProgram(tree, tree.Root, program)
	if err != nil {
		return err
	}
	out := candidatesOf(tree, o.gpu, program)
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return err
	}
	params := map[string]string{
		"gpu": o.gpu, "program": program, "out": out, "pipeline": pipelineOf(tree, o.gpu, program), "want": fmt.Sprint(o.candidates), "seconds": fmt.Sprint(o.seconds),
	}
	if o.keep != "" { // Halide takes no empty parameter
		params["keep"] = o.keep
	}
	e, err := tree.Emit(p.Generator(nil), harness.EmitOptions{
		Target: target.Halide(), Outputs: []string{"schedule"}, Fresh: true, CPUSeconds: o.seconds + trialSeconds, Scheduler: harness.GowarpFrom(plugin, params),
	})
	if err != nil {
		return err
	}
	return e.Remove()
}
