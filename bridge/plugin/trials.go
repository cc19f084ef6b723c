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
	"fmt"

	"gowarp/autoscheduler"
	"gowarp/bridge/abi"
	"gowarp/halideir"
)

// self is the path of the plugin.
func self() string { return C.GoString(C.self()) }

// trials go through the schedules that are to be judged.
type trials struct {
	session *autoscheduler.Session
	search  string // the parameter
	judge   judge
	all     []*autoscheduler.Result
	at      int      // the next one
	keys    []string // parallel to all
	judged  int
	notes   []string // what people may want to know
	failed  string   // why the first that failed did
	unkept  error    // why what was said of one is not kept for the next time
}

// judge says something of what comes of a schedule, and keeps it.
type judge interface {
	// wants is what it has to be given of a trial.
	wants() abi.Wanted
	// key is that of what it says of a trial; version changes where the same code would be judged otherwise.
	key(pipeline, schedule string, sm int) string
	// kept has the session take in what it said before, if that is known.
	kept(s *autoscheduler.Session, trial *autoscheduler.Result, key string) bool
	// take has the session take in what it says. The notes are what people may want to know; unkept is why it is not kept for the next time.
	take(s *autoscheduler.Session, trial *autoscheduler.Result, key, text string) (notes []string, unkept, err error)
	// fatal reports whether it must not be done without.
	fatal() bool
}

func newTrials(s *autoscheduler.Session, pipeline []byte, p *halideir.Pipeline, params autoscheduler.Params) (*trials, error) {
	t := &trials{session: s, search: params.Search}
	var err error
	if params.Search == "sim" {
		t.judge, err = newBySim()
	} else {
		t.judge, err = newByPtxas(params)
	}
	if err != nil {
		return nil, t.message(err)
	}
	if t.all, err = s.Trials(); err != nil {
		return nil, err
	}
	for _, r := range t.all {
		sm := max(r.Problem.Device.Capability, p.Target.CUDACapability) // what the code is for runs on nothing older
		t.keys = append(t.keys, t.judge.key(string(pipeline), string(r.Schedule.JSON()), sm))
	}
	return t, nil
}

func (t *trials) message(err error) error {
	return fmt.Errorf("autoscheduler: search=%s: %w", t.search, err)
}

// next is the next trial of which something is wanted; nil if there is none.
func (t *trials) next() *autoscheduler.Result {
	for ; t.at < len(t.all); t.at++ {
		if !t.judge.kept(t.session, t.all[t.at], t.keys[t.at]) {
			return t.all[t.at]
		}
		t.judged++
	}
	return nil
}

// take takes in what came of the trial that next wanted.
func (t *trials) take(code abi.Code) error {
	at := t.at
	t.at++
	if code.Text == "" {
		t.fail(at, code.Why)
		return nil
	}
	notes, unkept, err := t.judge.take(t.session, t.all[at], t.keys[at], code.Text)
	if err != nil && t.judge.fatal() {
		return t.message(err)
	}
	if err != nil {
		t.fail(at, err.Error())
		return nil
	}
	t.judged++
	if t.unkept == nil {
		t.unkept = unkept
	}
	for _, n := range notes {
		t.notes = append(t.notes, fmt.Sprintf("search=%s: %s", t.search, n))
	}
	return nil
}

func (t *trials) fail(at int, why string) {
	if t.failed == "" {
		t.failed = why
	}
	t.notes = append(t.notes, fmt.Sprintf("search=%s: trial %d was not judged: %s", t.search, at+1, why))
}

// warning is what the user is told who asked for a judge and got none, or waits for it at every run.
func (t *trials) warning() string {
	switch {
	case len(t.all) > 0 && t.judged == 0:
		return fmt.Sprintf("search=%s: none of %d trials could be judged; the cost alone has decided. The first: %s", t.search, len(t.all), t.failed)
	case t.unkept != nil:
		return fmt.Sprintf("search=%s: nothing is kept for the next run, which takes as long again: %v; set GOWARP_CACHE to the absolute path of a directory that can be written", t.search, t.unkept)
	}
	return ""
}
