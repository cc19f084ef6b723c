package schedule

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// DiffFormatName is the value of "format" in the JSON form of a Difference.
const DiffFormatName = "gowarp-schedule-diff"

// Difference is what two schedules do not have in common. Its JSON form is described in
// FORMAT.md.
type Difference struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Equal: the two are the same in everything that a schedule holds.
	Equal bool `json:"equal"`
	// SameDirectives: whatever else differs, both do the same to the loops.
	SameDirectives bool         `json:"same_directives"`
	Made           []Change     `json:"made"`  // for what, and with which parameters, they were made
	Funcs          []FuncChange `json:"funcs"` // in the order of the first schedule's Funcs, then those that only the second has
}

// FuncChange is how one Func is scheduled differently.
type FuncChange struct {
	Func    string   `json:"func"` // label
	Changes []Change `json:"changes"`
}

// Change is one thing that differs; "" says that a schedule does not have it.
type Change struct {
	What string `json:"what"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Diff compares two schedules Func by Func, matched by their labels.
func Diff(a, b *Schedule) *Difference {
	d := &Difference{Format: DiffFormatName, Version: Version, Made: []Change{}, Funcs: []FuncChange{}}
	d.Equal = bytes.Equal(a.JSON(), b.JSON())
	d.SameDirectives = bytes.Equal(compact(directivesOut(a)), compact(directivesOut(b)))
	d.Made = append(d.Made, changes(made(a), made(b))...)
	fa, fb := funcFacts(a), funcFacts(b)
	for _, name := range merged(fa.order, fb.order) {
		if c := changes(fa.of(name), fb.of(name)); len(c) > 0 {
			d.Funcs = append(d.Funcs, FuncChange{name, c})
		}
	}
	if !d.SameDirectives && len(d.Funcs) == 0 {
		d.Made = append(d.Made, Change{"directives", "in this order", "in another, or of Funcs with other ids"})
	}
	return d
}

// JSON is the difference's JSON form.
func (d *Difference) JSON() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		panic("schedule: " + err.Error()) // strings and bools: none of them can fail
	}
	return b.Bytes()
}

// Print writes the difference for people: a line for each change, with what the schedules named
// a and b have. Nothing is written where they are equal.
func (d *Difference) Print(w io.Writer, a, b string) error {
	if d.Equal {
		return nil
	}
	var text bytes.Buffer
	tw := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "\t%s\t%s\n", a, b)
	lines := func(indent string, changes []Change) {
		for _, c := range changes {
			fmt.Fprintf(tw, "%s%s\t%s\t%s\n", indent, c.What, dash(c.A), dash(c.B))
		}
	}
	lines("", d.Made)
	for _, f := range d.Funcs {
		fmt.Fprintf(tw, "%s\t\t\n", f.Func)
		lines("  ", f.Changes)
	}
	tw.Flush() // a Buffer does not fail
	switch n := len(d.Funcs); {
	case d.SameDirectives:
		text.WriteString("\nThe directives are the same: the loops do not differ.\n")
	case n == 1:
		text.WriteString("\n1 Func is scheduled differently.\n")
	case n > 1:
		fmt.Fprintf(&text, "\n%d Funcs are scheduled differently.\n", n)
	}
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// facts are named values in the order in which they were first said.
type facts struct {
	names  []string
	values map[string]string
}

// say adds to a fact; what is said of one thing several times is a list.
func (f *facts) say(what, value string) {
	if f.values == nil {
		f.values = map[string]string{}
	}
	old, ok := f.values[what]
	if !ok {
		f.names = append(f.names, what)
	} else if old != "" {
		value = old + "; " + value
	}
	f.values[what] = value
}

func changes(a, b *facts) []Change {
	var out []Change
	for _, what := range merged(a.names, b.names) {
		if x, y := a.values[what], b.values[what]; x != y {
			out = append(out, Change{what, x, y})
		}
	}
	return out
}

// merged is the first list, then what only the second has.
func merged(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			out = append(out, s)
		}
	}
	return out
}

// made is for what a schedule was made.
func made(s *Schedule) *facts {
	f := &facts{}
	f.say("outputs", strings.Join(s.Outputs, ", "))
	f.say("target", s.Target)
	f.say("device", s.Device)
	keys := make([]string, 0, len(s.Parameters))
	for k := range s.Parameters {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		f.say("parameter "+k, s.Parameters[k])
	}
	return f
}

// byFunc is the facts of every Func that a schedule speaks of.
type byFunc struct {
	order []string
	facts map[string]*facts
}

func (b *byFunc) of(name string) *facts {
	if f := b.facts[name]; f != nil {
		return f
	}
	return &facts{}
}

// funcFacts is what a schedule says of each Func: what its directives do, then the kernels
// that they make.
func funcFacts(s *Schedule) *byFunc {
	ids := map[string]int{}
	b := &byFunc{facts: map[string]*facts{}}
	of := func(id int, name string) *facts {
		if b.facts[name] == nil {
			b.facts[name] = &facts{}
			b.order = append(b.order, name)
			ids[name] = id
		}
		return b.facts[name]
	}
	for i := range s.Directives {
		d := &s.Directives[i]
		what, value := d.fact()
		if d.Special {
			what = "special " + what
		}
		if d.Stage > 0 {
			what = fmt.Sprintf("update(%d) %s", d.Stage-1, what)
		}
		of(d.Func, d.Name).say(what, value)
	}
	inlined := map[string][]string{}
	for i := range s.Kernels {
		k := &s.Kernels[i]
		for _, name := range k.Inlined {
			inlined[name] = append(inlined[name], k.Name)
		}
		for _, m := range k.Members {
			of(m.Func, m.Name).say("member", fmt.Sprintf("of %s in its %s, %s, %s B", k.Name, m.Level, times(m.Extents), commas(m.Bytes)))
		}
		prefix := "kernel "
		if k.Stage > 0 {
			prefix = fmt.Sprintf("update(%d) kernel ", k.Stage-1)
		}
		k.say(of(k.Func, strings.TrimSuffix(k.Name, fmt.Sprintf(".update(%d)", k.Stage-1))), prefix)
	}
	for name, kernels := range inlined {
		of(math.MaxInt32, name).say("computed", "inlined in "+strings.Join(kernels, ", "))
	}
	slices.SortFunc(b.order, func(x, y string) int { return cmp.Or(cmp.Compare(ids[x], ids[y]), cmp.Compare(x, y)) })
	return b
}

// say adds the facts of a kernel.
func (k *Kernel) say(f *facts, prefix string) {
	if k.Host {
		f.say(prefix+"runs", strings.TrimSuffix("on the host: "+k.Note, ": "))
		return
	}
	f.say(prefix+"strategy", k.Strategy)
	f.say(prefix+"blocks", times(k.Blocks[:]))
	f.say(prefix+"threads", times(k.Threads[:]))
	f.say(prefix+"shared memory", commas(k.SharedBytes)+" B")
	f.say(prefix+"registers", fmt.Sprint(k.Registers))
	f.say(prefix+"occupancy", strings.TrimSuffix(fmt.Sprintf("%.2f (%s)", k.Occupancy, strings.Join(k.Limiters, ", ")), " ()"))
	f.say(prefix+"cost", fmt.Sprintf("%.4g (%s)", k.Cost.Value, k.Cost.Name))
	if k.Note != "" {
		f.say(prefix+"note", k.Note)
	}
}

// fact is a directive as a property of its stage.
func (d *Directive) fact() (what, value string) {
	switch d.Do {
	case ComputeRoot:
		return "computed", "at root"
	case ComputeInline:
		return "computed", "inlined"
	case ComputeAt:
		return "computed", "at " + d.At.String()
	case ComputeWith:
		return "computed with", d.At.String()
	case StoreAt:
		return "stored", "at " + d.At.String()
	case StoreIn:
		return "stored in", string(d.Memory)
	case Split:
		return "split of " + d.Vars[0], strings.TrimSuffix(fmt.Sprintf("by %d into %s, %s, %s", d.N, d.Vars[1], d.Vars[2], d.Tail), ", ")
	case Fuse:
		return "fuse", fmt.Sprintf("%s, %s into %s", d.Vars[0], d.Vars[1], d.Vars[2])
	case BoundStorage, BoundExtent, GivenExtent, AlignStorage, AlignBounds, WholeCells:
		return fmt.Sprintf("%s %s", d.Do, d.Vars[0]), fmt.Sprint(d.N)
	case DemandOrder:
		return string(d.Do), fmt.Sprintf("rows of %d stores", d.N)
	case ChainAddresses:
		return string(d.Do), fmt.Sprint("up to ", d.N)
	case LoadsFirst:
		return string(d.Do), map[int64]string{1: "its own place", 2: "all"}[d.N]
	case ScanChunks:
		return string(d.Do), fmt.Sprintf("%d threads", d.N)
	case Demote:
		return string(d.Do), fmt.Sprintf("%d registers to byte %d", d.N, d.Offset)
	case Specialize:
		return string(d.Do), strings.TrimSuffix(strings.TrimPrefix(d.String(), d.Name+".specialize("), ")")
	case RFactor:
		return string(d.Do), strings.TrimSuffix(strings.TrimPrefix(d.String(), StageLabel(d.Name, d.Stage)+".rfactor("), ")")
	case GPUSingleThread, Atomic, AllowRaceConditions, NeverPartition, AnySize, VectorAccess, UniformRows, ScanLanes, AtomicAddition, SomeLaunch:
		return string(d.Do), "yes"
	}
	return string(d.Do), strings.Join(d.Vars, ", ")
}

func directivesOut(s *Schedule) []directiveJSON {
	out := make([]directiveJSON, len(s.Directives))
	for i := range s.Directives {
		out[i] = directiveOut(&s.Directives[i])
	}
	return out
}
