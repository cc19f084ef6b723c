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
	"io"
	"runtime/debug"
	"strings"
	"unsafe"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/explain"
	"gowarp/autoscheduler/search"
	"gowarp/bridge/abi"
	_ "gowarp/bridge/halidecc" // registers the autoscheduler
	"gowarp/halideir"
)

// init lets garbage grow to four times of what is in use: a schedule takes a tenth of a second and some tens of MiB, of which the collector
// would take a fifth.
func init() { debug.SetGCPercent(400) }

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
	if err := autoscheduler.CheckTarget(p, params); err != nil {
		return abi.Answer{}, err
	}
	faults := make([][]autoscheduler.Fault, len(req.Faults))
	for i, found := range req.Faults {
		for _, f := range found {
			faults[i] = append(faults[i], autoscheduler.Fault{Func: f.Func, Unneeded: f.Kind == abi.Unneeded, Torn: f.Kind == abi.Torn})
		}
	}
	var by map[string]search.Compiled
	var notes []string
	if params.Search == "ptxas" && params.Schedule == "" {
		trial, number := (*autoscheduler.Result)(nil), 0
		by, trial, number, notes, err = compiled(&req, p, params)
		switch {
		case err != nil:
			return abi.Answer{}, err
		case trial != nil:
			return abi.Answer{Pipeline: p, Directives: trial.Schedule.Directives, Compile: number}, nil
		}
	}
	r, err := autoscheduler.RunnerUp(p, params, by, faults, req.Verbose > 1)
	switch {
	case err != nil:
		return abi.Answer{}, err
	case r == nil:
		return abi.Answer{None: true}, nil
	}
	a := abi.Answer{Pipeline: p, Directives: r.Schedule.Directives, Source: r.Schedule.CPlusPlus(p), Check: params.Check == "1" && params.Schedule == ""}
	for _, l := range r.Launches() {
		a.Kernels = append(a.Kernels, abi.Kernel(l))
	}
	for _, n := range r.Needs() {
		a.Needs = append(a.Needs, abi.Need(n))
	}
	if req.Verbose > 0 {
		var b strings.Builder
		for _, text := range notes {
			fmt.Fprintln(&b, text)
		}
		_ = listing(&b, p, r) // a Builder takes everything
		a.Listing = b.String()
	}
	return a, nil
}

// listing is what HL_DEBUG_AUTOSCHEDULE prints of a schedule: the loop nest, and before it the
// reasons if they were looked for. That takes time which level 1, which prints times, must not show.
func listing(w io.Writer, p *halideir.Pipeline, r *autoscheduler.Result) error {
	if r.Explained {
		if err := explain.Of(r).Print(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	} else {
		for _, text := range r.Remarks() {
			fmt.Fprintln(w, text)
		}
	}
	return r.Schedule.Tree(w, p)
}
