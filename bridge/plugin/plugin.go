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
	"strings"
	"unsafe"

	"gowarp/autoscheduler"
	"gowarp/bridge/abi"
	_ "gowarp/bridge/halidecc" // registers the autoscheduler
	"gowarp/halideir"
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
	if params.Dump != "" && len(req.Faults) == 0 {
		if err := write(params.Dump, req.JSON); err != nil {
			return abi.Answer{}, fmt.Errorf("dump=%s: %w", params.Dump, err)
		}
	}
	p, err := halideir.Decode(req.JSON)
	if err != nil {
		return abi.Answer{}, err
	}
	r, err := autoscheduler.RunnerUp(p, params, req.Faults)
	switch {
	case err != nil:
		return abi.Answer{}, err
	case r == nil:
		return abi.Answer{None: true}, nil
	}
	a := abi.Answer{Pipeline: p, Directives: r.Schedule.Directives, Source: r.Schedule.CPlusPlus(p), Check: params.Check == "1"}
	for _, l := range r.Launches() {
		a.Kernels = append(a.Kernels, abi.Kernel(l))
	}
	if req.Verbose > 0 {
		var b strings.Builder
		_ = r.Schedule.Tree(&b, p) // a Builder takes everything
		a.Listing = b.String()
	}
	return a, nil
}
