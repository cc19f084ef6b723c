// Package ptx reads PTX, the assembly in which Halide hands kernels to the CUDA
// driver, into a typed form: modules, functions, instructions with resolved
// registers and labels, basic blocks and their immediate post-dominators.
//
// It knows the grammar of the part of PTX that Halide's compiler and libdevice
// emit. It does not know what an opcode computes: an instruction with an opcode
// that nobody can execute still parses, and package exec refuses it by its line.
package ptx
