package main

import (
	"github.com/urfave/cli/v2"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/explain"
)

func explainCommand() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "say why the schedule is as it is",
		ArgsUsage: "PIPELINE.json",
		Description: `Schedules a dumped pipeline and says why each Func is inlined or not, what each
group was merged from and at what gain, which merges were refused, and of every
kernel its tile, launch, members, occupancy with what limits it, shared memory,
registers, waves over the SMs, cost with its parts, and the second best tile.
Costs are estimated seconds by cost=time, the default of mode=gowarp; those of
other cost models are in a unit of the model's own, and only compare.
PIPELINE.json may be - for standard input.

Example:
  gowarp explain harris.json --gpu h200 --func gray`,
		OnUsageError: onUsage,
		Flags: append(schedulingFlags(),
			&cli.StringFlag{Name: "func", Usage: "only what concerns the Func `NAME`"},
			&cli.BoolFlag{Name: "json", Usage: "as JSON, described in halideir/FORMAT.md", DisableDefaultText: true}),
		Action: func(c *cli.Context) error {
			prm, err := params(c)
			if err != nil {
				return err
			}
			if prm.Schedule != "" {
				return &usageError{autoscheduler.ErrReplayed}
			}
			p, err := readPipeline(c)
			if err != nil {
				return err
			}
			r, err := autoscheduler.Run(p, prm)
			if err != nil {
				return err
			}
			report := explain.Of(r)
			if c.IsSet("func") {
				if report, err = report.Only(r.Problem.P, c.String("func")); err != nil {
					return &usageError{err}
				}
			}
			if !c.Bool("json") {
				return report.Print(c.App.Writer)
			}
			data, err := report.JSON()
			if err != nil {
				return err
			}
			_, err = c.App.Writer.Write(data)
			return err
		},
	}
}
