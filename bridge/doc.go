// Package bridge stands for everything that knows Halide:
//
//	halidecc   C++: the pipeline out as JSON, directives in, the registration
//	abi        Go: the C structs between the two languages
//	plugin     Go: the shared library that Halide loads
//	preload    C: HL_AUTOSCHEDULER for generators that know nothing of gowarp
//
// It holds no code itself; its tests run the built libraries in real generators.
package bridge
