package rows

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// own is the scheduler that the tables are about.
const own = "gowarp"

// Expert is the scheduler of rows that are of a program's own schedule.
const Expert = "expert"

// Markdown writes the tables: programs, then peers, then random pipelines. It returns the
// number of cells that are not ok and not a peer's.
func Markdown(w io.Writer, all []Row) (bad int, err error) {
	var b strings.Builder
	programs := names(all, func(r Row) string { return r.Program }, func(r Row) bool { return r.Check != Random })
	if len(programs) > 0 {
		fmt.Fprintln(&b, "| program | Funcs | kernels | in the plugin, ms | CPU and reference | OpenCL on the CPU | CUDA simulated, sm_50 | sm_86 | ptxas sm_50, 75, 86: most registers / spilled B | Oclgrind |")
		fmt.Fprintln(&b, "|---|---|---|---|---|---|---|---|---|---|")
	}
	for _, p := range programs {
		of := func(check string, capability int) []Row {
			return choose(all, func(r Row) bool {
				return r.Program == p && r.Scheduler == own && r.Check == check && (capability == 0 || r.Capability == capability)
			})
		}
		cell := func(check string, capability int) string {
			text, ok := summary(of(check, capability))
			if !ok {
				bad++
			}
			return text
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", p,
			figure(of(Schedule, 0), "funcs", "%.0f"), figure(of(Simulated, 86), "kernels", "%.0f"), figure(of(Schedule, 0), "ms", "%.0f"),
			cell(CPU, 0), cell(OpenCL, 0), cell(Simulated, 50), cell(Simulated, 86), kernels(of(PTXAS, 0), cell(PTXAS, 0)), cell(Memcheck, 0))
	}
	peers := names(all, func(r Row) string { return r.Scheduler }, func(r Row) bool { return r.Check == Simulated && r.Scheduler != own })
	if len(peers) > 0 {
		fmt.Fprintf(&b, "\nThe same programs on the simulator as other schedulers do them, and what the schedules do for 32 elements of output (sm_86):\n\n| program | %s |\n|---|%s\n",
			strings.Join(append([]string{own}, peers...), " | "), strings.Repeat("---|", len(peers)+1))
	}
	for _, p := range programs {
		if len(peers) == 0 {
			break
		}
		fmt.Fprintf(&b, "| %s", p)
		for _, s := range append([]string{own}, peers...) {
			fmt.Fprintf(&b, " | %s", counted(choose(all, func(r Row) bool {
				return r.Program == p && r.Scheduler == s && r.Check == Simulated && r.Capability == 86
			})))
		}
		fmt.Fprintln(&b, " |")
	}
	random := choose(all, func(r Row) bool { return r.Check == Random })
	if len(random) > 0 {
		fmt.Fprint(&b, "\n| random pipelines | ran | right | wrong, crashed or with findings |\n|---|---|---|---|\n")
	}
	for _, r := range random {
		if r.Outcome != OK {
			bad++
		}
		fmt.Fprintf(&b, "| %s | %.0f | %.0f | %.0f |\n", r.Program, r.Figures["ran"], r.Figures["right"], r.Figures["ran"]-r.Figures["right"])
	}
	_, err = io.WriteString(w, b.String())
	return bad, err
}

// summary is a cell: how many sizes are right, or what is wrong. A check that was not made is
// a dash, and not ok is only what was seen to be wrong.
func summary(rs []Row) (text string, ok bool) {
	if len(rs) == 0 {
		return "-", true
	}
	var wrong []string
	for _, r := range rs {
		if r.Outcome != OK {
			wrong = append(wrong, fmt.Sprintf("%s at %dx%d", r.Outcome, r.Size[0], r.Size[1]))
		}
	}
	switch {
	case len(wrong) > 0:
		return strings.Join(wrong, "; "), false
	case len(rs) == 1:
		return "ok", true
	}
	return fmt.Sprintf("ok, %d sizes", len(rs)), true
}

func figure(rs []Row, name, format string) string {
	for _, r := range rs {
		if v, ok := r.Figures[name]; ok {
			return fmt.Sprintf(format, v)
		}
	}
	return "-"
}

// kernels is the cell of ptxas: the most registers and the spilled bytes of each capability.
func kernels(rs []Row, otherwise string) string {
	slices.SortStableFunc(rs, func(a, b Row) int { return a.Capability - b.Capability })
	var parts []string
	for _, r := range rs {
		if r.Outcome != OK {
			return otherwise
		}
		parts = append(parts, fmt.Sprintf("%.0f / %.0f", r.Figures["registers"], r.Figures["spills"]))
	}
	if len(parts) == 0 {
		return otherwise
	}
	return strings.Join(parts, ", ")
}

// counted is the cell of a scheduler on the simulator, at the largest size that was run.
func counted(rs []Row) string {
	if len(rs) == 0 {
		return "not tried"
	}
	r := slices.MaxFunc(rs, func(a, b Row) int { return a.Size[0]*a.Size[1] - b.Size[0]*b.Size[1] })
	if r.Outcome != OK {
		return r.Outcome
	}
	return fmt.Sprintf("%.0f kernels, %.0f warp instructions, %.0f requests, %.0f sectors", r.Figures["kernels"], r.Figures["instructions"], r.Figures["requests"], r.Figures["sectors"])
}

func choose(all []Row, keep func(Row) bool) []Row {
	var out []Row
	for _, r := range all {
		if keep(r) {
			out = append(out, r)
		}
	}
	return out
}

// names lists each value once, in order.
func names(all []Row, of func(Row) string, keep func(Row) bool) []string {
	var out []string
	for _, r := range all {
		if keep(r) {
			out = append(out, of(r))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
