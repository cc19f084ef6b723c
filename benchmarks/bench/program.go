package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gowarp/benchmarks/harness"
	"gowarp/internal/suggest"
)

// Program is a generator with values for its GeneratorParams.
type Program struct {
	Name   string            `json:"name"`   // the name that the generator is registered under
	Source string            `json:"source"` // relative to the checkout where it lies within
	Params map[string]string `json:"params,omitempty"`
	// Takes are the GeneratorParams that the source declares.
	Takes []string `json:"takes,omitempty"`
}

// Label names a program in tables: its name, and the parameters that were set.
func (p Program) Label() string {
	label := p.Name
	for _, k := range slices.Sorted(maps.Keys(p.Params)) {
		label += "," + k + "=" + p.Params[k]
	}
	return label
}

// Generator is the program as the harness wants it, with more parameters set.
func (p Program) Generator(more map[string]string) harness.Generator {
	params := maps.Clone(p.Params)
	if params == nil {
		params = map[string]string{}
	}
	maps.Copy(params, more)
	return harness.Generator{Source: p.Source, Name: p.Name, Params: params}
}

// programsDir holds the programs that need no path.
const programsDir = "benchmarks/programs"

// Programs are the names of the checkout's own programs.
func Programs(tree *harness.Tree) ([]string, error) {
	entries, err := os.ReadDir(tree.Path(programsDir))
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	var names []string
	for _, e := range entries {
		if _, err := os.Stat(tree.Path(programsDir, e.Name(), e.Name()+".cc")); err == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// FindProgram reads PROGRAM or SOURCE.cc[:GENERATOR], each with ,KEY=VALUE for
// GeneratorParams. A path is taken from dir.
func FindProgram(tree *harness.Tree, dir, word string) (Program, error) {
	words := strings.Split(word, ",")
	source, name, _ := strings.Cut(words[0], ":")
	p := Program{Params: map[string]string{}}
	for _, w := range words[1:] {
		k, v, ok := strings.Cut(w, "=")
		if !ok || k == "" || v == "" {
			return p, fmt.Errorf("program %s: %q is not KEY=VALUE", word, w)
		}
		switch first, _, _ := strings.Cut(k, "."); first {
		case "target":
			return p, fmt.Errorf("program %s: the target is not the program's here; --gpu says for what is scheduled", word)
		case "autoscheduler":
			return p, fmt.Errorf("program %s: the autoscheduler is not the program's here; --scheduler NAME:KEY=VALUE says it", word)
		}
		p.Params[k] = v
	}
	switch filepath.Ext(source) {
	case ".cc", ".cpp", ".cxx":
		if !filepath.IsAbs(source) {
			source = filepath.Join(dir, source)
		}
		if inside, err := filepath.Rel(tree.Root, source); err == nil && filepath.IsLocal(inside) {
			source = inside
		}
	default:
		known, err := Programs(tree)
		if err != nil {
			return p, err
		}
		if !slices.Contains(known, source) {
			return p, fmt.Errorf("there is no program %q%s; there are %s, or name a generator's source, as dir/file.cc", source, suggest.Nearest(source, known), strings.Join(known, ", "))
		}
		source = filepath.Join(programsDir, source, source+".cc")
	}
	p.Source = source
	return p, p.read(tree, name)
}

var (
	registered     = regexp.MustCompile(`HALIDE_REGISTER_GENERATOR\s*\(\s*([\w:]+)\s*(?:<[^()]*>\s*)?,\s*(\w+)`)
	macros         = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*`)
	generatorClass = regexp.MustCompile(`(?:class|struct)\s+(\w+)[^;{]*:[^;{]*\bGenerator\s*<`)
	generatorParam = regexp.MustCompile(`GeneratorParam\s*<[^;{]*>\s*\w+\s*[{(][^;]*`) // to the end of the declaration, which may be of several
	namedParam     = regexp.MustCompile(`\w\s*[{(]\s*"(\w+)"`)
)

// read fills in what the source says of itself.
func (p *Program) read(tree *harness.Tree, name string) error {
	path := p.Source
	if !filepath.IsAbs(path) {
		path = tree.Path(path)
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no generator's source %s", path)
	} else if err != nil {
		return fmt.Errorf("generator: %w", err)
	}
	// Of what a macro registers the text does not say the name: one that is asked for the program itself knows or not.
	inMacro := slices.ContainsFunc(macros.FindAll(text, -1), registered.Match)
	var names []string
	class := map[string]string{}
	for _, m := range registered.FindAllSubmatch(macros.ReplaceAll(text, nil), -1) {
		names = append(names, string(m[2]))
		class[string(m[2])] = string(m[1][bytes.LastIndexByte(m[1], ':')+1:])
	}
	switch {
	case inMacro && name != "":
	case inMacro && len(names) == 0:
		return fmt.Errorf("%s registers its generators in a macro; say which: %s:NAME", path, p.Source)
	case len(names) == 0:
		return fmt.Errorf("%s registers no generator; HALIDE_REGISTER_GENERATOR(CLASS, NAME) does", path)
	case name == "" && slices.Contains(names, called(p.Source)):
		name = called(p.Source)
	case name == "" && len(names) > 1:
		return fmt.Errorf("%s registers the generators %s; say which: %s:%s", path, strings.Join(names, ", "), p.Source, names[0])
	case name == "":
		name = names[0]
	case !slices.Contains(names, name):
		return fmt.Errorf("%s registers no generator %q%s; it registers %s", path, name, suggest.Nearest(name, names), strings.Join(names, ", "))
	}
	p.Name = name
	p.Takes = nil
	for _, declared := range generatorParam.FindAll(body(text, class[name]), -1) {
		for _, m := range namedParam.FindAllSubmatch(declared, -1) {
			p.Takes = append(p.Takes, string(m[1]))
		}
	}
	return nil
}

// called is what a file is called, without its folder and its ending.
func called(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// body is the part of a source from a generator's class to the next; all of it, if the class
// is not found.
func body(text []byte, class string) []byte {
	for _, m := range generatorClass.FindAllSubmatchIndex(text, -1) {
		if string(text[m[2]:m[3]]) != class {
			continue
		}
		rest := text[m[1]:]
		if next := generatorClass.FindIndex(rest); next != nil {
			rest = rest[:next[0]]
		}
		return rest
	}
	return text
}

// Sized sets the GeneratorParams that give the estimated size, where the program has them:
// width and height, or size alone for something square.
func (p Program) Sized(width, height int) (Program, bool) {
	p.Params = maps.Clone(p.Params)
	switch {
	case slices.Contains(p.Takes, "width") && slices.Contains(p.Takes, "height"):
		p.Params["width"], p.Params["height"] = strconv.Itoa(width), strconv.Itoa(height)
	case slices.Contains(p.Takes, "size"):
		p.Params["size"] = strconv.Itoa(width)
	default:
		return p, false
	}
	return p, true
}
