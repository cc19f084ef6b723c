//go:build halide

// Command plugin is libautoschedule_gowarp.so, the shared library that a Halide
// generator loads with -p. The C++ half (package halidecc) registers the
// autoscheduler when the library is loaded and calls gowarp_schedule for each
// pipeline, again where what comes of the schedule is otherwise than expected; this half decodes the pipeline, schedules it and answers.
//
// It knows no Halide data structure and makes no scheduling decision.
package main

// #include <stdint.h>
import "C"

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"unsafe"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/explain"
	"gowarp/bridge/abi"
	_ "gowarp/bridge/halidecc" // registers the autoscheduler
	"gowarp/halideir"
	"gowarp/halideir/schedule"
)

// init lets garbage grow to four times of what is in use: a schedule takes a tenth of a second and some tens of MiB, of which the collector
// would take a fifth.
func init() { debug.SetGCPercent(300) }

func main() {} // buildmode=c-shared asks for it and never calls it

//export gowarp_schedule
func gowarp_schedule(request, reply unsafe.Pointer) C.int {
	return C.int(abi.Serve(request, reply, begin))
}

// gowarp_changes says how definitions are to be changed before a pipeline is exported. What is wrong with the parameters gowarp_schedule says.
//
//export gowarp_changes
func gowarp_changes(request unsafe.Pointer) C.int {
	return C.int(abi.Changes(autoscheduler.ChangesOf(abi.Params(request))).Bits())
}

// gowarp_predict says what the schedules of n pipelines, of which one will be scheduled, are predicted to cost.
//
//export gowarp_predict
func gowarp_predict(requests, predictions unsafe.Pointer, n C.int32_t) {
	abi.Predict(requests, predictions, int(n), func(req abi.Request) (abi.Prediction, error) {
		p, err := autoscheduler.Predict(req.JSON, req.Params)
		if err != nil {
			return abi.Prediction{}, err
		}
		return abi.Prediction{Cost: p.Cost, Found: p}, nil
	})
}

//export gowarp_forget
func gowarp_forget(found C.uintptr_t) { abi.Forget(uintptr(found)) }

// gowarp_end hands the memory back too: Halide's lowering, which comes next, takes the most of all.
//
//export gowarp_end
func gowarp_end(session C.uintptr_t) {
	abi.End(uintptr(session))
	debug.FreeOSMemory()
}

// gowarp_taken says which answer of a session was applied, and returns what went wrong with it, allocated by malloc, or NULL.
//
//export gowarp_taken
func gowarp_taken(session C.uintptr_t, answer C.int32_t) *C.char {
	return (*C.char)(abi.Taken(uintptr(session), int(answer)))
}

// session is what answers for one pipeline.
type session struct {
	p       *halideir.Pipeline
	params  autoscheduler.Params
	verbose int
	asks    *autoscheduler.Session
	trials  *trials              // nil unless somebody judges
	answers []*schedule.Schedule // of which one is taken
	json    []byte               // of the pipeline, where it is dumped
	checked []halideir.Checked   // what came of the answers but the one that is taken, for the dump
}

// dumped is a pipeline as a dump has it: with the device that it is scheduled for, if the user named one, and with what came of schedules before the one that was taken, so that
// the command line schedules it for that device too, and as it was scheduled then.
func dumped(pipeline []byte, gpu string, checked []halideir.Checked) []byte {
	out, is := bytes.CutPrefix(pipeline, []byte("{"))
	if !is {
		return pipeline
	}
	with := func(key string, v any) {
		value, _ := json.Marshal(v) // strings and numbers have a form
		out = slices.Concat([]byte(`"`+key+`":`), value, []byte(","), out)
	}
	if len(checked) > 0 {
		with("checked", checked)
	}
	if gpu != "" {
		with("gpu", gpu)
	}
	return append([]byte("{"), out...)
}

func begin(req abi.Request) (abi.Session, error) {
	params, err := autoscheduler.ParseParams(req.Params)
	if err != nil {
		return nil, err
	}
	// Before scheduling: the dump of a pipeline that cannot be scheduled is the
	// one that somebody wants to see.
	if params.Dump != "" {
		if err := write(params.Dump, dumped(req.JSON, params.GPU, nil)); err != nil {
			return nil, fmt.Errorf("dump=%s: %w", params.Dump, err)
		}
	}
	// Also before: a search may take its time.
	if params.Save != "" {
		if _, err := destination(params.Save); err != nil {
			return nil, fmt.Errorf("save=%s: %w", params.Save, err)
		}
	}
	s := &session{params: params, verbose: req.Verbose}
	if found, ok := req.Found.(*autoscheduler.Prediction); ok {
		s.p, s.asks = found.Pipeline, found.Session(req.Verbose > 1)
	} else {
		if s.p, err = halideir.Decode(req.JSON); err != nil {
			return nil, err
		}
		s.asks = autoscheduler.NewSession(s.p, params, req.Verbose > 1)
	}
	if err := autoscheduler.CheckTarget(s.p, params); err != nil {
		return nil, err
	}
	if params.Dump != "" {
		s.json = bytes.Clone(req.JSON)
	}
	if params.Judged() && params.Schedule == "" {
		if s.trials, err = newTrials(s.asks, req.JSON, s.p, params); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// First implements abi.Session.
func (s *session) First() (abi.Answer, error) {
	if s.trials != nil {
		if wanted := s.trials.next(); wanted != nil {
			return abi.Answer{Pipeline: s.p, Directives: wanted.Schedule.Directives, Wanted: s.trials.judge.wants()}, nil
		}
	}
	return s.answer(s.asks.First())
}

// Compiled implements abi.Session.
func (s *session) Compiled(code abi.Code) (abi.Answer, error) {
	if err := s.trials.take(code); err != nil {
		return abi.Answer{}, err
	}
	return s.First()
}

// RunnerUp implements abi.Session.
func (s *session) RunnerUp(found []abi.Fault) (abi.Answer, error) {
	kinds := map[abi.FaultKind]halideir.FaultKind{abi.KernelDiffers: halideir.Differs, abi.Unneeded: halideir.Unneeded, abi.Torn: halideir.Torn, abi.Unproven: halideir.Unproven, abi.Unbounded: halideir.Unbounded}
	of, faults := make([]halideir.Fault, len(found)), make([]autoscheduler.Fault, len(found))
	for i, f := range found {
		of[i] = halideir.Fault{Func: f.Func, Kind: kinds[f.Kind]}
		faults[i] = autoscheduler.FaultOf(of[i])
	}
	if s.json != nil && s.trials == nil { // of trials the command line knows nothing
		s.checked = append(s.checked, halideir.Checked{Schedule: s.answers[len(s.answers)-1].Digest(), Faults: of})
	}
	return s.answer(s.asks.RunnerUp(faults))
}

// Taken implements abi.Session.
func (s *session) Taken(answer int) error {
	if len(s.checked) > 0 {
		taken := halideir.Checked{Schedule: s.answers[answer].Digest(), Faults: []halideir.Fault{}}
		if err := write(s.params.Dump, dumped(s.json, s.params.GPU, append(s.checked, taken))); err != nil {
			return fmt.Errorf("dump=%s: %w", s.params.Dump, err)
		}
	}
	if s.params.Save == "" {
		return nil
	}
	if err := write(s.params.Save, s.answers[answer].JSON()); err != nil {
		return fmt.Errorf("save=%s: %w", s.params.Save, err)
	}
	return nil
}

// answer is a schedule as C++ gets it.
func (s *session) answer(r *autoscheduler.Result, err error) (abi.Answer, error) {
	switch {
	case err != nil:
		return abi.Answer{}, err
	case r == nil:
		return abi.Answer{None: true}, nil
	}
	s.answers = append(s.answers, r.Schedule)
	a := abi.Answer{Pipeline: s.p, Number: len(s.answers) - 1, Directives: r.Schedule.Directives, Source: r.Schedule.CPlusPlus(s.p), Check: s.params.Check == "1" && s.params.Schedule == ""}
	for _, l := range r.Launches() {
		a.Kernels = append(a.Kernels, abi.Kernel(l))
	}
	for _, n := range r.Needs() {
		a.Needs = append(a.Needs, abi.Need(n))
	}
	warnings := r.Warnings()
	if s.trials != nil {
		if w := s.trials.warning(); w != "" {
			warnings = []string{w}
		}
	}
	a.Warning = strings.Join(warnings, "\n")
	if s.verbose > 0 {
		var b strings.Builder
		if s.trials != nil {
			for _, text := range s.trials.notes {
				fmt.Fprintln(&b, text)
			}
		}
		_ = listing(&b, s.p, r) // a Builder takes everything
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
