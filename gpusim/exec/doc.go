// Package exec runs kernels in PTX, as package ptx reads them, on the CPU: each
// warp in lockstep, its 32 lanes at a time, diverging threads meeting again at
// the immediate post-dominator of the branch. Blocks run in parallel, the warps
// of a block in turns, in an order drawn from a seed.
//
// It checks every access (package check) and counts what a GPU's memory would be
// asked for (package count). Every value carries whether it is defined: data from
// memory that nobody wrote, from registers that nobody set and from lanes that do
// not take part in a shuffle may be computed with, but not decide a branch, form
// an address or leave the device.
//
// It does not know time, caches, or the SASS that ptxas would make of the PTX.
package exec
