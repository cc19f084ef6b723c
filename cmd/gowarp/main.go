// Command gowarp schedules Halide pipelines for GPUs from the command line: the same
// code as the plugin, on pipelines that the plugin dumped. It needs no Halide.
package main

import (
	"errors"
	"fmt"
	"gowarp/internal/suggest"
	"io"
	"os"
	"os/exec"

	"github.com/urfave/cli/v2"
)

// Exit codes. A command that runs another program hands on that program's when it fails.
const (
	exitFailure = 1 // the work failed; of diff: the schedules differ
	exitUsage   = 2 // the command was called wrongly; of diff: anything that kept it from comparing
)

func main() { os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr)) }

// run is main without the process: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &output{Writer: stdout}
	app := newApp(stdin, out, stderr)
	err := app.Run(flagsFirst(app, args))
	if err == nil {
		err = out.err
	}
	if err == nil {
		return 0
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(stderr, "gowarp: %s\n", text)
	}
	// A process that failed has an exit code too, which is not ours: exec and verify, which hand one on, say so themselves.
	var code cli.ExitCoder
	var process *exec.ExitError
	if errors.As(err, &code) && !errors.As(err, &process) {
		return code.ExitCode()
	}
	var usage *usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailure
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:      "gowarp",
		Usage:     "a GPU autoscheduler for Halide",
		UsageText: "gowarp COMMAND [options] [arguments]",
		Description: `A Halide generator is scheduled by gowarp in one of two ways:

  HL_AUTOSCHEDULER=gowarp, by 'gowarp exec -- COMMAND', for builds as they are;
  ./generator -p libautoschedule_gowarp.so autoscheduler=gowarp ...

With autoscheduler.dump=FILE.json it also writes the pipeline, which the
commands below read:

  gowarp schedule FILE.json        the schedule as a loop nest
  gowarp explain FILE.json         why it is as it is

Exit codes: 0 ok; 1 the work failed, or diff found differences; 2 wrong usage;
3 verify found something wrong. exec and verify hand on the exit code of a
command that fails.`,
		Reader:          stdin,
		Writer:          stdout,
		ErrWriter:       stderr,
		HideVersion:     true,
		HideHelpCommand: true,                         // helpCommand is ours: cli's exits with 3
		ExitErrHandler:  func(*cli.Context, error) {}, // run decides
		OnUsageError:    onUsage,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "version", Usage: "the same as the command version", DisableDefaultText: true},
			cli.HelpFlag, // cli adds it only together with its own help command
		},
		Action: func(c *cli.Context) error {
			switch {
			case c.Args().Present():
				word := c.Args().First()
				return usagef("there is no command %q%s; 'gowarp help' lists them", word, suggest.Nearest(word, commandNames(c.App)))
			case c.Bool("version"):
				return printVersion(c.App.Writer)
			}
			return cli.ShowAppHelp(c)
		},
		Commands: []*cli.Command{
			scheduleCommand(),
			explainCommand(),
			diffCommand(),
			irCommand(),
			execCommand(),
			verifyCommand(),
			benchCommand(),
			profileCommand(),
			devicesCommand(),
			occupancyCommand(),
			completionCommand(),
			completeCommand(),
			versionCommand(),
			helpCommand(),
		},
	}
	for _, c := range app.Commands {
		c.HideHelpCommand = true // else a file named help, or h, is taken for a subcommand of cli's
	}
	return app
}
