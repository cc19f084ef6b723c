package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Python runs a script with the project's Python environment and returns what it
// printed. Scripts find halide_npy (scripts/halide_npy.py) on their path.
func (t *Tree) Python(script string, args ...string) (string, error) {
	if !filepath.IsAbs(script) {
		script = t.Path(script)
	}
	// Opened here so that `go test` knows that its result depends on them.
	for _, file := range []string{script, t.Path("scripts", "halide_npy.py")} {
		if _, err := os.ReadFile(file); err != nil {
			return "", fmt.Errorf("harness: %w", err)
		}
	}
	return t.run([]string{"PYTHONPATH=" + t.Path("scripts"), "PYTHONDONTWRITEBYTECODE=1"},
		t.Build("venv", "bin", "python"), slices.Concat([]string{script}, args)...)
}

// Reference runs a reference implementation: a script that takes name=in.npy
// words for its inputs and name=out.npy for its outputs, and writes the outputs.
func (t *Tree) Reference(script string, in Args, outputs ...string) (map[string]*Array, error) {
	dir, err := tempDir()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var args []string
	for name, value := range in {
		if a, ok := value.(*Array); ok {
			path := filepath.Join(dir, name+".npy")
			if err := WriteNPY(path, a); err != nil {
				return nil, err
			}
			value = path
		}
		args = append(args, fmt.Sprintf("%s=%v", name, value))
	}
	for _, name := range outputs {
		args = append(args, name+"="+filepath.Join(dir, "out-"+name+".npy"))
	}
	if _, err := t.Python(script, args...); err != nil {
		return nil, err
	}
	results := map[string]*Array{}
	for _, name := range outputs {
		if results[name], err = ReadNPY(filepath.Join(dir, "out-"+name+".npy")); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// Photograph returns an RGB photograph that ships with scikit-image ("astronaut",
// 512x512; "coffee", 600x400; "chelsea", 451x300), repeated by mirroring up to
// width x height and cropped to that; 0 is the photograph's own width or height.
func (t *Tree) Photograph(name string, width, height int) (*Array, error) {
	k := t.newKey("photograph")
	k.text(name, fmt.Sprint(width, height))
	if err := k.file(t.Path("scripts", "photograph.py")); err != nil {
		return nil, fmt.Errorf("harness: %w", err)
	}
	dir, err := t.once("photograph", k, func(dir string) error {
		_, err := t.Python("scripts/photograph.py", name, fmt.Sprint(width), fmt.Sprint(height), filepath.Join(dir, "photo.npy"))
		return err
	})
	if err != nil {
		return nil, err
	}
	return ReadNPY(filepath.Join(dir, "photo.npy"))
}
