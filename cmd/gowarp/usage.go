package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"gowarp/internal/suggest"
)

// usageError is a mistake in how the command was called.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// onUsage says what is wrong with a flag in gowarp's words; the flag package's name one dash and
// no way on.
func onUsage(c *cli.Context, err error, _ bool) error {
	name := "gowarp"
	var flags []cli.Flag
	if c.Command != nil && c.Command.Name != c.App.Name {
		name = c.Command.HelpName // with the commands that it is part of
		flags = c.Command.Flags
	}
	help := fmt.Sprintf("; see %s --help", name)
	text := err.Error()
	if word, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		word = strings.TrimLeft(word, "-")
		return usagef("there is no option %s%s%s", dashed(word), suggest.Nearest(dashed(word), flagWords(flags)), help)
	}
	if word, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return usagef("the option %s needs a value%s", dashed(word), help)
	}
	return usagef("%s%s", ofFlag.ReplaceAllString(text, " for the option --$1:"), help)
}

// ofFlag is how the flag package names an option in an error.
var ofFlag = regexp.MustCompile(` for (?:flag )?-([a-z-]+):`)

// noArguments refuses arguments to a command that takes none.
func noArguments(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("%s takes no arguments, but was given %q", c.Command.Name, c.Args().First())
	}
	return nil
}

// dashed is an option as it is written.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// flagWords are the options of a command as they are written.
func flagWords(flags []cli.Flag) []string {
	var words []string
	for _, f := range flags {
		for _, name := range f.Names() {
			words = append(words, dashed(name))
		}
	}
	return words
}

// commandNames are the commands that help lists.
func commandNames(app *cli.App) []string {
	var names []string
	for _, c := range app.VisibleCommands() {
		names = append(names, c.Name)
	}
	return names
}
