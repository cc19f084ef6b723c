package main

import (
	"gowarp/internal/suggest"
	"slices"

	"github.com/urfave/cli/v2"
)

func hasSubcommand(c *cli.Command, name string) bool {
	return slices.ContainsFunc(c.Subcommands, func(s *cli.Command) bool { return s.HasName(name) })
}

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
			case c.NArg() == 2 && c.App.Command(word) != nil && hasSubcommand(c.App.Command(word), c.Args().Get(1)):
				return c.App.Run([]string{c.App.Name, word, c.Args().Get(1), "--help"})
			case c.NArg() > 1:
				return usagef("help: one COMMAND is wanted, %d given", c.NArg())
			case c.App.Command(word) == nil:
				return usagef("help: there is no command %q%s; 'gowarp help' lists them", word, suggest.Nearest(word, commandNames(c.App)))
			case len(c.App.Command(word).Subcommands) > 0: // cli's own help for these leaves out their options
				return c.App.Run([]string{c.App.Name, word, "--help"})
			default:
				return cli.ShowCommandHelp(c, word)
			}
		},
	}
}
