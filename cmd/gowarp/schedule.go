package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"gowarp/autoscheduler"
)

func scheduleCommand() *cli.Command {
	return &cli.Command{
		Name:      "schedule",
		Usage:     "schedule a pipeline and print the schedule",
		ArgsUsage: "PIPELINE.json",
		Description: `Schedules a pipeline that a generator dumped, as the plugin would, and prints it:

  tree   the loop nest, and a table of the kernels (default)
  cpp    Halide C++, as in the file that the generator writes for -e schedule
  json   the schedule's own form, described in halideir/FORMAT.md

Example:
  ./harris.generator -g harris -o out -p build/libautoschedule_gowarp.so target=host-cuda \
      autoscheduler=gowarp autoscheduler.dump=harris.json
  gowarp schedule harris.json --gpu h200 --format cpp`,
		OnUsageError: onUsage,
		Flags: append(schedulingFlags(),
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "tree", Usage: "tree, cpp or json"}),
		Action: func(c *cli.Context) error {
			format := c.String("format")
			switch format {
			case "tree", "cpp", "json":
			default:
				return usagef("--format %s: tree, cpp or json is wanted", format)
			}
			p, prm, err := request(c)
			if err != nil {
				return err
			}
			s, err := autoscheduler.Schedule(p, prm)
			if err != nil {
				return err
			}
			switch format {
			case "cpp":
				_, err = io.WriteString(c.App.Writer, s.CPlusPlus(p))
			case "json":
				_, err = c.App.Writer.Write(s.JSON())
			default:
				if err = s.Tree(c.App.Writer, p); err == nil {
					err = s.Table(c.App.Writer)
				}
			}
			return err
		},
	}
}
