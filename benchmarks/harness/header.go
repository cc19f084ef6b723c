package harness

import (
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
)

// againstHalide counts the C++ files that this process compiled against Halide.h.
var againstHalide atomic.Int64

// fewFiles is how many of them take less time as they are than with Halide.h precompiled
// first: that takes 10 s, and saves a file 3 of 5.
const fewFiles = 3

// halideFlags are those of everything that is compiled against Halide.h, so that one header precompiled serves
// all: -fno-rtti because the wheel's libHalide_GenGen.a is compiled so.
func (t *Tree) halideFlags() []string {
	return []string{"-std=c++17", "-O0", "-fno-rtti", "-I" + t.Halide("include")}
}

// halideCxx is cxx for what is compiled against Halide.h.
func (t *Tree) halideCxx(kind, source, output string, libs []string) (string, error) {
	return t.compiled(kind, source, output, t.halideFlags(), libs, t.precompiled)
}

// precompiled returns the flag under which g++ finds Halide.h precompiled for halideFlags, none for
// the first few files. Where a file has anything before it, g++ takes the header
// itself, and looks for it in the same folder. The code is the same either way.
func (t *Tree) precompiled() ([]string, error) {
	if againstHalide.Add(1) <= fewFiles {
		return nil, nil
	}
	flags := t.halideFlags()
	k := t.newKey("header")
	k.text(flags...)
	dir, err := t.once("header", k, func(dir string) error {
		header := t.Halide("include", "Halide.h")
		if _, err := t.run(nil, "g++", append(flags, "-x", "c++-header", header, "-o", filepath.Join(dir, "Halide.h.gch"))...); err != nil {
			return err
		}
		return os.Symlink(header, filepath.Join(dir, "Halide.h"))
	})
	return []string{"-I" + dir}, err
}

// Syntax has the compiler look at a C++ file that uses Halide, warnings taken for errors, and returns what it says.
func (t *Tree) Syntax(source string) error {
	header, err := t.precompiled()
	if err != nil {
		return err
	}
	_, err = t.run(nil, "g++", slices.Concat(header, t.halideFlags(), []string{"-fsyntax-only", "-Werror=all", "-x", "c++", source})...)
	return err
}
