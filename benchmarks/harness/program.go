package harness

// HalideProgram compiles a C++ program that uses Halide in its own process (JIT) and
// returns its path.
func (t *Tree) HalideProgram(source string) (string, error) {
	return t.halideCxx("program", t.Path(source), "program",
		[]string{"-L" + t.Halide("lib64"), "-lHalide", "-Wl,-rpath," + t.Halide("lib64")})
}

// RunTool runs a program in the root of the checkout and returns what it printed, errors
// included.
func (t *Tree) RunTool(env []string, program string, args ...string) (string, error) {
	return t.run(env, program, args...)
}
