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
	"runtime/debug"
	"unsafe"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
)

// Request is what C++ asks.
type Request struct {
	JSON    []byte            // the pipeline; valid only during the call
	Params  map[string]string // the autoscheduler's parameters, without their prefix
	Verbose int               // level of HL_DEBUG_AUTOSCHEDULE
}

// Answer is what it gets: directives for the pipeline, and the same as Halide C++.
type Answer struct {
	Pipeline   *halideir.Pipeline
	Directives []schedule.Directive
	Source     string
}

// Serve answers one request by calling schedule. An error, a panic included,
// is handed to C++ as text. request and reply point to a gowarp_request and a
// gowarp_reply. It returns 0, or 1 after an error.
func Serve(request, reply unsafe.Pointer, schedule func(Request) (Answer, error)) (code int) {
	req, out := (*C.gowarp_request)(request), (*C.gowarp_reply)(reply)
	fail := func(msg string) int {
		out.error = C.CString(msg)
		return 1
	}
	defer func() {
		if r := recover(); r != nil {
			code = fail(fmt.Sprintf("gowarp: internal error: %v\n%s", r, debug.Stack()))
		}
	}()
	answer, err := schedule(decode(req))
	if err != nil {
		return fail(message(err))
	}
	flat, err := flatten(answer.Pipeline, answer.Directives)
	if err != nil {
		return fail(message(err))
	}
	encode(out, flat)
	out.source = C.CString(answer.Source)
	return 0
}

func decode(req *C.gowarp_request) Request {
	r := Request{
		JSON:    unsafe.Slice((*byte)(unsafe.Pointer(req.json)), int(req.json_bytes)),
		Params:  map[string]string{},
		Verbose: int(req.verbose),
	}
	n := int(req.num_params)
	keys, values := unsafe.Slice(req.keys, n), unsafe.Slice(req.values, n)
	for i := range n {
		r.Params[C.GoString(keys[i])] = C.GoString(values[i])
	}
	return r
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
		c.tail, c.memory = cstring(d.tail), cstring(d.memory)
		c.at_func, c.at_stage = C.int32_t(d.atFunc), C.int32_t(d.atStage)
		c.at_var = cstring(d.atVar)
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
