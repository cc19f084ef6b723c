package main

import (
	"github.com/urfave/cli/v2"
)

func helpCommand() *cli.Command {
	return &cli.Command{
		Name:         "help",
		Usage:        "list the commands, or say how one is used",
		ArgsUsage:    "[COMMAND]",
		OnUsageError: onUsage,
		Action: func(c *cli.Context) error {
			switch word := c.Args().First(); {
			case c.NArg() == 0:
				return cli.ShowAppHelp(c)
			case c.NArg() > 1:
				return usagef("help: one COMMAND is wanted, %d given", c.NArg())
			case c.App.Command(word) == nil:
				return usagef("help: there is no command %q%s; 'gowarp help' lists them", word, nearest(word, commandNames(c.App)))
			case len(c.App.Command(word).Subcommands) > 0: // cli's own help for these leaves out their options
				return c.App.Run([]string{c.App.Name, word, "--help"})
			default:
				return cli.ShowCommandHelp(c, word)
			}
		},
	}
}
