// Package replay runs on the simulator what a host asked of a CUDA driver, from a record of it: the launches of one run of a pipeline, with the
// PTX, the allocations and the copies that they need. It is for counting, not for results: inputs are made up, and of a large launch only a sample of blocks
// runs, so that a record takes a second whatever the size of its images.
//
// A record is text, written by the driver in bridge/halidecc/recorder.cc. A line is an order:
//
//	module N                            a text of PTX of N bytes follows, and a newline
//	alloc ADDRESS N                     N bytes are allocated; ADDRESS is what Memory.Alloc of package exec gives
//	free ADDRESS
//	fill ADDRESS N TYPE FIRST           N bytes from byte FIRST on of an input whose elements are of a type, as float32
//	write ADDRESS HEX                   bytes
//	zero ADDRESS N                      N bytes that the host computed and that are too many to be recorded
//	copy TO FROM N                      within the device
//	launch KERNEL GX GY GZ BX BY BZ SHARED PARAM...   parameters as bytes
//
// Addresses and bytes are hexadecimal, all other numbers decimal.
//
// It knows neither Halide nor schedules.
package replay
