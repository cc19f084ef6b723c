//go:build halide

// Package halidecc is the C++ half of the bridge: the only code that sees
// Halide's data structures. Its C++ writes a pipeline as JSON (export.cc, with
// graph.cc, nodes.cc, boxes.cc, indexing.cc, scheduled.cc and target.cc), applies directives
// to Funcs (apply.cc), moves registers of lanes into shared memory (demote.cc, with lanekernel.cc, lanebody.cc, straight.cc, order.cc and shuffle.cc), orders what lanes do (demandorder.cc, with demand.cc, sharing.cc, interior.cc and addresses.cc), compares what Halide makes of them with what was expected (check.cc,
// with launches.cc, sizes.cc and forked.cc), says what device code comes of them (code.cc) and what a run of them asks of the driver (record.cc, recorder.cc),
// chooses among answers by the check (choose.cc), looks through Funcs that compute places (indexfuncs.cc), writes short reductions out (writeout.cc), has updates take over pure definitions (fuseinit.cc), and registers the autoscheduler (register.cc).
//
// It is a leaf: it imports nothing, knows no cost and no strategy, and decides
// nothing. The Go half, package plugin, answers its one question through
// gowarp_abi.h.
package halidecc

// #cgo pkg-config: halide
// #cgo CXXFLAGS: -std=c++17 -O2 -fvisibility=hidden -I${SRCDIR}/../abi
import "C"

// With buildmode=c-shared the go command caches the C++ of a package only if
// the package exports something.
//
//export gowarp_halidecc_present
func gowarp_halidecc_present() C.int { return 1 }
