package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/bench/report"
	"gowarp/benchmarks/textfile"
)

func benchWarpCommand() *cli.Command {
	c := &cli.Command{
		Name:      "warp",
		Usage:     "count every form of a warp's tile, beside Jangda and Guha 2020",
		ArgsUsage: "[PROGRAM | SOURCE.cc[:GENERATOR]][,KEY=VALUE...] ...",
		Description: `Runs gowarp bench for the programs of Jangda and Guha 2020 at their sizes, a blur and a
heat equation, by each tiling: a tile a block, windows of threads, a tile a warp in
registers, in shared memory, and in both by five fractions. It writes DIR.md.`,
		Action: benchWarp,
	}
	for _, f := range benchFlags() {
		switch f.Names()[0] {
		case "size", "against":
		case "scheduler":
			c.Flags = append(c.Flags, &cli.GenericFlag{Name: "scheduler", Value: &list{}, Usage: "a `SCHEDULER`, as gowarp bench list names them; more than one by more options (default: those of the table)"})
		case "results":
			c.Flags = append(c.Flags, &cli.StringFlag{Name: "results", Usage: "the `DIR` of the lines (default: benchmarks/results/warp)"})
		default:
			c.Flags = append(c.Flags, f)
		}
	}
	return c
}

func benchWarp(c *cli.Context) error {
	plan, tree, err := benchHere(c, bench.WarpSchedulers(), "benchmarks", "results", "warp")
	if err != nil {
		return err
	}
	if c.Args().Present() {
		plan.Programs, err = benchPrograms(c, "bench", tree)
	} else {
		plan.Programs, err = bench.WarpPrograms(tree)
	}
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if _, err := benchExecute(c, tree, plan); err != nil {
		return err
	}
	// Of all lines there are, not of this run's alone.
	records, err := readRecords(c, plan.Results)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if err := textfile.Replace(plan.Results+".md", []byte(report.WarpTiles(records))); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	fmt.Fprintf(c.App.ErrWriter, "the table is %s.md\n", plan.Results)
	return nil
}
