package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
)

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:         "version",
		Usage:        "print the version of gowarp and of the forms it reads and writes",
		OnUsageError: onUsage,
		Action: func(c *cli.Context) error {
			revision := "unknown revision"
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						revision = s.Value
					}
				}
			}
			_, err := fmt.Fprintf(c.App.Writer, "gowarp %s (%s)\nreads %s %d, writes %s %d, built for Halide 21\n",
				revision, runtime.Version(), halideir.FormatName, halideir.Version, schedule.FormatName, schedule.Version)
			return err
		},
	}
}
