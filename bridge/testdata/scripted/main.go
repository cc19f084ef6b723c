//go:build halide

// Command scripted is an autoscheduler for tests: it hands the applier the
// directives of a schedule file, right or wrong, without looking at them. With check=1 they
// are checked against the kernels of the file kernels and the inputs of the file needs; script1 and kernels1 are the first
// runner-up, script2 and kernels2 the second. With taken=TEXT that text is the error of the answer that is taken.
package main

// #include <stdint.h>
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"gowarp/bridge/abi"
	_ "gowarp/bridge/halidecc"
	"gowarp/halideir"
)

func main() {}

//export gowarp_schedule
func gowarp_schedule(request, reply unsafe.Pointer) C.int {
	return C.int(abi.Serve(request, reply, func(req abi.Request) (abi.Session, error) {
		if what := req.Params["panic"]; what != "" {
			panic(what)
		}
		if what := req.Params["fail"]; what != "" {
			return nil, errors.New(what)
		}
		p, err := halideir.Decode(req.JSON)
		return &script{p: p, params: req.Params, verbose: req.Verbose}, err
	}))
}

//export gowarp_end
func gowarp_end(session C.uintptr_t) { abi.End(uintptr(session)) }

//export gowarp_taken
func gowarp_taken(session C.uintptr_t, answer C.int32_t) *C.char {
	return (*C.char)(abi.Taken(uintptr(session), int(answer)))
}

// script is a session that answers from files.
type script struct {
	p       *halideir.Pipeline
	params  map[string]string
	verbose int
	faults  [][]abi.Fault
}

func (s *script) First() (abi.Answer, error) {
	suffix, source := "", "// scripted\n"
	if n := len(s.faults); n > 0 {
		suffix, source = fmt.Sprint(n), fmt.Sprintf("// runner-up to %v\n", s.faults)
	}
	file, ok := s.params["script"+suffix]
	if !ok {
		return abi.Answer{None: true}, nil
	}
	a := abi.Answer{Pipeline: s.p, Number: len(s.faults), Source: source, Check: s.params["check"] == "1"}
	err := read(file, &a.Directives)
	if err != nil {
		return abi.Answer{}, err
	}
	if file, ok := s.params["kernels"+suffix]; ok {
		err = read(file, &a.Kernels)
	}
	if file, ok := s.params["needs"+suffix]; ok {
		err = errors.Join(err, read(file, &a.Needs))
	}
	return a, err
}

func (s *script) RunnerUp(faults []abi.Fault) (abi.Answer, error) {
	s.faults = append(s.faults, faults)
	return s.First()
}

func (s *script) Compiled(abi.Code) (abi.Answer, error) {
	return abi.Answer{}, errors.New("nothing was to be compiled")
}

func (s *script) Taken(answer int) error {
	if s.verbose > 0 {
		fmt.Fprintf(os.Stderr, "scripted: answer %d is taken\n", answer)
	}
	if what := s.params["taken"]; what != "" {
		return errors.New(what)
	}
	return nil
}

func read(file string, v any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}
