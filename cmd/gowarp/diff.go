package main

import (
	"errors"
	"fmt"

	"github.com/tidwall/gjson"
	"github.com/urfave/cli/v2"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
)

func diffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "compare two schedules, Func by Func",
		ArgsUsage: "A.json B.json",
		Description: `Reads two schedules as 'gowarp schedule --format json' writes them and prints what
they do differently: where each Func is computed and stored, its splits and order of
loops, its kernels' launches, and for what device and parameters they were made.
One of the two may be - for standard input. Funcs are matched by their names.

Exit code, as of diff(1): 0 the schedules are the same, 1 they differ, 2 they could
not be compared.

Example:
  gowarp schedule harris.json --gpu t4 --format json > t4.json
  gowarp schedule harris.json --gpu h200 --format json | gowarp diff t4.json -`,
		OnUsageError: onUsage,
		Flags:        []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print the differences as JSON, described in halideir/FORMAT.md", DisableDefaultText: true}},
		Action: func(c *cli.Context) error {
			differ, err := diff(c)
			switch {
			case err != nil:
				return cli.Exit(err.Error(), exitUsage)
			case differ:
				return cli.Exit("", exitFailure)
			}
			return nil
		},
	}
}

func diff(c *cli.Context) (differ bool, err error) {
	if c.NArg() != 2 {
		return false, fmt.Errorf("diff: two schedules are wanted, %d given; 'gowarp schedule PIPELINE.json --format json' writes one", c.NArg())
	}
	a, b := c.Args().Get(0), c.Args().Get(1)
	if a == "-" && b == "-" {
		return false, errors.New("diff: only one of the two can be standard input")
	}
	sa, err := readSchedule(c, a)
	if err != nil {
		return false, err
	}
	sb, err := readSchedule(c, b)
	if err != nil {
		return false, err
	}
	d := schedule.Diff(sa, sb)
	if c.Bool("json") {
		_, err = c.App.Writer.Write(d.JSON())
	} else {
		err = d.Print(c.App.Writer, displayName(a), displayName(b))
	}
	return !d.Equal, err
}

// readSchedule reads a schedule's JSON form. A pipeline in its place is a mistake that
// people make, so it is named.
func readSchedule(c *cli.Context, name string) (*schedule.Schedule, error) {
	data, err := readInput(c, name, "a schedule, as 'gowarp schedule PIPELINE.json --format json' writes it,")
	if err != nil {
		return nil, err
	}
	if gjson.GetBytes(data, "format").Str == halideir.FormatName {
		return nil, fmt.Errorf("%s is a pipeline, and diff compares schedules; make one: gowarp schedule %s --format json", displayName(name), name)
	}
	s, err := schedule.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", displayName(name), err)
	}
	return s, nil
}
