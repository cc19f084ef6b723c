//go:build halide

// Command plugin is libautoschedule_gowarp.so, the shared library that a Halide
// generator loads with -p. The C++ half (package halidecc) registers the
// autoscheduler when the library is loaded and calls gowarp_schedule for each
// pipeline; this half decodes the pipeline, schedules it and answers.
//
// It knows no Halide data structure and makes no scheduling decision.
package main

import "C"

import (
	"fmt"
	"os"
	"unsafe"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/explain"
	"gowarp/bridge/abi"
	_ "gowarp/bridge/halidecc" // registers the autoscheduler
	"gowarp/halideir"
	"gowarp/halideir/schedule"
)

func main() {} // buildmode=c-shared asks for it and never calls it

//export gowarp_schedule
func gowarp_schedule(request, reply unsafe.Pointer) C.int {
	return C.int(abi.Serve(request, reply, answer))
}

func answer(req abi.Request) (abi.Answer, error) {
	params, err := autoscheduler.ParseParams(req.Params)
	if err != nil {
		return abi.Answer{}, err
	}
	// Before scheduling: the dump of a pipeline that cannot be scheduled is the
	// one that somebody wants to see.
	if params.Dump != "" {
		if err := writeAtomically(params.Dump, req.JSON); err != nil {
			return abi.Answer{}, fmt.Errorf("dump=%s: %w", params.Dump, err)
		}
	}
	p, err := halideir.Decode(req.JSON)
	if err != nil {
		return abi.Answer{}, err
	}
	s, err := scheduled(p, params, req.Verbose)
	if err != nil {
		return abi.Answer{}, err
	}
	return abi.Answer{Pipeline: p, Directives: s.Directives, Source: s.CPlusPlus(p)}, nil
}

// scheduled schedules. From level 1 on it prints the loop nest on stderr, from 2 on the reasons
// too, where there are any: looking for those takes time that level 1, which prints times, must
// not show.
func scheduled(p *halideir.Pipeline, params autoscheduler.Params, verbose int) (*schedule.Schedule, error) {
	if verbose < 2 || params.Schedule != "" {
		s, err := autoscheduler.Schedule(p, params)
		if err == nil && verbose > 0 {
			_ = s.Tree(os.Stderr, p) // an unwritable stderr is no reason not to compile
		}
		return s, err
	}
	r, err := autoscheduler.Run(p, params)
	if err != nil {
		return nil, err
	}
	_ = explain.Of(r).Print(os.Stderr)
	fmt.Fprintln(os.Stderr)
	_ = r.Schedule.Tree(os.Stderr, p)
	return r.Schedule, nil
}
