//go:build halide

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"gowarp/autoscheduler"
	"gowarp/bridge/abi"
	"gowarp/gpusim/replay"
	"gowarp/internal/answers"
)

// countsFormat is part of every key.
const countsFormat = "gowarp sim 1"

// bySim is the judge of search=sim.
type bySim struct {
	dir     string
	version string // of gowarp: the digest of the plugin, which holds the recorder and the simulator
	options replay.Options
}

func newBySim() (*bySim, error) {
	plugin, err := os.ReadFile(self())
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(plugin)
	return &bySim{dir: answers.Dir("sim"), version: hex.EncodeToString(sum[:]), options: replay.Defaults}, nil
}

func (j *bySim) wants() abi.Wanted { return abi.Record }

// fatal: whoever has no counts has the cost still.
func (j *bySim) fatal() bool { return false }

// key: the text of the pipeline has the sizes and the version of Halide.
func (j *bySim) key(pipeline, schedule string, sm int) string {
	return answers.Key(countsFormat, pipeline, schedule, j.version, fmt.Sprint(sm, j.options))
}

func (j *bySim) kept(s *autoscheduler.Session, trial *autoscheduler.Result, key string) bool {
	counted, ok := answers.Get[[]autoscheduler.Counted](j.dir, key)
	if ok {
		s.Counted(trial, counted)
	}
	return ok
}

func (j *bySim) take(s *autoscheduler.Session, trial *autoscheduler.Result, key, text string) (notes []string, unkept, err error) {
	kernels, err := replay.Run(text, j.options)
	if err != nil {
		return nil, nil, err
	}
	var counted []autoscheduler.Counted
	for i := range kernels {
		if k := &kernels[i]; k.Fault == "" {
			counted = append(counted, autoscheduler.Counted{Kernel: k.Name, Count: k.Count})
		} else {
			notes = append(notes, fmt.Sprintf("%s could not be counted: %s", k.Name, k.Fault))
		}
	}
	if len(counted) == 0 {
		return nil, nil, errors.New(strings.Join(append([]string{"nothing was counted"}, notes...), "; "))
	}
	s.Counted(trial, counted)
	return notes, answers.Put(j.dir, key, counted), nil
}
