//go:build halide

package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"gowarp/autoscheduler"
	"gowarp/bridge/abi"
	"gowarp/internal/ptxas"
)

// byPtxas is the judge of search=ptxas.
type byPtxas struct {
	path, version string
	maxRegisters  int
	cache         ptxas.Cache
	sm            int // of the last key
}

func newByPtxas(params autoscheduler.Params) (*byPtxas, error) {
	j := &byPtxas{path: ptxas.Find(filepath.Dir(self())), maxRegisters: params.MaxRegisters, cache: ptxas.DefaultCache()}
	if j.path == "" {
		return nil, errors.New("there is no ptxas beside the plugin or on PATH; install NVIDIA's (it comes with CUDA, and as the Python package nvidia-cuda-nvcc-cu12), or leave search away")
	}
	var err error
	j.version, err = ptxas.Version(j.path)
	return j, err
}

func (j *byPtxas) wants() abi.Wanted { return abi.DeviceCode }

func (j *byPtxas) fatal() bool { return true }

func (j *byPtxas) key(pipeline, schedule string, sm int) string {
	j.sm = sm
	return ptxas.Key(pipeline, schedule, j.version, fmt.Sprint(sm, j.maxRegisters))
}

func (j *byPtxas) kept(s *autoscheduler.Session, trial *autoscheduler.Result, key string) bool {
	uses, ok := j.cache.Get(key)
	if ok {
		s.Compiled(trial, uses)
	}
	return ok
}

func (j *byPtxas) take(s *autoscheduler.Session, trial *autoscheduler.Result, key, text string) (notes []string, unkept, err error) {
	uses, err := ptxas.Compile(j.path, text, j.sm, j.maxRegisters)
	if err != nil {
		return nil, nil, err
	}
	s.Compiled(trial, uses)
	return nil, j.cache.Put(key, uses), nil
}
