//go:build halide

package main

// #cgo LDFLAGS: -ldl
// #define _GNU_SOURCE
// #include <dlfcn.h>
// static const char *where(void *symbol) { Dl_info i; return dladdr(symbol, &i) ? i.dli_fname : ""; }
// extern int gowarp_schedule(void *, void *);
// static const char *self(void) { return where((void *)gowarp_schedule); }
import "C"

import (
	"errors"
	"fmt"
	"path/filepath"

	"gowarp/autoscheduler"
	"gowarp/bridge/abi"
	"gowarp/halideir"
	"gowarp/internal/ptxas"
)

// trials go through the schedules that are to be compiled.
type trials struct {
	session *autoscheduler.Session
	all     []*autoscheduler.Result
	at      int // the next one
	path    string
	sm      int
	params  autoscheduler.Params
	cache   ptxas.Cache
	keys    []string // parallel to all
	notes   []string // what people may want to know
}

func newTrials(s *autoscheduler.Session, pipeline []byte, p *halideir.Pipeline, params autoscheduler.Params) (*trials, error) {
	t := &trials{session: s, params: params, path: ptxas.Find(filepath.Dir(C.GoString(C.self()))), cache: ptxas.DefaultCache()}
	if t.path == "" {
		return nil, errors.New("autoscheduler: search=ptxas: there is no ptxas beside the plugin or on PATH; install NVIDIA's (it comes with CUDA, and as the Python package nvidia-cuda-nvcc-cu12), or leave search away")
	}
	version, err := ptxas.Version(t.path)
	if err != nil {
		return nil, fmt.Errorf("autoscheduler: search=ptxas: %w", err)
	}
	if t.all, err = s.Trials(); err != nil {
		return nil, err
	}
	for _, r := range t.all {
		t.sm = max(r.Problem.Device.Capability, p.Target.CUDACapability) // what the code is for runs on nothing older
		t.keys = append(t.keys, ptxas.Key(string(pipeline), string(r.Schedule.JSON()), version, fmt.Sprint(t.sm, params.MaxRegisters)))
	}
	return t, nil
}

// next is the next trial whose code is wanted; nil if there is none.
func (t *trials) next() (*autoscheduler.Result, error) {
	for ; t.at < len(t.all); t.at++ {
		uses, kept := t.cache.Get(t.keys[t.at])
		if !kept {
			return t.all[t.at], nil
		}
		t.session.Compiled(t.all[t.at], uses)
	}
	return nil, nil
}

// take takes in the code of the trial that next wanted.
func (t *trials) take(code abi.Code) error {
	at := t.at
	t.at++
	if code.Text == "" {
		t.notes = append(t.notes, fmt.Sprintf("search=ptxas: trial %d was not compiled: %s", at+1, code.Why))
		return nil
	}
	uses, err := ptxas.Compile(t.path, code.Text, t.sm, t.params.MaxRegisters)
	if err != nil {
		return fmt.Errorf("autoscheduler: search=ptxas: %w", err)
	}
	if err := t.cache.Put(t.keys[at], uses); err != nil {
		t.notes = append(t.notes, fmt.Sprintf("search=ptxas: nothing is kept for the next time: %v", err))
	}
	t.session.Compiled(t.all[at], uses)
	return nil
}
