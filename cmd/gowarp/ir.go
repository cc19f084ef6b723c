package main

import (
	"github.com/urfave/cli/v2"
)

func irCommand() *cli.Command {
	return &cli.Command{
		Name:      "ir",
		Usage:     "print a pipeline readably",
		ArgsUsage: "PIPELINE.json",
		Description: `Checks a dumped pipeline and prints its inputs, Funcs, definitions and required
boxes. Nothing is scheduled.`,
		OnUsageError: onUsage,
		Action: func(c *cli.Context) error {
			p, err := readPipeline(c)
			if err != nil {
				return err
			}
			return p.Print(c.App.Writer)
		},
	}
}
