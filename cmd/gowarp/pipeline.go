package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"

	"gowarp/autoscheduler"
	"gowarp/halideir"
)

// onUsage marks a command's flag errors as errors of usage.
func onUsage(_ *cli.Context, err error, _ bool) error { return &usageError{err} }

// readPipeline reads the one pipeline that a command is given.
func readPipeline(c *cli.Context) (*halideir.Pipeline, error) {
	if c.NArg() != 1 {
		return nil, usagef("%s: one PIPELINE.json is wanted, %d given; a generator writes it with autoscheduler.dump=FILE.json", c.Command.Name, c.NArg())
	}
	name := c.Args().First()
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	p, err := halideir.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// request is what a command that schedules is given: parameters, then a pipeline.
func request(c *cli.Context) (*halideir.Pipeline, autoscheduler.Params, error) {
	prm, err := params(c)
	if err != nil {
		return nil, prm, err
	}
	p, err := readPipeline(c)
	return p, prm, err
}

// schedulingFlags are the flags of every command that schedules.
func schedulingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "gpu", Usage: "the device: a name such as h200, or sm_86 (default: what the pipeline's target says); 'gowarp devices' lists them"},
		&cli.StringSliceFlag{Name: "param", Aliases: []string{"p"}, Usage: "a parameter of the autoscheduler, `KEY=VALUE`; may be repeated"},
	}
}

// params are the parameters that the flags give.
func params(c *cli.Context) (autoscheduler.Params, error) {
	kv := map[string]string{}
	for _, s := range c.StringSlice("param") {
		k, v, ok := strings.Cut(s, "=")
		if !ok {
			return autoscheduler.Params{}, usagef("--param %s: KEY=VALUE is wanted", s)
		}
		kv[k] = v
	}
	if g := c.String("gpu"); g != "" {
		kv["gpu"] = g
	}
	p, err := autoscheduler.ParseParams(kv)
	if err != nil {
		return p, &usageError{err}
	}
	return p, nil
}

// nearestCommand suggests a command for a mistyped one.
func nearestCommand(app *cli.App, word string) string {
	best, dist := "", 3
	for _, c := range app.Commands {
		if d := smetrics.WagnerFischer(word, c.Name, 1, 1, 1); d < dist {
			best, dist = c.Name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
