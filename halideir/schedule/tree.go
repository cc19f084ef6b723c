package schedule

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gowarp/halideir"
)

// branch is a line of the tree with what stands under it.
type branch struct {
	text string
	kids []*branch
}

func (b *branch) add(text string) *branch {
	kid := &branch{text: text}
	b.kids = append(b.kids, kid)
	return kid
}

func (b *branch) write(w io.Writer, indent string) {
	for i, kid := range b.kids {
		mark, deeper := "├ ", "│ "
		if i == len(b.kids)-1 {
			mark, deeper = "└ ", "  "
		}
		fmt.Fprintf(w, "%s%s%s\n", indent, mark, kid.text)
		kid.write(w, indent+deeper)
	}
}

// Tree writes the loop nests that the directives make, a tree for each Func
// computed at root: its loops from the outermost, and in each loop what is
// computed there. Trip counts are those of the estimated sizes.
func (s *Schedule) Tree(w io.Writer, p *halideir.Pipeline) error {
	g, err := simulate(p, s.Directives)
	if err != nil {
		return err
	}
	p = g.p
	t := treePrinter{sizer: g.sizes(s.Kernels), schedule: s}
	b := bufio.NewWriter(w)
	for f := range p.Funcs {
		if !g.compute[f].root {
			continue
		}
		if p.Funcs[f].Extern != nil {
			fmt.Fprintf(b, "extern %s\n", p.Funcs[f].Label)
		}
		for j, n := range g.nests[f] {
			fmt.Fprintln(b, t.header(f, j))
			root := &branch{}
			t.stage(root, n)
			root.write(b, "")
		}
	}
	return b.Flush()
}

type treePrinter struct {
	*sizer
	schedule *Schedule
}

// header is the kernel's line, or a plain one where no kernel is told of.
func (t *treePrinter) header(f, stage int) string {
	label := StageLabel(t.p.Funcs[f].Label, stage)
	for i := range t.schedule.Kernels {
		k := &t.schedule.Kernels[i]
		if k.Func != f || k.Stage != stage {
			continue
		}
		if k.Host {
			return strings.TrimRight(fmt.Sprintf("host %s  %s", label, k.Note), " ")
		}
		text := fmt.Sprintf("kernel %s  %s  blocks %s  threads %s  shared %s B",
			label, k.Strategy, times(k.Blocks[:]), times(k.Threads[:]), commas(k.SharedBytes))
		if k.Registers > 0 {
			text += fmt.Sprintf("  registers %d", k.Registers)
		}
		text += fmt.Sprintf("  occupancy %.2f", k.Occupancy)
		if len(k.Limiters) > 0 {
			text += " (" + strings.Join(k.Limiters, ", ") + ")"
		}
		if of := t.schedule.inLaunchOf(f); of != "" {
			text += "  in the launch of " + of
		}
		return text
	}
	return "root " + label
}

// inLaunchOf is whose kernel's launch that of a Func runs in, "" if in its own.
func (s *Schedule) inLaunchOf(f int) string {
	for i := range s.Directives {
		if d := &s.Directives[i]; d.Do == ComputeWith && d.Func == f {
			return d.At.Name
		}
	}
	return ""
}

// stage writes one stage's loops under b, those of its special case first.
func (t *treePrinter) stage(b *branch, n *nest) {
	if cases := t.cases(n.fn, n.stage); len(cases) > 1 {
		t.nest(b.add(t.special(n.fn)), cases[0])
		b = b.add("else")
	}
	t.nest(b, n)
}

// special is the condition of a Func's special case.
func (t *treePrinter) special(f int) string {
	for i := range t.schedule.Directives {
		if d := &t.schedule.Directives[i]; d.Do == Specialize && d.Func == f {
			head, term := "if extents are whole: ", "%s a multiple of %d"
			if slices.ContainsFunc(t.schedule.Directives, func(o Directive) bool { return o.Do == AnySize && o.Func == f }) {
				head, term = "if extents suffice: ", "%s for %d"
			}
			var terms []string
			for k, v := range d.Vars {
				terms = append(terms, fmt.Sprintf(term, v, d.Multiples[k]))
			}
			return head + strings.Join(terms, ", ")
		}
	}
	return "special"
}

// nest writes one stage's loops under b. Neighbours of a kind share a line
// unless something is computed between them; blocks have one each.
func (t *treePrinter) nest(b *branch, n *nest) {
	var extents []int64
	if lo, hi, ok := t.bounds(n.fn, n.stage); ok {
		extents = n.extents(lo, hi)
	}
	if n.singleThread {
		b = b.add("gpu_single_thread")
	}
	for i := len(n.loops) - 1; i >= 0; {
		kind := n.loops[i].kind
		var items []string
		for first := true; i >= 0 && n.loops[i].kind == kind && (first || kind != blockLoop); first = false {
			item := n.loops[i].label
			if extents != nil {
				item += ": " + commas(extents[n.ids[i]])
			}
			items = append(items, item)
			i--
			if len(t.at(n, n.loops[i+1].label)) > 0 {
				break
			}
		}
		text := string(kind) + " " + strings.Join(items, ", ")
		if n.lanes && kind == serialLoop {
			text += ", by the lanes of a warp"
		} else if n.chunks > 0 && kind == serialLoop {
			text += fmt.Sprintf(", by %d threads, %d each at a time", n.chunks, ChunkIterations)
		}
		b = b.add(text)
		for _, f := range t.at(n, n.loops[i+1].label) {
			t.member(b, f)
		}
	}
	b.add(t.statement(n))
}

// at is what is computed at a loop, producers first.
func (t *treePrinter) at(n *nest, label string) []int {
	var fs []int
	for f, c := range t.compute {
		if c.at != nil && c.at.Func == n.fn && c.at.Stage == n.stage && c.at.Var == label {
			fs = append(fs, f)
		}
	}
	return fs
}

func (t *treePrinter) member(b *branch, f int) {
	def := &t.p.Funcs[f]
	text := "produce " + def.Label
	if m := t.memory[f]; m != "" && m != MemoryAuto {
		text += " in " + string(m)
	}
	if dims := t.boxes[f]; dims != nil {
		var extents []int64
		bytes := int64(0)
		for _, ty := range def.Types {
			bytes += ty.Bytes()
		}
		for _, d := range dims {
			extents = append(extents, d[1]-d[0]+1)
			bytes *= d[1] - d[0] + 1
		}
		if m, ok := t.members[f]; ok {
			bytes = m.Bytes
		}
		text += fmt.Sprintf(" %s (%s B)", times(extents), commas(bytes))
	}
	if s := t.store[f].at; s != nil {
		text += " stored at " + s.String()
	}
	kid := b.add(text)
	for j, n := range t.nests[f] {
		under := kid
		if j > 0 {
			under = kid.add(fmt.Sprintf("update(%d)", j-1))
		}
		t.nest(under, n)
	}
}

// statementLimit keeps a definition on one line.
const statementLimit = 48

func (t *treePrinter) statement(n *nest) string {
	s := &t.p.Funcs[n.fn].Stages[n.stage]
	var args, values []string
	for _, a := range s.Args {
		args = append(args, t.p.ExprN(a, statementLimit))
	}
	for _, v := range s.Values {
		values = append(values, t.p.ExprN(v, statementLimit/len(s.Values)))
	}
	text := fmt.Sprintf("%s(%s) = %s", t.p.Funcs[n.fn].Label, strings.Join(args, ", "), strings.Join(values, "; "))
	if in := t.inlined(n.fn, n.stage); len(in) > 0 {
		text += "  inlined: " + strings.Join(in, ", ")
	}
	return text
}

// inlined are the Funcs computed anew wherever the stage reads them, also
// through one another.
func (t *treePrinter) inlined(f, stage int) []string {
	in := map[int]bool{}
	for c := f - 1; c >= 0; c-- {
		if !t.compute[c].inline {
			continue
		}
		for _, e := range t.callers[c] {
			if e.Consumer == f && e.Stage == stage || in[e.Consumer] {
				in[c] = true
			}
		}
	}
	var labels []string
	for c := range f {
		if in[c] {
			labels = append(labels, t.p.Funcs[c].Label)
		}
	}
	return labels
}

// Table writes a line for each kernel.
func (s *Schedule) Table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "KERNEL\tSTRATEGY\tBLOCKS\tTHREADS\tSHARED\tREGISTERS\tOCCUPANCY\tLIMITED BY\tMEMBERS\tINLINED")
	for i := range s.Kernels {
		k := &s.Kernels[i]
		var members []string
		for _, m := range k.Members {
			members = append(members, m.Name)
		}
		if k.Host {
			fmt.Fprintf(t, "%s\thost\t-\t-\t-\t-\t-\t%s\t%s\t%s\n", k.Name, dash(k.Note), list(members), list(k.Inlined))
			continue
		}
		strategy := dash(k.Strategy)
		if of := s.inLaunchOf(k.Func); of != "" {
			strategy += " with " + of
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s B\t%d\t%.2f\t%s\t%s\t%s\n", k.Name, strategy, times(k.Blocks[:]), times(k.Threads[:]),
			commas(k.SharedBytes), k.Registers, k.Occupancy, list(k.Limiters), list(members), list(k.Inlined))
	}
	return t.Flush()
}

func list(items []string) string { return dash(strings.Join(items, ", ")) }

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// times is 36x16x1.
func times(extents []int64) string {
	var parts []string
	for _, e := range extents {
		parts = append(parts, fmt.Sprint(e))
	}
	return strings.Join(parts, "x")
}

// commas is 4,608.
func commas(n int64) string {
	s := fmt.Sprint(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = string(slices.Insert([]byte(s), i, ','))
	}
	return s
}
