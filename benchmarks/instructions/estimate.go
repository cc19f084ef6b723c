package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/instructions"
	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/instructions/candidate"
	"gowarp/halideir"
)

// figures are what a kernel does, of all its blocks.
type figures struct {
	Float, Special, Memory, Rest float64 // warp instructions; Rest are those of integers and control
	Requests, Sectors            float64
}

// issued are all warp instructions.
func (f *figures) issued() float64 { return f.Float + f.Special + f.Memory + f.Rest }

// pair is a kernel's estimate beside its count.
type pair struct {
	*candidate.Candidate
	Estimate, Count figures
	Terms           instructions.Terms
	Strategy        string
}

// ratio is how much of the count the estimate is.
func (p *pair) ratio() float64 { return p.Estimate.issued() / p.Count.issued() }

// estimated lays the kernels of a program out again and puts estimates beside their counts. Those that come out otherwise than they were counted are so many.
func estimated(tree *harness.Tree, gpu, program string, lines []candidate.Candidate) (pairs []pair, otherwise int, err error) {
	p, err := exported(tree, gpu, program)
	if err != nil {
		return nil, 0, err
	}
	params, err := autoscheduler.ParseParams(map[string]string{"gpu": gpu})
	if err != nil {
		return nil, 0, err
	}
	layer := autoscheduler.NewLayer(p, params)
	for i := range lines {
		c := &lines[i]
		if c.Program != program || c.Counted == nil {
			continue
		}
		if name, err := layer.Name(&c.Way); err != nil || name != c.Kernel {
			otherwise++
			continue
		}
		pr, k, err := layer.Kernel(&c.Way)
		if err != nil || k.Grid != c.Grid || k.Block != c.Block || k.SharedBytes != c.Shared {
			otherwise++
			continue
		}
		k.SpillBytes, k.SpillFrame = 0, 0 // no PTX has any
		work := instructions.For(k.View(pr)).Work(k)
		blocks := float64(k.Tiles())
		n := c.Counted
		pairs = append(pairs, pair{
			Candidate: c, Strategy: k.Strategy, Terms: (instructions.Terms{}).Plus(&work.Terms, blocks),
			Estimate: figures{work.Float * blocks, work.Special * blocks, work.Memory * blocks, (work.Issued - work.Float - work.Special - work.Memory) * blocks, work.Requests * blocks, work.Sectors * blocks},
			Count:    figures{n.Float, n.Special, n.Memory, n.Integer + n.Control, n.Requests, n.Sectors},
		})
	}
	return pairs, otherwise, nil
}

// exported is a program's pipeline, as the collector wrote it or its generator exports it now.
func exported(tree *harness.Tree, gpu, program string) (*halideir.Pipeline, error) {
	file := pipelineOf(tree, gpu, program)
	data, err := os.ReadFile(file)
	if err == nil {
		return halideir.Decode(data)
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	p, err := bench.FindProgram(tree, tree.Root, program)
	if err != nil {
		return nil, err
	}
	target, err := bench.ParseTarget(gpu)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return nil, err
	}
	// The default's own, as the collector had it: other modes ask Halide for other definitions.
	pipeline, _, err := tree.Export(p.Generator(nil), harness.EmitOptions{
		Target: target.Halide(), Scheduler: harness.Gowarp(map[string]string{"gpu": target.Device.Name}),
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return pipeline, nil
}
