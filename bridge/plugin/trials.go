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
	"slices"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/search"
	"gowarp/bridge/abi"
	"gowarp/halideir"
	"gowarp/internal/ptxas"
)

// compiled is what ptxas says of the trials of a pipeline. Where the code of one is still wanted, that trial is returned instead, with its
// number. notes are what people may want to know.
func compiled(req *abi.Request, p *halideir.Pipeline, params autoscheduler.Params) (by map[string]search.Compiled, wanted *autoscheduler.Result, number int, notes []string, err error) {
	path := ptxas.Find(filepath.Dir(C.GoString(C.self())))
	if path == "" {
		return nil, nil, 0, nil, errors.New("autoscheduler: search=ptxas: there is no ptxas beside the plugin or on PATH; install NVIDIA's (it comes with CUDA, and as the Python package nvidia-cuda-nvcc-cu12), or leave search away")
	}
	version, err := ptxas.Version(path)
	if err != nil {
		return nil, nil, 0, nil, fmt.Errorf("autoscheduler: search=ptxas: %w", err)
	}
	cache := ptxas.DefaultCache()
	by = map[string]search.Compiled{}
	for number = 1; ; number++ {
		r, err := autoscheduler.Trial(p, params, number-1)
		if err != nil {
			return nil, nil, 0, nil, err
		}
		if r == nil {
			return by, nil, 0, notes, nil
		}
		sm := max(r.Problem.Device.Capability, p.Target.CUDACapability) // what the code is for runs on nothing older
		key := ptxas.Key(string(req.JSON), string(r.Schedule.JSON()), version, fmt.Sprint(sm, params.MaxRegisters))
		uses, kept := cache.Get(key)
		if !kept {
			i := slices.IndexFunc(req.Codes, func(c abi.Code) bool { return c.Trial == number })
			if i < 0 {
				return nil, r, number, nil, nil
			}
			code := &req.Codes[i]
			if code.Text == "" {
				notes = append(notes, fmt.Sprintf("search=ptxas: trial %d was not compiled: %s", number, code.Why))
				continue
			}
			if uses, err = ptxas.Compile(path, code.Text, sm, params.MaxRegisters); err != nil {
				return nil, nil, 0, nil, fmt.Errorf("autoscheduler: search=ptxas: %w", err)
			}
			if err := cache.Put(key, uses); err != nil {
				notes = append(notes, fmt.Sprintf("search=ptxas: nothing is kept for the next time: %v", err))
			}
		}
		r.Compiled(uses, by)
	}
}
