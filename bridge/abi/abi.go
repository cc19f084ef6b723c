//go:build halide

// Package abi is the Go side of the C ABI (gowarp_abi.h) between the C++ half
// of the bridge and whoever schedules. It turns a request into Go values and an
// answer into C structs, and it keeps a panic from unwinding into C++. It knows
// neither Halide nor how to schedule.
package abi

// #include <stdlib.h>
// #include "gowarp_abi.h"
import "C"

import (
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"unsafe"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/workers"
)

// Request is what C++ asks first of a pipeline.
type Request struct {
	JSON    []byte            // the pipeline; valid only during the call
	Params  map[string]string // the autoscheduler's parameters, without their prefix
	Verbose int               // level of HL_DEBUG_AUTOSCHEDULE
	Found   any               // of the Prediction for this pipeline; nil if there was none
}

// Prediction is what the schedule of a pipeline is predicted to be.
type Prediction struct {
	Cost  float64
	Found any // what a session of that pipeline may go on from; nil for nothing
}

// Session answers for one pipeline, until an answer is taken.
type Session interface {
	// First is the first answer.
	First() (Answer, error)
	// Compiled is the next answer after one that asked for code.
	Compiled(Code) (Answer, error)
	// RunnerUp is the next answer after one in which a check found faults.
	RunnerUp([]Fault) (Answer, error)
	// Taken hears the number of the answer that was applied.
	Taken(answer int) error
}

// Wanted is what C++ is to make of directives, before there is an answer.
type Wanted int32

// What may be wanted.
const (
	Nothing    Wanted = 0
	DeviceCode Wanted = C.gowarp_device_code
	Record     Wanted = C.gowarp_driver_record // as package replay reads it
)

// Changes are what is done to a pipeline's definitions before it is exported.
type Changes struct {
	WriteOut         bool // short reductions become definitions
	FuseInit         bool // updates take over pure definitions
	CacheWrite       bool // Funcs copy what holds their reductions
	HoldReads        bool // reductions read within what is needed of them
	Separate         bool // windows are combined from parts,
	SeparateFloats   bool // those of floats too,
	SeparateWeighted bool // those of unequal weights too,
	IfCheaper        bool // or those for which a Prediction says less
}

// Bits are those that are set, as C++ gets them.
func (c Changes) Bits() int {
	all := 0
	for bit, set := range map[int]bool{
		C.gowarp_write_out: c.WriteOut, C.gowarp_fuse_init: c.FuseInit, C.gowarp_cache_write: c.CacheWrite, C.gowarp_hold_reads: c.HoldReads,
		C.gowarp_separate: c.Separate, C.gowarp_separate_floats: c.SeparateFloats, C.gowarp_separate_weighted: c.SeparateWeighted, C.gowarp_separate_if_cheaper: c.IfCheaper,
	} {
		if set {
			all |= bit
		}
	}
	return all
}

// Predict makes predictions for n pipelines side by side. requests and predictions point to so many gowarp_request and gowarp_prediction. What is wrong with a pipeline, a panic included, is
// told when it is scheduled.
func Predict(requests, predictions unsafe.Pointer, n int, of func(Request) (Prediction, error)) {
	reqs, out := unsafe.Slice((*C.gowarp_request)(requests), n), unsafe.Slice((*C.gowarp_prediction)(predictions), n)
	workers.Each(n, func(i int) {
		out[i] = C.gowarp_prediction{cost: -1}
		defer func() { _ = recover() }()
		p, err := of(decode(&reqs[i]))
		if err != nil {
			return
		}
		out[i].cost = C.double(p.Cost)
		if p.Found != nil {
			out[i].found = C.uintptr_t(cgo.NewHandle(p.Found))
		}
	})
}

// Forget ends a prediction.
func Forget(found uintptr) { cgo.Handle(found).Delete() }

// Code is what came of a schedule of which something was wanted.
type Code struct {
	Text string
	Why  string // why it is not there
}

// FaultKind is what is wrong with a kernel.
type FaultKind int32

// The kinds of fault.
const (
	KernelDiffers FaultKind = C.gowarp_kernel_differs // it is another than was expected
	Unneeded      FaultKind = C.gowarp_unneeded       // Halide needs no point of the Func at the estimated sizes
	Torn          FaultKind = C.gowarp_torn           // an operation that was to be atomic is not
	Unproven      FaultKind = C.gowarp_unproven       // Halide cannot prove that the extents of the Func that the schedule says do
	Unbounded     FaultKind = C.gowarp_unbounded      // with the Func inlined Halide finds no bounds of what it reads
)

// Fault is what a check found wrong with an answer.
type Fault struct {
	Func int // whose kernel, or -1 for the schedule as a whole
	Kind FaultKind
}

func (f Fault) String() string {
	return fmt.Sprint(f.Func) + [...]string{"", " unneeded", " torn", " unproven", " unbounded"}[f.Kind]
}

// Answer is what it gets: directives for the pipeline, and the same as Halide C++ and for
// people.
type Answer struct {
	Pipeline   *halideir.Pipeline
	Number     int // by which Taken knows it
	Directives []schedule.Directive
	Source     string
	Listing    string
	Check      bool // compare what Halide makes of it with Kernels and Needs
	Kernels    []Kernel
	Needs      []Need
	None       bool   // there is no runner-up; the rest is not set
	Wanted     Wanted // if not Nothing, this is no answer yet: C++ is to ask again with what Directives give
	Warning    string // for the user, a line each
}

// Kernel is a launch that the schedule's author expects, at the estimated sizes.
type Kernel struct {
	Func, Stage     int
	Blocks, Threads [3]int64
	SharedBytes     int64
	SharedExact     bool  // false: Halide sizes it at run time, SharedBytes is the most
	SharedMost      int64 // up to which it may be more all the same; at most SharedBytes: no more
	GlobalScratch   bool  // what belongs to a block may be in global memory
	Launches        int64 // iterations of the host's loops around it; 0 is 1
}

// Need is the points of an input that are read along one dimension, at the estimated sizes.
type Need struct {
	Input, Dim int
	Min, Max   int64
}

// Serve answers one request: the first of a pipeline begins a session, which ends by End. An error, a panic included,
// is handed to C++ as text. request and reply point to a gowarp_request and a
// gowarp_reply. It returns 0, or 1 after an error.
func Serve(request, reply unsafe.Pointer, begin func(Request) (Session, error)) (code int) {
	req, out := (*C.gowarp_request)(request), (*C.gowarp_reply)(reply)
	fail := func(msg string) int {
		out.error = C.CString(msg)
		return 1
	}
	defer func() {
		if r := recover(); r != nil {
			code = fail(panicked(r))
		}
	}()
	answer, err := next(req, out, begin)
	if err != nil {
		return fail(message(err))
	}
	if answer.None {
		out.none = 1
		return 0
	}
	flat, err := flatten(answer.Pipeline, answer.Directives)
	if err != nil {
		return fail(message(err))
	}
	encode(out, flat)
	encodeKernels(out, answer.Kernels)
	encodeNeeds(out, answer.Needs)
	out.source, out.listing = C.CString(answer.Source), C.CString(answer.Listing)
	out.number = C.int32_t(answer.Number)
	out.check, out.compile, out.warning = boolean(answer.Check), C.int32_t(answer.Wanted), cstring(answer.Warning)
	return 0
}

// panicked is the text of a panic.
func panicked(r any) string { return fmt.Sprintf("gowarp: internal error: %v\n%s", r, debug.Stack()) }

// next is what the request's session, which may have to begin, answers to it.
func next(req *C.gowarp_request, out *C.gowarp_reply, begin func(Request) (Session, error)) (Answer, error) {
	if req.session == 0 {
		s, err := begin(decode(req))
		if err != nil {
			return Answer{}, err
		}
		out.session = C.uintptr_t(cgo.NewHandle(s))
		return s.First()
	}
	s := cgo.Handle(req.session).Value().(Session)
	if c := req.code; c != nil {
		if c.text == nil {
			return s.Compiled(Code{Why: C.GoString(c.why)})
		}
		return s.Compiled(Code{Text: C.GoString(c.text)})
	}
	faults := make([]Fault, req.num_faults)
	for i, f := range unsafe.Slice(req.faults, len(faults)) {
		faults[i] = Fault{int(f._func), FaultKind(f.kind)}
	}
	return s.RunnerUp(faults)
}

// Taken tells a session which of its answers was applied. It returns what is wrong as a C string that the caller frees, or nil; a panic
// is such a text too.
func Taken(session uintptr, answer int) (wrong unsafe.Pointer) {
	defer func() {
		if r := recover(); r != nil {
			wrong = unsafe.Pointer(C.CString(panicked(r)))
		}
	}()
	if err := cgo.Handle(session).Value().(Session).Taken(answer); err != nil {
		return unsafe.Pointer(C.CString(message(err)))
	}
	return nil
}

// End ends a session.
func End(session uintptr) { cgo.Handle(session).Delete() }

func decode(req *C.gowarp_request) Request {
	out := Request{
		JSON:    unsafe.Slice((*byte)(unsafe.Pointer(req.json)), int(req.json_bytes)),
		Params:  params(req),
		Verbose: int(req.verbose),
	}
	if req.found != 0 {
		out.Found = cgo.Handle(req.found).Value()
	}
	return out
}

// Params are the parameters of a gowarp_request.
func Params(request unsafe.Pointer) map[string]string { return params((*C.gowarp_request)(request)) }

func params(req *C.gowarp_request) map[string]string {
	out := map[string]string{}
	n := int(req.num_params)
	keys, values := unsafe.Slice(req.keys, n), unsafe.Slice(req.values, n)
	for i := range n {
		out[C.GoString(keys[i])] = C.GoString(values[i])
	}
	return out
}

func encodeKernels(out *C.gowarp_reply, ks []Kernel) {
	if len(ks) == 0 {
		return
	}
	out.kernels = (*C.gowarp_kernel)(C.calloc(C.size_t(len(ks)), C.sizeof_gowarp_kernel))
	out.num_kernels = C.int32_t(len(ks))
	for i, c := range unsafe.Slice(out.kernels, len(ks)) {
		k := &ks[i]
		c._func, c.stage = C.int32_t(k.Func), C.int32_t(k.Stage)
		for d := range 3 {
			c.blocks[d], c.threads[d] = C.int64_t(k.Blocks[d]), C.int64_t(k.Threads[d])
		}
		c.shared_bytes, c.shared_exact, c.shared_most, c.global_scratch = C.int64_t(k.SharedBytes), boolean(k.SharedExact), C.int64_t(k.SharedMost), boolean(k.GlobalScratch)
		c.launches = C.int64_t(max(k.Launches, 1))
		unsafe.Slice(out.kernels, len(ks))[i] = c
	}
}

func encodeNeeds(out *C.gowarp_reply, ns []Need) {
	if len(ns) == 0 {
		return
	}
	out.needs = (*C.gowarp_need)(C.calloc(C.size_t(len(ns)), C.sizeof_gowarp_need))
	out.num_needs = C.int32_t(len(ns))
	for i, n := range ns {
		unsafe.Slice(out.needs, len(ns))[i] = C.gowarp_need{input: C.int32_t(n.Input), dim: C.int32_t(n.Dim), min: C.int64_t(n.Min), max: C.int64_t(n.Max)}
	}
}

func boolean(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// encode allocates with malloc: gowarp_reply_free frees every part.
func encode(out *C.gowarp_reply, ds []flatDirective) {
	if len(ds) == 0 {
		return
	}
	array := (*C.gowarp_directive)(C.calloc(C.size_t(len(ds)), C.sizeof_gowarp_directive))
	out.directives, out.num_directives = array, C.int32_t(len(ds))
	for i, c := range unsafe.Slice(array, len(ds)) {
		d := &ds[i]
		c.op = C.CString(d.op)
		c._func, c.stage = C.int32_t(d.fn), C.int32_t(d.stage)
		c.n = C.int64_t(d.n)
		c.offset = C.int64_t(d.offset)
		c.tail, c.memory = cstring(d.tail), cstring(d.memory)
		c.at_func, c.at_stage = C.int32_t(d.atFunc), C.int32_t(d.atStage)
		c.at_var = cstring(d.atVar)
		c.special = boolean(d.special)
		if len(d.multiples) > 0 {
			c.multiples = (*C.int64_t)(C.calloc(C.size_t(len(d.multiples)), C.sizeof_int64_t))
			for k, m := range d.multiples {
				unsafe.Slice(c.multiples, len(d.multiples))[k] = C.int64_t(m)
			}
		}
		if len(d.vars) > 0 {
			c.vars = (**C.char)(C.calloc(C.size_t(len(d.vars)), C.size_t(unsafe.Sizeof(uintptr(0)))))
			c.num_vars = C.int32_t(len(d.vars))
			for k, v := range d.vars {
				unsafe.Slice(c.vars, len(d.vars))[k] = C.CString(v)
			}
		}
		unsafe.Slice(array, len(ds))[i] = c
	}
}

func cstring(s string) *C.char {
	if s == "" {
		return nil
	}
	return C.CString(s)
}
