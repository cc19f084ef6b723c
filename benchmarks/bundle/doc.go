// Package bundle makes a directory that measures schedules on a machine with a GPU and
// nothing else: no Halide, no compiler, no network. It holds every program as each scheduler
// made it, compiled ahead of time, every program for the CPU to compare with, and what runs
// them (package run, and cxx/worker.cc).
//
// It knows programs and schedulers as package bench does. It does not know whether there is
// a GPU, and it measures nothing.
package bundle
