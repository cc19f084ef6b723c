package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gowarp/autoscheduler"
	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/suggest"
)

// formats are the forms in which a schedule is printed.
var formats = []string{"tree", "cpp", "python", "json"}

func scheduleCommand() *cli.Command {
	return &cli.Command{
		Name:      "schedule",
		Usage:     "schedule a pipeline and print the schedule",
		ArgsUsage: "PIPELINE.json",
		Description: `Schedules a pipeline that a generator dumped, as the plugin would, and prints it:

  tree     the loop nest, and a table of the kernels (default)
  cpp      Halide C++, as in the file that the generator writes for -e schedule
  python   a Python module for Halide's bindings, with a function schedule(pipeline)
  json     the schedule's own form, described in halideir/FORMAT.md

PIPELINE.json may be - for standard input. --dump prints, in place of the schedule,
the state after one of the passes, or after each with --dump=all:

  ` + strings.Join(autoscheduler.PassNames(autoscheduler.DefaultParams()), ", ") + `

Example:
  ./harris.generator -g harris -o out -p build/libautoschedule_gowarp.so target=host-cuda-cuda_capability_86 \
      autoscheduler=gowarp autoscheduler.dump=harris.json
  gowarp schedule harris.json --gpu h200 --format cpp`,
		OnUsageError: onUsage,
		Flags: append(schedulingFlags(),
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "tree", Usage: "`FORM` of the schedule: " + strings.Join(formats, ", ")},
			&cli.StringFlag{Name: "dump", Usage: "print the state after `PASS`"}),
		Action: func(c *cli.Context) error {
			format := c.String("format")
			if !slices.Contains(formats, format) {
				return usagef("--format %s: one of %s is wanted%s", format, strings.Join(formats, ", "), suggest.Nearest(format, formats))
			}
			prm, err := params(c)
			if err != nil {
				return err
			}
			dump := c.IsSet("dump")
			if dump {
				if c.IsSet("format") {
					return usagef("--dump prints a pass, not a schedule: it does not go with --format")
				}
				if err := autoscheduler.CheckDump(c.String("dump"), prm); err != nil {
					return &usageError{err}
				}
			}
			p, err := readPipeline(c)
			if err != nil {
				return err
			}
			if dump {
				return autoscheduler.Dump(c.App.Writer, p, prm, c.String("dump"))
			}
			if format != "tree" && !slices.ContainsFunc(c.StringSlice("param"), func(s string) bool { return strings.HasPrefix(s, "check=") }) {
				prm.Check = "0" // what it prints is applied as it is: it leaves out what only a check by Halide makes safe
			}
			s, remarks, err := autoscheduler.ScheduleAndRemark(p, prm)
			if err != nil {
				return err
			}
			for _, text := range remarks {
				fmt.Fprintln(c.App.ErrWriter, "gowarp:", text)
			}
			return write(c.App.Writer, s, p, format)
		},
	}
}

// write prints a schedule in one of the formats.
func write(w io.Writer, s *schedule.Schedule, p *halideir.Pipeline, format string) error {
	var err error
	switch format {
	case "cpp":
		_, err = io.WriteString(w, s.CPlusPlus(p))
	case "python":
		var text string
		if text, err = s.Python(p); err == nil {
			_, err = io.WriteString(w, text)
		}
	case "json":
		_, err = w.Write(s.JSON())
	default:
		if err = s.Tree(w, p); err == nil {
			err = s.Table(w)
		}
	}
	return err
}
