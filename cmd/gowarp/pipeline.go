package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"gowarp/autoscheduler"
	"gowarp/halideir"
)

// readPipeline reads the one pipeline that a command is given, "-" for standard input.
func readPipeline(c *cli.Context) (*halideir.Pipeline, error) {
	if c.NArg() != 1 {
		return nil, usagef("%s: one PIPELINE.json is wanted (- for standard input), %d given; a generator writes it with autoscheduler.dump=FILE.json", c.Command.Name, c.NArg())
	}
	name := c.Args().First()
	data, err := readInput(c, name, "a pipeline, which a generator writes with autoscheduler.dump=FILE.json,")
	if err != nil {
		return nil, err
	}
	p, err := halideir.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", displayName(name), err)
	}
	return p, nil
}

// schedulingFlags are the flags of every command that schedules.
func schedulingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "gpu", Usage: "the device, `NAME` such as h200, or sm_86 (default: the one that the dump was made for, else what the pipeline's target says); 'gowarp devices' lists them"},
		&cli.StringSliceFlag{Name: "param", Aliases: []string{"p"}, Usage: "a parameter of the autoscheduler, `KEY=VALUE`; may be repeated"},
	}
}

// params are the parameters that the flags give. Every mistake in them is one of usage.
func params(c *cli.Context) (autoscheduler.Params, error) {
	kv := map[string]string{}
	for _, s := range c.StringSlice("param") {
		k, v, ok := strings.Cut(s, "=")
		switch {
		case !ok || k == "":
			return autoscheduler.Params{}, usagef("--param %s: KEY=VALUE is wanted, as in --param fusion=overlap", s)
		case k == "dump":
			return autoscheduler.Params{}, usagef("--param dump: %s reads a dumped pipeline and writes none; --dump=PASS of schedule prints what a pass did", c.Command.Name)
		case k == "save":
			return autoscheduler.Params{}, usagef("--param save: %s applies no schedule; 'gowarp schedule PIPELINE.json --format json > FILE' writes the one that it makes", c.Command.Name)
		}
		kv[k] = v
	}
	if c.IsSet("gpu") {
		g := c.String("gpu")
		if old, ok := kv["gpu"]; ok && old != g {
			return autoscheduler.Params{}, usagef("--gpu %s and --param gpu=%s contradict each other", g, old)
		}
		kv["gpu"] = g
	}
	p, err := autoscheduler.CheckParams(kv)
	if err != nil {
		return p, &usageError{err}
	}
	return p, nil
}
