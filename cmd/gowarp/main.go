// Command gowarp schedules Halide pipelines for GPUs from the command line: the same
// code as the plugin, on pipelines that the plugin dumped. It needs no Halide.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"
)

// Exit codes.
const (
	exitFailure = 1 // the work failed
	exitUsage   = 2 // the command was called wrongly
)

func main() { os.Exit(run(os.Args, os.Stdout, os.Stderr)) }

// run is main without the process: it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	app := newApp(stdout, stderr)
	err := app.Run(flagsFirst(app, args))
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "gowarp: %v\n", err)
	var code cli.ExitCoder
	if errors.As(err, &code) {
		return code.ExitCode()
	}
	var usage *usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailure
}

// usageError is a mistake in how the command was called.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

func newApp(stdout, stderr io.Writer) *cli.App {
	return &cli.App{
		Name:      "gowarp",
		Usage:     "a GPU autoscheduler for Halide",
		UsageText: "gowarp COMMAND [options] [arguments]",
		Description: `A Halide generator is scheduled by gowarp in one of two ways:

  HL_AUTOSCHEDULER=gowarp, by 'gowarp exec -- COMMAND', for builds as they are;
  ./generator -p libautoschedule_gowarp.so autoscheduler=gowarp ...

With autoscheduler.dump=FILE.json it also writes the pipeline, which the
commands below read:

  gowarp schedule FILE.json        the schedule as a loop nest
  gowarp explain FILE.json         why it is as it is`,
		Writer:          stdout,
		ErrWriter:       stderr,
		HideVersion:     true,
		ExitErrHandler:  func(*cli.Context, error) {}, // run decides
		OnUsageError:    func(_ *cli.Context, err error, _ bool) error { return &usageError{err} },
		CommandNotFound: nil,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("there is no command %q%s; 'gowarp help' lists them", c.Args().First(), nearestCommand(c.App, c.Args().First()))
			}
			return cli.ShowAppHelp(c)
		},
		Commands: []*cli.Command{
			scheduleCommand(),
			explainCommand(),
			irCommand(),
			execCommand(),
			verifyCommand(),
			devicesCommand(),
			occupancyCommand(),
			versionCommand(),
		},
	}
}
