package halideir

import (
	"strconv"
	"strings"
)

// SetLabels makes the labels of loops, Funcs and inputs (FORMAT.md section 3).
// Decode calls it; code that builds a Pipeline by hand must.
func (p *Pipeline) SetLabels() {
	used := map[string]bool{}
	for i := range p.Inputs {
		p.Inputs[i].Label = UniqueLabel(plainLabel(p.Inputs[i].Name), used)
	}
	for i := range p.Funcs {
		p.Funcs[i].Label = UniqueLabel(plainLabel(p.Funcs[i].Name), used)
	}
	for i := range p.Funcs {
		for j := range p.Funcs[i].Stages {
			loops := p.Funcs[i].Stages[j].Loops
			taken := make(map[string]bool, len(loops))
			for k := range loops {
				label := plainLabel(loops[k].Name)
				if loops[k].Kind != LoopPure {
					label = reductionLabel(loops[k].Name)
				}
				loops[k].Label = UniqueLabel(label, taken)
			}
		}
	}
}

// plainLabel is the name up to Halide's counter.
func plainLabel(name string) string {
	base, _, _ := strings.Cut(name, "$")
	return identifierOr(base, "v")
}

// reductionLabel turns r4$x into r.x: the counter of the RDom differs from
// run to run, the variable's own name does not.
func reductionLabel(name string) string {
	first, last := strings.IndexByte(name, '$'), strings.LastIndexByte(name, '$')
	if first < 0 {
		return identifierOr(name, "v")
	}
	domain := strings.TrimRight(name[:first], "0123456789")
	if variable := name[last+1:]; strings.TrimLeft(variable, "0123456789") != "" {
		return identifierOr(domain+"."+variable, "v")
	}
	return identifierOr(domain, "v")
}

// identifierOr is s where it is a C identifier apart from dots, else other.
func identifierOr(s, other string) string {
	if s == "" {
		return other
	}
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		inner := c == '.' && i < len(s)-1 || '0' <= c && c <= '9'
		if !letter && (i == 0 || !inner) {
			return other
		}
	}
	return s
}

// UniqueLabel is s, or s with the first of _2, _3, … that is not yet used.
func UniqueLabel(s string, used map[string]bool) string {
	label := s
	for n := 2; used[label]; n++ {
		label = s + "_" + strconv.Itoa(n)
	}
	used[label] = true
	return label
}
