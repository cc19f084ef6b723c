//go:build halide

// Command scripted is an autoscheduler for tests: it hands the applier the
// directives of a schedule file, right or wrong, without looking at them. With check=1 they
// are checked against the kernels of the file kernels and the inputs of the file needs; script1 and kernels1 are the first
// runner-up, script2 and kernels2 the second.
package main

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
	return C.int(abi.Serve(request, reply, func(req abi.Request) (abi.Answer, error) {
		if what := req.Params["panic"]; what != "" {
			panic(what)
		}
		if what := req.Params["fail"]; what != "" {
			return abi.Answer{}, errors.New(what)
		}
		p, err := halideir.Decode(req.JSON)
		if err != nil {
			return abi.Answer{}, err
		}
		suffix, source := "", "// scripted\n"
		if n := len(req.Faults); n > 0 {
			suffix, source = fmt.Sprint(n), fmt.Sprintf("// runner-up to %v\n", req.Faults)
		}
		file, ok := req.Params["script"+suffix]
		if !ok {
			return abi.Answer{None: true}, nil
		}
		a := abi.Answer{Pipeline: p, Source: source, Check: req.Params["check"] == "1"}
		if err := read(file, &a.Directives); err != nil {
			return abi.Answer{}, err
		}
		if file, ok := req.Params["kernels"+suffix]; ok {
			err = read(file, &a.Kernels)
		}
		if file, ok := req.Params["needs"+suffix]; ok {
			err = errors.Join(err, read(file, &a.Needs))
		}
		return a, err
	}))
}

func read(file string, v any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}
