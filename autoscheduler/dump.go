package autoscheduler

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/legality"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/halideir/bounds"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
	"gowarp/internal/suggest"
)

// DumpAll names every pass.
const DumpAll = "all"

// Dump schedules a pipeline and writes the state after the named pass, or after each. What was
// written before a pass failed stays written.
func Dump(w io.Writer, p *halideir.Pipeline, params Params, pass string) error {
	if err := CheckDump(pass, params); err != nil {
		return err
	}
	s, err := newState(p, params)
	if err != nil {
		return err
	}
	s.explain = true
	s.behind = func(name string) error {
		if pass != name && pass != DumpAll {
			return nil
		}
		b := bufio.NewWriter(w)
		fmt.Fprintf(b, "== after %s ==\n", name)
		t := &table{w: b}
		dumps[name](s, t)
		t.flush()
		return b.Flush()
	}
	return s.run()
}

// CheckDump says what is wrong with the name of a pass.
func CheckDump(pass string, params Params) error {
	names := append(PassNames(params), DumpAll)
	if !slices.Contains(names, pass) {
		return fmt.Errorf("autoscheduler: there is no pass %q%s; the passes are %s", pass, suggest.Nearest(pass, names), strings.Join(names, ", "))
	}
	return nil
}

// dumps is what is to be seen of the state after each pass: what the pass made or changed.
var dumps = map[string]func(s *state, t *table){
	"check":       dumpCheck,
	"factor":      dumpFactor,
	"analyse":     dumpAnalyse,
	"inline":      dumpInline,
	"dims":        dumpDims,
	"tile-bounds": dumpTileBounds,
	"group":       dumpGroup,
	"tile":        dumpTile,
	"align":       dumpAlign,
	"judge":       dumpJudge,
	"join":        dumpJoin,
	"legality":    dumpLegality,
	"emit":        dumpEmit,
	"replay":      dumpEmit,
}

// table writes aligned columns between plain lines.
type table struct {
	w    io.Writer
	rows bytes.Buffer
	tw   *tabwriter.Writer
}

func (t *table) row(cells ...any) {
	if t.tw == nil {
		t.tw = tabwriter.NewWriter(&t.rows, 0, 0, 2, ' ', 0)
	}
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(t.tw, "\t")
		}
		fmt.Fprint(t.tw, c)
	}
	fmt.Fprintln(t.tw)
}

func (t *table) line(format string, args ...any) {
	t.flush()
	fmt.Fprintf(t.w, format+"\n", args...)
}

// flush writes the rows so far, without the blanks behind the last column.
func (t *table) flush() {
	if t.tw == nil {
		return
	}
	t.tw.Flush()
	for line := range strings.Lines(t.rows.String()) {
		fmt.Fprintln(t.w, strings.TrimRight(line, " \n"))
	}
	t.rows.Reset()
	t.tw = nil
}

func dumpFactor(s *state, t *table) {
	factors := s.factors
	if s.saved != nil {
		factors = s.saved.Directives
	}
	n := 0
	for i := range factors {
		if factors[i].Do == schedule.RFactor {
			t.line("%s", &factors[i])
			n++
		}
	}
	if n == 0 {
		t.line("no reduction is factored")
	}
}

func dumpCheck(s *state, t *table) {
	d, l := &s.device, s.limits()
	t.row("target", s.p.Target.String)
	t.row("device", fmt.Sprintf("%s: %d SMs, %d threads and %d B of shared memory an SM", d.Name, d.SMs, d.MaxThreadsPerSM, d.SharedPerSM))
	t.row("limits", fmt.Sprintf("%d threads, %d B of shared memory and %d registers a block; %d registers a thread", l.ThreadsPerBlock, l.SharedBytes, l.RegistersPerBlock, l.MaxRegisters))
	kv := s.params.Map()
	for _, row := range Table {
		if v, ok := kv[row.Key]; ok {
			t.row(row.Key, v)
		}
	}
	for _, id := range s.p.Outputs {
		f := &s.p.Funcs[id]
		var dims []string
		for k := range f.Args {
			_, n, _ := s.p.Declared(f, k)
			dims = append(dims, fmt.Sprintf("%s %d", argLabel(f, k), n))
		}
		t.row("output", fmt.Sprintf("%s: %s", f.Label, strings.Join(dims, ", ")))
	}
}

func dumpAnalyse(s *state, t *table) {
	pr := s.problem
	t.row("INPUT", "REGION")
	for i := range s.p.Inputs {
		if len(s.p.Inputs[i].Dims) > 0 {
			t.row(s.p.Inputs[i].Label, boxText(pr.Regions.Inputs[i]))
		}
	}
	t.flush()
	t.row("STAGE", "REGION", "BYTES/POINT", "OPS", "LOADS", "ADDRESS OPS", "")
	for id := range s.p.Funcs {
		f := &s.p.Funcs[id]
		if f.Extern != nil {
			t.row(f.Label, boxText(pr.Regions.Funcs[id]), pr.Bytes(id), "-", "-", "-", pr.Host[id])
			continue
		}
		for st := range f.Stages {
			a := pr.Access.Stage(id, st)
			note := pr.Host[id]
			if a.Copy {
				note = "a copy"
			}
			t.row(schedule.StageLabel(f.Label, st), boxText(pr.Regions.Funcs[id]), pr.Bytes(id), a.Value.Total(), len(a.Loads), a.Address.Total(), note)
		}
	}
}

func dumpInline(s *state, t *table) {
	t.row("FUNC", "INLINED", "WHY")
	for _, r := range s.inlineReasons() {
		t.row(s.p.Funcs[r.Func].Label, yes(s.problem.Inlined[r.Func]), r.Why)
	}
	t.flush()
	t.row("STAGE", "OPS", "LOADS", "AS A TREE", "INLINES")
	s.eachStage(func(f *halideir.Func, st int) {
		ex := s.problem.Expand[s.problem.StageIndex(f.ID, st)]
		var in []string
		for _, id := range ex.Inlined {
			in = append(in, s.p.Funcs[id].Label)
		}
		t.row(schedule.StageLabel(f.Label, st), ex.Ops, len(ex.Loads), ex.Tree, orDash(strings.Join(in, ", ")))
	})
}

func dumpDims(s *state, t *table) {
	t.row("STAGE", "TILED, INNERMOST FIRST", "OTHER LOOPS", "")
	s.eachStage(func(f *halideir.Func, st int) {
		d := &s.problem.Dims[s.problem.StageIndex(f.ID, st)]
		var tiled, others []string
		for _, l := range d.Tiled {
			tiled = append(tiled, fmt.Sprintf("%s %d", f.Stages[st].Loops[l].Label, d.Extent[l]))
		}
		for l, loop := range f.Stages[st].Loops {
			if slices.Contains(d.Tiled, l) {
				continue
			}
			text := fmt.Sprintf("%s %d", loop.Label, d.Extent[l])
			switch {
			case slices.Contains(d.Carrying, l):
				text += " launches"
			case !loop.Kind.Parallel() && !slices.Contains(d.Within, l):
				text += " in order"
			}
			others = append(others, text)
		}
		note := ""
		if d.Atomic {
			note = "atomic"
		}
		t.row(schedule.StageLabel(f.Label, st), orDash(strings.Join(tiled, ", ")), orDash(strings.Join(others, ", ")), note)
	})
}

func dumpTileBounds(s *state, t *table) {
	t.row("STAGE", "LEAST TILE", "LARGEST TILE", "TRIED WHILE GROUPING", "AT LAST")
	s.eachStage(func(f *halideir.Func, st int) {
		d := &s.problem.Dims[s.problem.StageIndex(f.ID, st)]
		var least, most []string
		for i, l := range d.Tiled {
			least = append(least, fmt.Sprintf("%s %d", f.Stages[st].Loops[l].Label, d.Tiles[i].Min))
			most = append(most, fmt.Sprintf("%s %d", f.Stages[st].Loops[l].Label, d.Tiles[i].Max))
		}
		t.row(schedule.StageLabel(f.Label, st), orDash(strings.Join(least, ", ")), orDash(strings.Join(most, ", ")),
			len(strategy.Tiles(s.problem, f.ID, st, s.effort.Step(coster.Grouping))), len(strategy.Tiles(s.problem, f.ID, st, s.effort.Step(coster.Final))))
	})
}

func dumpGroup(s *state, t *table) {
	t.row("MERGE", "INTO", "GAIN", "COST THEN", "REFUSED")
	for _, m := range s.merges {
		into, gain, after := "-", "-", "-"
		if m.Consumer >= 0 {
			into, gain = s.p.Funcs[m.Consumer].Label, fmt.Sprintf("%.4g", m.Gain)
		}
		if m.Refused == "" {
			after = fmt.Sprintf("%.4g", m.Cost)
		}
		t.row(s.p.Funcs[m.Producer].Label, into, gain, after, orDash(m.Refused))
	}
	t.flush()
	t.row("GROUP", "COST", "MEMBERS")
	for _, g := range s.groups {
		var members []string
		for _, m := range g.Members {
			members = append(members, s.p.Funcs[m].Label)
		}
		t.row(s.p.Funcs[g.Out].Label, fmt.Sprintf("%.4g", g.Cost), orDash(strings.Join(members, ", ")))
	}
}

func dumpAlign(s *state, t *table) {
	if len(s.aligned) == 0 {
		t.line("nothing begins at whole cells: as before")
		return
	}
	for _, g := range s.groups {
		for k, m := range s.aligned[g.Out] {
			if f := &s.p.Funcs[g.Out]; m > 1 {
				t.line("%s %s a multiple of %d along %s: %v", f.Label, s.beginsAt(g.Out), m, f.Args[k], s.problem.Regions.Funcs[g.Out][k])
			}
		}
	}
	dumpTile(s, t)
}

func dumpJudge(s *state, t *table) {
	if len(s.tried.judged) == 0 {
		t.line("nothing was compiled: as before")
		return
	}
	dumpTile(s, t)
}

func dumpJoin(s *state, t *table) {
	any := false
	for i, f := range s.found {
		if k := f.Layout.Kernels[0]; k.With != nil {
			any = true
			t.line("kernel %s %s, which then costs %.6g more", s.p.Funcs[s.groups[i].Out].Label, k.Why, f.Prices[0].Cost)
		}
	}
	if !any {
		t.line("every kernel has a launch of its own")
	}
}

func dumpTile(s *state, t *table) {
	for i, f := range s.found {
		for j, k := range f.Layout.Kernels {
			if k.Host {
				t.line("%s on the host: %s", s.p.Funcs[s.groups[i].Out].Label, k.Why)
				continue
			}
			t.line("kernel %s: %s, tile %v, blocks %v, threads %v, shared %d B (sum %d), registers %d, occupancy %.4g (%v), cost %.6g",
				schedule.StageLabel(s.p.Funcs[k.Out.Func].Label, k.Out.Stage), k.Strategy, k.Choice.Tile, k.Grid, k.Block, k.SharedBytes, k.SharedSum,
				k.Registers, k.Occupancy.Occupancy, k.Occupancy.Limiters, f.Prices[j].Cost)
			t.row("  NEST", "SERIAL", "THREADS", "BLOCKS", "STORED")
			for m := range k.Members {
				for n := range k.Members[m].Nests {
					t.row(s.nestCells(&k.Members[m].Nests[n], s.memberText(&k.Members[m]))...)
				}
			}
			t.row(s.nestCells(&k.Out, "global")...)
			t.flush()
		}
	}
}

func (s *state) nestCells(n *plan.Nest, stored string) []any {
	f := &s.p.Funcs[n.Func]
	uses := func(us []plan.Use) string {
		var out []string
		for _, u := range us {
			text := fmt.Sprintf("%s:%d", f.Stages[n.Stage].Loops[u.Loop].Label, u.Extent)
			if u.Tile > 0 {
				text += fmt.Sprintf("/%d", u.Tile)
			}
			if u.Steps > 1 {
				text += fmt.Sprintf(" %d at a time", u.Steps)
			}
			if u.Unroll {
				text += " unrolled"
			}
			out = append(out, text)
		}
		return orDash(strings.Join(out, " "))
	}
	blocks := uses(n.Blocks)
	if n.Fused > 0 {
		which := "last"
		if n.FusedAt+n.Fused < len(n.Blocks) {
			which = "middle"
		}
		blocks += fmt.Sprintf(" (%s %d fused)", which, n.Fused)
	}
	if n.Wrap > 0 {
		blocks += fmt.Sprintf(" (wrapped at %d)", n.Wrap)
	}
	if len(n.Host) > 0 {
		blocks += " in each launch of " + uses(n.Host)
	}
	serial := uses(n.Serial)
	if len(n.Unrolled) > 0 {
		serial = strings.TrimSuffix(serial, orDash("")) + " unrolled " + uses(n.Unrolled)
		serial = strings.TrimSpace(serial)
	}
	return []any{"  " + schedule.StageLabel(f.Label, n.Stage), serial, uses(n.Threads), blocks, stored}
}

func (s *state) memberText(m *plan.Member) string {
	where := m.Where.String()
	if m.Where == plan.AtThread {
		where += " of " + s.p.Funcs[m.Anchor].Label
	}
	return fmt.Sprintf("%s %v as %v, %d B", where, m.Extents, m.Padded, m.Bytes)
}

func dumpLegality(s *state, t *table) {
	var rules []string
	for _, r := range legality.Rules {
		rules = append(rules, r.Name)
	}
	t.line("rules: %s", strings.Join(rules, ", "))
	for _, f := range s.found {
		for _, k := range f.Layout.Kernels {
			verdict := "passes them"
			if k.Host {
				verdict = "runs on the host"
			}
			t.line("%s %s", schedule.StageLabel(s.p.Funcs[k.Out.Func].Label, k.Out.Stage), verdict)
		}
	}
	t.line("the groups can be launched in this order")
}

func dumpEmit(s *state, t *table) {
	for i := range s.out.Directives {
		t.line("%s", s.out.Directives[i].String())
	}
}

// eachStage visits the stages that are computed on their own, in the order of Funcs.
func (s *state) eachStage(f func(fn *halideir.Func, stage int)) {
	for id := range s.p.Funcs {
		for st := range s.p.Funcs[id].Stages {
			if !s.problem.Inlined[id] {
				f(&s.p.Funcs[id], st)
			}
		}
	}
}

// boxText is [0, 99] x [-1, 64].
func boxText(b bounds.Box) string {
	var parts []string
	for _, i := range b {
		if i.IsEmpty() {
			parts = append(parts, "nothing")
			continue
		}
		parts = append(parts, fmt.Sprintf("[%d, %d]", i.Lo, i.Hi))
	}
	return orDash(strings.Join(parts, " x "))
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
