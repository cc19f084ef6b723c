// Package occupancy knows GPUs: what a device offers, and how many blocks of
// a kernel one of its multiprocessors can hold at once.
//
// It answers three questions a scheduler asks. Which device does this name
// mean, and what are its limits? ([Lookup], [ForCapability], [Generic].) How
// much of a multiprocessor does a block of so many threads, registers and
// shared bytes keep busy, and which resource stops there being more?
// ([Device.Occupancy].) What is the smallest change that would admit more?
// ([Device.Reliefs], [Device.MaxRegisters], [Device.MaxShared].)
//
// On CUDA devices the calculator gives what NVIDIA's own cuda_occupancy.h
// gives, block for block and limiting factor for limiting factor; a test
// compares the two over a dense grid for every compute capability the header
// knows.
//
// It does not know what a pipeline, a stage or a schedule is, what a kernel
// costs, nor how many registers a compiler will give it: registers per thread
// are the caller's estimate. It never looks at the machine it runs on, so a
// schedule for an H200 can be made on a laptop.
package occupancy
