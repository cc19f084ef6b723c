package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"gowarp/occupancy"
)

func occupancyCommand() *cli.Command {
	return &cli.Command{
		Name:      "occupancy",
		Usage:     "how many blocks of a kernel one SM holds, and what limits them",
		ArgsUsage: " ",
		Description: `NVIDIA's occupancy calculation, exact, for any device of 'gowarp devices', and the next
useful steps: the smallest change of one resource that makes more warps resident.

Example:
  gowarp occupancy --gpu h200 --threads 256 --regs 40 --shared 8KiB`,
		OnUsageError: onUsage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "gpu", Usage: "a device of 'gowarp devices', or sm_86"},
			&cli.IntFlag{Name: "threads", Usage: "threads of a block"},
			&cli.IntFlag{Name: "regs", Aliases: []string{"registers"}, Usage: "registers of a thread; 0 if they are unknown"},
			&cli.StringFlag{Name: "shared", Value: "0", Usage: "shared memory of a block: 8192, 8KiB"},
			&cli.BoolFlag{Name: "json", Usage: "print the result as JSON"},
		},
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			for _, name := range []string{"gpu", "threads"} {
				if !c.IsSet(name) {
					return usagef("occupancy needs --%s; as in: gowarp occupancy --gpu h200 --threads 256 --regs 40 --shared 8KiB", name)
				}
			}
			d, err := occupancy.Lookup(c.String("gpu"))
			if err != nil {
				return &usageError{err}
			}
			shared, err := parseBytes(c.String("shared"))
			if err != nil {
				return usagef("--shared %s: %v", c.String("shared"), err)
			}
			u := occupancy.Usage{Threads: c.Int("threads"), Registers: c.Int("regs"), SharedBytes: shared}
			r, err := d.Occupancy(u)
			if err != nil {
				if errors.Is(err, occupancy.ErrUsage) {
					err = &usageError{err}
				}
				return err
			}
			reliefs, err := d.Reliefs(u)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return writeOccupancyJSON(c.App.Writer, &d, u, r, reliefs)
			}
			return writeOccupancy(c.App.Writer, &d, u, r, reliefs)
		},
	}
}

// occupancyJSON is the documented form of --json.
type occupancyJSON struct {
	Device string `json:"device"`
	occupancy.Usage
	occupancy.Result
	MaxWarps int                `json:"max_warps"`
	Reliefs  []occupancy.Relief `json:"reliefs"`
}

func writeOccupancyJSON(w io.Writer, d *occupancy.Device, u occupancy.Usage, r occupancy.Result, reliefs []occupancy.Relief) error {
	if reliefs == nil {
		reliefs = []occupancy.Relief{}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(occupancyJSON{d.Name, u, r, d.MaxWarpsPerSM(), reliefs})
}

func writeOccupancy(w io.Writer, d *occupancy.Device, u occupancy.Usage, r occupancy.Result, reliefs []occupancy.Relief) error {
	var b strings.Builder
	fmt.Fprintf(&b, "device      %s, %s\n", d.Name, d.Title)
	registers := fmt.Sprintf("%d registers", u.Registers)
	if u.Registers == 0 {
		registers = "an unknown number of registers"
	}
	fmt.Fprintf(&b, "block       %d threads of %s, %d B of shared memory\n", u.Threads, registers, u.SharedBytes)
	if r.ActiveBlocks == 0 {
		fmt.Fprintf(&b, "on an SM    none: the block cannot launch\n")
	} else {
		fmt.Fprintf(&b, "on an SM    %s, %d of %d warps: occupancy %.2f\n", blocks(r.ActiveBlocks), r.ActiveWarps, d.MaxWarpsPerSM(), r.Occupancy)
	}
	if u.SharedBytes > d.SharedPerBlock && u.SharedBytes <= d.SharedPerBlockOptin {
		fmt.Fprintf(&b, "            a block has %d B unless its program asks for more, up to %d B here; Halide's runtime does not\n", d.SharedPerBlock, d.SharedPerBlockOptin)
	}
	fmt.Fprintf(&b, "limited by  %s\n", strings.ReplaceAll(r.Limiters.String(), ",", ", "))
	for i, s := range reliefs {
		head := "            "
		if i == 0 {
			head = "next steps  "
		}
		fmt.Fprintf(&b, "%s%s: %s, %d warps, occupancy %.2f\n", head, change(u, s.Usage), blocks(s.Result.ActiveBlocks), s.Result.ActiveWarps, s.Result.Occupancy)
	}
	switch {
	case len(reliefs) > 0:
	case r.ActiveWarps == d.MaxWarpsPerSM():
		fmt.Fprintf(&b, "next steps  none is needed\n")
	default:
		fmt.Fprintf(&b, "next steps  no change of one resource alone makes more warps resident\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func blocks(n int) string {
	if n == 1 {
		return "1 block"
	}
	return fmt.Sprintf("%d blocks", n)
}

// change says in what two usages differ.
func change(from, to occupancy.Usage) string {
	switch {
	case from.Threads != to.Threads:
		return fmt.Sprintf("%d threads", to.Threads)
	case from.Registers != to.Registers:
		return fmt.Sprintf("%d registers", to.Registers)
	}
	return fmt.Sprintf("%d B of shared memory", to.SharedBytes)
}

// parseBytes reads 8192, 8192B, 8KiB (or 8K, 8KB, which mean the same here).
func parseBytes(s string) (int, error) {
	digits := strings.TrimRight(s, "KkMmiIbB ")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("a number of bytes is wanted, as 8192 or 8KiB")
	}
	unit := int64(0)
	switch strings.ToLower(strings.TrimSpace(s[len(digits):])) {
	case "", "b":
		unit = 1
	case "k", "kb", "kib":
		unit = 1 << 10
	case "m", "mb", "mib":
		unit = 1 << 20
	default:
		return 0, fmt.Errorf("%q is no unit; B, KiB and MiB are", s[len(digits):])
	}
	if n > math.MaxInt32/unit {
		return 0, fmt.Errorf("more than any GPU has")
	}
	return int(n * unit), nil
}
