//go:build halide

// Command collector is an autoscheduler for Halide, as bridge/plugin is, that schedules nothing anybody wants: of the pipeline that it is
// handed it tries schedules, the default's and then drawn ones, has each run on the simulator, and adds a line for each kernel that was not counted yet to a file. It stops when
// it has so many, or after so many seconds; the next run goes on.
package main

// #include <stdint.h>
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"
	"unsafe"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/profile"
	"gowarp/benchmarks/instructions/candidate"
	"gowarp/benchmarks/textfile"
	"gowarp/bridge/abi"
	_ "gowarp/bridge/halidecc" // registers the autoscheduler
	"gowarp/gpusim/replay"
	"gowarp/halideir"
	"gowarp/internal/ptxas"
)

func init() { debug.SetGCPercent(400) }

func main() {} // buildmode=c-shared asks for it and never calls it

//export gowarp_schedule
func gowarp_schedule(request, reply unsafe.Pointer) C.int {
	return C.int(abi.Serve(request, reply, begin))
}

// Definitions are changed before the export as the plugin changes them.
//
//export gowarp_changes
func gowarp_changes(request unsafe.Pointer) C.int {
	return C.int(abi.Changes(autoscheduler.ChangesOf(of(abi.Params(request)))).Bits())
}

//export gowarp_predict
func gowarp_predict(requests, predictions unsafe.Pointer, n C.int32_t) {
	abi.Predict(requests, predictions, int(n), func(req abi.Request) (abi.Prediction, error) {
		p, err := autoscheduler.Predict(req.JSON, of(req.Params))
		if err != nil {
			return abi.Prediction{}, err
		}
		return abi.Prediction{Cost: p.Cost}, nil
	})
}

// of are the parameters of the autoscheduler itself.
func of(given map[string]string) map[string]string { return map[string]string{"gpu": given["gpu"]} }

//export gowarp_end
func gowarp_end(session C.uintptr_t) { abi.End(uintptr(session)) }

// session collects of one pipeline.
type session struct {
	p       *halideir.Pipeline
	program string
	out     string
	params  autoscheduler.Params // of the default
	keep    string               // a folder for the records of trials; "" for none
	want    int
	until   time.Time
	known   map[string]bool // keys
	counted int
	first   []*autoscheduler.Result // trials before any draw
	drawn   uint64
	trial   *autoscheduler.Result // that runs
	byRule  bool                  // the trial is the default's own
}

// seed is that of the draws.
const seed = 1

// mostDraws in a row without a kernel that is new, and the program has no more.
const mostDraws = 200

func begin(req abi.Request) (abi.Session, error) {
	s := &session{program: req.Params["program"], out: req.Params["out"], keep: req.Params["keep"], known: map[string]bool{}}
	want, err := strconv.Atoi(req.Params["want"])
	seconds, err2 := strconv.ParseFloat(req.Params["seconds"], 64)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	s.want, s.until = want, time.Now().Add(time.Duration(seconds*float64(time.Second)))
	if err := os.WriteFile(req.Params["pipeline"], req.JSON, 0o666); err != nil {
		return nil, err
	}
	if s.p, err = halideir.Decode(req.JSON); err != nil {
		return nil, err
	}
	if s.params, err = autoscheduler.ParseParams(of(req.Params)); err != nil {
		return nil, err
	}
	old, err := candidate.Read(s.out)
	if err != nil {
		return nil, err
	}
	if len(old) > 0 { // without the end of a line that a process was killed in
		if err := textfile.ReplaceLines(s.out, old); err != nil {
			return nil, err
		}
	}
	for i := range old {
		s.known[old[i].Key] = true
		if old[i].Counted != nil {
			s.counted++
		}
	}
	own, err := autoscheduler.NewSession(s.p, s.params, false).Unjoined()
	if err != nil {
		return nil, err
	}
	judged := s.params
	judged.Search = "sim"
	trials, err := autoscheduler.NewSession(s.p, judged, false).Trials()
	if err != nil {
		return nil, err
	}
	s.first = append([]*autoscheduler.Result{own}, trials...)
	s.byRule = true
	return s, nil
}

// First implements abi.Session.
func (s *session) First() (abi.Answer, error) {
	for {
		r, err := s.next()
		if err != nil {
			return abi.Answer{}, err
		}
		if r == nil {
			break
		}
		s.trial = r
		if s.isNew(r) {
			return abi.Answer{Pipeline: s.p, Directives: r.Schedule.Directives, Wanted: abi.Record}, nil
		}
		s.byRule = false
	}
	// Whatever is quick to write down.
	plain := s.params
	plain.Mode, plain.Fusion, plain.Tiling, plain.Cost, plain.Grouping, plain.Check = "autogpu", "none", "block", "listing1", "greedy", "0"
	r, err := autoscheduler.NewSession(s.p, plain, false).First()
	if err != nil {
		return abi.Answer{}, err
	}
	return abi.Answer{Pipeline: s.p, Directives: r.Schedule.Directives, Source: r.Schedule.CPlusPlus(s.p)}, nil
}

// next is the next schedule; nil at the end.
func (s *session) next() (*autoscheduler.Result, error) {
	if s.counted >= s.want || time.Now().After(s.until) {
		return nil, nil
	}
	if len(s.first) > 0 {
		r := s.first[0]
		s.first = s.first[1:]
		return r, nil
	}
	for range mostDraws {
		r, err := autoscheduler.Draw(s.p, s.params, seed, s.drawn)
		s.drawn++
		if err != nil {
			return nil, err
		}
		if s.isNew(r) {
			return r, nil
		}
	}
	return nil, nil
}

// isNew reports whether a schedule has a kernel that is not known yet.
func (s *session) isNew(r *autoscheduler.Result) bool {
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if !k.Host && !s.known[candidate.Key(r.Problem, k)] {
				return true
			}
		}
	}
	return false
}

// Compiled implements abi.Session.
func (s *session) Compiled(code abi.Code) (abi.Answer, error) {
	var kernels []replay.Kernel
	fault := code.Why
	if code.Text != "" {
		var err error
		if kernels, err = replay.Run(code.Text, replay.Defaults); err != nil {
			fault = err.Error()
		}
	}
	if s.keep != "" {
		if err := os.WriteFile(filepath.Join(s.keep, fmt.Sprintf("%s-%d.record", s.program, len(s.known))), []byte(code.Text), 0o666); err != nil {
			return abi.Answer{}, err
		}
	}
	if err := s.add(kernels, fault); err != nil {
		return abi.Answer{}, err
	}
	s.byRule = false
	return s.First()
}

// Taken implements abi.Session.
func (*session) Taken(int) error { return nil }

// RunnerUp implements abi.Session.
func (*session) RunnerUp([]abi.Fault) (abi.Answer, error) { return abi.Answer{None: true}, nil }

// add writes the lines of a trial.
func (s *session) add(kernels []replay.Kernel, fault string) error {
	f, err := os.OpenFile(s.out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	r := s.trial
	for i, found := range r.Found {
		for _, k := range found.Layout.Kernels {
			key := candidate.Key(r.Problem, k)
			if k.Host || s.known[key] {
				continue
			}
			s.known[key] = true
			fn := &r.Problem.P.Funcs[k.Out.Func]
			c := candidate.Candidate{
				Program: s.program, Kernel: profile.Name(fn.Label, k.Out.Stage), Key: key, Default: s.byRule,
				Way: autoscheduler.WayOf(r, r.Groups[i], k), Grid: k.Grid, Block: k.Block, Shared: k.SharedBytes, Fault: fault,
			}
			if fault == "" {
				c.Counted, c.Fault = counts(kernels, fn.Name, k.Out.Stage, k.Tiles(), k.ThreadsPerBlock())
			}
			if c.Counted != nil {
				s.counted++
			}
			line, err := json.Marshal(&c)
			if err != nil {
				return err
			}
			if _, err := f.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

// counts are those of a stage's kernels, of which with a special case one of two ran; and why there are none.
func counts(kernels []replay.Kernel, fn string, stage int, blocks, threads int64) (*candidate.Counts, string) {
	for i := range kernels {
		k := &kernels[i]
		switch {
		case !ptxas.Of(k.Name, fn, stage):
		case k.Fault != "":
			return nil, k.Fault
		case k.Count.Blocks != blocks || k.Count.Threads != blocks*threads:
			return nil, fmt.Sprintf("%d blocks and %d threads ran, of %d and %d that were laid out", k.Count.Blocks, k.Count.Threads, blocks, blocks*threads)
		default:
			c := candidate.Of(&k.Count)
			return &c, ""
		}
	}
	return nil, "no kernel of that name ran"
}
