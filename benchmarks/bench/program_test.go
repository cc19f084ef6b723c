package bench

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestRegistered: which generators a source has is read from it, and where a macro registers them the name that is asked for is taken.
func TestRegistered(t *testing.T) {
	const class = "class A : public Generator<A> { GeneratorParam<int> size{\"size\", 3}; };\n"
	const macro = "#define REGISTER(CLASS, NAME) \\\n    HALIDE_REGISTER_GENERATOR(CLASS, NAME)\nREGISTER(A, hidden)\n"
	for _, c := range []struct{ text, name, want, err string }{
		{class + "HALIDE_REGISTER_GENERATOR(A, a)", "", "a", ""},
		{class + "HALIDE_REGISTER_GENERATOR(A, a)", "b", "", `registers no generator "b"; it registers a`},
		{class, "", "", "registers no generator"},
		{class + macro, "hidden", "hidden", ""},
		{class + macro, "", "", "registers its generators in a macro; say which"},
		{class + "HALIDE_REGISTER_GENERATOR(A<int, 3>, of_ints) HALIDE_REGISTER_GENERATOR(b::A<float>, of_floats)", "of_floats", "of_floats", ""},
		{class + macro + "HALIDE_REGISTER_GENERATOR(A, a)", "", "a", ""},
		{class + macro + "HALIDE_REGISTER_GENERATOR(A, a)", "hidden", "hidden", ""},
	} {
		source := filepath.Join(t.TempDir(), "some.cc")
		if err := os.WriteFile(source, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		p := Program{Source: source}
		err := p.read(&harness.Tree{}, c.name)
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%q, %q: %v, want %q", c.text, c.name, err, c.err)
		case c.err == "" && (err != nil || p.Name != c.want || !slices.Equal(p.Takes, []string{"size"})):
			t.Errorf("%q, %q: %q of %v, %v", c.text, c.name, p.Name, p.Takes, err)
		}
	}
}

// TestDeclaredParams: a declaration may be of several GeneratorParams; the names of values are none.
func TestDeclaredParams(t *testing.T) {
	source := filepath.Join(t.TempDir(), "some.cc")
	const text = `struct A : public Generator<A> {
		GeneratorParam<int> width{"width", 1281}, height{"height", 721};
		GeneratorParam<Kind> kind{"schedule", Kind::none, {{"none", Kind::none}, {"expert", Kind::expert}}};
		Input<Buffer<float, 2>> in{"in"};
	};
	HALIDE_REGISTER_GENERATOR(A, a)`
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p := Program{Source: source}
	if err := p.read(&harness.Tree{}, "a"); err != nil || !slices.Equal(p.Takes, []string{"width", "height", "schedule"}) {
		t.Errorf("%v, %v", p.Takes, err)
	}
}
