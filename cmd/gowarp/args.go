package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst moves a command's flags before its arguments: cli stops at the first
// argument, people write `gowarp schedule harris.json --gpu h200`. What follows "--"
// stays, and so does everything of the commands whose arguments are another program's.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) < 3 {
		return args
	}
	cmd := app.Command(args[1])
	if cmd == nil || cmd.SkipFlagParsing || cmd.Name == "exec" || cmd.Name == "verify" {
		return args
	}
	first := 2
	for first < len(args) {
		i := slices.IndexFunc(cmd.Subcommands, func(s *cli.Command) bool { return s.Name == args[first] })
		if i < 0 {
			break
		}
		cmd = cmd.Subcommands[i]
		first++
	}
	var flags, rest []string
	for i := first; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			rest = append(rest, args[i:]...)
			i = len(args)
		case !strings.HasPrefix(a, "-") || a == "-":
			rest = append(rest, a)
		default:
			flags = append(flags, a)
			switch {
			case !takesValue(cmd, a):
			case i+1 < len(args):
				i++
				flags = append(flags, args[i])
			default: // its value is missing, and no argument must pass for it
				rest = nil
			}
		}
	}
	return slices.Concat(args[:first], flags, rest)
}

// takesValue reports whether the word after a flag is its value.
func takesValue(cmd *cli.Command, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range cmd.Flags {
		if slices.Contains(f.Names(), name) {
			_, isBool := f.(*cli.BoolFlag)
			return !isBool
		}
	}
	return false
}
