package rows

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// App is what the GPU schedule of one of Halide's own apps does, for 32 elements of output.
type App struct {
	Program, Size                         string
	Kernels, Launches                     float64
	Instructions, Requests, Sectors, DRAM float64 // DRAM in bytes, 0 if it is not known
	DRAMKernels                           string  // how many the schedule had that DRAM was measured of
	Why                                   string  // ours does more of something, in words
}

// Apps reads a table of them; dram_mb is of dram_elements elements of output.
func Apps(r io.Reader) ([]App, error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("rows: apps: %w", err)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("rows: apps: no line that names the columns")
	}
	column := map[string]int{}
	for i, name := range records[0] {
		column[name] = i
	}
	var out []App
	for n, record := range records[1:] {
		text := func(name string) string { return record[column[name]] }
		number := func(name string) float64 {
			v, ferr := strconv.ParseFloat(text(name), 64)
			if text(name) != "" && ferr != nil && err == nil {
				err = fmt.Errorf("rows: apps: line %d, %s: %w", n+2, name, ferr)
			}
			return v
		}
		a := App{Program: text("program"), Size: text("size"), Kernels: number("kernels"), Launches: number("launches"),
			Instructions: number("instructions"), Requests: number("requests"), Sectors: number("sectors"), DRAMKernels: text("dram_kernels"), Why: text("why")}
		if elements := number("dram_elements"); elements > 0 {
			a.DRAM = number("dram_mb") * 1e6 * 32 / elements
		}
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// wideOf is how far off a count is said in words.
const wideOf = 1.1

// Experts writes what the programs' own schedules do beside what those of Halide's apps do, and
// where ours do more. It returns how many take more warp instructions than wideOf allows, for no
// stated reason, or were not right.
func Experts(w io.Writer, all []Row, apps []App) (bad int, err error) {
	var b, off strings.Builder
	fmt.Fprintln(&b, "| program, size | warp instructions | requests | sectors | bytes of DRAM, cold caches | kernels | launches | registers / spilled B |")
	fmt.Fprintln(&b, "|---|---|---|---|---|---|---|---|")
	for _, a := range apps {
		of := func(check string) []Row {
			return choose(all, func(r Row) bool { return r.Program == a.Program && r.Scheduler == Expert && r.Check == check })
		}
		counts := of(Counted)
		fmt.Fprintf(&b, "| %s %s", a.Program, a.Size)
		if len(counts) == 0 {
			fmt.Fprintf(&b, " | - / %.4g | - / %.4g | - / %.4g | - / %s | - / %.0f | - / %.0f | - |\n", a.Instructions, a.Requests, a.Sectors, known(a.DRAM), a.Kernels, a.Launches)
			continue
		}
		r := counts[len(counts)-1]
		if r.Outcome != OK {
			bad++
			fmt.Fprintf(&b, " | %s | | | | | | |\n", r.Outcome)
			continue
		}
		var more []string
		for _, c := range []struct {
			name, figure string
			theirs       float64
		}{
			{"warp instructions", "instructions", a.Instructions}, {"requests", "requests", a.Requests}, {"sectors", "sectors", a.Sectors},
			{"bytes of DRAM", "cold_bytes", a.DRAM}, {"kernels", "kernels", a.Kernels}, {"launches", "launches", a.Launches},
		} {
			ours := r.Figures[c.figure]
			fmt.Fprintf(&b, " | %.4g / %s", ours, known(c.theirs))
			if c.figure == "cold_bytes" && a.DRAMKernels != "" && a.DRAMKernels != fmt.Sprint(a.Kernels) {
				fmt.Fprintf(&b, " (%s kernels)", a.DRAMKernels)
			}
			if c.theirs > 0 && ours > wideOf*c.theirs {
				more = append(more, fmt.Sprintf("%s %.2f times", c.name, ours/c.theirs))
				if c.figure == "instructions" && a.Why == "" {
					bad++
				}
			}
		}
		use := "-"
		if ptx := of(PTXAS); len(ptx) > 0 {
			use = fmt.Sprintf("%.0f / %.0f", ptx[len(ptx)-1].Figures["registers"], ptx[len(ptx)-1].Figures["spills"])
		}
		fmt.Fprintf(&b, " | %s |\n", use)
		if len(more) > 0 {
			why := a.Why
			if why == "" {
				why = "The reason is not known."
			}
			fmt.Fprintf(&off, "- %s: %s the app's. %s\n", a.Program, strings.Join(more, ", "), why)
		}
	}
	if off.Len() > 0 {
		fmt.Fprintf(&b, "\nMore than %.0f %% over the app's:\n%s", 100*wideOf-100, &off)
	}
	unknown := slices.DeleteFunc(names(all, func(r Row) string { return r.Program }, func(r Row) bool { return r.Check == Counted }),
		func(p string) bool { return slices.ContainsFunc(apps, func(a App) bool { return a.Program == p }) })
	if len(unknown) > 0 {
		fmt.Fprintf(&b, "\nCounted, but no app is known: %s.\n", strings.Join(unknown, ", "))
	}
	_, err = io.WriteString(w, b.String())
	return bad, err
}

func known(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4g", v)
}
