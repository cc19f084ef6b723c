//go:build halide

// Command scripted is an autoscheduler for tests: it hands the applier the
// directives of a schedule file, right or wrong, without looking at them.
package main

import "C"

import (
	"encoding/json"
	"errors"
	"os"
	"unsafe"

	"gowarp/bridge/abi"
	_ "gowarp/bridge/halidecc"
	"gowarp/halideir"
	"gowarp/halideir/schedule"
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
		data, err := os.ReadFile(req.Params["script"])
		if err != nil {
			return abi.Answer{}, err
		}
		var directives []schedule.Directive
		if err := json.Unmarshal(data, &directives); err != nil {
			return abi.Answer{}, err
		}
		return abi.Answer{Pipeline: p, Directives: directives, Source: "// scripted\n"}, nil
	}))
}
