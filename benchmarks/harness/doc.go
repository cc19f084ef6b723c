// Package harness takes a Halide generator from source to checked results: it
// compiles the generator, emits a pipeline with or without gowarp, links and runs
// it on arrays, compares outputs, and asks ptxas about the kernels. Tests, the demo
// and the measurements share it.
//
// It knows Halide's command lines and file forms. It does not know how gowarp
// schedules: it meets the plugin only as a shared library, as users do.
package harness
