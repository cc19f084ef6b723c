package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
)

// revision is git's word for the source; the linker sets it (Makefile). Go's own stamp is
// absent where GOFLAGS or the owner of the checkout forbids it.
var revision string

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:         "version",
		Usage:        "print the version of gowarp and of the forms it reads and writes",
		OnUsageError: onUsage,
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return printVersion(c.App.Writer)
		},
	}
}

func printVersion(w io.Writer) error {
	_, err := fmt.Fprintf(w, "gowarp %s (%s)\nreads %s %d, writes %s %d, built for Halide 21\n",
		sourceRevision(), runtime.Version(), halideir.FormatName, halideir.Version, schedule.FormatName, schedule.Version)
	return err
}

// sourceRevision is what the linker was told, else Go's stamp.
func sourceRevision() string {
	if revision != "" {
		return revision
	}
	stamp, modified := "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				stamp = s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = "-dirty"
			}
		}
	}
	if stamp == "" {
		return "built outside a git checkout"
	}
	return stamp + modified
}
