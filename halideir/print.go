package halideir

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

const (
	// nameShared is the number of nodes from which an expression used twice gets
	// a name.
	nameShared = 4
	// nameLarge is the number of nodes from which any expression does, so that
	// lines stay readable and no walk goes deep.
	nameLarge = 32
	// maxLetLines is where the listing of one stage stops.
	maxLetLines = 400
)

// Print writes the pipeline for people. Its length grows with the number of
// nodes, not with the number of paths through them.
func (p *Pipeline) Print(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "pipeline for %s\n", p.Target.String)
	for i := range p.Inputs {
		p.printInput(b, &p.Inputs[i])
	}
	for i := range p.Funcs {
		p.printFunc(b, &p.Funcs[i])
	}
	return b.Flush()
}

func (p *Pipeline) printInput(w io.Writer, in *Input) {
	fmt.Fprintf(w, "input %s: %s %s", in.Label, in.Kind, in.Type)
	known := func(id NodeID, estimate *int64) string {
		switch {
		case id != NoNode:
			return p.Expr(id)
		case estimate != nil:
			return fmt.Sprintf("~%d", *estimate)
		}
		return "?"
	}
	for k, d := range in.Dims {
		sep := ", "
		if k == 0 {
			sep = " ["
		}
		fmt.Fprintf(w, "%s%s +%s", sep, known(d.Min, d.MinEstimate), known(d.Extent, d.ExtentEstimate))
		if d.Stride != NoNode {
			fmt.Fprintf(w, " stride %s", p.Expr(d.Stride))
		}
	}
	if len(in.Dims) > 0 {
		fmt.Fprint(w, "]")
	}
	for _, x := range []struct {
		what string
		id   NodeID
	}{{"~", in.Estimate}, {"= ", in.Value}, {">= ", in.Min}, {"<= ", in.Max}} {
		if x.id != NoNode {
			fmt.Fprintf(w, " %s%s", x.what, p.Expr(x.id))
		}
	}
	fmt.Fprintln(w)
}

func (p *Pipeline) printFunc(w io.Writer, f *Func) {
	var args, types []string
	for _, a := range f.Args {
		args = append(args, plainLabel(a))
	}
	for _, t := range f.Types {
		types = append(types, t.String())
	}
	fmt.Fprintf(w, "\nfunc %s(%s): %s", f.Label, strings.Join(args, ", "), strings.Join(types, ", "))
	if f.Output {
		fmt.Fprint(w, "  output")
	}
	for _, e := range f.Estimates {
		fmt.Fprintf(w, "  %s in %d +%d", plainLabel(e.Var), e.Min, e.Extent)
	}
	fmt.Fprintln(w)
	for _, b := range f.Bounds {
		fmt.Fprintf(w, "  bound %s: min %s, extent %s, modulus %s, remainder %s\n", plainLabel(b.Var), p.Expr(b.Min), p.Expr(b.Extent), p.Expr(b.Modulus), p.Expr(b.Remainder))
	}
	if len(f.Scheduled) > 0 {
		fmt.Fprintf(w, "  scheduled already: %s\n", strings.Join(f.Scheduled, ", "))
	}
	if f.Extern != nil {
		p.printExtern(w, f.Extern)
		p.printEdges(w, f, 0)
	}
	for j := range f.Stages {
		p.printStage(w, f, j)
	}
}

func (p *Pipeline) printExtern(w io.Writer, x *Extern) {
	var args []string
	for _, a := range x.Args {
		switch {
		case a.Func >= 0:
			args = append(args, p.Funcs[a.Func].Label)
		case a.Input >= 0:
			args = append(args, p.Inputs[a.Input].Label)
		default:
			args = append(args, p.Expr(a.Expr))
		}
	}
	fmt.Fprintf(w, "  extern %s(%s)\n", x.Name, strings.Join(args, ", "))
}

func (p *Pipeline) printStage(w io.Writer, f *Func, j int) {
	s := &f.Stages[j]
	var loops []string
	for _, l := range s.Loops {
		text := l.Label
		if l.Kind != LoopPure {
			text += " (" + string(l.Kind) + ")"
		}
		loops = append(loops, text)
	}
	if j > 0 {
		fmt.Fprintf(w, "  update(%d)", j-1)
		if s.Associative {
			fmt.Fprint(w, "  associative")
		}
		if s.Commutative {
			fmt.Fprint(w, "  commutative")
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "  loops, innermost first: %s\n", strings.Join(loops, ", "))
	for _, r := range s.RVars {
		fmt.Fprintf(w, "  %s in %s +%s\n", reductionLabel(r.Name), p.Expr(r.Min), p.Expr(r.Extent))
	}
	e := p.cut(s)
	names := make([]NodeID, 0, len(e.named))
	for id := range e.named {
		names = append(names, id)
	}
	slices.Sort(names)
	for i, id := range names {
		if i == maxLetLines {
			fmt.Fprintf(w, "  … %d more lets\n", len(names)-i)
			break
		}
		fmt.Fprintf(w, "  let %s = %s\n", e.named[id], e.text(id, true))
	}
	if s.Predicate != NoNode {
		fmt.Fprintf(w, "  where %s\n", e.text(s.Predicate, false))
	}
	var left []string
	for _, a := range s.Args {
		left = append(left, e.text(a, false))
	}
	for k, v := range s.Values {
		out := ""
		if len(s.Values) > 1 {
			out = fmt.Sprintf("[%d]", k)
		}
		fmt.Fprintf(w, "  %s%s(%s) = %s\n", f.Label, out, strings.Join(left, ", "), e.text(v, false))
	}
	p.printEdges(w, f, j)
}

func (p *Pipeline) printEdges(w io.Writer, f *Func, stage int) {
	for _, e := range p.Edges {
		if e.Consumer != f.ID || e.Stage != stage {
			continue
		}
		x := exprPrinter{p: p}
		if stage < len(f.Stages) {
			x.loops = f.Stages[stage].Loops
		}
		producer := ""
		if e.Func >= 0 {
			producer = p.Funcs[e.Func].Label
		} else {
			producer = p.Inputs[e.Input].Label
		}
		var dims []string
		for _, r := range e.Box {
			dims = append(dims, x.end(r.Lo)+" .. "+x.end(r.Hi))
		}
		if len(dims) == 0 {
			dims = []string{"all"}
		}
		fmt.Fprintf(w, "  needs %s [%s]\n", producer, strings.Join(dims, ", "))
	}
}

func (e *exprPrinter) end(id NodeID) string {
	if id == NoNode {
		return "unbounded"
	}
	return e.text(id, false)
}

// text is a whole expression; definition writes a named one's own line.
func (e *exprPrinter) text(id NodeID, definition bool) string {
	e.b.Reset()
	e.limit = 16 * exprLimit
	depth := 1
	if definition {
		depth = 0
	}
	e.expr(id, 0, depth)
	if s := e.b.String(); len(s) > e.limit {
		return strings.ToValidUTF8(s[:e.limit], "") + "…"
	}
	return e.b.String()
}

// cut decides which expressions of a stage get a line of their own.
func (p *Pipeline) cut(s *Stage) exprPrinter {
	e := exprPrinter{p: p, named: map[NodeID]string{}, lets: map[string]string{}}
	uses := map[NodeID]int{}
	var order []NodeID
	stack := append(slices.Clone(s.Args), s.Values...)
	if s.Predicate != NoNode {
		stack = append(stack, s.Predicate)
	}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if uses[id]++; uses[id] == 1 {
			order = append(order, id)
			stack = append(stack, p.Nodes[id].Args...)
		}
	}
	slices.Sort(order)
	letOf := map[NodeID]string{}
	for _, id := range order {
		if n := &p.Nodes[id]; n.Op == OpLet {
			letOf[n.Args[0]] = n.Name
		}
	}
	used := map[string]bool{}
	size := map[NodeID]int{}
	count := 0
	for _, id := range order {
		n := &p.Nodes[id]
		total := 1
		for _, a := range n.Args {
			if e.named[a] == "" {
				total = min(total+size[a], math.MaxInt32)
			}
		}
		size[id] = total
		let, isLet := letOf[id]
		if isLet {
			name := UniqueLabel(plainLabel(let), used)
			e.named[id], e.lets[let] = name, name
		} else if uses[id] > 1 && total >= nameShared || total >= nameLarge {
			for {
				count++
				if name := fmt.Sprintf("e%d", count); !used[name] {
					used[name], e.named[id] = true, name
					break
				}
			}
		}
	}
	return e
}
